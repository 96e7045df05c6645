"""A rank sleeps outside the collective that its peers wait in."""

from scenario import ASLEEP_OUTSIDE, IN_SYNCHRONIZE, RANK, Scenario, join, sleep_outside, tell


def reason(launched):
    assert [kernel.sequence for kernel in launched[0].started] == [3], f"rank 0: {launched[0]}"
    assert len(launched[1].finished) == 2 and not launched[1].pending, f"rank 1: {launched[1]}"


SCENARIO = Scenario(
    title="rank 1 sleeps where the others call all_reduce",
    says={0: "all_reduce", 1: "sleep_outside"},
    reason=reason,
    frames={0: IN_SYNCHRONIZE, 1: ASLEEP_OUTSIDE},
    verdict=("host_straggler",),
    culprits=(1,),
)


def main():
    import torch
    import torch.distributed as dist

    join()
    gradients = torch.ones(1024).cuda()
    for step in range(3):
        if step == 2 and RANK == 1:
            sleep_outside()
        if step == 2:
            tell("all_reduce")
        dist.all_reduce(gradients)
        torch.cuda.synchronize()


if __name__ == "__main__":
    main()
