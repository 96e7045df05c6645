"""A kept capture says the same when the job, its script, its libraries and its machine are gone."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import hangstack

STATIC = pathlib.Path(os.environ["HANGSTACK_STATIC_BINARY"])
FORMATS = ("report.txt", "report.json")


class Replay(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.root = pathlib.Path(tempfile.mkdtemp(prefix="hangstack-replay-"))
        cls.addClassCleanup(shutil.rmtree, cls.root)
        script = cls.root / "train.py"
        shutil.copy(hangstack.TRAIN, script)
        written = cls.root / "written"
        with hangstack.job("straggler", script=script) as job:
            job.wait_until_hung({0: "all_reduce", 1: "all_reduce", 2: "load_batch"})
            hangstack.report("--capture", str(written), *cls.outputs(cls.root), pids=job.pids)
        cls.live = cls.reports(cls.root)
        script.unlink()
        cls.capture = cls.root / "moved" / "capture"
        cls.capture.parent.mkdir()
        written.rename(cls.capture)

    @staticmethod
    def outputs(folder):
        return [word for name in FORMATS for word in ("-o", f"{folder}/{name}")]

    @staticmethod
    def reports(folder):
        return {name: (pathlib.Path(folder) / name).read_text() for name in FORMATS}

    def assert_same(self, reports):
        for name in FORMATS:
            self.assertMultiLineEqual(reports[name], self.live[name])

    def test_only_the_owner_may_read_the_capture(self):
        for path in [self.capture, *self.capture.rglob("*")]:
            self.assertEqual(path.stat().st_mode & 0o077, 0, path)

    def test_the_verdict_rests_on_the_users_source(self):
        """Else the tests below would not prove that it was kept."""
        self.assertIn("from where the source goes on to", self.live["report.json"])

    def test_the_same_report_after_the_job_and_its_script_are_gone(self):
        with tempfile.TemporaryDirectory() as folder:
            done = hangstack.run("replay", str(self.capture), "--quiet", *self.outputs(folder))
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assert_same(self.reports(folder))

    def test_the_same_report_where_no_library_of_the_job_exists(self):
        if not STATIC.exists():
            self.skipTest(f"no static build: cmake --preset static && cmake --build --preset static makes {STATIC}")
        unshare = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--mount", "--user", "--map-root-user"]
        if subprocess.run([*unshare, "true"], capture_output=True).returncode != 0:
            self.skipTest("this machine lets no one make a mount namespace here")
        elsewhere = self.root / "elsewhere"
        elsewhere.mkdir()
        shutil.copy(STATIC, elsewhere / "hangstack-static")
        shutil.copytree(self.capture, elsewhere / "capture")
        done = subprocess.run(
            [*unshare, "chroot", str(elsewhere), "/hangstack-static", "replay", "/capture", "--quiet",
             *self.outputs("")],
            capture_output=True, text=True, timeout=hangstack.TIMEOUT_S,
        )  # fmt: skip
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assert_same(self.reports(elsewhere))


if __name__ == "__main__":
    unittest.main()
