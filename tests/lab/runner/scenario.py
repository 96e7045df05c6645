"""What a file of tests/lab/scenarios says of itself, and what its ranks share. No torch is imported here."""

import ctypes
import dataclasses
import datetime
import os
import pathlib
import signal
import time
import typing

RANK = int(os.environ.get("RANK", "0"))
WORLD_SIZE = int(os.environ.get("WORLD_SIZE", "1"))
JOB = int(os.environ.get("HANGSTACK_LAB_JOB", "0"))  # which of `Scenario.jobs`


@dataclasses.dataclass(frozen=True)
class Scenario:
    """One way to hang, and what must be seen of it.

    A table {generation: value} is read with the first of these that it has: the version as the runner names it ("2.15",
    "2.15-classic", "2.8", "2.6", "nccl-2.28.9"), the generation of the backend ("nccl2", "classic"; "nccl": no torch), "any".
    """

    title: str
    # {rank: the line that it says right before the call it hangs in}
    says: dict
    # reason(launched): AssertionError unless the logs of the stand-in show why it hangs; see launches.py.
    reason: typing.Callable
    # prove(job): the same of what no log shows, once the job hangs (or moves): of /proc, or of a signal sent; see lab_job.py.
    prove: typing.Callable = None
    # {rank: {generation: patterns}} of the main thread's frames, innermost first: regular expressions for functions, in
    # this order, other frames between them. "py:" starts one for a Python function.
    frames: dict = dataclasses.field(default_factory=dict)
    # The same of some other thread of the rank.
    elsewhere: dict = dataclasses.field(default_factory=dict)
    # The same of some process below it, with `arguments` that have hangstack read those.
    below: dict = dataclasses.field(default_factory=dict)
    # Of hangstack, beside the pids; "--gap S" replaces the runner's own.
    arguments: tuple = ()
    # The patterns that are a right verdict; the first is the documented one.
    verdict: tuple = ()
    # The ranks to blame; None: nobody in particular.
    culprits: tuple = None
    ranks: int = 2
    # The sizes of separately launched jobs, instead of one of `ranks`. Every "rank" of the tables here is then the place
    # of the process over all of them.
    jobs: tuple = ()
    # "hangs", "ends" (every rank, with status 0) or "moves" (for ever)
    outcome: str = "hangs"
    # {rank: the line that it says after hangstack has looked}: it went on, so it did not hang.
    afterwards: dict = dataclasses.field(default_factory=dict)
    # prod(job): what the runner does then to have it go on.
    prod: typing.Callable = None
    # Regular expressions that the verdict, or what could not be read, must match: what the report must say beside it.
    tells: tuple = ()
    # {generation: ranks that burn a core while they hang}
    busy: dict = dataclasses.field(default_factory=dict)
    # Ranks that exit by themselves before the others hang.
    gone: tuple = ()
    # Those of `gone` that the runner waits for, as a launcher does: their pids are no more.
    reaped: tuple = ()
    # Of an outcome "moves": the ranks that stand still, waiting for the one that moves.
    waiting: tuple = ()
    environment: dict = dataclasses.field(default_factory=dict)
    # {generation: what hangstack gets wrong}: a wrong verdict there is written down in docs/lab.md, and fails nothing.
    known_faults: dict = dataclasses.field(default_factory=dict)
    # The generations that can hang in this way; empty: every one that has torch.
    versions: tuple = ()
    # "torchrun" starts the ranks; "" stands for the runner itself. torchrun's agent is none of them.
    launcher: str = ""
    # Whether it hangs so under torchrun, whose agent has a store of its own and ends the ranks when one fails.
    torchrun: bool = True
    # Whether the driver's code has no unwind tables.
    bare_driver: bool = False


LOOKED = "looked"  # a file in the folder of the logs, once hangstack has looked

# Tables of frames that many scenarios share. What stands below cuCtxSynchronize in libcuda has no names.
IN_SYNCHRONIZE = {
    "any": [
        "^cuCtxSynchronize$",
        "^cudaDeviceSynchronize$",
        "device_synchronize",
        "THCPModule_cudaSynchronize",
        "py:synchronize",
        "py:main",
    ]
}
ASLEEP_OUTSIDE = {"any": ["py:sleep_outside", "py:main"]}


def can_run(scenario, generations):
    return bool(set(scenario.versions) & set(generations)) if scenario.versions else "nccl" not in generations


def pick(table, generations, default=None):
    """The value for the first of `generations` that `table` has."""
    return next((table[each] for each in generations if each in table), default)


def tell(event):
    """Says a line to the runner; nothing when the script was started by hand."""
    if "HANGSTACK_LAB_READY" in os.environ:
        with open(f"{os.environ['HANGSTACK_LAB_READY']}.{RANK}", "w") as pipe:
            pipe.write(f"{event}\n")
    elif "READY_FD" in os.environ:
        os.write(int(os.environ["READY_FD"]), f"{event}\n".encode())


def die_with_parent(*_):
    """In a child: the kernel kills it with the thread that started it. Asleep, it would never look."""
    pr_set_pdeathsig = 1
    ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)


def go_on():
    """In each step of a job that does not hang: says "went on" once hangstack has looked; see `afterwards`."""
    if (pathlib.Path(os.environ["HANGSTACK_LAB_LOG"]) / LOOKED).exists():
        tell("went on")


def sleep_outside():
    """Where a rank stands that does not come: the name is on its stack."""
    tell("sleep_outside")
    time.sleep(86400)


def scratch_folder():
    """For files of the job; removed with it."""
    return os.environ["HANGSTACK_LAB_LOG"]


if "HANGSTACK_LAB_READY" in os.environ:
    die_with_parent()  # which is torchrun: the runner can end no grandchild for sure


def use_device():
    import torch

    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))


def join(backend="nccl", **settings):
    """init_process_group with time limits that no test reaches."""
    import torch.distributed as dist

    if backend == "nccl":
        use_device()
    dist.init_process_group(backend, timeout=datetime.timedelta(days=1), **settings)


def data_parallel(model, **settings):
    """DistributedDataParallel without the comparison of parameters at its start: collectives move no data here."""
    import inspect

    from torch.nn.parallel import DistributedDataParallel, distributed

    if "init_sync" in inspect.signature(DistributedDataParallel).parameters:  # from PyTorch 2.7 on
        return DistributedDataParallel(model, init_sync=False, **settings)
    distributed._verify_param_shape_across_processes = distributed._sync_module_states = lambda *_, **__: None
    return DistributedDataParallel(model, **settings)


def own_store():
    """The job's store, made by hand: a rank can serve it and never join the process group."""
    import torch.distributed as dist

    return dist.TCPStore(
        os.environ["MASTER_ADDR"],
        int(os.environ["MASTER_PORT"]),
        WORLD_SIZE,
        RANK == 0,
        timeout=datetime.timedelta(days=1),
    )
