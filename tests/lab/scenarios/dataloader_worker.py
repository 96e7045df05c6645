"""A rank waits for its DataLoader, whose only worker process stands still."""

import time

from reasons import alone_in
from scenario import IN_SYNCHRONIZE, RANK, Scenario, die_with_parent, join, tell

SCENARIO = Scenario(
    title="rank 1 waits for its DataLoader worker, which reads a file that never comes",
    says={0: "all_reduce", 1: "next_batch"},
    reason=alone_in(3),
    frames={0: IN_SYNCHRONIZE, 1: {"any": ["py:.*_try_get_data", "py:next_batch", "py:main"]}},
    verdict=("dataloader_stall", "host_straggler"),
    culprits=(1,),
)


class Batches:
    def __len__(self):
        return 8

    def __getitem__(self, index):
        if RANK == 1 and index == 2:
            time.sleep(86400)
        return float(index)


def next_batch(loader, step):
    if RANK == 1 and step == 2:
        tell("next_batch")
    return next(loader)


def main():
    import torch
    import torch.distributed as dist
    from torch.utils.data import DataLoader

    # Forked before CUDA is used: the stand-in's device does not live on in a child.
    loader = iter(
        DataLoader(Batches(), batch_size=None, num_workers=1, prefetch_factor=1, worker_init_fn=die_with_parent)
    )
    join()
    tensor = torch.ones(64).cuda()
    for step in range(4):
        next_batch(loader, step)
        if step == 2:
            tell("all_reduce")
        dist.all_reduce(tensor)
        torch.cuda.synchronize()


if __name__ == "__main__":
    main()
