"""NCCL without torch, and nothing hangs: a collective, point-to-point, RAS and an orderly end."""

import os

from clean import check_ras
from direct_nccl import Communicator, version_of
from scenario import RANK, Scenario


def reason(launched):
    for log in launched:
        assert not log.pending, f"pending: {log}"
        assert log.operations == ["AllReduce", "SendRecv", "AllReduce"], f"not what was called: {log}"


SCENARIO = Scenario(
    title="a program that calls NCCL itself and ends",
    says={},
    reason=reason,
    outcome="ends",
    versions=("nccl",),
)


def main():
    communicator = Communicator()
    communicator.all_reduce()
    communicator.send(1) if RANK == 0 else communicator.recv(0)
    communicator.synchronize()
    version = version_of(communicator.nccl)
    assert version == os.environ["HANGSTACK_LAB_NCCL"], f"NCCL calls itself {version}"
    if RANK == 0:
        check_ras(version)
    communicator.all_reduce()  # both ranks stay until RAS has been asked
    communicator.synchronize()
    communicator.destroy()


if __name__ == "__main__":
    main()
