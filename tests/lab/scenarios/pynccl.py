"""Tensor parallelism by an inference engine's own binding of NCCL: one rank does not come to the all_reduce."""

from raw_nccl import Communicator
from scenario import ASLEEP_OUTSIDE, RANK, WORLD_SIZE, Scenario, join, sleep_outside, tell


def reason(launched):
    assert [kernel.sequence for kernel in launched[0].started] == [2], f"rank 0: {launched[0]}"
    assert launched[0].started[0].comm != launched[0].kernels[0].comm, f"not on a communicator of its own: {launched[0]}"
    assert len(launched[1].finished) == 2 and not launched[1].pending, f"rank 1: {launched[1]}"


SCENARIO = Scenario(
    title="rank 0 behind an ncclAllReduce that it called by ctypes, rank 1 asleep outside",
    says={0: "all_reduce", 1: "sleep_outside"},
    reason=reason,
    frames={
        0: {"any": ["^cuStreamSynchronize$", "^cudaStreamSynchronize$", "py:Stream.synchronize", "py:forward", "py:main"]},
        1: ASLEEP_OUTSIDE,
    },
    verdict=("host_straggler",),
    culprits=(1,),
)


def forward(hidden, communicator):
    import torch

    communicator.all_reduce(hidden)
    torch.cuda.current_stream().synchronize()


def main():
    import torch
    import torch.distributed as dist

    join()
    hidden = torch.ones(64).cuda()
    dist.all_reduce(hidden)
    torch.cuda.synchronize()
    store = dist.distributed_c10d._get_default_store()
    communicator = Communicator(dist.PrefixStore("pynccl", store), RANK, WORLD_SIZE)
    for step in range(2):
        if step == 1 and RANK == 1:
            sleep_outside()
        if step == 1:
            tell("all_reduce")
        forward(hidden, communicator)


if __name__ == "__main__":
    main()
