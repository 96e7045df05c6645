"""One rank of a real gloo job that hangs: the last rank sleeps, all others wait in all_reduce.

torch_rank.py RANK WORLD STORE_FILE PYTHON_THREADS [METER_LIBRARY RECORD START_FIFO CPU]

Prints "ready" right before its hang; is killed by whoever started it, or dies with it.
"""

import ctypes
import signal
import sys
import threading
import time

import torch
import torch.distributed as dist

PR_SET_PDEATHSIG = 1


def hold(depth, never):
    if depth:
        hold(depth - 1, never)
    else:
        never.acquire()


def sync_gradients(gradients):
    dist.all_reduce(gradients)


def train_step(rank, world):
    gradients = torch.ones(1024)
    dist.all_reduce(gradients)
    print("ready", flush=True)
    if rank == world - 1:
        time.sleep(86400)  # the straggler
    sync_gradients(gradients)


def train_loop(rank, world):
    train_step(rank, world)


def main():
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    rank, world, store, threads = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], int(sys.argv[4])
    if len(sys.argv) > 5:
        meter = ctypes.CDLL(sys.argv[5])
        error = meter.pause_meter_start(sys.argv[6].encode(), sys.argv[7].encode(), int(sys.argv[8]))
        if error:
            sys.exit(f"torch_rank: pause meter: error {error}")
    never = threading.Lock()
    never.acquire()
    for _ in range(threads):
        threading.Thread(target=hold, args=(10, never), daemon=True).start()
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=world)
    train_loop(rank, world)


main()
