"""Every rank has launched the same kernel, and none finishes: a link, a GPU or a switch that stands still."""

from scenario import IN_SYNCHRONIZE, Scenario, join, tell


def reason(launched):
    for rank, log in enumerate(launched):
        assert [(kernel.number, kernel.operation) for kernel in log.started] == [
            (3, "AllReduce")
        ], f"rank {rank}: {log}"


SCENARIO = Scenario(
    title="the third all_reduce of all ranks is on the device and never ends",
    says={0: "all_reduce", 1: "all_reduce"},
    reason=reason,
    frames={0: IN_SYNCHRONIZE, 1: IN_SYNCHRONIZE},
    verdict=("nccl_timeout",),
    environment={"HANGSTACK_LAB_KERNEL": "stuck:3"},
)


def main():
    import torch
    import torch.distributed as dist

    join()
    tensor = torch.ones(64).cuda()
    for step in range(4):
        if step == 2:
            tell("all_reduce")
        dist.all_reduce(tensor)
        torch.cuda.synchronize()


if __name__ == "__main__":
    main()
