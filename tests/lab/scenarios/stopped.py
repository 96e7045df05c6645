"""A rank was stopped by a signal."""

import os
import signal

from scenario import IN_SYNCHRONIZE, RANK, Scenario, join, tell


def reason(launched):
    assert [kernel.sequence for kernel in launched[0].started] == [2], f"rank 0: {launched[0]}"
    assert len(launched[1].finished) == 1 and not launched[1].pending, f"rank 1: {launched[1]}"


SCENARIO = Scenario(
    title="rank 0 behind an all_reduce, rank 1 stopped by SIGSTOP before its own",
    says={0: "all_reduce", 1: "stop"},
    reason=reason,
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
