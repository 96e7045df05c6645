"""destroy_process_group() behind a kernel that never ends."""

from reasons import behind_its_own_kernel
from scenario import Scenario, join, tell


NCCL2 = ["WorkNCCLQueue::finalize", "nccl2::ProcessGroupNCCL::finalize", "py:destroy_process_group", "py:main"]
CLASSIC = [
    "groupLaunch",
    "ncclGroupEndInternal",
    "ncclCommFinalize",
    "ProcessGroupNCCL::shutdown",
    "py:destroy_process_group",
    "py:main",
]

SCENARIO = Scenario(
    title="both ranks in destroy_process_group(), behind an all_reduce that never ends on the device",
    says={0: "destroy", 1: "destroy"},
    reason=behind_its_own_kernel,
    frames={rank: {"nccl2": NCCL2, "classic": CLASSIC} for rank in (0, 1)},
    busy={"nccl2": (0, 1)},
    verdict=("abort_deadlock", "nccl_timeout"),
    environment={"HANGSTACK_LAB_KERNEL": "stuck:2"},
)


def main():
    import torch
    import torch.distributed as dist

    join()
    tensor = torch.ones(64).cuda()
    dist.all_reduce(tensor)
    torch.cuda.synchronize()
    dist.all_reduce(tensor)
    tell("destroy")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
