"""A send that nobody receives: its peer expects one microbatch less, and has gone on to the all_reduce."""

from scenario import IN_SYNCHRONIZE, RANK, Scenario, join, tell


def reason(launched):
    assert [kernel.transfers[0][:4] for kernel in launched[0].started] == ["0>1:"], f"rank 0: {launched[0]}"
    assert [kernel.operation for kernel in launched[1].started] == ["AllReduce"], f"rank 1: {launched[1]}"
    passed = [sum(kernel.operation == "SendRecv" for kernel in log.kernels) for log in launched]
    assert passed == [3, 2], f"sends and recvs launched: {passed}"


SCENARIO = Scenario(
    title="rank 0 sends a third microbatch, rank 1 expects two and is in the all_reduce behind them",
    says={0: "send", 1: "all_reduce"},
    reason=reason,
    frames={
        0: {"any": IN_SYNCHRONIZE["any"][:-1] + ["py:send_forward", "py:main"]},
        1: {"any": IN_SYNCHRONIZE["any"][:-1] + ["py:reduce_gradients", "py:main"]},
    },
    verdict=("p2p_unmatched", "asymmetric_control_flow"),
)


def send_forward(activations):
    import torch
    import torch.distributed as dist

    dist.send(activations, 1)
    torch.cuda.synchronize()


def receive_forward(activations):
    import torch
    import torch.distributed as dist

    dist.recv(activations, 0)
    torch.cuda.synchronize()


def reduce_gradients(gradients):
    import torch
    import torch.distributed as dist

    tell("all_reduce")
    dist.all_reduce(gradients)
    torch.cuda.synchronize()


def main():
    import torch
    import torch.distributed as dist

    join()
    activations, gradients = torch.ones(1 << 24).cuda(), torch.ones(4096).cuda()
    dist.all_reduce(gradients)
    for microbatch in range(3 if RANK == 0 else 2):
        if RANK == 0 and microbatch == 2:
            tell("send")
        (send_forward if RANK == 0 else receive_forward)(activations)
    reduce_gradients(gradients)


if __name__ == "__main__":
    main()
