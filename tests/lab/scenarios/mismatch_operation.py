"""The ranks call different collectives at the same place of the program."""

from scenario import IN_SYNCHRONIZE, RANK, Scenario, join, tell


def reason(launched):
    # NCCL 2.30 makes an AllGatherV of the many tensors of the nccl2 backend.
    assert [kernel.operation[:9] for kernel in launched[0].started] == ["AllGather"], f"rank 0: {launched[0]}"
    assert [kernel.operation for kernel in launched[1].started] == ["AllReduce"], f"rank 1: {launched[1]}"
    assert [log.started[0].sequence for log in launched] == [2, 2], f"not the same place: {launched[0]} | {launched[1]}"


SCENARIO = Scenario(
    title="rank 0 calls all_gather, rank 1 all_reduce",
    says={0: "all_gather", 1: "all_reduce"},
    reason=reason,
    frames={0: IN_SYNCHRONIZE, 1: IN_SYNCHRONIZE},
    verdict=("collective_mismatch",),
)


def main():
    import torch
    import torch.distributed as dist

    join()
    metrics = torch.ones(1024).cuda()
    dist.all_reduce(metrics)
    torch.cuda.synchronize()
    if RANK == 0:
        tell("all_gather")
        dist.all_gather([torch.empty_like(metrics) for _ in range(dist.get_world_size())], metrics)
    else:
        tell("all_reduce")
        dist.all_reduce(metrics)
    torch.cuda.synchronize()


if __name__ == "__main__":
    main()
