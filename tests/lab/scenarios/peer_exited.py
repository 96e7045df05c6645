"""A collective whose peer has destroyed its group and ended in good order."""

from reasons import alone_in
from scenario import IN_SYNCHRONIZE, RANK, Scenario, join, tell

SCENARIO = Scenario(
    title="rank 0 in a second all_reduce, rank 1 had one batch less and has exited",
    says={0: "all_reduce"},
    reason=alone_in(2),
    frames={0: IN_SYNCHRONIZE},
    gone=(1,),
    verdict=("rank_died", "asymmetric_control_flow"),
    culprits=(1,),
)


def main():
    import torch
    import torch.distributed as dist

    join()
    tensor = torch.ones(64).cuda()
    for step in range(2):
        if step == 1 and RANK == 1:
            return
        if step == 1:
            tell("all_reduce")
        dist.all_reduce(tensor)
        torch.cuda.synchronize()


if __name__ == "__main__":
    main()
    if RANK == 1:
        import os

        os._exit(0)  # no destructor of a process group waits for the peer
