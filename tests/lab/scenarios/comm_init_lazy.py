"""The first collective makes the communicator, long after init_process_group; a rank does not come to it."""

from reasons import nothing_launched
from scenario import ASLEEP_OUTSIDE, RANK, Scenario, join, sleep_outside, tell

SCENARIO = Scenario(
    title="rank 0 makes the communicator in its first all_reduce, rank 1 asleep behind init_process_group",
    says={0: "all_reduce", 1: "sleep_outside"},
    reason=nothing_launched,
    frames={
        0: {"any": ["NCCLComm::create", "ProcessGroupNCCL::initNCCLComm", "py:all_reduce", "py:main"]},
        1: ASLEEP_OUTSIDE,
    },
    elsewhere={0: {"2.8": ["bootstrapInit", "ncclCommInitRankFunc", "ncclAsyncJobMain"], "any": ["bootstrapRoot"]}},
    busy={"2.15-classic": (0,)},  # NCCL 2.30 polls its socket on the main thread
    versions=("classic",),  # init_process_group of nccl2 makes the communicator
    verdict=("host_straggler",),
    culprits=(1,),
)


def main():
    import torch
    import torch.distributed as dist

    join()
    if RANK == 1:
        sleep_outside()
    tell("all_reduce")
    dist.all_reduce(torch.ones(8).cuda())


if __name__ == "__main__":
    main()
