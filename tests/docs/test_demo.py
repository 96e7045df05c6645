"""scripts/demo: from nothing to a diagnosis, and nothing left behind however it ends."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEMO = ROOT / "scripts" / "demo"
sys.path.insert(0, str(ROOT / "scripts" / "lib"))
import readme  # noqa: E402


def ranks_of_demo():
    """Pids of the ranks of any demo of this checkout."""
    found = subprocess.run(["pgrep", "--full", str(readme.TRAIN)], capture_output=True, text=True)
    return {int(pid) for pid in found.stdout.split()}


@unittest.skipUnless(readme.torch_python(), "no PyTorch: scripts/setup --test")
class Demo(unittest.TestCase):
    def setUp(self):
        self.before = ranks_of_demo()

    def test_it_names_the_rank_and_ends_the_job(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([DEMO], cwd=folder, capture_output=True, text=True, timeout=800)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            report = json.loads((pathlib.Path(folder) / "report.json").read_text())
        self.assertEqual(report["jobs"][0]["verdict"]["culprit_ranks"], [2])
        self.assertRegex(done.stdout, r"host_straggler.*rank 2")
        self.assertEqual(ranks_of_demo() - self.before, set())

    def test_an_interrupt_ends_the_job_too(self):
        for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            with self.subTest(signal=number), tempfile.TemporaryDirectory() as folder:
                demo = subprocess.Popen([DEMO], cwd=folder, stdout=subprocess.PIPE, text=True)
                for line in demo.stdout:
                    if "starting 3 ranks" in line:
                        break
                demo.send_signal(number)
                self.assertEqual(demo.wait(60), status)
                demo.stdout.close()
                self.assertEqual(ranks_of_demo() - self.before, set())

    def test_with_pids_it_reports_on_them_and_ends_nothing(self):
        with readme.hung_job() as job, tempfile.TemporaryDirectory() as folder:
            job.wait_until_hung(readme.HUNG)
            done = subprocess.run(
                [DEMO, *map(str, job.pids)], cwd=folder, capture_output=True, text=True, timeout=800
            )
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertTrue((pathlib.Path(folder) / "report.json").exists())
            self.assertEqual([rank.poll() for rank in job.ranks], [None, None, None])

    def test_what_is_no_pid_is_wrong_usage(self):
        done = subprocess.run([DEMO, "train.py"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn('"train.py" is not a pid', done.stderr)


if __name__ == "__main__":
    unittest.main()
