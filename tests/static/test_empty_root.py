"""The static binary in a root folder that holds nothing but itself and /proc."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

BINARY = pathlib.Path(os.environ["HANGSTACK_STATIC_BINARY"])

# Inside its own mount namespace (and, for an ordinary user, its own user and pid namespace): the sleeping process
# starts outside the empty root, hangstack inside. `sleep` is ready once the kernel shows it asleep in nanosleep.
SCRIPT = """
set -eu
mount -t proc proc "$ROOT/proc"
sleep 1000 & pid=$!
trap 'kill "$pid"' EXIT
until grep -q '^230 ' "/proc/$pid/syscall" 2>/dev/null; do :; done
chroot "$ROOT" /hangstack-static "$@" --pids "$pid"
"""


class EmptyRoot(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="hangstack-empty-root-"))
        self.addCleanup(shutil.rmtree, self.root)
        (self.root / "proc").mkdir()
        shutil.copy(BINARY, self.root / "hangstack-static")
        self.unshare = ["unshare", "--mount"]
        if os.geteuid() != 0:
            self.unshare += ["--user", "--map-root-user", "--pid", "--fork"]
        if subprocess.run([*self.unshare, "true"], capture_output=True).returncode != 0:
            self.skipTest("this machine lets no one make a mount namespace here")

    def in_empty_root(self, *arguments):
        command = [*self.unshare, "sh", "-c", SCRIPT, "sh", *arguments]
        return subprocess.run(
            command, env={**os.environ, "ROOT": str(self.root)}, capture_output=True, text=True, timeout=60
        )

    def test_it_needs_no_shared_library(self):
        headers = subprocess.run(["readelf", "--program-headers", BINARY], capture_output=True, text=True, check=True)
        self.assertNotIn("INTERP", headers.stdout)
        self.assertLess(BINARY.stat().st_size, 20 << 20)

    def test_version(self):
        done = subprocess.run(
            [*self.unshare, "chroot", self.root, "/hangstack-static", "--version"], capture_output=True, text=True
        )
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"^hangstack \d+\.\d+\.\d+\n$")

    def test_a_sleeping_process_is_sampled(self):
        done = self.in_empty_root("--samples", "1", "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(done.stdout)
        (process,) = report["processes"]
        (thread,) = process["threads"]
        functions = [frame["function"] for frame in thread["frames"]]
        self.assertIn("clock_nanosleep", functions[0])
        # The frame around it is _start, whose name a stripped program does not keep.
        self.assertIn("__libc_start_main", functions[-2])
        self.assertEqual(thread["end"], "complete")


if __name__ == "__main__":
    unittest.main()
