"""Three stages of a pipeline; the middle one stands still between its recv and its send."""

from scenario import ASLEEP_OUTSIDE, IN_SYNCHRONIZE, RANK, Scenario, join, sleep_outside, tell


def reason(launched):
    assert [kernel.transfers[0][:4] for kernel in launched[0].started] == ["0>1:"], f"rank 0: {launched[0]}"
    assert not launched[1].pending and len(launched[1].kernels) == 4, f"rank 1: {launched[1]}"
    assert [kernel.operation for kernel in launched[2].started] == ["SendRecv"], f"rank 2: {launched[2]}"


SCENARIO = Scenario(
    title="pipeline of three stages: the middle one sleeps, the first waits to send to it, the last to receive from it",
    says={0: "stage", 1: "sleep_outside", 2: "stage"},
    reason=reason,
    frames={0: IN_SYNCHRONIZE, 1: ASLEEP_OUTSIDE, 2: IN_SYNCHRONIZE},
    ranks=3,
    verdict=("host_straggler", "p2p_hang"),
    culprits=(1,),
)


def main():
    import torch
    import torch.distributed as dist

    join()
    activations = torch.ones(1 << 24).cuda()  # 64 MB: on a GPU too, no send of it ends before its recv
    for step in range(3):
        if step == 2 and RANK == 1:
            sleep_outside()
        if step == 2:
            tell("stage")
        if RANK > 0:
            dist.recv(activations, RANK - 1)
        if RANK < dist.get_world_size() - 1:
            dist.send(activations, RANK + 1)
        torch.cuda.synchronize()


if __name__ == "__main__":
    main()
