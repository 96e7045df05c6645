"""monitored_barrier: rank 0 asks every rank in turn, and one does not come."""

import sockets
from scenario import ASLEEP_OUTSIDE, RANK, Scenario, join, sleep_outside, tell


def reason(launched):
    assert not any(log.kernels for log in launched), " | ".join(map(str, launched))


def prove(job):
    for rank in (1, 2):
        assert sockets.between(job.pids[0], job.pids[rank]), f"rank {rank} is not connected: {sockets.of(job.pids[rank])}"


INSIDE = {
    "any": [
        "UnboundBuffer::waitRecv",
        "ProcessGroupGloo::RecvWork::wait",
        "ProcessGroupGloo::monitoredBarrier",
        "py:monitored_barrier",
        "py:main",
    ]
}

SCENARIO = Scenario(
    title="gloo: ranks 0 and 1 in monitored_barrier(), rank 2 asleep outside",
    says={0: "monitored_barrier", 1: "monitored_barrier", 2: "sleep_outside"},
    reason=reason,
    prove=prove,
    frames={0: INSIDE, 1: INSIDE, 2: ASLEEP_OUTSIDE},
    versions=("2.15", "2.8", "2.6"),  # gloo knows no classic backend
    verdict=("host_straggler",),
    culprits=(2,),
    ranks=3,
)


def main():
    import torch
    import torch.distributed as dist

    join("gloo")
    dist.all_reduce(torch.ones(64))
    if RANK == 2:
        sleep_outside()
    tell("monitored_barrier")
    dist.monitored_barrier()


if __name__ == "__main__":
    main()
