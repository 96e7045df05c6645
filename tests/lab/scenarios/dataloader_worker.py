"""A rank waits for its DataLoader, whose only worker process stands still."""

import ctypes
import signal
import time

from scenario import IN_SYNCHRONIZE, RANK, Scenario, join, tell


def reason(launched):
    assert [kernel.sequence for kernel in launched[0].started] == [3], f"rank 0: {launched[0]}"
    assert len(launched[1].finished) == 2 and not launched[1].pending, f"rank 1: {launched[1]}"


SCENARIO = Scenario(
    title="rank 1 waits for its DataLoader worker, which reads a file that never comes",
    says={0: "all_reduce", 1: "next_batch"},
    reason=reason,
    frames={0: IN_SYNCHRONIZE, 1: {"any": ["py:.*_try_get_data", "py:next_batch", "py:main"]}},
    verdict=("host_straggler",),
    culprits=(1,),
)


class Batches:
    def __len__(self):
        return 8

    def __getitem__(self, index):
        if RANK == 1 and index == 2:
            time.sleep(86400)
        return float(index)


def die_with_parent(_):
    """The kernel kills the worker when its rank is killed: asleep, it would never look."""
    pr_set_pdeathsig = 1
    ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)


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
