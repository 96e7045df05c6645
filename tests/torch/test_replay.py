"""A kept capture says the same when the job, its libraries and its machine are gone."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import hangstack

STATIC = pathlib.Path(os.environ["HANGSTACK_STATIC_BINARY"])


def comparable(report):
    """Without what tells when and how the report was made, and not what the job did."""
    return {key: report[key] for key in ("jobs", "processes", "missing_hosts", "errors")}


class Replay(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.root = pathlib.Path(tempfile.mkdtemp(prefix="hangstack-replay-"))
        cls.addClassCleanup(shutil.rmtree, cls.root)
        cls.capture = cls.root / "capture"
        with hangstack.job("straggler") as job:
            job.wait_until_hung({0: "all_reduce", 1: "all_reduce", 2: "load_batch"})
            cls.live = hangstack.report("--capture", str(cls.capture), pids=job.pids)

    def test_only_the_owner_may_read_the_capture(self):
        for path in [self.capture, *self.capture.rglob("*")]:
            self.assertEqual(path.stat().st_mode & 0o077, 0, path)

    def test_the_same_report_after_the_job_has_ended(self):
        done = hangstack.run("replay", str(self.capture), "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(comparable(json.loads(done.stdout)), comparable(self.live))

    def test_the_same_report_where_no_library_of_the_job_exists(self):
        if not STATIC.exists():
            self.skipTest(f"no static build: cmake --preset static && cmake --build --preset static makes {STATIC}")
        unshare = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--mount", "--user", "--map-root-user"]
        if subprocess.run([*unshare, "true"], capture_output=True).returncode != 0:
            self.skipTest("this machine lets no one make a mount namespace here")
        shutil.copy(STATIC, self.root / "hangstack-static")
        done = subprocess.run(
            [*unshare, "chroot", str(self.root), "/hangstack-static", "replay", "/capture", "--format", "json"],
            capture_output=True, text=True, timeout=hangstack.TIMEOUT_S,
        )  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(comparable(json.loads(done.stdout)), comparable(self.live))


if __name__ == "__main__":
    unittest.main()
