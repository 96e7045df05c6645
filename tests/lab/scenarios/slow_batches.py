"""Not hung: a rank waits for its DataLoader in every step, and the steps go on."""

import time

from reasons import kernels_finish
from scenario import RANK, Scenario, die_with_parent, go_on, join, tell

SCENARIO = Scenario(
    title="not hung: the DataLoader of rank 1 needs 0.2 s for a batch",
    says={0: "moving", 1: "moving"},
    reason=kernels_finish,
    outcome="moves",
    afterwards={0: "went on", 1: "went on"},
    verdict=("not_hung",),
)


class Batches:
    def __len__(self):
        return 10**9

    def __getitem__(self, index):
        if RANK == 1:
            time.sleep(0.2)
        return float(index)


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
    for step, _ in enumerate(loader):
        dist.all_reduce(tensor)
        torch.cuda.synchronize()
        if step == 3:
            tell("moving")
        go_on()


if __name__ == "__main__":
    main()
