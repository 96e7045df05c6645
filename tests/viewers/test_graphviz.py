"""Graphviz takes every .dot file, and shows names as they are."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree

WRITE_REPORTS = os.environ["WRITE_REPORTS"]
DOT = shutil.which("dot")
NODE = re.compile(r"  n\d+ \[")
EDGE = re.compile(r"  n\d+ -> n\d+")


def drawn(path):
    """The drawing's texts, node by node."""
    done = subprocess.run([DOT, "-Tsvg", path], capture_output=True, timeout=120, check=True)
    root = xml.etree.ElementTree.fromstring(done.stdout)
    space = "{http://www.w3.org/2000/svg}"
    kinds = {"node": [], "edge": []}
    for group in root.iter(f"{space}g"):
        if group.get("class") in kinds:
            kinds[group.get("class")].append(["".join(text.itertext()) for text in group.iter(f"{space}text")])
    return kinds, done.stderr.decode()


@unittest.skipUnless(DOT, "no Graphviz: scripts/setup --test")
class Graphviz(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="hangstack-dot-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        subprocess.run([WRITE_REPORTS, cls.folder], check=True)

    def test_it_draws_every_report_without_a_warning(self):
        files = sorted(self.folder.glob("*.dot"))
        self.assertGreater(len(files), 10)
        for path in files:
            with self.subTest(path.name):
                kinds, warnings = drawn(path)
                self.assertEqual(warnings, "")
                lines = path.read_text().splitlines()
                self.assertEqual(len(kinds["edge"]), sum(bool(EDGE.match(line)) for line in lines))
                self.assertEqual(len(kinds["node"]), sum(bool(NODE.match(line)) for line in lines))

    def test_branches_and_ranks_are_where_they_belong(self):
        kinds, _ = drawn(self.folder / "hung_gloo_straggler.dot")
        self.assertIn(["1:[3]"], kinds["edge"])
        self.assertIn(["3:[0-2]"], kinds["edge"])
        self.assertTrue(any("load_shard job/train.py:93" in node for node in kinds["node"]))

    def test_hostile_names_are_drawn_as_text(self):
        kinds, _ = drawn(self.folder / "named_4.dot")
        texts = [text for node in kinds["node"] for text in node]
        self.assertTrue(any("&lt;&#60; \\N\\l\\" in text for text in texts), texts[:9])


if __name__ == "__main__":
    unittest.main()
