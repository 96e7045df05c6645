"""Under torchrun, whose agent serves the store: a rank waits in it for the NCCL id of a rank that is elsewhere."""

import sockets
from reasons import nothing_launched
from scenario import ASLEEP_OUTSIDE, RANK, Scenario, join, sleep_outside, tell


def prove(job):
    """The store belongs to no rank."""
    stores = {each.peer for each in sockets.of(job.pids[1]) if each.state == "ESTABLISHED"}
    served = {each.port for pid in job.pids for each in sockets.of(pid) if each.state == "LISTEN"}
    assert stores and not stores & served, f"rank 1 is connected to {stores}, the ranks serve {served}"


SCENARIO = Scenario(
    title="torchrun: rank 1 waits in the agent's store for the NCCL id, rank 0 asleep before init_process_group",
    says={0: "sleep_outside", 1: "init"},
    reason=nothing_launched,
    prove=prove,
    frames={
        0: ASLEEP_OUTSIDE,
        1: {
            "nccl2": ["^poll", "TCPStore::doWait", "NCCLBootstrap::exchangeUniqueIds", "py:init_process_group"],
            "classic": ["^poll", "TCPStore::doWait", "broadcastUniqueNCCLID", "initNCCLComm", "py:all_reduce"],
        },
    },
    launcher="torchrun",
    verdict=("init_timeout", "host_straggler"),
    culprits=(0,),
)


def main():
    import torch
    import torch.distributed as dist

    if RANK == 0:
        sleep_outside()
    tell("init")
    join()
    dist.all_reduce(torch.ones(8).cuda())


if __name__ == "__main__":
    main()
