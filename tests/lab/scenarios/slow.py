"""Not hung: every kernel takes long, and the job goes on."""

from reasons import kernels_finish
from scenario import Scenario, join, tell

SCENARIO = Scenario(
    title="not hung: slow kernels, one all_reduce in 0.3 s",
    says={0: "moving", 1: "moving"},
    reason=kernels_finish,
    outcome="moves",
    verdict=("not_hung",),
    environment={"HANGSTACK_LAB_KERNEL": "slow:300"},
)


def main():
    import torch
    import torch.distributed as dist

    join()
    tensor = torch.ones(64).cuda()
    for step in range(10**9):
        dist.all_reduce(tensor)
        torch.cuda.synchronize()
        if step == 1:
            tell("moving")


if __name__ == "__main__":
    main()
