"""Ring attention over four ranks by batch_isend_irecv; one rank turns the wrong way round."""

from scenario import IN_SYNCHRONIZE, RANK, Scenario, join, tell


def pairs(kernels):
    return [sorted(transfer.split(":")[0] for transfer in kernel.transfers) for kernel in kernels]


def reason(launched):
    assert pairs(launched[2].started) == [["2>1", "3>2"]], f"rank 2: {launched[2]}"
    # Its neighbours wait for it, and rank 0, which had both of its own, for them.
    assert pairs(launched[1].started) == [["0>1", "1>2"]], f"rank 1: {launched[1]}"
    assert pairs(launched[3].started) == [["2>3", "3>0"]], f"rank 3: {launched[3]}"
    assert pairs(launched[0].started) == [["0>1", "3>0"]], f"rank 0: {launched[0]}"
    steps = [len(log.finished) for log in launched]
    assert steps == [9, 8, 8, 8], f"finished: {steps}"


SCENARIO = Scenario(
    title="a ring of four: rank 2 sends to 1 and receives from 3, the others send to the next",
    says={rank: "turn" for rank in range(4)},
    reason=reason,
    frames={rank: {"any": IN_SYNCHRONIZE["any"][:-1] + ["py:turn", "py:main"]} for rank in range(4)},
    ranks=4,
    verdict=("p2p_unmatched",),
    culprits=(2,),
)


def turn(block, other, step):
    """Sends this rank's block one place on, and takes the one of the neighbour before it."""
    import torch
    import torch.distributed as dist

    size = dist.get_world_size()
    moves = [
        dist.P2POp(dist.isend, block, (RANK + step) % size),
        dist.P2POp(dist.irecv, other, (RANK - step) % size),
    ]
    for request in dist.batch_isend_irecv(moves):
        request.wait()
    torch.cuda.synchronize()


def main():
    import torch

    join()
    block, other = torch.ones(1 << 22).cuda(), torch.ones(1 << 22).cuda()
    for _ in range(4):  # forward turns one way, backward the other: all neighbours are connected
        turn(block, other, step=1)
        turn(block, other, step=-1)
    tell("turn")
    for _ in range(2):
        turn(block, other, step=-1 if RANK == 2 else 1)


if __name__ == "__main__":
    main()
