"""Three gloo ranks; two wait in all_reduce, the last one sleeps outside."""

import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import hangstack
from hung_job import CALLED_HUNG_S, kernel_state, thread_rest

TORCH_WAIT = r"^c10d::Work::wait\("
GLOO_WAIT = r"^gloo::transport::tcp::UnboundBuffer::wait(Send|Recv)\("


class Straggler(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.job = hangstack.job("straggler")
        cls.addClassCleanup(cls.job.end)
        cls.job.start()
        cls.job.wait_until_hung({0: "all_reduce", 1: "all_reduce", 2: "load_batch"}, quiet_s=CALLED_HUNG_S)
        cls.before = {pid: thread_rest(pid, pid) for pid in cls.job.pids}
        cls.report = hangstack.report(pids=cls.job.pids)
        cls.after = {pid: thread_rest(pid, pid) for pid in cls.job.pids}

    def test_the_verdict_names_the_rank_that_sleeps_outside(self):
        verdict = hangstack.verdict(self.report)
        self.assertEqual(verdict["pattern"], "host_straggler")
        self.assertEqual(verdict["culprit_ranks"], [2])
        self.assertEqual(verdict["hung"], "yes")
        self.assertGreaterEqual(verdict["since_s"], 10)
        self.assertIn(verdict["confidence"], ("likely", "possible"))
        self.assertGreaterEqual(len({observation["source"] for observation in verdict["observations"]}), 2)
        self.assertIn("load_batch", json.dumps(verdict))

    def test_a_blocked_rank_has_c10d_python_and_user_code_in_one_stack(self):
        for pid in self.job.pids[:2]:
            frames = hangstack.main_thread(self.report, pid)["frames"]
            order = hangstack.positions(
                frames,
                [
                    ("native", r"futex|pthread_cond_wait"),
                    ("native", TORCH_WAIT),
                    ("python", "^all_reduce$"),
                    ("python", "^sync_gradients$"),
                    ("python", "^train_step$"),
                    ("python", "^train_loop$"),
                    ("python", "^main$"),
                    ("python", "^<module>$"),
                    ("native", "^_start$"),
                ],
            )
            self.assertEqual(order, sorted(order), hangstack.show(frames))

    def test_python_frames_have_the_file_and_line_of_the_call(self):
        source = hangstack.TRAIN.read_text().splitlines()
        calls = {"sync_gradients": "dist.all_reduce(", "train_step": "sync_gradients(", "train_loop": "train_step(",
                 "main": "train_loop()"}
        for pid in self.job.pids[:2]:
            frames = [f for f in hangstack.main_thread(self.report, pid)["frames"] if f["kind"] == "python"]
            by_name = {frame["function"]: frame for frame in frames}
            for name, call in calls.items():
                self.assertEqual(by_name[name]["file"], str(hangstack.TRAIN))
                self.assertIn(call, source[by_name[name]["line"] - 1])
            self.assertTrue(by_name["all_reduce"]["file"].endswith("torch/distributed/distributed_c10d.py"))
            text = pathlib.Path(by_name["all_reduce"]["file"]).read_text().splitlines()
            self.assertIn("wait()", text[by_name["all_reduce"]["line"] - 1])

    def test_the_gloo_thread_of_a_blocked_rank_is_shown(self):
        for pid in self.job.pids[:2]:
            stacks = [
                [frame["function"] or "" for frame in thread["frames"]]
                for thread in hangstack.process(self.report, pid)["threads"]
            ]
            waiting = [stack for stack in stacks if any(re.search(GLOO_WAIT, function) for function in stack)]
            self.assertEqual(len(waiting), 1)
            self.assertTrue(any("c10d::ProcessGroupGloo::runLoop" in function for function in waiting[0]))

    def test_the_sleeping_rank_is_in_time_sleep_under_its_own_function(self):
        frames = hangstack.main_thread(self.report, self.job.pids[2])["frames"]
        order = hangstack.positions(
            frames,
            [
                ("native", "nanosleep"),
                ("python", "^load_batch$"),
                ("python", "^train_step$"),
                ("python", "^main$"),
            ],
        )
        self.assertEqual(order, sorted(order), hangstack.show(frames))

    def test_every_thread_of_proc_is_reported_once(self):
        for pid in self.job.pids:
            reported = [thread["tid"] for thread in hangstack.process(self.report, pid)["threads"]]
            self.assertEqual(sorted(reported), sorted(map(int, os.listdir(f"/proc/{pid}/task"))))

    def test_every_stack_reaches_the_start_of_its_thread(self):
        for each in self.report["processes"]:
            for thread in each["threads"]:
                self.assertEqual(thread["end"], "complete", hangstack.show(thread["frames"]))
                last = [frame for frame in thread["frames"] if frame["kind"] == "native"][-1]["function"]
                self.assertIn(last, ("_start", "clone3", "__clone3"), hangstack.show(thread["frames"]))

    def test_the_blocked_main_threads_did_not_run_for_the_report(self):
        self.assertEqual(self.before, self.after)
        self.assertEqual([kernel_state(pid) for pid in self.job.pids], ["S", "S", "S"])

    def test_ranks_and_world_size_are_known(self):
        (job,) = self.report["jobs"]
        self.assertEqual(
            [(row["rank"], row["pid"], row["world_size"], row["status"]) for row in job["ranks"]],
            [(rank, pid, 3, "sampled") for rank, pid in enumerate(self.job.pids)],
        )
        self.assertEqual(job["missing_ranks"], "")

    def test_the_json_has_the_promised_keys(self):
        self.assertEqual(self.report["schema"], "hangstack-report/1")
        for key in ("tool", "created", "sampling", "jobs", "missing_hosts", "processes", "errors"):
            self.assertIn(key, self.report)
        (job,) = self.report["jobs"]
        for key in ("job", "verdict", "alternatives", "groups", "ranks", "missing_ranks", "records", "gpu"):
            self.assertIn(key, job)
        self.assertEqual([group["ranks"] for group in job["groups"]], ["2", "0-1"])

    def test_the_text_names_the_culprit_in_its_first_lines(self):
        done = hangstack.run(*hangstack.SHORT_GAP, pids=self.job.pids)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        top = done.stdout.splitlines()[:12]
        self.assertTrue(any("host_straggler" in line and "rank 2" in line for line in top), done.stdout)
        self.assertTrue(all(len(line) <= 100 for line in done.stdout.splitlines()), done.stdout)

    def test_ranks_that_were_not_asked_for_are_no_dead_ones(self):
        report = hangstack.report(pids=self.job.pids[:2])
        (job,) = report["jobs"]
        verdict = job["verdict"]
        self.assertEqual(job["missing_ranks"], "2")
        self.assertEqual((verdict["pattern"], verdict["culprit_ranks"]), ("unknown", []))
        self.assertNotIn("rank_died", [alternative["pattern"] for alternative in job["alternatives"]])
        said = [seen["text"] for seen in verdict["observations"] if seen["ranks"] == "2"]
        self.assertEqual(said, ["runs here too, but was not among the pids given: not looked at"])
        self.assertEqual(verdict["next_steps"][0]["command"], f"hangstack --pids {' '.join(map(str, self.job.pids))}")

    def test_check_turns_the_verdict_into_exit_status_1(self):
        self.assertEqual(hangstack.run(*hangstack.SHORT_GAP, "--check", pids=self.job.pids).returncode, 1)

    def test_pids_may_be_separated_by_commas(self):
        done = hangstack.run("--samples", "1", "--format", "json", "--pids", ",".join(map(str, self.job.pids)))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([each["pid"] for each in json.loads(done.stdout)["processes"]], self.job.pids)

    def test_a_pid_that_does_not_exist_is_status_4_beside_the_rest_of_the_report(self):
        done = hangstack.run("--samples", "1", "--format", "json", pids=[*self.job.pids, 2**22 - 1])
        self.assertEqual(done.returncode, 4, done.stderr)
        found = json.loads(done.stdout)
        self.assertEqual([each["pid"] for each in found["processes"]], self.job.pids)
        self.assertIn(str(2**22 - 1), json.dumps(found["errors"]))

    def test_every_grade_of_stopping_gives_the_same_stacks(self):
        stacks = {
            grade: hangstack.addresses(hangstack.report("--stop", grade, pids=self.job.pids))
            for grade in ("never", "auto", "all")
        }
        everywhere = set(stacks["never"]) & set(stacks["auto"]) & set(stacks["all"])
        self.assertLessEqual({(pid, pid) for pid in self.job.pids}, everywhere)
        for thread in everywhere:
            self.assertEqual(stacks["never"][thread], stacks["all"][thread], thread)
            self.assertEqual(stacks["auto"][thread], stacks["all"][thread], thread)

    def test_stops_of_hangstack_are_neither_movement_nor_an_end_of_the_sleep(self):
        report = hangstack.report("--stop", "all", "--samples", "3", pids=self.job.pids)
        verdict = hangstack.verdict(report)
        self.assertEqual((verdict["pattern"], verdict["culprit_ranks"]), ("host_straggler", [2]))
        for row in report["jobs"][0]["ranks"]:
            main = hangstack.main_thread(report, row["pid"])
            self.assertEqual((main["how"], main["moved"], row["moved"]), ("stopped", False, False))
            self.assertGreaterEqual(row["asleep_s"], 0.6, "the stops lie 0.3 s apart")
        for each in report["processes"]:
            moved = [thread["name"] for thread in each["threads"] if thread["moved"]]
            self.assertEqual(moved, [], "every thread of a hung rank rests, or wakes in the wait that it was in")

    def test_auto_stops_no_blocked_thread(self):
        seized = self.seized("auto")
        self.assertFalse(seized & set(self.job.pids), "a main thread that sleeps was stopped")
        self.assertFalse(seized & self.unmoved(), "a thread that did not move was stopped")

    def test_never_uses_no_ptrace_and_all_stops_every_thread(self):
        self.assertEqual(self.seized("never"), set())
        everything = {int(tid) for pid in self.job.pids for tid in os.listdir(f"/proc/{pid}/task")}
        self.assertEqual(self.seized("all"), everything)

    def unmoved(self):
        return {
            thread["tid"]
            for each in self.report["processes"]
            for thread in each["threads"]
            if thread["moved"] is False
        }

    def seized(self, grade):
        """The thread ids that hangstack attaches to, as strace sees it."""
        with tempfile.NamedTemporaryFile("r") as trace:
            done = subprocess.run(
                ["strace", "-f", "-qq", "-e", "trace=ptrace", "-o", trace.name, hangstack.BINARY, "--samples", "1",
                 "--stop", grade, "--format", "json", "--pids", *map(str, self.job.pids)],
                capture_output=True, text=True, timeout=hangstack.TIMEOUT_S,
            )  # fmt: skip
            self.assertEqual(done.returncode, 0, done.stderr)
            calls = trace.read()
        self.assertNotIn("PTRACE_ATTACH", calls)
        self.assertNotIn("PTRACE_POKE", calls)
        self.assertNotIn("PTRACE_SETREG", calls)
        return {int(tid) for tid in re.findall(r"PTRACE_SEIZE, (\d+)", calls)}


if __name__ == "__main__":
    unittest.main()
