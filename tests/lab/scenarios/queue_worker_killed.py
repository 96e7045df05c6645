"""A rank waits for the next batch of its own worker process, which was killed: nobody will fill the queue."""

import multiprocessing
import os
import signal

from evidence import below, kernel_state
from reasons import alone_in
from scenario import IN_SYNCHRONIZE, RANK, Scenario, die_with_parent, join, tell


def prove(job):
    states = [kernel_state(pid) for pid in below(job.pids[1])]
    assert states == ["Z"], f"the children of rank 1 are in state {states}"


SCENARIO = Scenario(
    title="rank 1 waits for a batch in Queue.get, its worker process was killed; rank 0 in all_reduce",
    says={0: "all_reduce", 1: "next_batch"},
    reason=alone_in(3),
    prove=prove,
    frames={0: IN_SYNCHRONIZE, 1: {"any": ["py:Connection._recv", "py:Queue.get", "py:next_batch", "py:main"]}},
    verdict=("dataloader_stall", "host_straggler"),
    culprits=(1,),
    tells=("child process .* has ended",),
)


def fill(batches):
    die_with_parent()
    for index in range(8):
        if RANK == 1 and index == 2:
            batches.close()
            batches.join_thread()  # what it has put is in the pipe
            os.kill(os.getpid(), signal.SIGKILL)  # as the kernel does when memory runs out
        batches.put(float(index))


def next_batch(batches, step):
    if RANK == 1 and step == 2:
        tell("next_batch")
    return batches.get()


def main():
    import torch
    import torch.distributed as dist

    # Forked before CUDA is used: the stand-in's device does not live on in a child.
    fork = multiprocessing.get_context("fork")
    batches = fork.Queue()
    fork.Process(target=fill, args=(batches,)).start()
    join()
    tensor = torch.ones(64).cuda()
    for step in range(4):
        next_batch(batches, step)
        if step == 2:
            tell("all_reduce")
        dist.all_reduce(tensor)
        torch.cuda.synchronize()


if __name__ == "__main__":
    main()
