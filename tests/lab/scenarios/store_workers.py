"""Rank 0 has opened the store of the job and waits in it for a rank that does not come to it."""

import sockets
from reasons import nothing_launched
from scenario import ASLEEP_OUTSIDE, RANK, Scenario, join, sleep_outside, tell


def prove(job):
    listens = [each for each in sockets.of(job.pids[0]) if each.state == "LISTEN"]
    assert listens and not sockets.of(job.pids[1]), f"rank 0: {listens}; rank 1: {sockets.of(job.pids[1])}"


SCENARIO = Scenario(
    title="rank 0 in init_process_group, waiting in its store for rank 1, which is asleep before it",
    torchrun=False,
    says={0: "init", 1: "sleep_outside"},
    reason=nothing_launched,
    prove=prove,
    frames={
        1: ASLEEP_OUTSIDE,
        0: {"any": ["TCPStore::waitForWorkers", "TCPStore::TCPStore", "py:_create_c10d_store", "py:init_process_group", "py:main"]},
    },
    verdict=("host_straggler",),
    culprits=(1,),
)


def main():
    import torch
    import torch.distributed as dist

    if RANK == 1:
        sleep_outside()
    tell("init")
    join()
    dist.all_reduce(torch.ones(8).cuda())


if __name__ == "__main__":
    main()
