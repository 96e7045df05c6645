"""Rank 0 writes a checkpoint to a pipe that nobody reads, while its peers wait in the barrier behind it."""

import os

from scenario import RANK, Scenario, join, scratch_folder, tell


def reason(launched):
    assert launched[0].operations == ["AllReduce"] and not launched[0].pending, f"rank 0: {launched[0]}"
    assert [kernel.sequence for kernel in launched[1].started] == [2], f"rank 1: {launched[1]}"


SCENARIO = Scenario(
    title="rank 0 writes its checkpoint to a pipe that nobody reads, rank 1 in the barrier behind it",
    says={0: "save_checkpoint", 1: "barrier"},
    reason=reason,
    frames={
        0: {"any": ["^(open|openat|write)", "py:save_checkpoint", "py:main"]},
        1: {"any": ["^cuStreamSynchronize$", "^cudaStreamSynchronize$", "py:barrier", "py:main"]},
    },
    verdict=("checkpoint_stall", "host_straggler"),
    culprits=(0,),
)


def save_checkpoint(path):
    os.mkfifo(path)
    tell("save_checkpoint")
    with open(path, "wb") as file:
        file.write(b"parameters")


def main():
    import torch
    import torch.distributed as dist

    join()
    dist.all_reduce(torch.ones(64).cuda())
    torch.cuda.synchronize()
    if RANK == 0:
        save_checkpoint(f"{scratch_folder()}/checkpoint")
    tell("barrier")
    dist.barrier()


if __name__ == "__main__":
    main()
