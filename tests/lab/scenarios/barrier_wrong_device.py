"""As on two nodes of two GPUs with one rank each: a barrier without a device guesses GPU 1 for rank 1, the next has GPU 0.

For rank 0 both are one communicator, for rank 1 they are two; it waits for the id of the second.
"""

import datetime

from scenario import Scenario, tell


def reason(launched):
    first, second = launched
    assert first.operations == ["AllReduce"] * 2 and [each.sequence for each in first.started] == [2], f"rank 0: {first}"
    assert second.operations == ["AllReduce"] and not second.pending, f"rank 1: {second}"


SCENARIO = Scenario(
    title="both ranks in barrier(device_ids=[0]); the barrier before it had guessed GPU 1 for rank 1",
    torchrun=False,
    says={0: "barrier", 1: "barrier"},
    reason=reason,
    frames={
        0: {
            "2.6": ["^cudaStreamSynchronize$", "WorkNCCL::wait", "py:barrier", "py:main"],
            "any": ["^cudaStreamSynchronize$", "ProcessGroupNCCL::barrier", "py:barrier", "py:main"],
        },
        1: {
            "any": [
                "^poll",
                "TCPStore::doWait",
                "broadcastUniqueNCCLID",
                "initNCCLComm",
                "ProcessGroupNCCL::barrier",
                "py:barrier",
                "py:main",
            ]
        },
    },
    versions=("classic",),  # a group of nccl2 has one device from the start
    environment={"LOCAL_RANK": 0},
    verdict=("barrier_deadlock",),
)


def main():
    import torch
    import torch.distributed as dist

    dist.init_process_group("nccl", timeout=datetime.timedelta(days=1))
    dist.barrier()
    torch.cuda.set_device(0)
    tell("barrier")
    dist.barrier(device_ids=[0])


if __name__ == "__main__":
    main()
