"""A small data-parallel training job that hangs: the last rank never reaches the all_reduce that its peers wait in.

Run by scripts/demo, one process per rank, with RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT as torchrun sets them.
"""

import os
import time

import torch
import torch.distributed as dist

HANG_AT_STEP = 2


def tell(event):
    """One line to whoever started the job, just before the call that this rank will hang in."""
    if "READY_FD" in os.environ:
        os.write(int(os.environ["READY_FD"]), f"{event}\n".encode())


def load_batch(step):
    if step == HANG_AT_STEP and dist.get_rank() == dist.get_world_size() - 1:
        tell("load_batch")
        time.sleep(86400)  # a file system that does not answer, seen from Python
    return torch.ones(1024) * step


def sync_gradients(step, gradients):
    if step == HANG_AT_STEP:
        tell("all_reduce")
    dist.all_reduce(gradients)
    return gradients / dist.get_world_size()


def train_step(step):
    batch = load_batch(step)
    gradients = batch * 0.5
    return sync_gradients(step, gradients)


def train_loop():
    for step in range(1000):
        train_step(step)


def main():
    dist.init_process_group("gloo")
    train_loop()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
