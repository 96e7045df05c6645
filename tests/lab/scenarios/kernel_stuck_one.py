"""One rank's kernel meets its peers', and never ends: that GPU stands still; the peer is one operation on."""

import os

from scenario import IN_SYNCHRONIZE, RANK, Scenario, join, tell


def reason(launched):
    assert [kernel.number for kernel in launched[0].started] == [4], f"rank 0: {launched[0]}"
    assert [kernel.number for kernel in launched[1].started] == [3], f"rank 1: {launched[1]}"


SCENARIO = Scenario(
    title="the third all_reduce ended on rank 0 and never does on rank 1; rank 0 is in the fourth",
    says={0: "all_reduce", 1: "all_reduce"},
    reason=reason,
    frames={0: IN_SYNCHRONIZE, 1: IN_SYNCHRONIZE},
    verdict=("nccl_timeout",),
    culprits=(1,),
)


def main():
    if RANK == 1:
        os.environ["HANGSTACK_LAB_KERNEL"] = "stuck:3"
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
