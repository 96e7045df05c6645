"""The kept captures of the lab, replayed: no torch, no stand-in and no process of the job is needed.

Each case must satisfy its scenario as a live run must (verdict, ranks, frames), and give the report that it gave when
it was recorded. HANGSTACK_BLESS=1 writes the reports anew; what a scenario asks for cannot be blessed.
"""

import difflib
import importlib
import json
import os
import pathlib
import re
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.dont_write_bytecode = True
sys.path[:0] = [str(HERE / "runner"), str(HERE / "scenarios"), str(ROOT / "tests" / "replay")]

import environments  # noqa: E402
import kept  # noqa: E402

HANGSTACK = os.environ.get("HANGSTACK_BINARY") or ROOT / "build" / "dev" / "hangstack"
BLESS = "HANGSTACK_BLESS" in os.environ
# What no path of a process in a neutral place has.
PRIVATE = re.compile(rb"/(home|root|Users)/\w")


def scenario_and_torch(case):
    name, torch = case.name.split(".", 1)
    return importlib.import_module(name).SCENARIO, environments.TORCHES[torch]


class Cases(unittest.TestCase):
    maxDiff = None

    def test_each_satisfies_its_scenario_and_gives_the_report_that_was_recorded(self):
        for case in kept.cases():
            with self.subTest(case.name), tempfile.TemporaryDirectory() as temporary:
                folder = pathlib.Path(temporary)
                kept.unpack(case, folder)
                self.names_no_machine([*folder.rglob("*"), case / kept.EXPECTED])
                judged, text = kept.replay_folder(folder, *scenario_and_torch(case), HANGSTACK)
                if BLESS:
                    (case / kept.EXPECTED).write_text(text)
                self.assertEqual(judged.faults, [])
                self.gives(text, (case / kept.EXPECTED).read_text())

    def names_no_machine(self, paths):
        for path in paths:
            if path.is_file():
                self.assertIsNone(PRIVATE.search(path.read_bytes()), path.name)

    def gives(self, text, expected):
        change = difflib.unified_diff(expected.splitlines(), text.splitlines(), "recorded", "replayed", lineterm="")
        self.assertEqual("\n".join(change), "")


class WhatIsLostShows(unittest.TestCase):
    """The checks above can fail: on a spoilt copy of a case."""

    case = kept.CASES / "missing_collective.2.15"

    def replay_without(self, spoil):
        with tempfile.TemporaryDirectory() as temporary:
            folder = pathlib.Path(temporary)
            kept.unpack(self.case, folder)
            spoil(folder)
            judged, text = kept.replay_folder(folder, *scenario_and_torch(self.case), HANGSTACK)
        self.assertNotEqual(text, (self.case / kept.EXPECTED).read_text())
        return judged

    def test_a_stack_that_ends_early_is_a_fault(self):
        def spoil(folder):
            for path in folder.glob("*/capture.json"):
                capture = json.loads(path.read_text())
                for thread in capture["threads"]:
                    thread["memory"] = []
                path.write_text(json.dumps(capture))

        self.assertIn("no frame", self.replay_without(spoil).faults[0])

    def test_without_a_rank_its_frames_are_missed(self):
        def spoil(folder):
            path = folder / "session.json"
            session = json.loads(path.read_text())
            session["samples"] = [sample[:1] for sample in session["samples"]]
            path.write_text(json.dumps(session))

        self.assertIn("the main thread", self.replay_without(spoil).faults[0])


if __name__ == "__main__":
    unittest.main()
