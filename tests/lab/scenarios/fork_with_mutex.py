"""A rank forks while another of its threads holds a mutex of native code; its owner is not in the child."""

import ctypes
import multiprocessing
import os
import threading

from fork_with_lock import prove
from native_code import library
from reasons import alone_in
from scenario import IN_SYNCHRONIZE, RANK, Scenario, die_with_parent, join, tell

SCENARIO = Scenario(
    title="rank 1 joins a child that was forked while a thread of rank 1 held a std::mutex; rank 0 in all_reduce",
    says={0: "all_reduce", 1: "join"},
    reason=alone_in(3),
    prove=prove,
    frames={0: IN_SYNCHRONIZE, 1: {"any": ["^wait(4|pid)", "py:.*poll", "py:.*join", "py:evaluate", "py:main"]}},
    below={1: {"any": ["pthread_mutex_lock", "^look_up$", "py:work", "py:.*run"]}},
    arguments=("--children",),
    verdict=("fork_lock", "host_straggler"),
    culprits=(1,),
)


def work(cache):
    die_with_parent()
    cache.look_up()


def evaluate(cache):
    begun, forked = os.pipe(), os.pipe()
    threading.Thread(target=cache.refresh, args=(begun[1], forked[0])).start()
    os.read(begun[0], 1)
    worker = multiprocessing.get_context("fork").Process(target=work, args=(cache,))
    worker.start()
    os.write(forked[1], b"x")
    tell("join")
    worker.join()


def main():
    import torch
    import torch.distributed as dist

    cache = library("fork_with_mutex.cpp", ctypes.CDLL) if RANK == 1 else None
    join()
    tensor = torch.ones(64).cuda()
    for step in range(3):
        if step == 2 and RANK == 1:
            evaluate(cache)
        if step == 2:
            tell("all_reduce")
        dist.all_reduce(tensor)
        torch.cuda.synchronize()


if __name__ == "__main__":
    main()
