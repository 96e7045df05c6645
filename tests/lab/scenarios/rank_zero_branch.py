"""A collective under `if rank == 0:`; the others go on to the next one."""

from scenario import IN_SYNCHRONIZE, RANK, Scenario, join, tell


def reason(launched):
    assert [kernel.operation for kernel in launched[0].started] == ["AllReduce"], f"rank 0: {launched[0]}"
    for log in launched[1:]:
        assert [kernel.operation for kernel in log.started] == ["Broadcast"], f"another rank: {log}"


SCENARIO = Scenario(
    title="rank 0 alone calls all_reduce for its log line, the others are at the broadcast behind it",
    says={0: "log_metrics", 1: "broadcast", 2: "broadcast"},
    reason=reason,
    frames={
        0: {"any": IN_SYNCHRONIZE["any"][:-1] + ["py:log_metrics", "py:main"]},
        1: IN_SYNCHRONIZE,
        2: IN_SYNCHRONIZE,
    },
    verdict=("asymmetric_control_flow", "collective_mismatch"),
    culprits=(0,),
    ranks=3,
)


def log_metrics(loss):
    import torch
    import torch.distributed as dist

    tell("log_metrics")
    dist.all_reduce(loss)
    torch.cuda.synchronize()


def main():
    import torch
    import torch.distributed as dist

    join()
    loss = torch.ones(8).cuda()
    dist.broadcast(loss, 0)
    torch.cuda.synchronize()
    if RANK == 0:
        log_metrics(loss)
    tell("broadcast")
    dist.broadcast(loss, 0)
    torch.cuda.synchronize()


if __name__ == "__main__":
    main()
