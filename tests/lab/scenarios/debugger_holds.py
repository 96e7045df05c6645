"""A rank that gdb holds at its prompt, before the all_reduce that its peers wait in."""

import time

from debugger import attach, tracer_of
from evidence import kernel_state
from reasons import alone_in
from scenario import IN_SYNCHRONIZE, RANK, Scenario, join, tell


def prove(job):
    pid = job.pids[1]
    assert kernel_state(pid) == "t" and tracer_of(pid), f"rank 1 is in state {kernel_state(pid)}"


SCENARIO = Scenario(
    title="rank 0 in all_reduce, rank 1 held by gdb before its own",
    says={0: "all_reduce", 1: "attach"},
    reason=alone_in(2),
    prove=prove,
    frames={0: IN_SYNCHRONIZE, 1: {"any": ["py:load_batch", "py:main"]}},
    verdict=("process_stopped",),
    culprits=(1,),
    tells=("traced by gdb",),
)


def load_batch():
    debugger = attach()
    tell("attach")
    while debugger.poll() is None:
        time.sleep(0.01)


def main():
    import torch
    import torch.distributed as dist

    join()
    tensor = torch.ones(64).cuda()
    for step in range(2):
        if step == 1 and RANK == 1:
            load_batch()
        if step == 1:
            tell("all_reduce")
        dist.all_reduce(tensor)
        torch.cuda.synchronize()


if __name__ == "__main__":
    main()
