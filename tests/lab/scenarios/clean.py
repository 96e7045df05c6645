"""Nothing hangs: collectives, point-to-point, NCCL's RAS and torch's flight recorder, and an orderly end."""

import ctypes
import os
import socket

from direct_nccl import version_of
from scenario import RANK, Scenario, join


def reason(launched):
    for log in launched:
        assert not log.pending, f"pending: {log}"
        assert log.operations.count("AllReduce") == 2, f"not all_reduce and barrier: {log}"
        assert log.operations.count("SendRecv") == 1, f"no send or recv: {log}"


SCENARIO = Scenario(
    title="a job that ends: all_reduce, send/recv, barrier, destroy",
    says={},
    reason=reason,
    outcome="ends",
)


def check_ras(version):
    """NCCL's own status report, over its socket: it has one from 2.24 on."""
    if tuple(map(int, version.split("."))) < (2, 24):
        return
    host, port = os.environ["NCCL_RAS_ADDR"].rsplit(":", 1)
    with socket.create_connection((host, int(port)), timeout=30) as connection:
        connection.sendall(b"CLIENT PROTOCOL 2\nTIMEOUT 3\nVERBOSE STATUS\n")
        report = b""
        while part := connection.recv(65536):
            report += part
    assert b"Communicators" in report and version.encode() in report, f"RAS says: {report.decode()}"


def recorded(torch):
    """How many entries the flight recorder of the backend in use holds."""
    import pickle

    if os.environ["HANGSTACK_LAB_BACKEND"] == "nccl2":
        dump = torch._C._distributed_c10d._dump_fr_trace(backend="nccl2")
    else:
        dump = torch._C._distributed_c10d._dump_nccl_trace()
    return len(pickle.loads(dump)["entries"])


def main():
    import torch
    import torch.distributed as dist

    join()
    tensor = torch.ones(1024).cuda()
    dist.all_reduce(tensor)
    dist.send(tensor, 1) if RANK == 0 else dist.recv(tensor, 0)
    torch.cuda.synchronize()
    version = version_of(ctypes.CDLL("libnccl.so.2"))  # torch's own answer is that of the headers it was built with
    assert version == os.environ["HANGSTACK_LAB_NCCL"], f"NCCL calls itself {version}"
    entries = recorded(torch)
    assert entries >= 2, f"the flight recorder has {entries} entries"
    if RANK == 0:
        check_ras(version)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
