"""Two process groups of the same ranks, used in opposite order."""

from scenario import IN_SYNCHRONIZE, RANK, Scenario, join, tell


def reason(launched):
    stuck = [log.started for log in launched]
    assert all(len(each) == 1 for each in stuck), f"not one kernel each: {launched[0]} | {launched[1]}"
    assert stuck[0][0].operation == stuck[1][0].operation == "AllReduce"
    assert stuck[0][0].comm != stuck[1][0].comm, "both on one communicator"


SCENARIO = Scenario(
    title="rank 0 uses group A then B, rank 1 B then A",
    says={0: "group_order", 1: "group_order"},
    reason=reason,
    frames={0: IN_SYNCHRONIZE, 1: IN_SYNCHRONIZE},
    verdict=("cross_group_order",),
)


def main():
    import torch
    import torch.distributed as dist

    join()
    tensor = torch.ones(64).cuda()
    groups = [dist.new_group([0, 1]), dist.new_group([0, 1])]
    for group in groups:  # both communicators exist before the order differs
        dist.all_reduce(tensor, group=group)
    torch.cuda.synchronize()
    tell("group_order")
    for group in groups if RANK == 0 else reversed(groups):
        dist.all_reduce(tensor, group=group)
        torch.cuda.synchronize()


if __name__ == "__main__":
    main()
