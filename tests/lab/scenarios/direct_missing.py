"""NCCL without torch: a rank sleeps while its peer waits for it in a collective."""

from direct_nccl import Communicator
from reasons import alone_in
from scenario import ASLEEP_OUTSIDE, RANK, Scenario, sleep_outside, tell

SCENARIO = Scenario(
    title="rank 0 in its second ncclAllReduce, rank 1 asleep outside",
    says={0: "all_reduce", 1: "sleep_outside"},
    reason=alone_in(2),
    frames={
        0: {"any": ["^cuStreamSynchronize$", "^cudaStreamSynchronize$", "py:Communicator.synchronize", "py:main"]},
        1: ASLEEP_OUTSIDE,
    },
    verdict=("host_straggler",),
    culprits=(1,),
    versions=("nccl",),
)


def main():
    communicator = Communicator()
    communicator.all_reduce()
    communicator.synchronize()
    if RANK == 1:
        sleep_outside()
    tell("all_reduce")
    communicator.all_reduce()
    communicator.synchronize()


if __name__ == "__main__":
    main()
