"""skipped.py LastTest.log: lists the test cases that ctest's log calls skipped, with their reasons."""

import re
import sys


def skipped_cases(lines):
    """Yields (case, reason) for GoogleTest's GTEST_SKIP and for unittest's skip (whose case may stand a line above)."""
    reason = None  # the lines after GoogleTest's ": Skipped", up to the case
    python_case = "a test"
    for line in lines:
        line = line.rstrip("\n")
        google = re.match(r"\[  SKIPPED \] (\S+) \(\d+ ms\)", line)
        case = re.match(r"(\w+) \([\w.]+\)", line)
        python_reason = re.search(r" \.\.\. skipped (['\"])(.*)\1$", line)
        if case:
            python_case = case[1]
        if google:
            yield google[1], " ".join(reason or []).strip() or "no reason given"
            reason = None
        elif python_reason:
            yield python_case, python_reason[2]
        elif line.endswith(": Skipped"):
            reason = []
        elif reason is not None:
            reason.append(line)


def main():
    try:
        with open(sys.argv[1], errors="replace") as log:
            cases = list(skipped_cases(log))
    except FileNotFoundError:
        sys.exit(f"skipped.py: no {sys.argv[1]}: ctest wrote no log")
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
