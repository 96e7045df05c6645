"""Ranks under torchrun: its agent starts them, and is none of them."""

import os
import pathlib

import evidence
from hung_job import free_port

START_S = 120  # the agent imports torch before it starts anything


def command(python, script, world_size, folder):
    return [
        python,
        "-m",
        "torch.distributed.run",
        f"--nproc-per-node={world_size}",
        "--master-addr=127.0.0.1",
        f"--master-port={free_port()}",
        f"--log-dir={folder}",
        script,
    ]


def ready_pipes(folder, world_size):
    """Named ones: torchrun passes no descriptor on. The reading ends by rank; they never end."""
    for rank in range(world_size):
        os.mkfifo(f"{folder}/ready.{rank}")
        yield os.open(f"{folder}/ready.{rank}", os.O_RDWR)


def children_of(pid):
    """{pid: its environment} of the children that can be read."""
    found = {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1]) == pid:
                words = (folder / "environ").read_bytes().decode(errors="replace").split("\0")
                found[int(folder.name)] = dict(word.split("=", 1) for word in words if "=" in word)
        except (FileNotFoundError, ProcessLookupError):
            continue
    return found


def ranks_of(agent, world_size):
    """Their pids by rank: the children of the agent that have a RANK, once all are there."""

    def all_of_them():
        assert agent.poll() is None, f"torchrun ended with status {agent.returncode}"
        by_rank = {int(one["RANK"]): pid for pid, one in children_of(agent.pid).items() if "RANK" in one}
        assert sorted(by_rank) == list(range(world_size)), f"ranks {sorted(by_rank)} of {world_size}"
        return [by_rank[rank] for rank in sorted(by_rank)]

    return evidence.wait_until(all_of_them, START_S, "torchrun has not started its ranks")
