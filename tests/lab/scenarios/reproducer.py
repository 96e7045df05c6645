"""The reproducer: a hung job whose handler for SIGUSR1 dumps the stacks, and never runs; hangstack needs no handler.

    kill -USR1 PID    prints nothing: the handler is Python, and the main thread, inside the collective's wait, does not
                      come back to the interpreter
    hangstack --pids  names the collectives of both ranks
"""

import faulthandler
import os
import pathlib
import signal

import evidence
from scenario import IN_SYNCHRONIZE, RANK, Scenario, join, tell

DUMPED = "dumped"


def reason(launched):
    assert [(kernel.operation, kernel.sequence) for kernel in launched[0].started] == [
        ("AllReduce", 3)
    ], f"rank 0: {launched[0]}"
    assert [(kernel.operation, kernel.sequence) for kernel in launched[1].started] == [
        ("Broadcast", 3)
    ], f"rank 1: {launched[1]}"


def pending_signals(pid):
    lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
    return [int(line.split()[1], 16) for line in lines if line.startswith(("SigPnd", "ShdPnd"))]


def prove(job):
    """Both have dumped when they could; now both take the signal, and neither dumps."""
    before = {rank: lines.count(DUMPED) for rank, lines in job.lines().items()}
    assert before == {0: 1, 1: 1}, f"dumps before the hang: {before}"
    for pid in job.pids:
        os.kill(pid, signal.SIGUSR1)

    def taken():
        assert not any(sum(pending_signals(pid)) for pid in job.pids), "a rank has not taken its SIGUSR1"

    evidence.wait_until(taken, 10, "SIGUSR1 is pending")
    evidence.wait_until_steady(job.pids)
    after = {rank: lines.count(DUMPED) for rank, lines in job.lines().items()}
    assert after == before, f"a hung rank has dumped its stacks: {after}"


SCENARIO = Scenario(
    title="the reproducer: rank 1 skips an empty batch's all_reduce; kill -USR1 brings no dump from either rank",
    says={0: "train_step", 1: "evaluate"},
    reason=reason,
    prove=prove,
    frames={
        0: {"any": IN_SYNCHRONIZE["any"][:-1] + ["py:train_step", "py:main"]},
        1: {"any": IN_SYNCHRONIZE["any"][:-1] + ["py:evaluate", "py:main"]},
    },
    verdict=("collective_mismatch", "asymmetric_control_flow"),
)


def dump_stacks(*_):
    faulthandler.dump_traceback(all_threads=True)
    tell(DUMPED)


def train_step(gradients, batch):
    import torch
    import torch.distributed as dist

    if not batch:
        return  # nothing to learn from: the bug
    dist.all_reduce(gradients)
    torch.cuda.synchronize()


def evaluate(gradients):
    import torch
    import torch.distributed as dist

    tell("evaluate")
    dist.broadcast(gradients, 0)
    torch.cuda.synchronize()


def main():
    import torch

    signal.signal(signal.SIGUSR1, dump_stacks)
    os.kill(os.getpid(), signal.SIGUSR1)  # it does work, as long as the interpreter runs
    join()
    gradients = torch.ones(1024).cuda()
    batches = [[1], [1], [1] if RANK == 0 else []]
    for batch in batches:
        if batch is batches[-1]:
            tell("train_step")
        train_step(gradients, batch)
    evaluate(gradients)


if __name__ == "__main__":
    main()
