"""A rank waits in a FileStore for the NCCL id of rank 0, which still imports a module that reads a slow file."""

import os
import pathlib
import sys

from reasons import nothing_launched
from scenario import RANK, WORLD_SIZE, Scenario, join, scratch_folder, tell

SCENARIO = Scenario(
    title="rank 1 waits in a FileStore for the NCCL id, rank 0 imports a module that reads a file that never comes",
    says={0: "import", 1: "init"},
    reason=nothing_launched,
    frames={
        0: {"any": ["^open", "py:<module>", "py:_find_and_load", "py:main"]},
        1: {
            "nccl2": ["FileStore", "PrefixStore::wait", "NCCLBootstrap::exchangeUniqueIds", "py:init_process_group"],
            "classic": ["FileStore", "PrefixStore::get", "broadcastUniqueNCCLID", "initNCCLComm", "py:all_reduce"],
        },
    },
    verdict=("init_timeout", "host_straggler"),
    culprits=(0,),
)

LEXICON = """
import pathlib
WORDS = pathlib.Path(__file__).with_name("words.txt").read_text().split()
"""


def write_lexicon(folder):
    """A module, and a pipe for the file that it reads: as on a network file system that does not answer."""
    (folder / "lexicon.py").write_text(LEXICON)
    os.mkfifo(folder / "words.txt")


def main():
    import torch
    import torch.distributed as dist

    folder = pathlib.Path(scratch_folder())
    if RANK == 0:
        write_lexicon(folder)
        sys.path.insert(0, str(folder))
        tell("import")
        import lexicon  # noqa: F401
    tell("init")
    join(init_method=f"file://{folder}/store", rank=RANK, world_size=WORLD_SIZE)
    dist.all_reduce(torch.ones(8).cuda())


if __name__ == "__main__":
    main()
