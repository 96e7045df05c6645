"""A build that was killed left its lock behind: a rank waits for it in cpp_extension.load, its peers in a collective."""

import pathlib

from reasons import alone_in
from scenario import IN_SYNCHRONIZE, RANK, Scenario, join, scratch_folder, tell

SCENARIO = Scenario(
    title="rank 1 waits for the build lock of a dead process in cpp_extension.load, rank 0 in all_reduce",
    says={0: "all_reduce", 1: "load_extension"},
    reason=alone_in(2),
    frames={
        0: IN_SYNCHRONIZE,
        1: {"any": ["nanosleep", "py:FileBaton.wait", "py:_jit_compile", "py:load_extension", "py:main"]},
    },
    # Newer ones lock the file itself, which ends with its holder.
    versions=("2.8", "2.6"),
    verdict=("stale_build_lock", "host_straggler"),
    culprits=(1,),
)


def load_extension():
    from torch.utils import cpp_extension

    folder = pathlib.Path(scratch_folder()) / "build"
    folder.mkdir(exist_ok=True)
    (folder / "lock").touch()
    (folder / "gelu.cpp").write_text("// what was to be built")
    tell("load_extension")
    cpp_extension.load("gelu", [str(folder / "gelu.cpp")], build_directory=str(folder))


def main():
    import torch
    import torch.distributed as dist

    join()
    tensor = torch.ones(64).cuda()
    for step in range(2):
        if step == 1 and RANK == 1:
            load_extension()
        if step == 1:
            tell("all_reduce")
        dist.all_reduce(tensor)
        torch.cuda.synchronize()


if __name__ == "__main__":
    main()
