"""init_process_group(device_id=...) makes the communicator at once; a rank has not come to it yet."""

import os

from reasons import nothing_launched
from scenario import ASLEEP_OUTSIDE, RANK, WORLD_SIZE, Scenario, join, own_store, sleep_outside, tell

INIT = ["bootstrapInit", "ncclCommInitRankFunc", "asyncJobLaunch", "groupLaunch", "ncclCommInitRankConfig"]
EAGER = ["eagerConnectSingleDevice", "py:_new_process_group_helper", "py:init_process_group", "py:main"]

SCENARIO = Scenario(
    title="rank 0 in init_process_group(device_id=...), rank 1 asleep before it",
    says={0: "init", 1: "sleep_outside"},
    reason=nothing_launched,
    frames={
        0: {
            "nccl2": [*INIT, "NCCLBootstrap::createNcclComm", "nccl2::ProcessGroupNCCL::init", *EAGER[1:]],
            "2.15-classic": [*INIT, "NCCLComm::create", *EAGER],
            "2.8": [*INIT[2:], "NCCLComm::create", *EAGER],
            # A device given there makes the communicator one that does not block: the first collective waits for it.
            "2.6": ["NCCLComm::waitReady", "NCCLComm::getNcclComm", "py:all_reduce", "py:main"],
        },
        1: ASLEEP_OUTSIDE,
    },
    elsewhere={
        0: {
            "nccl2": ["bootstrapRoot"],
            "2.15-classic": ["bootstrapRoot"],
            "2.6": ["groupLaunch", "ncclAsyncJobMain"],
            "2.8": ["bootstrapInit", "ncclCommInitRankFunc", "ncclAsyncJobMain"],
        }
    },
    busy={"nccl2": (0,), "2.15-classic": (0,)},  # NCCL 2.30 polls its socket on the main thread
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
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    join(store=store, rank=RANK, world_size=WORLD_SIZE, device_id=device)
    dist.all_reduce(torch.ones(8, device=device))


if __name__ == "__main__":
    main()
