"""NCCL as a program without torch calls it: libnccl by ctypes, the id of the communicator over a socket of rank 0."""

import contextlib
import ctypes
import os
import pathlib
import socket
import sysconfig
import time

from scenario import RANK, WORLD_SIZE

INT8, FLOAT = 0, 7  # ncclDataType_t
SUM = 0  # ncclRedOp_t
POLL_S = 0.05


class UniqueId(ctypes.Structure):
    _fields_ = [("internal", ctypes.c_char * 128)]


def load(folder, name):
    return ctypes.CDLL(str(next(pathlib.Path(sysconfig.get_path("purelib"), "nvidia").glob(f"{folder}/lib/{name}"))))


def checked(library, name, *arguments):
    status = getattr(library, name)(*arguments)
    if status != 0:
        raise RuntimeError(f"{name}() gave {status}")


def version_of(nccl):
    """What the library calls itself: "2.28.9"."""
    found = ctypes.c_int()
    checked(nccl, "ncclGetVersion", ctypes.byref(found))
    return f"{found.value // 10000}.{found.value // 100 % 100}.{found.value % 100}"


def share_id(unique_id):
    """Rank 0's id in every rank: as long as rank 0 does not serve it, the others wait here."""
    address = (os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]))
    if RANK == 0:
        with socket.create_server(address) as server:
            for _ in range(WORLD_SIZE - 1):
                with server.accept()[0] as connection:
                    connection.sendall(bytes(unique_id))
        return
    while True:
        with contextlib.suppress(ConnectionRefusedError), socket.create_connection(address) as connection:
            received = connection.recv(ctypes.sizeof(unique_id), socket.MSG_WAITALL)
            ctypes.memmove(ctypes.byref(unique_id), received, len(received))
            return
        time.sleep(POLL_S)  # rank 0 does not listen yet


def init_rank(nccl, rank, size, share):
    """ncclCommInitRank: the handle. `share(unique_id)` makes rank 0's id that of every rank."""
    unique_id = UniqueId()
    if rank == 0:
        checked(nccl, "ncclGetUniqueId", ctypes.byref(unique_id))
    share(unique_id)
    handle = ctypes.c_void_p()
    nccl.ncclCommInitRank.argtypes = [ctypes.c_void_p, ctypes.c_int, UniqueId, ctypes.c_int]
    checked(nccl, "ncclCommInitRank", ctypes.byref(handle), size, unique_id, rank)
    return handle


class Communicator:
    """One communicator over all ranks, with one stream and one buffer in device memory."""

    def __init__(self, before_init=lambda: None):
        # NCCL first: with the first call of CUDA the stand-in diverts the runtime that is linked into libnccl.
        self.nccl = load("nccl", "libnccl.so.2")
        self.cuda = ctypes.CDLL(pathlib.Path(os.environ["LD_PRELOAD"].split(":")[-1]).name)  # loaded already
        checked(self.cuda, "cudaSetDevice", RANK)

        def share(unique_id):
            share_id(unique_id)
            before_init()

        self.handle = init_rank(self.nccl, RANK, WORLD_SIZE, share)
        self.stream = ctypes.c_void_p()
        checked(self.cuda, "cudaStreamCreate", ctypes.byref(self.stream))
        self.buffer = ctypes.c_void_p()
        checked(self.cuda, "cudaMalloc", ctypes.byref(self.buffer), ctypes.c_size_t(1 << 20))

    def all_reduce(self, count=1024):
        self._call("ncclAllReduce", self.buffer, self.buffer, ctypes.c_size_t(count), FLOAT, SUM)

    def broadcast(self, count=1024):
        self._call("ncclBroadcast", self.buffer, self.buffer, ctypes.c_size_t(count), FLOAT, 0)

    def send(self, peer, count=1024):
        self._call("ncclSend", self.buffer, ctypes.c_size_t(count), INT8, peer)

    def recv(self, peer, count=1024):
        self._call("ncclRecv", self.buffer, ctypes.c_size_t(count), INT8, peer)

    def _call(self, name, *arguments):
        checked(self.nccl, name, *arguments, self.handle, self.stream)

    def synchronize(self):
        checked(self.cuda, "cudaStreamSynchronize", self.stream)

    def destroy(self):
        checked(self.nccl, "ncclCommDestroy", self.handle)
