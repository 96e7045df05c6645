"""new_group splits the communicator of the whole job when that has a device; a rank that is no member does not call it."""

import os

from reasons import after_an_all_reduce
from scenario import ASLEEP_OUTSIDE, RANK, Scenario, join, sleep_outside, tell

ALL_GATHER = ["bootstrapAllGather", "commGetSplitInfo", "ncclCommInitRankFunc", "ncclAsyncJobMain"]
CALL = ["eagerConnectSingleDevice", "py:_new_process_group_helper", "py:new_group", "py:main"]
SPLIT = {
    "nccl2": [*ALL_GATHER, "ncclCommSplit", "nccl2::ProcessGroupNCCL::split", *CALL[1:]],
    "2.15-classic": [*ALL_GATHER, "ncclCommSplit", "NCCLComm::split", "initNCCLComm", *CALL],
    "2.8": ["asyncJobLaunch", "groupLaunch", "ncclCommSplit", "NCCLComm::split", "initNCCLComm", *CALL],
    "2.6": ["nanosleep", "NCCLComm::split", "initNCCLComm", *CALL],  # a communicator that does not block
}

SCENARIO = Scenario(
    title="ranks 0 and 1 in new_group([0, 1]), which splits the parent's communicator; rank 2 is no member, and asleep",
    says={0: "new_group", 1: "new_group", 2: "sleep_outside"},
    reason=after_an_all_reduce,
    frames={
        0: SPLIT,
        1: SPLIT,
        2: ASLEEP_OUTSIDE,
    },
    elsewhere={rank: {"2.8": ALL_GATHER, "2.6": ALL_GATHER} for rank in (0, 1)},
    busy={"nccl2": (0, 1), "2.15-classic": (0, 1)},  # NCCL 2.30 polls its socket on the main thread
    verdict=("host_straggler", "barrier_deadlock"),
    culprits=(2,),
    ranks=3,
)


def main():
    import torch
    import torch.distributed as dist

    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    join(device_id=device)
    dist.all_reduce(torch.ones(64, device=device))
    torch.cuda.synchronize()
    if RANK == 2:
        sleep_outside()
    tell("new_group")
    dist.new_group([0, 1])


if __name__ == "__main__":
    main()
