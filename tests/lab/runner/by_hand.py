"""What a printed reproducer has in place of functions of scenario.py: torchrun starts it, on GPUs, without the lab."""

import datetime
import os
import tempfile

from scenario import RANK, WORLD_SIZE


def tell(event):
    print(f"rank {RANK}: {event}", flush=True)


def scratch_folder():
    """One for all ranks of the job."""
    folder = os.path.join(tempfile.gettempdir(), f"reproducer-{os.environ['MASTER_PORT']}")
    os.makedirs(folder, exist_ok=True)
    return folder


def data_parallel(model, **settings):
    from torch.nn.parallel import DistributedDataParallel

    return DistributedDataParallel(model, **settings)


def own_store():
    """The job's store, made by hand. torchrun serves it already; started otherwise, rank 0 does."""
    import torch.distributed as dist

    serves = RANK == 0 and os.environ.get("TORCHELASTIC_USE_AGENT_STORE") != "True"
    timeout = datetime.timedelta(days=1)
    return dist.TCPStore(os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]), WORLD_SIZE, serves, timeout)
