"""A rank in an uninterruptible wait of the kernel: it starts a program that does not come to its exec."""

import ctypes

from evidence import kernel_state
from native_code import library
from reasons import alone_in
from scenario import IN_SYNCHRONIZE, RANK, Scenario, join, tell


def prove(job):
    assert kernel_state(job.pids[1]) == "D", f"rank 1 is in state {kernel_state(job.pids[1])}"


SCENARIO = Scenario(
    title="rank 1 in D state, in vfork; rank 0 in all_reduce",
    says={0: "all_reduce", 1: "start_program"},
    reason=alone_in(2),
    prove=prove,
    frames={0: IN_SYNCHRONIZE, 1: {"any": ["vfork", "^start_program$", "py:evaluate", "py:main"]}},
    verdict=("host_straggler",),
    culprits=(1,),
    tells=("child process in vfork",),
)


def evaluate(native):
    tell("start_program")
    native.start_program()


def main():
    import torch
    import torch.distributed as dist

    native = library("vfork_stuck.cpp", ctypes.CDLL) if RANK == 1 else None
    join()
    tensor = torch.ones(64).cuda()
    for step in range(2):
        if step == 1 and RANK == 1:
            evaluate(native)
        if step == 1:
            tell("all_reduce")
        dist.all_reduce(tensor)
        torch.cuda.synchronize()


if __name__ == "__main__":
    main()
