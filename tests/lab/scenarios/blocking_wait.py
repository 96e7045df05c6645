"""TORCH_NCCL_BLOCKING_WAIT: the host waits for the collective itself, in wait()."""

from reasons import alone_in
from scenario import ASLEEP_OUTSIDE, RANK, Scenario, join, sleep_outside, tell

SCENARIO = Scenario(
    title="rank 0 polls in the wait() of an all_reduce (TORCH_NCCL_BLOCKING_WAIT=1), rank 1 asleep outside",
    says={0: "wait", 1: "sleep_outside"},
    reason=alone_in(2),
    frames={
        0: {
            "nccl2": ["nccl2::WorkNCCL::wait", "py:main"],
            "classic": ["ProcessGroupNCCL::WorkNCCL::wait", "py:main"],
        },
        1: ASLEEP_OUTSIDE,
    },
    verdict=("host_straggler",),
    culprits=(1,),
    environment={"TORCH_NCCL_BLOCKING_WAIT": "1"},
)


def main():
    import torch
    import torch.distributed as dist

    join()
    tensor = torch.ones(64).cuda()
    dist.all_reduce(tensor)
    if RANK == 1:
        sleep_outside()
    tell("wait")
    dist.all_reduce(tensor, async_op=True).wait()


if __name__ == "__main__":
    main()
