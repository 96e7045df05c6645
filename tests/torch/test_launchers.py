"""Jobs as they are started in practice: by torchrun, with DataLoader workers below each rank."""

import os
import pathlib
import select
import shutil
import subprocess
import tempfile
import time
import unittest

import hangstack
from hung_job import Job, free_port, wait_until_asleep


STD_WORKS = "from torch.distributed.elastic.multiprocessing import Std; assert Std.from_str('0') is not None"


def children(pid):
    """Pids of the direct children, over all threads of `pid`."""
    files = pathlib.Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for file in files for child in file.read_text().split()]


def environment(pid):
    entries = pathlib.Path(f"/proc/{pid}/environ").read_bytes().decode().split("\0")
    return dict(entry.split("=", 1) for entry in entries if "=" in entry)


class TorchrunJob(Job):
    """One launcher; the ranks below it write into a FIFO."""

    def start(self):
        folder = tempfile.mkdtemp(prefix="hangstack-torchrun-")
        self.fifo = pathlib.Path(folder) / "ready"
        os.mkfifo(self.fifo)
        self.descriptor = os.open(self.fifo, os.O_RDWR)  # read and write: never blocks, never ends
        self.spawn(
            [self.python, "-m", "torch.distributed.run", "--nnodes=1", f"--nproc_per_node={self.world_size}",
             "--master_addr=127.0.0.1", f"--master_port={free_port()}", self.script, *self.arguments],
            READY_PATH=self.fifo,
        )  # fmt: skip

    def wait_for_ranks(self, expected, deadline_s=180):
        """Until {rank: event} has come; the pids of the ranks, in order."""
        end, text = time.monotonic() + deadline_s, ""
        while not all(f"{rank} {event}" in text.splitlines() for rank, event in expected.items()):
            if not select.select([self.descriptor], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError(f"after {deadline_s} s the ranks have said {text!r}")
            text += os.read(self.descriptor, 4096).decode()
        by_rank = {environment(pid).get("RANK"): pid for pid in children(self.pids[0])}
        return [by_rank[str(rank)] for rank in sorted(expected)]

    def end(self):
        super().end()
        if hasattr(self, "descriptor"):
            os.close(self.descriptor)
            shutil.rmtree(self.fifo.parent)


class Roles(unittest.TestCase):
    def test_dataloader_workers_are_shown_apart_from_their_ranks(self):
        with hangstack.job("workers", world_size=2) as job:
            job.wait_until_hung({0: "all_reduce", 1: "load_batch"})
            workers = [children(pid) for pid in job.pids]
            self.assertEqual([len(found) for found in workers], [2, 2])
            report = hangstack.report(pids=[*job.pids, *workers[0], *workers[1]])
        roles = {row["pid"]: (row["rank"], row["role"]) for row in report["jobs"][0]["ranks"]}
        for rank, pid in enumerate(job.pids):
            self.assertEqual(roles[pid], (rank, "rank"))
            for worker in workers[rank]:
                self.assertEqual(roles[worker][1], "dataloader worker")
        verdict = hangstack.verdict(report)
        self.assertEqual((verdict["pattern"], verdict["culprit_ranks"]), ("host_straggler", [1]))

    def test_torchrun_is_a_launcher_and_no_rank(self):
        if subprocess.run([hangstack.PYTHON, "-c", STD_WORKS], capture_output=True).returncode != 0:
            self.skipTest("this PyTorch's torchrun does not work with this Python (1.13 with 3.11: Std.from_str gives None)")
        with TorchrunJob(hangstack.PYTHON, hangstack.TRAIN, 2, ["straggler"], output=subprocess.DEVNULL) as job:
            ranks = job.wait_for_ranks({0: "all_reduce", 1: "load_batch"})
            wait_until_asleep(ranks)
            report = hangstack.report(pids=[*job.pids, *ranks])
            by_children = hangstack.report("--children", pids=job.pids)
        for found in (report, by_children):
            roles = {row["pid"]: (row["rank"], row["role"]) for row in found["jobs"][0]["ranks"]}
            self.assertEqual([roles[pid] for pid in ranks], [(0, "rank"), (1, "rank")])
            self.assertEqual(roles[job.pids[0]][1], "launcher")
            verdict = hangstack.verdict(found)
            self.assertEqual((verdict["pattern"], verdict["culprit_ranks"]), ("host_straggler", [1]))


if __name__ == "__main__":
    unittest.main()
