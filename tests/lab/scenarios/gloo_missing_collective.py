"""A gloo collective that one rank does not call."""

import sockets
from reasons import nothing_launched
from scenario import ASLEEP_OUTSIDE, RANK, Scenario, join, sleep_outside, tell

SCENARIO = Scenario(
    title="gloo: rank 0 in a second all_reduce, rank 1 asleep outside",
    says={0: "all_reduce", 1: "sleep_outside"},
    reason=nothing_launched,
    prove=sockets.nothing_arrived,
    frames={0: {"any": ["Work::wait", "py:all_reduce", "py:main"]}, 1: ASLEEP_OUTSIDE},
    elsewhere={0: {"any": ["UnboundBuffer::waitRecv", "ProcessGroupGloo::AsyncWork::execute", "ProcessGroupGloo::runLoop"]}},
    versions=("2.15", "2.8", "2.6"),  # gloo knows no classic backend
    verdict=("host_straggler",),
    culprits=(1,),
)


def main():
    import torch
    import torch.distributed as dist

    join("gloo")
    tensor = torch.ones(64)
    dist.all_reduce(tensor)
    if RANK == 1:
        sleep_outside()
    tell("all_reduce")
    dist.all_reduce(tensor)


if __name__ == "__main__":
    main()
