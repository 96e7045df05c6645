"""The barrier is the first collective; a rank sleeps before it."""

from scenario import ASLEEP_OUTSIDE, RANK, Scenario, join, sleep_outside, tell


def reason(launched):
    assert not launched[1].kernels, f"rank 1: {launched[1]}"
    # The classic backend is still making the communicator.
    assert launched[0].operations in ([], ["AllReduce"]) and not launched[0].finished, f"rank 0: {launched[0]}"


CLASSIC = [
    "groupLaunch",
    "ncclCommInitRank",
    "NCCLComm::create",
    "initNCCLComm",
    "ProcessGroupNCCL::barrier",
    "py:barrier",
]

SCENARIO = Scenario(
    title="rank 0 in barrier(), the first collective; rank 1 asleep outside",
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
            "2.15-classic": [
                "bootstrapInit",
                "ncclCommInitRank",
                "NCCLComm::create",
                "initNCCLComm",
                "ProcessGroupNCCL::barrier",
                "py:barrier",
            ],
            "2.6": CLASSIC,  # asyncJobLaunch is inlined in NCCL 2.21
            "classic": ["asyncJobLaunch", *CLASSIC],
        },
        1: ASLEEP_OUTSIDE,
    },
    busy={"2.15-classic": (0,)},  # NCCL 2.30 polls its socket on the main thread
    verdict=("host_straggler",),
    culprits=(1,),
)


def main():
    import torch.distributed as dist

    join()
    if RANK == 1:
        sleep_outside()
    tell("barrier")
    dist.barrier()


if __name__ == "__main__":
    main()
