"""Both ranks are inside ncclCommInitRank; rank 0's listener serves a stranger that says nothing, as a port scanner may."""

import socket

import sockets
from bootstrap import ACCEPT, main_thread, port_of_root, wait_for_root
from reasons import nothing_launched
from scenario import RANK, WORLD_SIZE, Scenario, join, own_store, tell


def prove(job):
    """Rank 1 was never accepted: what it sent lies in the queue of the listener."""
    queues = [each.unread for each in sockets.of(job.pids[0]) if each.state == "LISTEN"]
    assert any(queues), f"rank 0: {sockets.of(job.pids[0])}"


SCENARIO = Scenario(
    title="both ranks make the communicator, a connection that says nothing holds the root of the bootstrap",
    says={0: "init", 1: "init"},
    reason=nothing_launched,
    prove=prove,
    frames={0: main_thread(ACCEPT), 1: main_thread(ACCEPT)},
    elsewhere={
        0: {"2.8": ACCEPT, "2.6": ACCEPT, "any": ["ncclSocketAccept", "bootstrapRoot"]},
        1: {"2.8": ACCEPT, "2.6": ACCEPT},
    },
    busy={"nccl2": (0, 1), "2.15-classic": (0, 1)},
    verdict=("init_bootstrap",),
    known_faults={
        "nccl2": "a rank that polls its socket is now and then taken for one that moves",
        "2.15-classic": "a rank that polls its socket is now and then taken for one that moves",
    },
)


def main():
    import torch
    import torch.distributed as dist

    store = own_store()
    port = port_of_root(store)
    if RANK == 1:
        wait_for_root(port)
        stranger = socket.create_connection(("127.0.0.1", port))
        tell(f"a stranger at {stranger.getsockname()}")
    tell("init")
    join(store=store, rank=RANK, world_size=WORLD_SIZE)
    dist.all_reduce(torch.ones(8).cuda())


if __name__ == "__main__":
    main()
