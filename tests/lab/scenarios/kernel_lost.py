"""One rank's kernel never starts on its device, so that its peers' kernels wait for it."""

import os

from scenario import IN_SYNCHRONIZE, RANK, Scenario, join, tell


def reason(launched):
    assert [kernel.number for kernel in launched[0].started] == [3], f"rank 0: {launched[0]}"
    assert [str(kernel.number) + kernel.reached for kernel in launched[1].pending] == [
        "3launch"
    ], f"rank 1: {launched[1]}"


SCENARIO = Scenario(
    title="the third all_reduce was launched by both ranks, and never starts on the device of rank 1",
    says={0: "all_reduce", 1: "all_reduce"},
    reason=reason,
    frames={0: IN_SYNCHRONIZE, 1: IN_SYNCHRONIZE},
    verdict=("nccl_timeout",),
)


def main():
    if RANK == 1:
        os.environ["HANGSTACK_LAB_KERNEL"] = "lost:3"
    import torch
    import torch.distributed as dist

    join()
    tensor = torch.ones(64).cuda()
    for step in range(4):
        if step == 2:
            tell("all_reduce")
        dist.all_reduce(tensor)
        torch.cuda.synchronize()


if __name__ == "__main__":
    main()
