"""A gloo recv whose peer never sends."""

import sockets
from reasons import nothing_launched
from scenario import ASLEEP_OUTSIDE, RANK, Scenario, join, sleep_outside, tell

SCENARIO = Scenario(
    title="gloo: rank 0 in recv from rank 1, which is asleep outside",
    says={0: "recv", 1: "sleep_outside"},
    reason=nothing_launched,
    prove=sockets.nothing_arrived,
    frames={0: {"any": ["UnboundBuffer::waitRecv", "ProcessGroupGloo::RecvWork::wait", "py:recv", "py:main"]}, 1: ASLEEP_OUTSIDE},
    versions=("2.15", "2.8", "2.6"),  # gloo knows no classic backend
    verdict=("p2p_hang", "host_straggler"),
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
    tell("recv")
    dist.recv(tensor, 1)


if __name__ == "__main__":
    main()
