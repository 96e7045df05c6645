"""A checkpoint thread and the training loop use one group at once: on each rank another of the two is first."""

import threading

from scenario import IN_SYNCHRONIZE, RANK, Scenario, join, tell, use_device


def reason(launched):
    for rank, log in enumerate(launched):
        assert len(log.started) == 1 and len(log.pending) == 2, f"rank {rank}: {log}"
        assert len({kernel.comm for kernel in log.kernels}) == 1, f"rank {rank} uses two communicators: {log}"
    # The same two, in another order.
    orders = [[kernel.operation[:9] for kernel in log.pending] for log in launched]
    assert orders == [["AllReduce", "AllGather"], ["AllGather", "AllReduce"]], f"{orders}"


SCENARIO = Scenario(
    title="two threads of each rank share a group: rank 0 trains first, rank 1 saves first",
    says={0: "both", 1: "both"},
    reason=reason,
    frames={rank: {"any": IN_SYNCHRONIZE["any"][:-1] + ["py:train_step", "py:main"]} for rank in range(2)},
    elsewhere={rank: {"any": IN_SYNCHRONIZE["any"][:-1] + ["py:save_checkpoint"]} for rank in range(2)},
    verdict=("concurrent_group_use",),
    culprits=(0, 1),
)


def train_step(gradients, turn, done):
    import torch
    import torch.distributed as dist

    turn.wait()
    dist.all_reduce(gradients)
    done.set()
    torch.cuda.synchronize()


def save_checkpoint(shard, turn, done):
    import torch
    import torch.distributed as dist

    use_device()
    everywhere = torch.empty(shard.numel() * dist.get_world_size(), device="cuda")
    turn.wait()
    dist.all_gather_into_tensor(everywhere, shard)
    done.set()
    torch.cuda.synchronize()


def main():
    import torch
    import torch.distributed as dist

    join()
    gradients, shard = torch.ones(4096).cuda(), torch.ones(512).cuda()
    dist.all_reduce(gradients)
    torch.cuda.synchronize()
    # In a real job it is a race; here who is first is fixed.
    now, trained, saved = threading.Event(), threading.Event(), threading.Event()
    now.set()
    saver = threading.Thread(
        target=save_checkpoint, args=(shard, trained if RANK == 0 else now, saved), name="checkpoint", daemon=True
    )
    saver.start()
    if RANK == 1:
        saved.wait()
    tell("both")
    train_step(gradients, now, trained)
    saver.join()


if __name__ == "__main__":
    main()
