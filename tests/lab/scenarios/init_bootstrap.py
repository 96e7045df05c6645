"""Both ranks are inside ncclCommInitRank; the packets of one do not reach the address that the NCCL id carries."""

import sockets
from bootstrap import ACCEPT, CONNECT, drop_packets_to, main_thread, port_of_root, wait_for_root
from reasons import nothing_launched
from scenario import RANK, WORLD_SIZE, Scenario, join, own_store, tell


def prove(job):
    root, other = (sockets.of(pid) for pid in job.pids)
    unanswered = {each.peer for each in other if each.state == "SYN_SENT"}
    assert unanswered & {each.port for each in root if each.state == "LISTEN"}, f"rank 0: {root}; rank 1: {other}"


SCENARIO = Scenario(
    title="both ranks make the communicator, rank 1's connection to rank 0 is never answered (packets dropped)",
    says={0: "init", 1: "init"},
    reason=nothing_launched,
    prove=prove,
    frames={0: main_thread(ACCEPT), 1: main_thread(CONNECT)},
    elsewhere={0: {"2.8": ACCEPT, "2.6": ACCEPT}, 1: {"2.8": CONNECT, "2.6": CONNECT}},
    busy={"nccl2": (0,), "2.15-classic": (0,)},
    verdict=("init_bootstrap",),
    culprits=(1,),
)


def main():
    import torch
    import torch.distributed as dist

    store = own_store()
    port = port_of_root(store)
    if RANK == 1:
        wait_for_root(port)
        held = drop_packets_to(port)  # noqa: F841
    tell("init")
    join(store=store, rank=RANK, world_size=WORLD_SIZE)
    dist.all_reduce(torch.ones(8).cuda())


if __name__ == "__main__":
    main()
