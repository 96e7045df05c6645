"""A thread of native code holds a mutex and wants the GIL; the main thread holds the GIL and wants the mutex."""

import ctypes

from evidence import calls_of
from native_code import library
from reasons import alone_in
from scenario import IN_SYNCHRONIZE, RANK, Scenario, join, tell

FUTEX = 202  # of x86-64


def prove(job):
    number, _ = calls_of(job.pids[1]).get(job.pids[1], (None, None))
    assert number == FUTEX, f"rank 1 is in system call {number}, not in a wait for a mutex"


SCENARIO = Scenario(
    title="a thread of rank 1 has a mutex and wants the GIL, its main thread has the GIL and wants the mutex",
    says={0: "all_reduce", 1: "add_line"},
    reason=alone_in(3),
    prove=prove,
    frames={0: IN_SYNCHRONIZE, 1: {"any": ["pthread_mutex_lock", "^add_line$", "py:log_step", "py:main"]}},
    elsewhere={1: {"any": ["take_gil", "add_line.*lambda"]}},
    verdict=("gil_deadlock",),
    culprits=(1,),
)


def log_step(sink):
    @ctypes.PYFUNCTYPE(None)
    def write_out():
        print("step")

    tell("add_line")
    sink.add_line(write_out)


def main():
    import torch
    import torch.distributed as dist

    sink = library("gil_mutex_cycle.cpp") if RANK == 1 else None
    join()
    tensor = torch.ones(64).cuda()
    for step in range(3):
        if step == 2 and RANK == 1:
            log_step(sink)
        if step == 2:
            tell("all_reduce")
        dist.all_reduce(tensor)
        torch.cuda.synchronize()


if __name__ == "__main__":
    main()
