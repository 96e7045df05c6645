"""A rank forgets `group=`: it reduces its gradients over the whole job instead of its data-parallel pair."""

from scenario import IN_SYNCHRONIZE, RANK, Scenario, join, tell


def reason(launched):
    stuck = []
    for rank, log in enumerate(launched):
        assert [kernel.operation for kernel in log.started] == ["AllReduce"], f"rank {rank}: {log}"
        stuck.append(log.started[0])
    pair, world = launched[0].kernels[1].comm, launched[0].kernels[0].comm
    assert (stuck[0].comm, stuck[0].ranks) == (pair, 2), f"rank 0 is not in its pair: {launched[0]}"
    for rank in (1, 2, 3):
        assert (stuck[rank].comm, stuck[rank].ranks) == (world, 4), f"rank {rank} is not in the world: {launched[rank]}"
    # Rank 1 has not had the second one of its pair, the others have had their own.
    finished = [sum(kernel.ranks == 2 for kernel in log.finished) for log in launched]
    assert finished == [1, 1, 2, 2], f"finished in their pairs: {finished}"


SCENARIO = Scenario(
    title="two pairs of ranks: rank 1 reduces its gradients in the group of all four, rank 0 waits in their pair's",
    says={0: "reduce_gradients", 1: "reduce_gradients", 2: "log_loss", 3: "log_loss"},
    reason=reason,
    frames={
        0: {"any": IN_SYNCHRONIZE["any"][:-1] + ["py:reduce_gradients", "py:main"]},
        1: {"any": IN_SYNCHRONIZE["any"][:-1] + ["py:reduce_gradients", "py:main"]},
        2: {"any": IN_SYNCHRONIZE["any"][:-1] + ["py:log_loss", "py:main"]},
        3: {"any": IN_SYNCHRONIZE["any"][:-1] + ["py:log_loss", "py:main"]},
    },
    ranks=4,
    verdict=("collective_mismatch", "asymmetric_control_flow"),
    culprits=(1,),
)


def reduce_gradients(gradients, group):
    import torch
    import torch.distributed as dist

    tell("reduce_gradients")
    dist.all_reduce(gradients, group=group)
    torch.cuda.synchronize()


def log_loss(loss):
    import torch
    import torch.distributed as dist

    tell("log_loss")
    dist.all_reduce(loss)
    torch.cuda.synchronize()


def main():
    import torch
    import torch.distributed as dist

    join()
    gradients, loss = torch.ones(4096).cuda(), torch.ones(1).cuda()
    pairs = [dist.new_group([0, 1]), dist.new_group([2, 3])]
    mine = pairs[RANK // 2]
    dist.all_reduce(loss)
    for step in range(2):
        # An expert that only rank 1 holds was written for the whole job.
        reduce_gradients(gradients, None if step == 1 and RANK == 1 else mine)
        log_loss(loss)


if __name__ == "__main__":
    main()
