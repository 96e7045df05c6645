"""Two collectives of one group in opposite order: the gradient norm is reduced before the metrics on one rank only."""

from scenario import IN_SYNCHRONIZE, RANK, Scenario, join, tell


def reason(launched):
    firsts = []
    for rank, log in enumerate(launched):
        assert len(log.started) == 1, f"rank {rank}: {log}"
        firsts.append(log.started[0])
    assert firsts[0].comm == firsts[1].comm, f"not one communicator: {launched[0]} | {launched[1]}"
    assert [each.sequence for each in firsts] == [4, 4], f"not the same place: {launched[0]} | {launched[1]}"
    assert [each.operation[:9] for each in firsts] == ["AllReduce", "AllGather"], f"{launched[0]} | {launched[1]}"


SCENARIO = Scenario(
    title="one group: rank 0 calls all_reduce, then all_gather; rank 1 the other way round",
    says={0: "all_reduce", 1: "all_gather"},
    reason=reason,
    frames={
        0: {"any": IN_SYNCHRONIZE["any"][:-1] + ["py:clip_gradients", "py:train_step", "py:main"]},
        1: {"any": IN_SYNCHRONIZE["any"][:-1] + ["py:gather_metrics", "py:train_step", "py:main"]},
    },
    verdict=("collective_mismatch",),
)


def clip_gradients(norm):
    import torch
    import torch.distributed as dist

    tell("all_reduce")
    dist.all_reduce(norm)
    torch.cuda.synchronize()


def gather_metrics(metrics, everywhere):
    import torch
    import torch.distributed as dist

    tell("all_gather")
    dist.all_gather_into_tensor(everywhere, metrics)
    torch.cuda.synchronize()


def train_step(norm, metrics, everywhere, log_first):
    """A hook that a rank registered earlier than its peers runs earlier."""
    if log_first:
        gather_metrics(metrics, everywhere)
        clip_gradients(norm)
    else:
        clip_gradients(norm)
        gather_metrics(metrics, everywhere)


def main():
    import torch
    import torch.distributed as dist

    join()
    norm, metrics = torch.ones(1).cuda(), torch.ones(512).cuda()
    everywhere = torch.empty(512 * dist.get_world_size(), device="cuda")
    dist.broadcast(norm, 0)
    for step in range(2):
        train_step(norm, metrics, everywhere, log_first=step == 1 and RANK == 1)


if __name__ == "__main__":
    main()
