"""The gates of tests/bench/run hold and break as docs/bench.md says."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from measure import gates  # noqa: E402
from measure.pause import Pause  # noqa: E402
from measure.rounds import Case, CaseResult, Result  # noqa: E402
from measure.tools import Tool  # noqa: E402


def result(name, kind, wall, pause_ms, holds_all=True):
    tool = Tool(name, kind, lambda pids: [], holds_all=holds_all)
    return Result(tool, walls=[wall], pauses=[Pause(1, pause_ms, pause_ms, 0, 0, 0)])


def outcome(auto=(0.1, 0.02), strict=(0.1, 0.5), floor=0.4, eu_stack=(0.2, 0.3), pystack=0.6, python=True):
    return CaseResult(Case("case", "", None, python, ""), 8, [
        result("floor", "floor", 0.01, floor),
        result("hangstack --stop auto", "hangstack", *auto, holds_all=False),
        result("hangstack --stop all", "hangstack", *strict),
        result("eu-stack", "peer", *eu_stack, holds_all=False),
        result("pystack", "peer", 0.5, pystack),
    ])


def broken(measured):
    return [sentence for holds, sentence in gates.check(measured) if not holds]


class Gates(unittest.TestCase):
    def test_hold_when_hangstack_is_better_everywhere(self):
        self.assertEqual(broken(outcome()), [])
        self.assertEqual(len(list(gates.check(outcome()))), 5)

    def test_break_when_all_holds_longer_than_twice_the_floor(self):
        self.assertIn("2.25x", "".join(broken(outcome(strict=(0.1, 0.9), pystack=1.0))))
        self.assertEqual(broken(outcome(strict=(0.1, 0.8), pystack=1.0)), [])

    def test_one_long_pause_among_short_ones_breaks_nothing(self):
        measured = outcome(strict=(0.1, 0.9), pystack=1.0)
        measured.of("hangstack --stop all").pauses.append(Pause(1, 0.4, 0.4, 0, 0, 0))
        self.assertEqual(broken(measured), [])

    def test_break_when_auto_holds_as_long_as_any_peer(self):
        self.assertIn("eu-stack", "".join(broken(outcome(auto=(0.1, 0.3)))))

    def test_break_when_all_holds_as_long_as_a_peer_that_holds_all(self):
        self.assertIn("pystack", "".join(broken(outcome(strict=(0.1, 0.6)))))

    def test_all_is_not_compared_with_a_peer_that_holds_one_thread(self):
        self.assertNotIn("eu-stack", "".join(broken(outcome(strict=(0.1, 0.7), pystack=1.0))))

    def test_break_when_slower_than_eu_stack_on_a_rank_only(self):
        self.assertIn("wall", "".join(broken(outcome(auto=(0.2, 0.02)))))
        self.assertEqual(broken(outcome(auto=(0.2, 0.02), python=False)), [])

    def test_wall_and_floor_are_judged_of_optimised_builds_only(self):
        slow = outcome(auto=(0.2, 0.3), strict=(0.1, 0.9), pystack=1.0)
        found = "".join(sentence for holds, sentence in gates.check(slow, optimised=False) if not holds)
        self.assertIn("eu-stack", found)
        self.assertNotIn("wall", found)
        self.assertNotIn("floor", found)

    def test_break_when_hangstack_fails_but_not_when_a_peer_does(self):
        measured = outcome()
        measured.of("pystack").failure = "status 1"
        self.assertEqual(broken(measured), [])
        measured.of("hangstack --stop auto").failure = "status 3"
        self.assertIn("status 3", "".join(broken(measured)))


if __name__ == "__main__":
    unittest.main()
