"""An inference engine makes its own NCCL communicator by ctypes, and one rank does not come there."""

from raw_nccl import Communicator
from scenario import ASLEEP_OUTSIDE, RANK, WORLD_SIZE, Scenario, join, sleep_outside, tell


def reason(launched):
    for log in launched:
        assert log.operations == ["AllReduce"] and not log.pending, f"more than the collective before: {log}"


SCENARIO = Scenario(
    title="rank 0 in an ncclCommInitRank that it called by ctypes, rank 1 asleep outside",
    says={0: "init", 1: "sleep_outside"},
    reason=reason,
    frames={
        0: {"any": ["^p?ncclCommInitRank", "py:checked", "py:Communicator.__init__", "py:main"]},
        1: ASLEEP_OUTSIDE,
    },
    busy={"any": (0,)},  # without a group of calls, NCCL polls its socket on the thread of the caller
    verdict=("host_straggler",),
    culprits=(1,),
)


def main():
    import torch
    import torch.distributed as dist

    join()
    dist.all_reduce(torch.ones(64).cuda())
    torch.cuda.synchronize()
    if RANK == 1:
        sleep_outside()  # loading its part of the weights
    tell("init")
    Communicator(dist.PrefixStore("pynccl", dist.distributed_c10d._get_default_store()), RANK, WORLD_SIZE)


if __name__ == "__main__":
    main()
