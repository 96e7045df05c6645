"""Trainers and inference workers, launched apart, are to make one communicator; the inference side has refused."""

from scenario import IN_SYNCHRONIZE, JOB, RANK, Scenario, join, sleep_outside, tell
from two_jobs import TRAINERS, WORKERS, join_the_jobs


def reason(launched):
    for place, log in enumerate(launched):
        ranks = {kernel.ranks for kernel in log.kernels}
        assert ranks == {TRAINERS if place < TRAINERS else WORKERS}, f"process {place} is in another group: {log}"
    assert [len(log.pending) for log in launched] == [0, 1, 0, 0], f"pending: {[str(log) for log in launched]}"


SCENARIO = Scenario(
    title="trainer 0 in ncclCommInitRank of a communicator with two workers of another job, which do not take part",
    says={0: "join", 1: "train_step", 2: "sleep_outside", 3: "sleep_outside"},
    reason=reason,
    frames={
        0: {"any": ["ncclCommInitRank", "py:Communicator.__init__", "py:join_the_jobs", "py:main"]},
        1: IN_SYNCHRONIZE,
        2: {"any": ["py:sleep_outside", "py:serve", "py:main"]},
        3: {"any": ["py:sleep_outside", "py:serve", "py:main"]},
    },
    jobs=(TRAINERS, WORKERS),
    busy={"any": (0,)},  # it polls its socket on the main thread, as no group of calls gives it another
    verdict=("host_straggler",),
    culprits=(2, 3),
)


def serve():
    """The engine had no memory for the buffers of the group, wrote a line to its log, and serves the old weights."""
    sleep_outside()


def main():
    import torch
    import torch.distributed as dist

    join()
    weights = torch.ones(4096).cuda()
    dist.all_reduce(weights)
    torch.cuda.synchronize()
    if JOB == 1:
        serve()
    if RANK == 0:
        tell("join")
        join_the_jobs()
    tell("train_step")
    dist.all_reduce(weights)
    torch.cuda.synchronize()


if __name__ == "__main__":
    main()
