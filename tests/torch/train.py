"""A data-parallel training loop with one way to hang per scenario: train.py SCENARIO.

A line goes to READY_FD before the call that hangs; under a launcher that closes foreign descriptors, to the FIFO
READY_PATH. Ranks that no torchrun started find each other by INIT_METHOD and JOB_SIZE.
"""

import ctypes
import os
import signal
import sys
import threading
import time

import torch
import torch.distributed as dist

RANK_NAMES = ("RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK", "SLURM_PROCID", "RAY_RANK")


def number_of(*names):
    return int(next(os.environ[name] for name in names if name in os.environ))


SCENARIO = sys.argv[1]
RANK = number_of(*RANK_NAMES)
WORLD_SIZE = number_of("WORLD_SIZE", "JOB_SIZE")
LAST = RANK == WORLD_SIZE - 1
HANG_AT_STEP = 2


PR_SET_PDEATHSIG = 1
ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)  # no rank outlives its launcher


def tell(event):
    if "READY_PATH" in os.environ:
        with open(os.environ["READY_PATH"], "w") as fifo:
            fifo.write(f"{RANK} {event}\n")
    else:
        os.write(int(os.environ["READY_FD"]), f"{event}\n".encode())


def load_batch(step):
    if SCENARIO in ("straggler", "stopped", "workers") and LAST and step == HANG_AT_STEP:
        tell("load_batch")
        time.sleep(86400)
    if SCENARIO == "vfork" and LAST and step == HANG_AT_STEP:
        library = ctypes.CDLL(os.environ["VFORK_LIBRARY"])
        tell("load_batch")
        library.wait_in_vfork(int(os.environ["HOLD_FD"]))
    if SCENARIO == "moving":
        burn(0.02)
    return torch.ones(1024) * step


def burn(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def sync_gradients(step, gradients):
    if step == HANG_AT_STEP:
        tell("all_reduce")
    dist.all_reduce(gradients)
    return gradients


def gather_metrics(gradients):
    """The collective that its peers do not run."""
    tell("all_gather")
    gathered = [torch.empty_like(gradients) for _ in range(dist.get_world_size())]
    dist.all_gather(gathered, gradients)


def log_anomaly():
    """The branch without a collective."""
    tell("log_anomaly")
    time.sleep(86400)


def train_step(step):
    gradients = load_batch(step) * 0.5
    if step == HANG_AT_STEP and SCENARIO == "branch" and LAST:
        return log_anomaly()
    if step == HANG_AT_STEP and SCENARIO == "mismatch" and RANK == 0:
        return gather_metrics(gradients)
    return sync_gradients(step, gradients)


def steps():
    """The last rank of "past" has one batch less: uneven data."""
    return HANG_AT_STEP if SCENARIO == "past" and LAST else 10**9


def train_loop():
    for step in range(steps()):
        train_step(step)


def save_model():
    tell("save_model")
    time.sleep(86400)


def load_with_workers():
    """Two DataLoader workers per rank, alive and idle while the rank waits in its collective."""
    from torch.utils.data import DataLoader

    loader = DataLoader(torch.arange(4096.0), batch_size=4, num_workers=2)
    return iter(loader)


def checkpoint():
    """The last rank writes; its peers wait for its word in the store, and no collective tells them when it dies."""
    store = dist.distributed_c10d._get_default_store()
    if LAST:
        tell("write_checkpoint")
        time.sleep(86400)
    tell("wait_for_checkpoint")
    store.wait(["checkpoint"])


def answer_with_own_dump():
    """PyTorch's own dump of its flight recorder, a pickle, to whoever opens the FIFO DUMP_FIFO.RANK for reading."""
    with open(f"{os.environ['DUMP_FIFO']}.{RANK}", "wb") as fifo:
        fifo.write(torch._C._distributed_c10d._dump_fr_trace(True, True, False))


def main():
    if "DUMP_FIFO" in os.environ:
        threading.Thread(target=answer_with_own_dump, name="dump", daemon=True).start()
    dist.init_process_group("gloo", os.environ.get("INIT_METHOD"), rank=RANK, world_size=WORLD_SIZE)
    if SCENARIO == "checkpoint":
        checkpoint()
    if SCENARIO == "workers":
        batches = load_with_workers()
        next(batches)
    train_loop()
    save_model()


if __name__ == "__main__":
    main()
