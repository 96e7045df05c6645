"""A rank makes a process group for itself before a barrier that all ranks come to; its peers make none."""

import os

from scenario import RANK, Scenario, join, tell


def reason(launched):
    for rank in (0, 2):
        assert [kernel.sequence for kernel in launched[rank].started] == [2], f"rank {rank}: {launched[rank]}"
    assert launched[1].operations == ["AllReduce"] and not launched[1].pending, f"rank 1: {launched[1]}"


ALL_GATHER = ["bootstrapAllGather", "ncclCommInitRankFunc", "ncclAsyncJobMain"]
IN_BARRIER = {"any": ["^cuStreamSynchronize$", "^cudaStreamSynchronize$", "py:barrier", "py:main"]}
CALL = ["py:_new_process_group_helper", "py:new_group", "py:main"]

SCENARIO = Scenario(
    title="ranks 0 and 2 in barrier(), rank 1 before it in a new_group() of its own, which is collective over all",
    says={0: "barrier", 1: "new_group", 2: "barrier"},
    reason=reason,
    frames={
        0: IN_BARRIER,
        2: IN_BARRIER,
        1: {
            "nccl2": [*ALL_GATHER, "ncclCommSplit", "nccl2::ProcessGroupNCCL::split", *CALL],
            "2.15-classic": [*ALL_GATHER, "ncclCommSplit", "NCCLComm::split", "initNCCLComm", *CALL],
            "classic": ["NCCLComm::split", "initNCCLComm", *CALL],
        },
    },
    elsewhere={1: {"2.8": ALL_GATHER, "2.6": ALL_GATHER}},
    busy={"nccl2": (1,), "2.15-classic": (1,)},  # NCCL 2.30 polls its socket on the main thread
    verdict=("barrier_deadlock", "asymmetric_control_flow"),
    culprits=(1,),
    ranks=3,
)


def main():
    import torch
    import torch.distributed as dist

    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    join(device_id=device)
    dist.all_reduce(torch.ones(64, device=device))
    torch.cuda.synchronize()
    if RANK == 1:
        tell("new_group")
        dist.new_group([0, 1, 2])
    tell("barrier")
    dist.barrier()


if __name__ == "__main__":
    main()
