"""Four stages of a pipeline; one drops a microbatch that it found empty, and sends nothing on."""

from scenario import IN_SYNCHRONIZE, RANK, Scenario, join, tell

MICROBATCHES = 3


def reason(launched):
    for log in launched[:2]:
        assert [kernel.operation for kernel in log.started] == ["AllReduce"], f"rank 0 or 1: {log}"
    # The classic backend has a communicator for each pair of neighbours, and numbers them 0 and 1 in it.
    for log in launched[2:]:
        assert [kernel.receives for kernel in log.started] == [True], f"rank 2 or 3: {log}"
    received = [sum(kernel.receives for kernel in log.kernels) for log in launched]
    sent = [sum(kernel.sends for kernel in log.kernels) for log in launched]
    assert received == [0, MICROBATCHES, MICROBATCHES, MICROBATCHES], f"recvs launched: {received}"
    assert sent == [MICROBATCHES, MICROBATCHES - 1, MICROBATCHES - 1, 0], f"sends launched: {sent}"


SCENARIO = Scenario(
    title="pipeline of four: stage 1 dropped a microbatch; stages 2 and 3 wait for one more, 0 and 1 are in all_reduce",
    says={0: "all_reduce", 1: "all_reduce", 2: "last_microbatch", 3: "last_microbatch"},
    reason=reason,
    frames={
        0: {"any": IN_SYNCHRONIZE["any"][:-1] + ["py:reduce_gradients", "py:main"]},
        1: {"any": IN_SYNCHRONIZE["any"][:-1] + ["py:reduce_gradients", "py:main"]},
        2: {"any": IN_SYNCHRONIZE["any"][:-1] + ["py:receive_forward", "py:main"]},
        3: {"any": IN_SYNCHRONIZE["any"][:-1] + ["py:receive_forward", "py:main"]},
    },
    ranks=4,
    verdict=("p2p_unmatched", "collective_mismatch", "asymmetric_control_flow"),
    culprits=(1,),
)


def receive_forward(activations):
    import torch
    import torch.distributed as dist

    dist.recv(activations, RANK - 1)
    torch.cuda.synchronize()


def send_forward(activations):
    import torch
    import torch.distributed as dist

    dist.send(activations, RANK + 1)
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
    activations, gradients = torch.ones(1 << 22).cuda(), torch.ones(4096).cuda()
    dist.all_reduce(gradients)
    for microbatch in range(MICROBATCHES):
        if microbatch == MICROBATCHES - 1:
            tell("last_microbatch")
        if RANK > 0:
            receive_forward(activations)
        if RANK == 1 and microbatch == 1:
            continue  # "no tokens in it"
        if RANK < dist.get_world_size() - 1:
            send_forward(activations)
    reduce_gradients(gradients)


if __name__ == "__main__":
    main()
