"""NCCL without torch.distributed, by ctypes, as inference engines and RL frameworks call it: no process group, no
watchdog and no flight recorder know of these communicators."""

import ctypes

FLOAT = 7  # ncclFloat32


class UniqueId(ctypes.Structure):
    _fields_ = [("internal", ctypes.c_byte * 128)]


def check(result):
    if result != 0:
        raise RuntimeError(f"NCCL error {result}")


class Communicator:
    """One of `size` ranks; rank 0 hands the id to the others through `store`."""

    def __init__(self, store, rank, size):
        self.library = ctypes.CDLL("libnccl.so.2")  # torch has loaded it
        identity = UniqueId()
        if rank == 0:
            check(self.library.ncclGetUniqueId(ctypes.byref(identity)))
            store.set("nccl_id", bytes(identity))
        else:
            ctypes.memmove(ctypes.byref(identity), store.get("nccl_id"), ctypes.sizeof(identity))
        self.handle = ctypes.c_void_p()
        check(self.library.ncclCommInitRank(ctypes.byref(self.handle), size, identity, rank))

    def broadcast(self, tensor, root):
        import torch

        address = ctypes.c_void_p(tensor.data_ptr())
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        count = ctypes.c_size_t(tensor.numel())
        check(self.library.ncclBroadcast(address, address, count, FLOAT, root, self.handle, stream))
