"""NCCL without torch: a rank sleeps while its peer waits for it in a collective."""

from direct_nccl import Communicator
from scenario import ASLEEP_OUTSIDE, RANK, Scenario, sleep_outside, tell


def reason(launched):
    assert [kernel.sequence for kernel in launched[0].started] == [2], f"rank 0: {launched[0]}"
    assert len(launched[1].finished) == 1 and not launched[1].pending, f"rank 1: {launched[1]}"


SCENARIO = Scenario(
    title="rank 0 in its second ncclAllReduce, rank 1 asleep outside",
    says={0: "all_reduce", 1: "sleep_outside"},
    reason=reason,
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
