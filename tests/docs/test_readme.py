"""Every command in README.md works, and its report is what hangstack prints."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "lib"))
import readme  # noqa: E402
from hung_job import CALLED_HUNG_S  # noqa: E402

BINARY = os.environ["HANGSTACK_BINARY"]


def commands():
    """(command, comment) of every line of the sh blocks."""
    blocks = re.findall(r"```sh\n(.*?)```", readme.README.read_text(), re.S)
    lines = [line for block in blocks for line in block.splitlines() if line.strip()]
    return [(line.split("  #")[0].strip(), line.partition("  #")[2]) for line in lines]


class Commands(unittest.TestCase):
    def test_scripts_and_presets_exist(self):
        presets = {preset["name"] for preset in json.loads((ROOT / "CMakePresets.json").read_text())["buildPresets"]}
        for command, _ in commands():
            with self.subTest(command=command):
                program = command.split()[0]
                if program in ("cmake", "ctest"):
                    self.assertLessEqual(set(re.findall(r"--preset (\w+)", command)), presets)
                elif program != "hangstack":
                    self.assertTrue(os.access(ROOT / program, os.X_OK), "neither hangstack nor a script of ours")


class OnAHungJob(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not readme.torch_python():
            if os.environ.get("HANGSTACK_REQUIRE_TORCH") == "1":
                raise RuntimeError("no PyTorch: scripts/setup --test")
            raise unittest.SkipTest("no PyTorch: scripts/setup --test")
        cls.job = readme.hung_job()
        cls.addClassCleanup(cls.job.end)
        cls.job.start()
        cls.job.wait_until_hung(readme.HUNG, quiet_s=CALLED_HUNG_S)
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="hangstack-readme-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)

    def test_hangstack_commands_run(self):
        """In their order, in one folder, as if typed: pgrep must not find them on the shell's own command line. It finds this
        job only. A comment with "exit status N" says what to expect."""
        programs = self.folder / "bin"
        programs.mkdir()
        (programs / "hangstack").symlink_to(BINARY)
        (programs / "pgrep").write_text(f'#!/bin/sh\nexec {shutil.which("pgrep")} --parent {os.getpid()} "$@"\n')
        (programs / "pgrep").chmod(0o755)
        for command, comment in commands():
            if command.split()[0] != "hangstack":
                continue
            with self.subTest(command=command):
                expected = re.search(r"exit status (\d)", comment)
                done = subprocess.run(
                    ["bash"], input=command, cwd=self.folder, capture_output=True, text=True, timeout=120,
                    env={**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"},
                )  # fmt: skip
                self.assertEqual(done.returncode, int(expected[1]) if expected else 0, done.stderr)

    def test_the_report_is_what_hangstack_prints(self):
        printed = readme.without_numbers(readme.report_of(BINARY, self.job))
        self.assertGreater(len(printed), 3)
        self.assertEqual(readme.without_numbers(readme.report_in_readme()), printed, "scripts/refresh-readme renews it")


if __name__ == "__main__":
    unittest.main()
