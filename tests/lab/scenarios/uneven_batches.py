"""Uneven data: a rank has one batch less, leaves the loop, and waits in the broadcast behind it."""

from scenario import IN_SYNCHRONIZE, RANK, Scenario, join, tell


def reason(launched):
    assert [(kernel.operation, kernel.sequence) for kernel in launched[0].started] == [
        ("AllReduce", 3)
    ], f"rank 0: {launched[0]}"
    assert [(kernel.operation, kernel.sequence) for kernel in launched[1].started] == [
        ("Broadcast", 3)
    ], f"rank 1: {launched[1]}"


SCENARIO = Scenario(
    title="rank 0 in the all_reduce of its third batch; rank 1 had two, and is in the broadcast of the evaluation",
    says={0: "train_step", 1: "evaluate"},
    reason=reason,
    frames={
        0: {"any": IN_SYNCHRONIZE["any"][:-1] + ["py:train_step", "py:main"]},
        1: {"any": IN_SYNCHRONIZE["any"][:-1] + ["py:evaluate", "py:main"]},
    },
    verdict=("collective_mismatch", "asymmetric_control_flow"),
)


def train_step(tensor):
    import torch
    import torch.distributed as dist

    dist.all_reduce(tensor)
    torch.cuda.synchronize()


def evaluate(tensor):
    import torch
    import torch.distributed as dist

    tell("evaluate")
    dist.broadcast(tensor, 0)
    torch.cuda.synchronize()


def main():
    import torch

    join()
    tensor = torch.ones(64).cuda()
    for step in range(3 - RANK):
        if step == 2:
            tell("train_step")
        train_step(tensor)
    evaluate(tensor)


if __name__ == "__main__":
    main()
