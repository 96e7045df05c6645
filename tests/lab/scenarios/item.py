"""A rank reads the loss with .item() behind an all_reduce that a peer never calls."""

from reasons import alone_in
from scenario import ASLEEP_OUTSIDE, RANK, Scenario, join, sleep_outside, tell

SCENARIO = Scenario(
    title="rank 0 in loss.item() behind an all_reduce, rank 1 asleep outside",
    says={0: "item", 1: "sleep_outside"},
    reason=alone_in(2),
    frames={
        0: {
            "any": [
                "^cuStreamSynchronize$",
                "^cudaStreamSynchronize$",
                "_local_scalar_dense_cuda",
                "THPVariable_item",
                "py:main",
            ]
        },
        1: ASLEEP_OUTSIDE,
    },
    verdict=("host_straggler",),
    culprits=(1,),
)


def main():
    import torch
    import torch.distributed as dist

    join()
    loss = torch.ones(1).cuda()
    for step in range(2):
        if step == 1 and RANK == 1:
            sleep_outside()
        dist.all_reduce(loss)
        if step == 1:
            tell("item")
        loss.item()


if __name__ == "__main__":
    main()
