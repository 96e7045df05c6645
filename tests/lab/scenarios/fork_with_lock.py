"""A rank forks while another of its threads holds a lock: the child waits for it for ever, and the rank for the child."""

import multiprocessing
import threading

from evidence import below, calls_of
from reasons import alone_in
from scenario import IN_SYNCHRONIZE, RANK, Scenario, die_with_parent, join, tell

FUTEX = 202  # of x86-64

CACHE = threading.Lock()


def prove(job):
    children = below(job.pids[1])
    assert len(children) == 1, f"rank 1 has not one child: {children}"
    calls = calls_of(*children)
    assert [number for number, _ in calls.values()] == [FUTEX], f"its child is in {calls}, not in a wait for a lock"


SCENARIO = Scenario(
    title="rank 1 joins a child that was forked while a thread of rank 1 held a Python lock; rank 0 in all_reduce",
    says={0: "all_reduce", 1: "join"},
    reason=alone_in(3),
    prove=prove,
    frames={0: IN_SYNCHRONIZE, 1: {"any": ["^wait(4|pid)", "py:.*poll", "py:.*join", "py:evaluate", "py:main"]}},
    below={1: {"any": ["PyThread_acquire_lock_timed", "py:read_cache", "py:.*run"]}},
    arguments=("--children",),
    verdict=("fork_lock", "host_straggler"),
    culprits=(1,),
)


def refresh_cache(begun, forked):
    with CACHE:
        begun.set()
        forked.wait()  # a race in the field; certain here


def read_cache():
    die_with_parent()
    with CACHE:
        pass


def evaluate():
    begun, forked = threading.Event(), threading.Event()
    threading.Thread(target=refresh_cache, args=(begun, forked)).start()
    begun.wait()
    worker = multiprocessing.get_context("fork").Process(target=read_cache)
    worker.start()
    forked.set()
    tell("join")
    worker.join()


def main():
    import torch
    import torch.distributed as dist

    join()
    tensor = torch.ones(64).cuda()
    for step in range(3):
        if step == 2 and RANK == 1:
            evaluate()
        if step == 2:
            tell("all_reduce")
        dist.all_reduce(tensor)
        torch.cuda.synchronize()


if __name__ == "__main__":
    main()
