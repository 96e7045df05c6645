"""TORCH_DISTRIBUTED_DEBUG=DETAIL: before each collective the ranks meet in a gloo barrier of the wrapper."""

from reasons import after_an_all_reduce
from scenario import ASLEEP_OUTSIDE, RANK, Scenario, join, sleep_outside, tell

SCENARIO = Scenario(
    title="rank 0 in the wrapper's check of an all_reduce (TORCH_DISTRIBUTED_DEBUG=DETAIL), rank 1 asleep outside",
    says={0: "all_reduce", 1: "sleep_outside"},
    reason=after_an_all_reduce,
    frames={
        0: {"any": ["gloo", "ProcessGroupWrapper::runCollectiveChecks", "ProcessGroupWrapper::allreduce", "py:main"]},
        1: ASLEEP_OUTSIDE,
    },
    verdict=("host_straggler",),
    culprits=(1,),
    environment={"TORCH_DISTRIBUTED_DEBUG": "DETAIL", "GLOO_SOCKET_IFNAME": "lo"},
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
    tell("all_reduce")
    dist.all_reduce(tensor)
    torch.cuda.synchronize()


if __name__ == "__main__":
    main()
