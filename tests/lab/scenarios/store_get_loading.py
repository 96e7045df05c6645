"""A rank waits in the store for the NCCL id of rank 0, which is still busy with its data: slow, not hung."""

import itertools

from reasons import nothing_launched
from scenario import RANK, WORLD_SIZE, Scenario, join, own_store, tell

SCENARIO = Scenario(
    title="rank 1 waits in the store for the NCCL id, rank 0 tokenizes its data before init_process_group, and moves",
    says={0: "load_data", 1: "init"},
    reason=nothing_launched,
    frames={
        0: {"any": ["py:load_data", "py:main"]},
        1: {
            "nccl2": ["^poll", "TCPStore::doWait", "NCCLBootstrap::exchangeUniqueIds", "py:init_process_group"],
            "classic": ["^poll", "TCPStore::doWait", "broadcastUniqueNCCLID", "initNCCLComm", "py:all_reduce"],
        },
    },
    outcome="moves",
    waiting=(1,),
    verdict=("init_timeout", "host_straggler", "not_hung"),
    culprits=(0,),
)


def tokenize(line):
    return [hash(word) % 50000 for word in line.split()]


def load_data():
    tell("load_data")
    length = 0
    for number in itertools.count():
        length += len(tokenize(f"line {number} of a text that is far too long " * 50))
    return length


def main():
    import torch
    import torch.distributed as dist

    store = own_store()
    if RANK == 0:
        load_data()
    tell("init")
    join(store=store, rank=RANK, world_size=WORLD_SIZE)
    dist.all_reduce(torch.ones(8).cuda())


if __name__ == "__main__":
    main()
