"""A rank waits in ncclCommInitRank for a rank that never joins the process group."""

from reasons import nothing_launched
from scenario import ASLEEP_OUTSIDE, RANK, WORLD_SIZE, Scenario, join, own_store, sleep_outside, tell

INIT = [
    "bootstrapInit",
    "ncclCommInitRankFunc",
    "ncclAsyncJobMain",
    "asyncJobLaunch",
    "groupLaunch",
    "ncclGroupEndInternal",
    "ncclCommInitRankConfig",
]

CLASSIC = [
    "groupLaunch",
    "ncclGroupEndInternal",
    "ncclCommInitRankConfig",
    "NCCLComm::create",
    "ProcessGroupNCCL::initNCCLComm",
    "py:all_reduce",
    "py:main",
]

SCENARIO = Scenario(
    title="rank 0 makes the communicator, rank 1 asleep before init_process_group",
    says={0: "init", 1: "sleep_outside"},
    reason=nothing_launched,
    frames={
        0: {
            "nccl2": [
                *INIT,
                "NCCLBootstrap::createNcclComm",
                "nccl2::ProcessGroupNCCL::init",
                "py:init_process_group",
                "py:main",
            ],
            "2.15-classic": [*INIT, "NCCLComm::create", "ProcessGroupNCCL::initNCCLComm", "py:all_reduce", "py:main"],
            "2.6": CLASSIC,  # asyncJobLaunch is inlined in NCCL 2.21
            "classic": ["asyncJobLaunch", *CLASSIC],
        },
        1: ASLEEP_OUTSIDE,
    },
    elsewhere={0: {"2.8": ["bootstrapInit", "ncclCommInitRankFunc", "ncclAsyncJobMain"], "any": ["bootstrapRoot"]}},
    # NCCL 2.30 polls its socket on the main thread; 2.27 gives the job a thread of its own, and naps.
    busy={"nccl2": (0,), "2.15-classic": (0,)},
    verdict=("host_straggler",),
    culprits=(1,),
)


def main():
    import torch
    import torch.distributed as dist

    store = own_store()
    if RANK == 1:
        sleep_outside()
    tell("init")
    join(store=store, rank=RANK, world_size=WORLD_SIZE)
    dist.all_reduce(torch.ones(8).cuda())


if __name__ == "__main__":
    main()
