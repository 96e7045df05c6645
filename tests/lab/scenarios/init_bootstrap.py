"""Both ranks are inside ncclCommInitRank; the packets of one do not reach the address that the NCCL id carries."""

import os
import socket
import time

import sockets
from scenario import RANK, WORLD_SIZE, Scenario, join, own_store, tell


def reason(launched):
    assert not launched[0].kernels and not launched[1].kernels, f"{launched[0]} | {launched[1]}"


def prove(job):
    root, other = (sockets.of(pid) for pid in job.pids)
    unanswered = {each.peer for each in other if each.state == "SYN_SENT"}
    assert unanswered & {each.port for each in root if each.state == "LISTEN"}, f"rank 0: {root}; rank 1: {other}"


ACCEPT = ["ncclSocketAccept", "bootstrapInit", "ncclCommInitRankFunc", "ncclAsyncJobMain"]
CONNECT = ["ncclSocketConnect", "bootstrapInit", "ncclCommInitRankFunc", "ncclAsyncJobMain"]
JOIN = ["ncclCommInitRankConfig", "NCCLBootstrap::createNcclComm", "py:init_process_group", "py:main"]
ALL_REDUCE = ["ncclCommInitRankConfig", "NCCLComm::create", "initNCCLComm", "py:all_reduce", "py:main"]


def main_thread(inside):
    """NCCL 2.30 waits on the thread that calls it, older ones in one of the job's own."""
    return {
        "nccl2": [*inside, *JOIN],
        "2.15-classic": [*inside, *ALL_REDUCE],
        "classic": ["groupLaunch", *ALL_REDUCE],
    }


SCENARIO = Scenario(
    title="both ranks make the communicator, rank 1's connection to rank 0 is never answered (packets dropped)",
    says={0: "init", 1: "init"},
    reason=reason,
    prove=prove,
    frames={0: main_thread(ACCEPT), 1: main_thread(CONNECT)},
    elsewhere={0: {"2.8": ACCEPT, "2.6": ACCEPT}, 1: {"2.8": CONNECT, "2.6": CONNECT}},
    busy={"nccl2": (0,), "2.15-classic": (0,)},
    verdict=("init_bootstrap",),
    culprits=(1,),
)


def drop_packets_to(port):
    """As a firewall would: a listener in front of rank 0's, whose queue is full. What comes for it now, the kernel drops."""
    sink = socket.socket()
    sink.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    sink.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, b"lo")  # preferred to one of any interface
    sink.bind(("127.0.0.1", port))
    sink.listen(0)
    return sink, socket.create_connection(("127.0.0.1", port))


def wait_for_root(port):
    """Until rank 0 has checked in with its own listener; the connection may be gone already."""
    while not any(each.state != "LISTEN" for each in sockets.at(port)):
        time.sleep(0.01)


def main():
    import torch
    import torch.distributed as dist

    store = own_store()
    if RANK == 0:
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        os.environ["NCCL_COMM_ID"] = f"127.0.0.1:{port}"
        store.set("port", str(port))
    else:
        port = int(store.get("port"))
        wait_for_root(port)
        held = drop_packets_to(port)  # noqa: F841
    tell("init")
    join(store=store, rank=RANK, world_size=WORLD_SIZE)
    dist.all_reduce(torch.ones(8).cuda())


if __name__ == "__main__":
    main()
