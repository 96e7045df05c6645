#!/usr/bin/env python3
"""Scores what `hangstack import` says of hangs with a known answer, which are read from $HANGSTACK_SHARED/corpus.

    score.py [--wrong]     a table per label, and the score beside that of one constant answer; --wrong lists the cases
                           that are not right. Exit status 1 below the floors in floors.json, for a wrong and certain
                           answer, for more than "possible" where nobody can know, for a healthy job that is called hung

The binary is $HANGSTACK_BINARY. A case counts if its label was stated or injected, and its text can decide it.
"""

import argparse
import collections
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SKIPPED = 77
COUNTED = ("stated", "injected")


@dataclasses.dataclass
class Case:
    name: str
    expected: dict
    answer: dict  # verdict of the largest job; empty: no report

    @property
    def counts(self):
        return self.expected.get("label_basis", "injected") in COUNTED and not self.expected.get("undecidable")

    @property
    def right(self):
        return self.answer.get("pattern") in self.expected["accept"] and self.culprits_right

    @property
    def culprits_right(self):
        """`culprits` lists the sets of ranks that are right; null: no single rank may be named as sure."""
        if "culprits" not in self.expected:
            return True
        named = self.answer.get("culprit_ranks", [])
        if self.expected["culprits"] is None:
            return len(named) != 1 or self.answer.get("confidence") == "possible"
        return named in self.expected["culprits"]

    @property
    def wrong_and_certain(self):
        return not self.right and self.answer.get("confidence") == "certain"

    @property
    def healthy_called_hung(self):
        return not self.expected["hung"] and self.answer.get("hung") == "yes"

    @property
    def too_sure(self):
        return bool(self.expected.get("undecidable")) and self.answer.get("confidence") in ("certain", "likely")

    def line(self):
        said = self.answer or {"pattern": "no report", "confidence": "-", "culprit_ranks": []}
        return (
            f"{self.name:28} {self.expected['label']:28} said {said['pattern']} "
            f"({said['confidence']}, ranks {said['culprit_ranks']})"
        )


def import_case(binary, files):
    command = [binary, "import", "--format", "json", *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    jobs = json.loads(done.stdout)["jobs"] if done.stdout else []
    return jobs[0]["verdict"] if jobs else {}


def read_case(binary, folder, leave_out=()):
    expected = json.loads((folder / "expected.json").read_text())
    files = sorted(
        each for each in folder.iterdir() if each.suffix in (".txt", ".log") and each.name not in leave_out
    )
    if not files:
        return Case(folder.name, expected, {})
    return Case(folder.name, expected, import_case(binary, files))


def rendered(corpus, out):
    command = [sys.executable, "-B", str(corpus / "render.py"), str(corpus / "open.json"), str(out)]
    subprocess.run(command, check=True)
    return sorted(each for each in out.iterdir() if each.is_dir())


def constant_score(cases):
    """The best that one answer to every case would reach, and that answer."""
    names = collections.Counter(name for case in cases for name in set(case.expected["accept"]))
    return min(names.items(), key=lambda each: (-each[1], each[0])) if names else ("", 0)


def print_table(title, cases):
    counted = [case for case in cases if case.counts]
    by_label = collections.defaultdict(list)
    for case in counted:
        by_label[case.expected["label"]].append(case)
    print(f"\n{title}")
    for label, members in sorted(by_label.items()):
        print(f"  {label:30} {sum(case.right for case in members):3} of {len(members)}")
    right = sum(case.right for case in counted)
    name, times = constant_score(counted)
    share = f"{right / len(counted):.1%}; always \"{name}\": {times / len(counted):.1%}"
    print(f"  {'all':30} {right:3} of {len(counted)}: {share}")
    return right


def check(title, cases, floor):
    """Prints, and gives the faults."""
    right = print_table(title, cases)
    faults = [f"{case.name}: wrong and certain: {case.line()}" for case in cases if case.wrong_and_certain]
    faults += [f"{case.name}: healthy, called hung" for case in cases if case.healthy_called_hung]
    faults += [f"{case.name}: nobody can know, yet {case.line()}" for case in cases if case.too_sure]
    if right < floor:
        faults.append(f"{title}: {right} right, the floor is {floor}")
    if right > floor:
        print(f"  the floor may rise from {floor} to {right}")
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wrong", action="store_true", help="list every case that is not right")
    asked = parser.parse_args()
    shared = os.environ.get("HANGSTACK_SHARED")
    corpus = pathlib.Path(shared or HERE.parents[2] / "shared") / "corpus"
    if not (corpus / "render.py").exists():
        print(f"corpus (tests.corpus) ... skipped 'no corpus at {corpus}'")
        return SKIPPED
    binary = os.environ["HANGSTACK_BINARY"]
    floors = json.loads((HERE / "floors.json").read_text())
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:

        def read_all(folders, leave_out=()):
            return list(pool.map(lambda each: read_case(binary, each, leave_out), folders))

        open_cases = read_all(rendered(corpus, pathlib.Path(folder) / "open"))
        folders = sorted((corpus / "lab-stacks").iterdir())
        lab = read_all(folders)
        stacks_alone = read_all(folders, ("ras.txt",))
    groups = [("open", open_cases), ("lab_stacks", lab), ("lab_stacks_without_ras", stacks_alone)]
    if asked.wrong:
        for title, cases in groups:
            for case in cases:
                if not case.right:
                    print(f"{title:14} {'counts' if case.counts else '-':7} {case.line()}")
    faults = [fault for title, cases in groups for fault in check(title, cases, floors[title])]
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
