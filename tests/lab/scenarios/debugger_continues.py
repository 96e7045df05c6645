"""Not hung: gdb is attached to a rank and has let it continue."""

from debugger import attach, tracer_of, wait_until_traced
from evidence import kernel_state
from reasons import kernels_finish
from scenario import RANK, Scenario, go_on, join, tell


def prove(job):
    pid = job.pids[1]
    assert tracer_of(pid) and kernel_state(pid) != "t", f"rank 1 is in state {kernel_state(pid)}"


SCENARIO = Scenario(
    title="not hung: gdb is attached to rank 1 and lets it run",
    says={0: "moving", 1: "moving"},
    reason=kernels_finish,
    prove=prove,
    outcome="moves",
    afterwards={0: "went on", 1: "went on"},
    verdict=("not_hung",),
    tells=("traced by gdb",),
    environment={"HANGSTACK_LAB_KERNEL": "slow:50"},
)


def main():
    import torch
    import torch.distributed as dist

    join()
    tensor = torch.ones(64).cuda()
    if RANK == 1:
        attach("continue")
        wait_until_traced()
    for step in range(10**9):
        dist.all_reduce(tensor)
        torch.cuda.synchronize()
        if step == 3:
            tell("moving")
        go_on()


if __name__ == "__main__":
    main()
