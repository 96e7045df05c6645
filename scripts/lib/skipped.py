"""skipped.py LastTest.log: lists the test cases that ctest's log calls skipped, with their reasons."""

import re
import sys


def skipped_cases(lines):
    """Yields (case, reason) for GoogleTest's GTEST_SKIP and for unittest's skip."""
    reason = []
    collecting = False
    for line in lines:
        line = line.rstrip("\n")
        case = re.match(r"\[  SKIPPED \] (\S+) \(\d+ ms\)", line)
        python = re.match(r"(\w+) \(([\w.]+)\).* \.\.\. skipped ['\"](.*)['\"]$", line)
        if case:
            yield case[1], " ".join(reason).strip() or "no reason given"
            reason, collecting = [], False
        elif python:
            yield python[1], python[3]
        elif line.endswith(": Skipped"):
            reason, collecting = [], True
        elif collecting:
            reason.append(line)


def main():
    try:
        with open(sys.argv[1], errors="replace") as log:
            cases = list(skipped_cases(log))
    except FileNotFoundError:
        cases = []
    by_reason = {}
    for case, reason in cases:
        by_reason.setdefault(reason, []).append(case)
    print(f"\nSKIPPED: {len(cases)} test cases" + ("" if cases else ", nothing was left out"))
    for reason, names in sorted(by_reason.items()):
        print(f"  {reason}")
        for name in names:
            print(f"    {name}")
    print()


main()
