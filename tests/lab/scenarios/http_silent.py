"""Rank 0 asks a service that accepts its request and never answers; its peers are in the barrier behind that."""

import socket
import urllib.request

import sockets
from scenario import RANK, Scenario, join, tell


def reason(launched):
    assert launched[0].operations == ["AllReduce"] and not launched[0].pending, f"rank 0: {launched[0]}"
    assert [kernel.sequence for kernel in launched[1].started] == [2], f"rank 1: {launched[1]}"


def prove(job):
    """The server is a socket of rank 0 itself that listens and is never read: the kernel accepts for it."""
    listening = [each for each in sockets.of(job.pids[0]) if each.state == "LISTEN" and each.unread]
    assert len(listening) == 1, f"not one server with a connection that waits: {listening}"
    asked = [each for each in sockets.of(job.pids[0]) if each.peer == listening[0].port]
    assert [each.state for each in asked] == ["ESTABLISHED"], f"no request to it: {asked}"


SCENARIO = Scenario(
    title="rank 0 waits for the answer of an HTTP service, rank 1 in the barrier behind it",
    says={0: "report_run", 1: "barrier"},
    reason=reason,
    prove=prove,
    frames={
        0: {
            "any": [
                "^(__libc_)?recv",
                "py:SocketIO.readinto",
                "py:HTTPResponse.begin",
                "py:urlopen",
                "py:report_run",
                "py:main",
            ]
        },
        1: {"any": ["^cuStreamSynchronize$", "^cudaStreamSynchronize$", "py:barrier", "py:main"]},
    },
    verdict=("external_service_stall", "host_straggler"),
    culprits=(0,),
)


def report_run(port):
    tell("report_run")
    urllib.request.urlopen(f"http://127.0.0.1:{port}/runs", data=b"{}").read()


def main():
    import torch
    import torch.distributed as dist

    join()
    dist.all_reduce(torch.ones(64).cuda())
    torch.cuda.synchronize()
    if RANK == 0:
        with socket.create_server(("127.0.0.1", 0)) as silent:
            report_run(silent.getsockname()[1])
    tell("barrier")
    dist.barrier()


if __name__ == "__main__":
    main()
