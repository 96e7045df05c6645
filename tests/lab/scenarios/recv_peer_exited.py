"""A recv whose peer has exited in good order: it had one microbatch less to send."""

from scenario import IN_SYNCHRONIZE, RANK, Scenario, join, tell


def reason(launched):
    assert [kernel.transfers[0][:4] for kernel in launched[0].started] == ["1>0:"], f"rank 0: {launched[0]}"
    assert launched[1].operations == ["SendRecv"] and not launched[1].pending, f"rank 1: {launched[1]}"


SCENARIO = Scenario(
    title="rank 0 in a second recv from rank 1, which has exited",
    says={0: "recv"},
    reason=reason,
    frames={0: IN_SYNCHRONIZE},
    gone=(1,),
    verdict=("p2p_hang_after_abort", "rank_died"),
    culprits=(1,),
)


def main():
    import torch
    import torch.distributed as dist

    join()
    tensor = torch.ones(1 << 20).cuda()
    for step in range(2 if RANK == 0 else 1):
        if step == 1:
            tell("recv")
        if RANK == 0:
            dist.recv(tensor, 1)
        else:
            dist.send(tensor, 0)
        torch.cuda.synchronize()


if __name__ == "__main__":
    main()
    if RANK == 1:
        import os

        os._exit(0)  # no destructor of a process group waits for the peer
