"""Trainers and inference workers, launched apart, share a communicator; the inference side does not come."""

import datetime
import os

from raw_nccl import Communicator
from scenario import ASLEEP_OUTSIDE, IN_SYNCHRONIZE, JOB, RANK, Scenario, join, sleep_outside, tell

TRAINERS, WORKERS = 2, 2


def reason(launched):
    assert [(kernel.operation, kernel.ranks) for kernel in launched[0].started] == [
        ("Broadcast", 1 + WORKERS)
    ], f"trainer 0: {launched[0]}"
    joint = launched[0].started[0].comm
    assert [(kernel.operation, kernel.ranks) for kernel in launched[1].started] == [
        ("AllReduce", TRAINERS)
    ], f"trainer 1: {launched[1]}"
    for log in launched[TRAINERS:]:
        assert not log.pending, f"an inference worker: {log}"
        assert [kernel.sequence for kernel in log.finished if kernel.comm == joint] == [1], f"never joined: {log}"


SCENARIO = Scenario(
    title="trainer 0 broadcasts the weights to two inference workers of another job, which are asleep outside",
    says={0: "send_weights", 1: "train_step", 2: "sleep_outside", 3: "sleep_outside"},
    reason=reason,
    frames={
        0: {"any": IN_SYNCHRONIZE["any"][:-1] + ["py:send_weights", "py:main"]},
        1: {"any": IN_SYNCHRONIZE["any"][:-1] + ["py:train_step", "py:main"]},
        2: ASLEEP_OUTSIDE,
        3: ASLEEP_OUTSIDE,
    },
    jobs=(TRAINERS, WORKERS),
    verdict=("host_straggler",),
    culprits=(2, 3),
)


def join_the_jobs():
    """Trainer 0 and all workers, over a store of their own."""
    import torch.distributed as dist

    rank = 0 if JOB == 0 else 1 + RANK
    store = dist.FileStore(os.environ["HANGSTACK_LAB_LOG"] + "/joint-store", 1 + WORKERS)
    store.set_timeout(datetime.timedelta(days=1))
    return Communicator(store, rank, 1 + WORKERS)


def send_weights(weights, joint):
    import torch

    tell("send_weights")
    joint.broadcast(weights, 0)
    torch.cuda.synchronize()


def train_step(weights):
    import torch
    import torch.distributed as dist

    tell("train_step")
    dist.all_reduce(weights)
    torch.cuda.synchronize()


def main():
    import torch
    import torch.distributed as dist

    join()
    weights = torch.ones(4096).cuda()
    dist.all_reduce(weights)
    torch.cuda.synchronize()
    joint = join_the_jobs() if JOB == 1 or RANK == 0 else None
    if joint:
        joint.broadcast(weights, 0)
        torch.cuda.synchronize()
    if JOB == 1:
        sleep_outside()  # in a request that never ends
    if RANK == 0:
        send_weights(weights, joint)
    train_step(weights)


if __name__ == "__main__":
    main()
