"""A rank looks for the job's store, which rank 0 has not opened yet."""

import sockets
from reasons import nothing_launched
from scenario import ASLEEP_OUTSIDE, RANK, Scenario, join, sleep_outside, tell


def prove(job):
    for pid in job.pids:
        assert not [each for each in sockets.of(pid) if each.state in ("LISTEN", "ESTABLISHED")], f"pid {pid}"


SCENARIO = Scenario(
    title="rank 1 in init_process_group, connecting to the store of rank 0, which is asleep before it",
    torchrun=False,
    says={0: "sleep_outside", 1: "init"},
    reason=nothing_launched,
    prove=prove,
    frames={
        0: ASLEEP_OUTSIDE,
        1: {"any": ["TCPStore::TCPStore", "py:_create_c10d_store", "py:init_process_group", "py:main"]},
    },
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
