"""A rank makes a new process group that its peers do not make, and uses it."""

from reasons import after_an_all_reduce
from scenario import ASLEEP_OUTSIDE, RANK, Scenario, join, sleep_outside, tell

SCENARIO = Scenario(
    title="rank 0 makes a second process group and a communicator for it, rank 1 never does: it sleeps",
    says={0: "new_group", 1: "sleep_outside"},
    reason=after_an_all_reduce,
    frames={
        0: {
            "nccl2": ["ncclSocket", "ncclCommInitRankFunc", "groupLaunch", "py:new_group", "py:main"],
            "classic": ["initNCCLComm", "py:all_reduce", "py:main"],
        },
        1: ASLEEP_OUTSIDE,
    },
    busy={"nccl2": (0,), "2.15-classic": (0,)},
    verdict=("barrier_deadlock", "init_bootstrap", "host_straggler"),
    culprits=(1,),
)


def main():
    import torch
    import torch.distributed as dist

    join()
    tensor = torch.ones(64).cuda()
    dist.all_reduce(tensor)
    torch.cuda.synchronize()
    if RANK == 1:
        sleep_outside()
    tell("new_group")
    group = dist.new_group([0, 1])
    dist.all_reduce(tensor, group=group)


if __name__ == "__main__":
    main()
