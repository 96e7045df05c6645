"""A rank sleeps where its peers wait in a barrier; the communicator has been used before."""

from scenario import ASLEEP_OUTSIDE, RANK, Scenario, join, sleep_outside, tell


def reason(launched):
    assert [kernel.operation for kernel in launched[0].started] == ["AllReduce"], f"rank 0: {launched[0]}"
    assert len(launched[0].finished) == 1 and len(launched[1].kernels) == 1, f"rank 1: {launched[1]}"


SCENARIO = Scenario(
    title="rank 0 in a later barrier, rank 1 asleep outside",
    says={0: "barrier", 1: "sleep_outside"},
    reason=reason,
    frames={
        0: {
            "nccl2": [
                "^cuStreamSynchronize$",
                "^cudaStreamSynchronize$",
                "nccl2::WorkNCCL::synchronize",
                "py:barrier",
                "py:main",
            ],
            "2.6": [
                "^cuStreamSynchronize$",
                "^cudaStreamSynchronize$",
                "ProcessGroupNCCL::WorkNCCL::wait",
                "py:barrier",
                "py:main",
            ],
            "classic": [
                "^cuStreamSynchronize$",
                "^cudaStreamSynchronize$",
                "ProcessGroupNCCL::barrier",
                "py:barrier",
                "py:main",
            ],
        },
        1: ASLEEP_OUTSIDE,
    },
    verdict=("host_straggler",),
    culprits=(1,),
)


def main():
    import torch
    import torch.distributed as dist

    join()
    dist.all_reduce(torch.ones(8).cuda())
    torch.cuda.synchronize()
    if RANK == 1:
        sleep_outside()
    tell("barrier")
    dist.barrier()


if __name__ == "__main__":
    main()
