"""Two ranks exchange their halves, and each sends before it receives: a send of that size waits for its recv."""

from scenario import IN_SYNCHRONIZE, RANK, Scenario, join, tell


def reason(launched):
    for rank, log in enumerate(launched):
        peer = 1 - rank
        started = [kernel.transfers[0].split(":")[0] for kernel in log.started]
        assert started == [f"{rank}>{peer}"], f"rank {rank}: {log}"
        behind = [kernel.transfers[0].split(":")[0] for kernel in log.pending][1:]
        assert behind == [f"{peer}>{rank}"], f"rank {rank} has no recv behind its send: {log}"


SCENARIO = Scenario(
    title="both ranks call send, then recv: each send waits for a recv that stands behind the other send",
    says={0: "exchange", 1: "exchange"},
    reason=reason,
    frames={rank: {"any": IN_SYNCHRONIZE["any"][:-1] + ["py:exchange", "py:main"]} for rank in range(2)},
    verdict=("p2p_unmatched",),
)


def exchange(mine, theirs, send_first):
    import torch
    import torch.distributed as dist

    peer = 1 - RANK
    if send_first:
        dist.send(mine, peer)
        dist.recv(theirs, peer)
    else:
        dist.recv(theirs, peer)
        dist.send(mine, peer)
    torch.cuda.synchronize()


def main():
    import torch

    join()
    # 64 MB: on a GPU too, no send of it ends before its recv. Smaller ones pass, until the model grows.
    mine, theirs = torch.ones(1 << 24).cuda(), torch.ones(1 << 24).cuda()
    exchange(mine, theirs, send_first=RANK == 0)
    tell("exchange")
    exchange(mine, theirs, send_first=True)


if __name__ == "__main__":
    main()
