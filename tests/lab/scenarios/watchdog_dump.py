"""The watchdog has fired, and waits for its dump of the flight recorder, which goes to a disk that does not answer."""

import contextlib
import datetime
import os
import pathlib

import evidence
from reasons import alone_in
from scenario import ASLEEP_OUTSIDE, IN_SYNCHRONIZE, RANK, Scenario, scratch_folder, sleep_outside, tell, use_device


def waits_for_a_reader(pid):
    """Whether a thread of the process opens a pipe that nobody reads, by what the kernel says."""
    for path in pathlib.Path(f"/proc/{pid}/task").glob("*/wchan"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # a thread may end meanwhile
            if path.read_text() in ("wait_for_partner", "fifo_open"):
                return True
    return False


def prove(job):
    """Only when the watchdog has fired does rank 0 open the file of its dump."""

    def dumps():
        assert waits_for_a_reader(job.pids[0]), "rank 0 does not dump"

    # Before it opens the file, PyTorch resolves the stacks of the dump: that imports much.
    evidence.wait_until(dumps, 120, "the watchdog has not fired")
    evidence.wait_until_steady(job.pids)


SCENARIO = Scenario(
    title="the watchdog of rank 0 has fired and waits for the dump to a dead disk; rank 1 asleep outside",
    says={0: "all_reduce", 1: "sleep_outside"},
    reason=alone_in(2),
    prove=prove,
    frames={0: IN_SYNCHRONIZE, 1: ASLEEP_OUTSIDE},
    elsewhere={
        0: {
            "nccl2": ["FlightRecorderHook::onAbort", "runAbortHooks", "nccl2::ProcessGroupNCCL::timeoutWatchdog"],
            "classic": ["ProcessGroupNCCL::waitForFutureOrTimeout", "HeartbeatMonitor::runLoop|heartbeatMonitor"],
        }
    },
    verdict=("host_straggler",),
    culprits=(1,),
    environment={
        "TORCH_NCCL_DUMP_ON_TIMEOUT": 1,
        "TORCH_NCCL_ASYNC_ERROR_HANDLING": 1,
        # It would kill the rank then.
        "TORCH_NCCL_WAIT_TIMEOUT_DUMP_MILSEC": 86400000,
        "TORCH_FR_WAIT_TIMEOUT_DUMP_MILSEC": 86400000,
    },
)


def dump_to_a_dead_disk():
    """A pipe without a reader: who opens it waits for ever, as on a file server that is gone."""
    stem = os.path.join(scratch_folder(), "trace_")
    os.environ["TORCH_FR_DUMP_TEMP_FILE"] = os.environ["TORCH_NCCL_DEBUG_INFO_TEMP_FILE"] = stem
    if RANK == 0:
        os.mkfifo(f"{stem}0")


def main():
    dump_to_a_dead_disk()
    import torch
    import torch.distributed as dist

    use_device()
    dist.init_process_group("nccl", timeout=datetime.timedelta(seconds=8))
    tensor = torch.ones(64).cuda()
    dist.all_reduce(tensor)
    torch.cuda.synchronize()
    if RANK == 1:
        sleep_outside()
    tell("all_reduce")
    dist.all_reduce(tensor)
    torch.cuda.synchronize()


if __name__ == "__main__":
    main()
