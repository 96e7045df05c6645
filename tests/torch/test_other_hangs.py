"""Jobs that hang for other reasons, or do not hang: the verdict on each."""

import json
import os
import signal
import unittest

import hangstack
from hung_job import kernel_state

ALL_REDUCE = {0: "all_reduce", 1: "all_reduce"}


class Verdicts(unittest.TestCase):
    def assert_blames_the_last_rank(self, verdict):
        self.assertNotEqual(verdict["hung"], "no")
        self.assertEqual(verdict["culprit_ranks"], [2])
        self.assertIn(verdict["confidence"], ("likely", "possible"), "the cause behind a place is never certain")

    def test_a_rank_on_a_branch_without_the_operation(self):
        with hangstack.job("branch") as job:
            job.wait_until_hung({**ALL_REDUCE, 2: "log_anomaly"})
            verdict = hangstack.verdict(hangstack.report(pids=job.pids))
        self.assertEqual(verdict["pattern"], "asymmetric_control_flow")
        self.assert_blames_the_last_rank(verdict)

    def test_a_rank_that_is_past_the_operation(self):
        with hangstack.job("past") as job:
            job.wait_until_hung({**ALL_REDUCE, 2: "save_model"})
            verdict = hangstack.verdict(hangstack.report(pids=job.pids))
        self.assertEqual(verdict["pattern"], "asymmetric_control_flow")
        self.assert_blames_the_last_rank(verdict)
        self.assertIn("save_model", json.dumps(verdict))

    def test_a_stopped_rank_is_named_and_stays_stopped(self):
        with hangstack.job("stopped") as job:
            job.wait_until_hung({**ALL_REDUCE, 2: "load_batch"})
            os.kill(job.pids[2], signal.SIGSTOP)
            os.waitid(os.P_PID, job.pids[2], os.WSTOPPED | os.WNOWAIT)
            found = {grade: hangstack.report("--stop", grade, pids=job.pids) for grade in ("auto", "all", "never")}
            states = [kernel_state(pid) for pid in job.pids]
        for grade, report in found.items():
            with self.subTest(stop=grade):
                verdict = hangstack.verdict(report)
                self.assertEqual((verdict["pattern"], verdict["culprit_ranks"]), ("process_stopped", [2]))
                frames = hangstack.main_thread(report, job.pids[2])["frames"]
                hangstack.positions(frames, [("python", "^load_batch$"), ("native", "^_start$")])
        self.assertEqual(states, ["S", "S", "T"])

    def test_a_killed_rank_is_named(self):
        with hangstack.job("checkpoint") as job:
            job.wait_until_hung({0: "wait_for_checkpoint", 1: "wait_for_checkpoint", 2: "write_checkpoint"})
            job.ranks[2].kill()
            os.waitid(os.P_PID, job.pids[2], os.WEXITED | os.WNOWAIT)  # stays a zombie: nobody has reaped it
            job.wait_until_asleep([0, 1])
            done = hangstack.run(*hangstack.SHORT_GAP, "--format", "json", pids=job.pids)
            alive = hangstack.report(pids=job.pids[:2])
        self.assertEqual(done.returncode, 4, "a named pid gave no stack")
        report = json.loads(done.stdout)
        verdict = hangstack.verdict(report)
        self.assertEqual((verdict["pattern"], verdict["culprit_ranks"]), ("rank_died", [2]))
        self.assertIn("zombie", json.dumps(report["errors"]))
        # Only the living ones named: rank 2 of 3 is missing, which is no proof that it died.
        self.assertEqual(alive["jobs"][0]["missing_ranks"], "2")
        self.assertNotEqual(hangstack.verdict(alive)["confidence"], "certain")

    def test_a_job_that_moves_is_not_hung(self):
        with hangstack.job("moving") as job:
            job.wait_for_lines({rank: "all_reduce" for rank in range(3)})
            found = {grade: hangstack.report("--check", "--stop", grade, pids=job.pids) for grade in ("auto", "all")}
        for grade, report in found.items():
            with self.subTest(stop=grade):
                verdict = hangstack.verdict(report)
                self.assertEqual((verdict["hung"], verdict["pattern"]), ("no", "not_hung"))
                self.assertEqual(verdict["culprit_ranks"], [])

    def test_different_collectives_are_never_a_wrong_certainty(self):
        with hangstack.job("mismatch") as job:
            job.wait_until_hung({0: "all_gather", 1: "all_reduce", 2: "all_reduce"})
            report = hangstack.report(pids=job.pids)
        verdict = hangstack.verdict(report)
        self.assertIn(verdict["pattern"], ("unknown", "collective_mismatch", "asymmetric_control_flow"))
        self.assertNotEqual(verdict["confidence"], "certain")
        self.assertNotEqual(verdict["hung"], "no")
        if verdict["culprit_ranks"]:
            self.assertEqual(verdict["culprit_ranks"], [0])
        for pid, operation in zip(job.pids, ("all_gather", "all_reduce", "all_reduce")):
            frames = hangstack.main_thread(report, pid)["frames"]
            hangstack.positions(frames, [("python", f"^{operation}$")])


if __name__ == "__main__":
    unittest.main()
