"""The listener of rank 0 that NCCL's bootstrap begins at, at a port that a scenario knows; and how it can be out of reach."""

import os
import socket
import time

import sockets
from scenario import RANK

ACCEPT = ["ncclSocketAccept", "bootstrapInit", "ncclCommInitRankFunc", "ncclAsyncJobMain"]
CONNECT = ["ncclSocketConnect", "bootstrapInit", "ncclCommInitRankFunc", "ncclAsyncJobMain"]
JOIN = ["ncclCommInitRankConfig", "NCCLBootstrap::createNcclComm", "py:init_process_group", "py:main"]
ALL_REDUCE = ["ncclCommInitRankConfig", "NCCLComm::create", "initNCCLComm", "py:all_reduce", "py:main"]


def main_thread(inside):
    """Its frames. NCCL 2.30 waits on the thread that calls it, older ones in one of the job's own."""
    return {
        "nccl2": [*inside, *JOIN],
        "2.15-classic": [*inside, *ALL_REDUCE],
        "classic": ["groupLaunch", *ALL_REDUCE],
    }


def port_of_root(store):
    """The port that rank 0 will listen at, instead of one that NCCL chooses."""
    if RANK != 0:
        return int(store.get("port"))
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    os.environ["NCCL_COMM_ID"] = f"127.0.0.1:{port}"
    store.set("port", str(port))
    return port


def wait_for_root(port):
    """Until rank 0 has checked in with its own listener; the connection may be gone already."""
    while not any(each.state != "LISTEN" for each in sockets.at(port)):
        time.sleep(0.01)


def drop_packets_to(port):
    """As a firewall would: a listener in front of rank 0's, whose queue is full. What comes for it now, the kernel drops.

    The sockets to be held open.
    """
    sink = socket.socket()
    sink.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    sink.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, b"lo")  # preferred to one of any interface
    sink.bind(("127.0.0.1", port))
    sink.listen(0)
    return sink, socket.create_connection(("127.0.0.1", port))
