"""Jobs as they are started in practice: by torchrun or mpirun, with DataLoader workers below each rank."""

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


def wait_for_children(pid, count, comm, deadline_s=60):
    """The children of `pid` once `count` of them run `comm`."""
    end = time.monotonic() + deadline_s
    while time.monotonic() < end:
        found = [child for child in children(pid) if pathlib.Path(f"/proc/{child}/comm").read_text().strip() == comm]
        if len(found) == count:
            return found
        select.select([], [], [], 0.02)
    raise TimeoutError(f"after {deadline_s} s {pid} has not {count} children that run {comm}")


def environment(pid):
    entries = pathlib.Path(f"/proc/{pid}/environ").read_bytes().decode().split("\0")
    return dict(entry.split("=", 1) for entry in entries if "=" in entry)


class LaunchedJob(Job):
    """One launcher; the ranks below it write into a FIFO."""

    rank_name = "RANK"

    def start(self):
        folder = tempfile.mkdtemp(prefix="hangstack-launched-")
        self.fifo = pathlib.Path(folder) / "ready"
        os.mkfifo(self.fifo)
        self.descriptor = os.open(self.fifo, os.O_RDWR)  # read and write: never blocks, never ends
        command, environment = self.launcher()
        self.spawn([*command, self.script, *self.arguments], READY_PATH=self.fifo, **environment)

    def wait_for_ranks(self, expected, deadline_s=180):
        """Until {rank: event} has come; the pids of the ranks, in order."""
        end, text = time.monotonic() + deadline_s, ""
        while not all(f"{rank} {event}" in text.splitlines() for rank, event in expected.items()):
            if not select.select([self.descriptor], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError(f"after {deadline_s} s the ranks have said {text!r}")
            text += os.read(self.descriptor, 4096).decode()
        by_rank = {environment(pid).get(self.rank_name): pid for pid in children(self.pids[0])}
        return [by_rank[str(rank)] for rank in sorted(expected)]

    def end(self):
        super().end()
        if hasattr(self, "descriptor"):
            os.close(self.descriptor)
            shutil.rmtree(self.fifo.parent)


class TorchrunJob(LaunchedJob):
    def launcher(self):
        run = ["-m", "torch.distributed.run", "--nnodes=1", f"--nproc_per_node={self.world_size}",
               "--master_addr=127.0.0.1", f"--master_port={free_port()}"]  # fmt: skip
        return [self.python, *run], {}


class MpirunJob(LaunchedJob):
    rank_name = "OMPI_COMM_WORLD_RANK"

    def launcher(self):
        command = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", str(self.world_size)]
        python = [self.python] if self.python else []
        return [*command, *python], {"INIT_METHOD": f"tcp://127.0.0.1:{free_port()}", "JOB_SIZE": self.world_size}


class NumberedJob(Job):
    """Ranks that a launcher numbered by its own variables: `names(rank, world_size)`."""

    def __init__(self, names, *arguments, **settings):
        super().__init__(*arguments, **settings)
        self.names = names

    def start(self):
        init_method = f"tcp://127.0.0.1:{free_port()}"
        for rank in range(self.world_size):
            self.spawn(
                [self.python, self.script, *self.arguments],
                INIT_METHOD=init_method, JOB_SIZE=self.world_size, **self.names(rank, self.world_size),
            )  # fmt: skip


NUMBERINGS = {
    "OMPI_COMM_WORLD_RANK": lambda rank, size: {
        "OMPI_COMM_WORLD_RANK": rank, "OMPI_COMM_WORLD_LOCAL_RANK": rank, "OMPI_COMM_WORLD_SIZE": size},
    "PMIX_RANK": lambda rank, size: {"PMIX_RANK": rank, "PMIX_NAMESPACE": "prterun-4711@1"},
    "PMI_RANK": lambda rank, size: {"PMI_RANK": rank, "PMI_SIZE": size, "MPI_LOCALRANKID": rank},
    "MV2_COMM_WORLD_RANK": lambda rank, size: {
        "MV2_COMM_WORLD_RANK": rank, "MV2_COMM_WORLD_LOCAL_RANK": rank, "MV2_COMM_WORLD_SIZE": size},
    "SLURM_PROCID": lambda rank, size: {
        "SLURM_PROCID": rank, "SLURM_LOCALID": rank, "SLURM_STEP_NUM_TASKS": size, "SLURM_JOB_ID": 4711,
        "SLURM_STEP_ID": 0},
    "RAY_RANK": lambda rank, size: {"RAY_RANK": rank, "RAY_LOCAL_RANK": rank, "RAY_WORLD_SIZE": size},
}  # fmt: skip
HUNG = {0: "all_reduce", 1: "load_batch"}


class Roles(unittest.TestCase):
    def test_dataloader_workers_are_shown_apart_from_their_ranks(self):
        with hangstack.job("workers", world_size=2) as job:
            job.wait_until_hung(HUNG)
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
            ranks = job.wait_for_ranks(HUNG)
            wait_until_asleep(ranks)
            report = hangstack.report(pids=[*job.pids, *ranks])
            by_children = hangstack.report("--children", pids=job.pids)
        for found in (report, by_children):
            roles = {row["pid"]: (row["rank"], row["role"]) for row in found["jobs"][0]["ranks"]}
            self.assertEqual([roles[pid] for pid in ranks], [(0, "rank"), (1, "rank")])
            self.assertEqual(roles[job.pids[0]][1], "launcher")
            verdict = hangstack.verdict(found)
            self.assertEqual((verdict["pattern"], verdict["culprit_ranks"]), ("host_straggler", [1]))

    def test_ranks_of_other_launchers_are_numbered_by_their_variables(self):
        for name, names in NUMBERINGS.items():
            with self.subTest(variable=name):
                settings = {"world_size": 2, "arguments": ["straggler"], "output": subprocess.DEVNULL}
                with NumberedJob(names, hangstack.PYTHON, hangstack.TRAIN, **settings) as job:
                    job.wait_until_hung(HUNG)
                    report = hangstack.report(pids=reversed(job.pids))
                (found,) = report["jobs"]
                self.assertEqual([(row["rank"], row["pid"]) for row in found["ranks"]], list(enumerate(job.pids)))
                if name != "PMIX_RANK":  # which says nothing of the size
                    self.assertEqual([row["world_size"] for row in found["ranks"]], [2, 2])
                verdict = hangstack.verdict(report)
                self.assertEqual((verdict["pattern"], verdict["culprit_ranks"]), ("host_straggler", [1]))


@unittest.skipUnless(shutil.which("mpirun"), "no mpirun: scripts/setup --test")
class Mpirun(unittest.TestCase):
    def test_it_is_a_launcher_of_numbered_ranks(self):
        with MpirunJob(hangstack.PYTHON, hangstack.TRAIN, 2, ["straggler"], output=subprocess.DEVNULL) as job:
            ranks = job.wait_for_ranks(HUNG)
            wait_until_asleep(ranks)
            report = hangstack.report("--children", pids=job.pids)
        rows = {row["pid"]: (row["rank"], row["role"], row["world_size"]) for row in report["jobs"][0]["ranks"]}
        self.assertEqual([rows[pid] for pid in ranks], [(0, "rank", 2), (1, "rank", 2)])
        self.assertEqual(rows[job.pids[0]][1], "launcher")
        verdict = hangstack.verdict(report)
        self.assertEqual((verdict["pattern"], verdict["culprit_ranks"]), ("host_straggler", [1]))

    @unittest.skipUnless(shutil.which("cc"), "no C compiler")
    def test_a_program_without_python_has_its_rank_and_its_native_stack(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        program = f"{folder.name}/native_rank"
        subprocess.run(["cc", "-O1", "-o", program, pathlib.Path(__file__).with_name("native_rank.c")], check=True)
        with MpirunJob("", program, 2, output=subprocess.DEVNULL) as job:
            ranks = wait_for_children(job.pids[0], 2, "native_rank")
            wait_until_asleep(ranks)
            numbers = {int(environment(pid)["OMPI_COMM_WORLD_RANK"]): pid for pid in ranks}
            report = hangstack.report(pids=ranks)
        self.assertEqual({row["rank"]: row["pid"] for row in report["jobs"][0]["ranks"]}, numbers)
        for pid in ranks:
            frames = hangstack.main_thread(report, pid)["frames"]
            order = [("native", f"^{name}$") for name in ("pause", "receive_from_peer", "step", "main", "_start")]
            self.assertEqual(hangstack.positions(frames, order), sorted(hangstack.positions(frames, order)))


if __name__ == "__main__":
    unittest.main()
