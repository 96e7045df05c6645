"""Ranks that ptrace cannot stop give their stacks all the same: one that gdb holds, one in vfork."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time
import unittest

import hangstack
from hung_job import die_with_parent, kernel_state

VFORK = pathlib.Path(__file__).with_name("vfork.c")
GRADES = ("auto", "all", "never")
HUNG = {0: "all_reduce", 1: "all_reduce", 2: "load_batch"}


def status(pid, field):
    return re.search(rf"^{field}:\t(.*)$", pathlib.Path(f"/proc/{pid}/status").read_text(), re.M)[1]


class Debugger:
    """gdb that holds a process as long as the `with` lasts."""

    def __init__(self, pid):
        self.pid = pid

    def __enter__(self):
        self.gdb = subprocess.Popen(
            ["gdb", "-q", "-nx", "-iex", "set auto-solib-add off", "-iex", "set debuginfod enabled off", "-p", str(self.pid)],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=die_with_parent,
        )  # fmt: skip
        end = time.monotonic() + 60
        while {kernel_state(f"{self.pid}/task/{tid}") for tid in os.listdir(f"/proc/{self.pid}/task")} != {"t"}:
            if time.monotonic() > end:
                raise TimeoutError(f"gdb does not hold {self.pid}")
            time.sleep(0.02)
        return self

    def __exit__(self, *_):
        self.gdb.kill()
        self.gdb.wait()
        self.gdb.stdin.close()


class Held(unittest.TestCase):
    def assert_whole_stack(self, report, pid, *inner):
        main = hangstack.main_thread(report, pid)
        frames = main["frames"]
        order = hangstack.positions(
            frames, [*inner, ("python", "^train_step$"), ("python", "^main$"), ("native", "^_start$")]
        )
        self.assertEqual(order, sorted(order), hangstack.show(frames))
        self.assertEqual((main["how"], main["end"]), ("looked", "complete"))

    @unittest.skipUnless(shutil.which("gdb"), "no gdb: scripts/setup --test")
    def test_a_rank_that_gdb_holds(self):
        """Rank 1 waits in the operation: to let it go on would not help. Rank 2 is the one that is missing there."""
        wait = [("native", "pthread_cond_wait"), ("native", "^c10d::Work::wait"), ("python", "^all_reduce$")]
        sleep = [("native", "nanosleep"), ("python", "^load_batch$")]
        with hangstack.job("straggler") as job:
            job.wait_until_hung(HUNG)
            for rank, inner, pattern in ((1, wait, "host_straggler"), (2, sleep, "process_stopped")):
                with Debugger(job.pids[rank]) as debugger:
                    for grade in GRADES:
                        with self.subTest(rank=rank, stop=grade):
                            report = hangstack.report("--stop", grade, pids=job.pids)
                            verdict = hangstack.verdict(report)
                            self.assertEqual((verdict["pattern"], verdict["culprit_ranks"]), (pattern, [2]))
                            self.assert_whole_stack(report, job.pids[rank], *inner)
                            self.assertIn(f"traced by gdb (pid {debugger.gdb.pid})", json.dumps(report["errors"]))
                    self.assertEqual(status(job.pids[rank], "TracerPid"), str(debugger.gdb.pid), "left as it was")

    @unittest.skipUnless(shutil.which("cc"), "no C compiler")
    def test_a_rank_that_waits_in_vfork(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        library = f"{folder.name}/vfork.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, VFORK], check=True)
        child_waits_on, held_open = os.pipe()
        self.addCleanup(os.close, child_waits_on)
        settings = {"environment": {"VFORK_LIBRARY": library, "HOLD_FD": child_waits_on}, "pass_fds": [child_waits_on]}
        try:
            with hangstack.job("vfork", **settings) as job:
                job.wait_until_hung(HUNG)
                self.assertEqual(kernel_state(job.pids[2]), "D")
                for grade in GRADES:
                    with self.subTest(stop=grade):
                        report = hangstack.report("--stop", grade, pids=job.pids)
                        inner = [("native", "vfork"), ("native", "^wait_in_vfork$"), ("python", "^load_batch$")]
                        self.assert_whole_stack(report, job.pids[2], *inner)
                        verdict = hangstack.verdict(report)
                        self.assertEqual((verdict["pattern"], verdict["culprit_ranks"]), ("host_straggler", [2]))
                self.assertEqual(kernel_state(job.pids[2]), "D", "left as it was")
        finally:
            os.close(held_open)  # ends vfork's child


if __name__ == "__main__":
    unittest.main()
