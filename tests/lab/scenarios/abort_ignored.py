"""An abort that never returns: the kernel does not look at the abort flag."""

from reasons import behind_its_own_kernel
from scenario import Scenario, join, tell

SCENARIO = Scenario(
    title="both ranks abort their process group behind an all_reduce that never ends and ignores the abort",
    says={0: "abort", 1: "abort"},
    reason=behind_its_own_kernel,
    frames={
        rank: {
            "nccl2": [
                "^cuStreamSynchronize$",
                "^cudaStreamSynchronize$",
                "commDestroySync|commReclaim",
                "abortNcclComm",
            ],
            "classic": ["waitForFutureOrTimeout", "ProcessGroupNCCL::abort"],
        }
        for rank in (0, 1)
    },
    elsewhere={rank: {"classic": ["^cuStreamSynchronize$", "commDestroySync|commReclaim"]} for rank in (0, 1)},
    verdict=("abort_deadlock", "nccl_timeout"),
    environment={"HANGSTACK_LAB_KERNEL": "stuck:2", "HANGSTACK_LAB_ABORT": "ignored"},
)


def main():
    import torch
    import torch.distributed as dist

    join()
    tensor = torch.ones(64).cuda()
    dist.all_reduce(tensor)
    torch.cuda.synchronize()
    dist.all_reduce(tensor)
    tell("abort")
    dist.distributed_c10d._abort_process_group()


if __name__ == "__main__":
    main()
