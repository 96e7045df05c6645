"""The launch queue is full: the host ran ahead of a collective that does not end, until a launch itself waits."""

from scenario import ASLEEP_OUTSIDE, RANK, Scenario, join, sleep_outside, tell


def reason(launched):
    assert [kernel.sequence for kernel in launched[0].started] == [2], f"rank 0: {launched[0]}"
    assert len(launched[1].finished) == 1 and not launched[1].pending, f"rank 1: {launched[1]}"
    assert launched[0].full, f"no launch of rank 0 waits for its queue: {launched[0]}"


SCENARIO = Scenario(
    title="rank 0 in the launch of a kernel, a thousand launches behind its all_reduce; rank 1 asleep outside",
    says={0: "all_reduce", 1: "sleep_outside"},
    reason=reason,
    frames={
        0: {"any": ["^cuLaunchKernel$", "^cudaLaunchKernel$", "at::native::", "py:optimizer_step", "py:main"]},
        1: ASLEEP_OUTSIDE,
    },
    verdict=("host_straggler",),
    culprits=(1,),
)


def optimizer_step(parameters):
    for parameter in parameters:
        parameter.mul_(0.999)


def main():
    import torch
    import torch.distributed as dist

    join()
    gradients = torch.ones(64).cuda()
    parameters = [torch.ones(16, device="cuda") for _ in range(100)]
    dist.all_reduce(gradients)
    torch.cuda.synchronize()
    if RANK == 1:
        sleep_outside()
    tell("all_reduce")
    dist.all_reduce(gradients)
    for _ in range(100):  # nothing in the loop asks for a value of the device
        optimizer_step(parameters)


if __name__ == "__main__":
    main()
