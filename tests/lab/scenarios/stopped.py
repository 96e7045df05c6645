"""A rank was stopped by a signal."""

import os
import signal

from reasons import alone_in
from scenario import IN_SYNCHRONIZE, RANK, Scenario, join, tell

SCENARIO = Scenario(
    title="rank 0 behind an all_reduce, rank 1 stopped by SIGSTOP before its own",
    says={0: "all_reduce", 1: "stop"},
    reason=alone_in(2),
    frames={0: IN_SYNCHRONIZE, 1: {"any": ["py:main"]}},
    verdict=("process_stopped",),
    culprits=(1,),
)


def main():
    import torch
    import torch.distributed as dist

    join()
    tensor = torch.ones(64).cuda()
    for step in range(2):
        if step == 1 and RANK == 1:
            tell("stop")
            os.kill(os.getpid(), signal.SIGSTOP)
        if step == 1:
            tell("all_reduce")
        dist.all_reduce(tensor)
        torch.cuda.synchronize()


if __name__ == "__main__":
    main()
