"""NCCL without torch: the ranks call different collectives at the same place in their order."""

from direct_nccl import Communicator
from scenario import RANK, Scenario, tell


def reason(launched):
    stuck = [log.started for log in launched]
    assert [len(each) for each in stuck] == [1, 1], f"{launched[0]} | {launched[1]}"
    assert [each[0].operation for each in stuck] == ["AllReduce", "Broadcast"], f"{launched[0]} | {launched[1]}"
    assert stuck[0][0].comm == stuck[1][0].comm and stuck[0][0].sequence == stuck[1][0].sequence == 2


IN_SYNCHRONIZE = {"any": ["^cuStreamSynchronize$", "^cudaStreamSynchronize$", "py:Communicator.synchronize", "py:main"]}

SCENARIO = Scenario(
    title="rank 0 calls ncclAllReduce, rank 1 ncclBroadcast",
    says={0: "second", 1: "second"},
    reason=reason,
    frames={0: IN_SYNCHRONIZE, 1: IN_SYNCHRONIZE},
    verdict=("collective_mismatch",),
    versions=("nccl",),
)


def main():
    communicator = Communicator()
    communicator.all_reduce()
    communicator.synchronize()
    tell("second")
    communicator.all_reduce() if RANK == 0 else communicator.broadcast()
    communicator.synchronize()


if __name__ == "__main__":
    main()
