"""Not hung: the abort flag ends the kernel that stands still, and the job ends."""

from scenario import Scenario, join


def reason(launched):
    for rank, log in enumerate(launched):
        assert [kernel.reached for kernel in log.kernels] == ["finish", "aborted"], f"rank {rank}: {log}"


SCENARIO = Scenario(
    title="a job that ends: an abort ends an all_reduce that stands still on the device",
    says={},
    reason=reason,
    outcome="ends",
    environment={"HANGSTACK_LAB_KERNEL": "stuck:2"},
)


def main():
    import torch
    import torch.distributed as dist

    join()
    tensor = torch.ones(64).cuda()
    dist.all_reduce(tensor)
    torch.cuda.synchronize()
    dist.all_reduce(tensor)
    dist.distributed_c10d._abort_process_group()
    torch.cuda.synchronize()


if __name__ == "__main__":
    main()
