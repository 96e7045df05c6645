"""What `hangstack explain reproducer` prints runs by itself. With --lab, one script is run as it was printed."""

import argparse
import builtins
import dis
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import types
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.dont_write_bytecode = True
sys.path[:0] = [str(HERE / each) for each in ("runner", "scenarios", "../../scripts/lib")]

import environments  # noqa: E402
import evidence  # noqa: E402
import judge  # noqa: E402
import missing_collective  # noqa: E402
from lab_job import LabJob  # noqa: E402

HANGSTACK = os.environ.get("HANGSTACK_BINARY") or ROOT / "build" / "dev" / "hangstack"


def explained(*words):
    return subprocess.run([HANGSTACK, "explain", *words], check=True, capture_output=True, text=True).stdout


def names():
    return re.findall(r"^  (\w+) +\d+ ranks", explained("reproducer"), re.M)


def globals_used(code):
    """The global names that a code object, and all that is defined in it, reads."""
    yield from (each.argval for each in dis.get_instructions(code) if each.opname in ("LOAD_GLOBAL", "LOAD_NAME"))
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            yield from globals_used(inner)


def defined_by(text):
    """The names that its top level defines, where nothing of the lab can be imported. It imports no torch itself."""
    program = "import runpy, sys; print(*runpy.run_path(sys.argv[1]))"
    with tempfile.TemporaryDirectory() as folder:
        script = pathlib.Path(folder) / "reproducer.py"
        script.write_text(text)
        environment = {"RANK": "0", "WORLD_SIZE": "2", "LOCAL_RANK": "0"}
        command = [sys.executable, "-I", "-B", "-c", program, script]
        return set(subprocess.run(command, check=True, env=environment, capture_output=True, text=True).stdout.split())


class EveryScript(unittest.TestCase):
    def test_it_compiles_and_defines_every_name_that_it_uses(self):
        self.assertTrue(names())
        for name in names():
            with self.subTest(name):
                text = explained("reproducer", name)
                used = set(globals_used(compile(text, name, "exec")))
                of_classes = {"__module__", "__qualname__", "__name__"}
                self.assertEqual(used - defined_by(text) - set(vars(builtins)) - of_classes, set())

    def test_started_without_torchrun_it_says_how(self):
        done = subprocess.run(
            [sys.executable, "-c", explained("reproducer", "host_straggler")], capture_output=True, text=True, env={}
        )
        self.assertEqual(done.returncode, 1)
        self.assertIn("torchrun --nproc-per-node 2", done.stderr)


class InTheLab(unittest.TestCase):
    torch = environments.TORCHES["2.15"]

    def test_a_printed_script_hangs_as_it_says(self):
        try:
            place = environments.place_of(self.torch)
        except environments.NotInstalled as error:
            if os.environ.get("HANGSTACK_REQUIRE_TORCH") == "1":
                raise
            self.skipTest(str(error))
        scenario = missing_collective.SCENARIO
        with tempfile.TemporaryDirectory() as folder:
            lab = pathlib.Path(folder)  # no scenario.py is there
            (lab / "scenarios").mkdir()
            (lab / "scenarios" / "reproducer.py").write_text(explained("reproducer", "host_straggler"))
            place = environments.Place(place.python, place.standin, lab)
            with LabJob(self.torch, scenario, "reproducer", scenario.ranks, place) as job:
                evidence.wait_until(lambda: scenario.reason(job.launched()), 180, "it does not hang")
                evidence.wait_until_steady(job.pids)
                report, _ = judge.sample(HANGSTACK, job.pids)
                printed = job.printed()
                pids = job.pids
        judged = judge.judge(scenario, self.torch.generations, report, pids)
        self.assertEqual((judged.faults, judged.verdict), ([], "right"), printed)
        self.assertIn("rank 1: sleep_outside", printed)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lab", action="store_true")
    case = InTheLab if parser.parse_args().lab else EveryScript
    unittest.main(argv=sys.argv[:1], defaultTest=case.__name__)
