"""NCCL without torch: a rank sleeps before ncclCommInitRank, in which its peer waits for it."""

from direct_nccl import Communicator
from reasons import nothing_launched
from scenario import ASLEEP_OUTSIDE, RANK, Scenario, sleep_outside, tell

BOOTSTRAP = ["bootstrapInit", "ncclCommInitRankFunc", "ncclAsync(JobMain|Launch)"]

SCENARIO = Scenario(
    title="rank 0 in ncclCommInitRank, rank 1 asleep before it",
    says={0: "init", 1: "sleep_outside"},
    reason=nothing_launched,
    frames={
        0: {"any": [*BOOTSTRAP, "ncclCommInitRank", "py:main"]},
        1: ASLEEP_OUTSIDE,
    },
    # The job runs on the calling thread, which polls its socket.
    busy={"any": (0,)},
    elsewhere={0: {"any": ["bootstrapRoot"]}},
    verdict=("host_straggler",),
    culprits=(1,),
    versions=("nccl",),
)


def main():
    Communicator(before_init=sleep_outside if RANK == 1 else lambda: tell("init"))


if __name__ == "__main__":
    main()
