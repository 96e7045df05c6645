"""A rank sleeps outside the collective that its peers wait in."""

from reasons import alone_in
from scenario import ASLEEP_OUTSIDE, IN_SYNCHRONIZE, RANK, Scenario, join, sleep_outside, tell

SCENARIO = Scenario(
    title="rank 1 sleeps where the others call all_reduce",
    says={0: "all_reduce", 1: "sleep_outside"},
    reason=alone_in(3),
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
