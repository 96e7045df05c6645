"""scripts/lib/skipped.py finds what was skipped, and why, in ctest's log."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

LOG = """\
[ RUN      ] Look.UserfaultPage
/src/tests/live/sampler/look_test.cpp:31: Skipped
userfaultfd is not allowed here

[  SKIPPED ] Look.UserfaultPage (0 ms)
[ RUN      ] Look.Sleeper
[       OK ] Look.Sleeper (4 ms)
test_torchrun (test_launchers.Roles.test_torchrun)
Only the launcher. ... skipped "this PyTorch's torchrun does not work"
test_two (test_launchers.Roles.test_two) ... skipped 'no strace'
test_three (test_launchers.Roles.test_three) ... ok
"""


class Skipped(unittest.TestCase):
    def summary(self, text):
        with tempfile.NamedTemporaryFile("w", suffix=".log") as log:
            log.write(text)
            log.flush()
            script = ROOT / "scripts" / "lib" / "skipped.py"
            done = subprocess.run([sys.executable, script, log.name], capture_output=True, text=True, check=True)
        return done.stdout

    def test_each_skipped_case_stands_under_its_reason(self):
        found = self.summary(LOG)
        self.assertIn("SKIPPED: 3 test cases", found)
        self.assertIn("  userfaultfd is not allowed here\n    Look.UserfaultPage\n", found)
        self.assertIn("  no strace\n    test_two\n", found)
        self.assertIn("  this PyTorch's torchrun does not work\n    test_torchrun\n", found)
        self.assertNotIn("test_three", found)
        self.assertNotIn("Look.Sleeper", found)

    def test_nothing_skipped_is_said_too(self):
        self.assertIn("SKIPPED: 0 test cases, nothing was left out", self.summary("[       OK ] A.B (1 ms)\n"))


if __name__ == "__main__":
    unittest.main()
