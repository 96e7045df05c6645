"""The ranks call the same collective on tensors of different sizes."""

from scenario import IN_SYNCHRONIZE, RANK, Scenario, join, tell


def reason(launched):
    stuck = [log.started for log in launched]
    assert [len(each) for each in stuck] == [1, 1], f"not one kernel each: {launched[0]} | {launched[1]}"
    assert [each[0].operation for each in stuck] == ["AllReduce", "AllReduce"]
    assert [each[0].elements for each in stuck] == [[1024], [2048]], f"sizes: {launched[0]} | {launched[1]}"


SCENARIO = Scenario(
    title="all_reduce of 1024 elements on rank 0, of 2048 on rank 1 (on a GPU it hangs or gives wrong sums)",
    says={0: "all_reduce", 1: "all_reduce"},
    reason=reason,
    frames={0: IN_SYNCHRONIZE, 1: IN_SYNCHRONIZE},
    verdict=("collective_mismatch",),
)


def main():
    import torch
    import torch.distributed as dist

    join()
    dist.all_reduce(torch.ones(16).cuda())
    torch.cuda.synchronize()
    tell("all_reduce")
    dist.all_reduce(torch.ones(1024 * (RANK + 1)).cuda())
    torch.cuda.synchronize()


if __name__ == "__main__":
    main()
