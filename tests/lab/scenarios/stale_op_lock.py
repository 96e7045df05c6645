"""A stale lock file of an op builder that uses torch's FileBaton itself, as some inference libraries do."""

import pathlib

from reasons import alone_in
from scenario import IN_SYNCHRONIZE, RANK, Scenario, join, scratch_folder, tell

SCENARIO = Scenario(
    title="rank 1 waits in FileBaton.wait for the lock of a dead build, rank 0 in all_reduce",
    says={0: "all_reduce", 1: "build_ops"},
    reason=alone_in(2),
    frames={0: IN_SYNCHRONIZE, 1: {"any": ["nanosleep", "py:FileBaton.wait", "py:build_ops", "py:main"]}},
    verdict=("stale_build_lock", "host_straggler"),
    culprits=(1,),
)


def build_ops():
    from torch.utils.file_baton import FileBaton

    lock = pathlib.Path(scratch_folder()) / "lock_ops"
    lock.touch()  # by a builder that was killed
    baton = FileBaton(str(lock))
    if not baton.try_acquire():
        tell("build_ops")
        baton.wait()


def main():
    import torch
    import torch.distributed as dist

    join()
    tensor = torch.ones(64).cuda()
    for step in range(2):
        if step == 1 and RANK == 1:
            build_ops()
        if step == 1:
            tell("all_reduce")
        dist.all_reduce(tensor)
        torch.cuda.synchronize()


if __name__ == "__main__":
    main()
