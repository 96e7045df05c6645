"""A recv whose peer has aborted its process group after an error, and lives on to restart."""

from scenario import IN_SYNCHRONIZE, RANK, Scenario, join, sleep_outside, tell


def reason(launched):
    assert [kernel.transfers[0][:4] for kernel in launched[0].started] == ["1>0:"], f"rank 0: {launched[0]}"
    assert launched[1].operations == ["AllReduce", "SendRecv"] and not launched[1].pending, f"rank 1: {launched[1]}"


SCENARIO = Scenario(
    title="rank 0 in a second recv from rank 1, which has aborted its process group and sleeps",
    says={0: "recv", 1: "sleep_outside"},
    reason=reason,
    frames={0: IN_SYNCHRONIZE, 1: {"any": ["py:sleep_outside", "py:recover", "py:main"]}},
    verdict=("p2p_hang_after_abort", "host_straggler", "asymmetric_control_flow"),
    culprits=(1,),
)


def recover():
    """What a handler of errors does: away with the communicators, then wait for the restart."""
    import torch.distributed as dist

    dist.distributed_c10d._abort_process_group()
    sleep_outside()


def main():
    import torch
    import torch.distributed as dist

    join()
    tensor = torch.ones(1 << 20).cuda()
    dist.all_reduce(tensor)
    for step in range(2):
        if RANK == 0:
            if step == 1:
                tell("recv")
            dist.recv(tensor, 1)
            torch.cuda.synchronize()
        elif step == 0:
            dist.send(tensor, 0)
            torch.cuda.synchronize()
        else:
            recover()


if __name__ == "__main__":
    main()
