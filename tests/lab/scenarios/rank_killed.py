"""A rank was killed as by the kernel when memory runs out; what started it has not waited for it yet."""

import os
import signal

from reasons import alone_in
from scenario import IN_SYNCHRONIZE, RANK, Scenario, join, tell

SCENARIO = Scenario(
    title="rank 0 in all_reduce, rank 1 killed before its own and a zombie",
    torchrun=False,
    says={0: "all_reduce"},
    reason=alone_in(2),
    frames={0: IN_SYNCHRONIZE},
    gone=(1,),
    verdict=("rank_died",),
    culprits=(1,),
    tells=("zombie",),
)


def main():
    import torch
    import torch.distributed as dist

    join()
    tensor = torch.ones(64).cuda()
    for step in range(2):
        if step == 1 and RANK == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        if step == 1:
            tell("all_reduce")
        dist.all_reduce(tensor)
        torch.cuda.synchronize()


if __name__ == "__main__":
    main()
