"""NCCL beside torch.distributed, by ctypes, as inference engines and RL frameworks call it: no process group, no
watchdog and no flight recorder know of these communicators."""

import ctypes

from direct_nccl import FLOAT, SUM, checked, init_rank, load


class Communicator:
    """One of `size` ranks; rank 0 hands the id to the others through `store`."""

    def __init__(self, store, rank, size):
        self.nccl = load("nccl", "libnccl.so.2")  # torch has loaded it

        def share(unique_id):
            if rank == 0:
                store.set("nccl_id", bytes(unique_id))
            else:
                ctypes.memmove(ctypes.byref(unique_id), store.get("nccl_id"), ctypes.sizeof(unique_id))

        self.handle = init_rank(self.nccl, rank, size, share)

    def broadcast(self, tensor, root):
        self._call("ncclBroadcast", tensor, root)

    def all_reduce(self, tensor):
        self._call("ncclAllReduce", tensor, SUM)

    def _call(self, name, tensor, what):
        import torch

        buffer, stream = ctypes.c_void_p(tensor.data_ptr()), ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        count = ctypes.c_size_t(tensor.numel())
        checked(self.nccl, name, buffer, buffer, count, FLOAT, what, self.handle, stream)
