"""The lab's own checks can fail: on made-up reports and logs, without a torch."""

import contextlib
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "runner"), str(HERE / "scenarios"), str(HERE.parents[1] / "scripts" / "lib")]

import counts  # noqa: E402
import judge  # noqa: E402
import missing_collective  # noqa: E402
import reproducer  # noqa: E402
import sockets  # noqa: E402
import table  # noqa: E402
import torchrun  # noqa: E402
from hung_job import Job, die_with_parent  # noqa: E402
from lab_job import LabJob  # noqa: E402
from launches import Launches  # noqa: E402
from scenario import Scenario, can_run, pick  # noqa: E402

LINE = "{} number={} comm=0x1 rank=0/2 sequence={} kernel=ncclDevKernel_AllReduce_Sum_f32_RING_LL elements=4\n"


def log(*events):
    """("launch", number) ... as the stand-in writes them."""
    return Launches("".join(LINE.format(event, number, number) for event, number in events))


def done(number):
    return [("launch", number), ("start", number), ("finish", number)]


def verdict(pattern="host_straggler", hung="yes", confidence="likely", ranks=(1,)):
    return {"pattern": pattern, "hung": hung, "confidence": confidence, "culprit_ranks": list(ranks)}


def report(frames, said):
    main = {"tid": 7, "blocking": True, "frames": [{"kind": kind, "function": name} for kind, name in frames]}
    return {"jobs": [{"verdict": said}], "processes": [{"pid": 7, "threads": [main]}]}


SCENARIO = Scenario(
    title="",
    says={},
    reason=lambda launched: None,
    frames={0: {"nccl2": ["^wait$", "py:main"], "any": ["never there"]}},
    verdict=("host_straggler",),
    culprits=(1,),
)
GENERATIONS = ("2.15", "nccl2", "any")


class Words(unittest.TestCase):
    def word(self, **said):
        return judge.word_for(SCENARIO, verdict(**said))

    def test_right_is_the_pattern_with_its_ranks(self):
        self.assertEqual(self.word(), "right")
        self.assertEqual(self.word(hung="undecided", confidence="possible"), "right")

    def test_a_hung_job_that_is_called_not_hung_is_wrong(self):
        self.assertEqual(self.word(pattern="not_hung", hung="no", ranks=()), "wrong")

    def test_a_certainty_that_is_not_right_is_wrong(self):
        self.assertEqual(self.word(pattern="rank_died", confidence="certain"), "wrong")
        self.assertEqual(self.word(confidence="certain", ranks=(0,)), "wrong")

    def test_an_innocent_rank_is_misled_and_no_rank_is_open(self):
        self.assertEqual(self.word(ranks=(0,)), "misled")
        self.assertEqual(self.word(pattern="unknown", ranks=()), "open")


class Judgements(unittest.TestCase):
    def faults(self, frames, said=None, scenario=SCENARIO):
        return judge.judge(scenario, GENERATIONS, report(frames, said or verdict()), [7]).faults

    def test_the_frames_must_be_there_in_order(self):
        there = [("native", "nanosleep"), ("native", "wait"), ("python", "step"), ("python", "main")]
        self.assertEqual(self.faults(there), [])
        self.assertEqual(len(self.faults(there[::-1])), 1)
        self.assertEqual(len(self.faults(there[:3])), 1)

    def test_a_native_function_is_no_python_function(self):
        self.assertEqual(len(self.faults([("native", "wait"), ("native", "main")])), 1)

    def test_a_wrong_verdict_is_a_fault_unless_it_is_known(self):
        there = [("native", "wait"), ("python", "main")]
        wrong = verdict("not_hung", "no", ranks=())
        self.assertEqual(len(self.faults(there, wrong)), 1)
        known = Scenario(**{**vars(SCENARIO), "known_faults": {"nccl2": "reason"}})
        self.assertEqual(self.faults(there, wrong, known), [])

    def test_culprits_among_jobs_launched_apart_are_places(self):
        two = Scenario(**{**vars(SCENARIO), "jobs": (1, 2), "culprits": (2,), "frames": {}})
        trainers = {"verdict": verdict(ranks=(0,)), "ranks": [{"rank": 0, "pid": 7}]}
        workers = {"verdict": verdict(ranks=(1,)), "ranks": [{"rank": 0, "pid": 8}, {"rank": 1, "pid": 9}]}
        joined = {"verdict": verdict(ranks=(1,)), "ranks": trainers["ranks"] + workers["ranks"]}
        for jobs, word in (([workers, trainers], "misled"), ([joined], "right")):
            judged = judge.judge(two, GENERATIONS, {"jobs": jobs, "processes": []}, [7, 8, 9])
            self.assertEqual((judged.verdict, judged.faults), (word, []))

    def test_a_frame_below_a_rank_is_of_another_process(self):
        there = [("native", "wait"), ("python", "main")]
        below = Scenario(**{**vars(SCENARIO), "below": {0: {"any": ["^poll$"]}}})
        said = report(there, verdict())
        of_child = report([("native", "poll")], verdict())["processes"][0]
        with_child = {**said, "processes": [*said["processes"], {**of_child, "pid": 8}]}
        self.assertEqual(judge.judge(below, GENERATIONS, with_child, [7]).faults, [])
        self.assertEqual(len(judge.judge(below, GENERATIONS, said, [7]).faults), 1)
        self.assertEqual(len(judge.judge(below, GENERATIONS, with_child, [7, 8]).faults), 1)

    def test_what_the_report_must_tell(self):
        there = [("native", "wait"), ("python", "main")]
        telling = Scenario(**{**vars(SCENARIO), "tells": ("traced by gdb",)})
        self.assertEqual(len(self.faults(there, scenario=telling)), 1)
        said = {**verdict(), "observations": [{"text": "kernel state t, traced by gdb (pid 8)"}]}
        self.assertEqual(self.faults(there, said, telling), [])

    def test_a_report_without_a_job_is_a_fault(self):
        empty = {"jobs": [], "processes": []}
        self.assertTrue(judge.judge(SCENARIO, GENERATIONS, empty, [7]).faults)


class Logs(unittest.TestCase):
    def test_how_far_each_kernel_came(self):
        seen = log(*done(1), ("launch", 2), ("start", 2), ("launch", 3))
        self.assertEqual([len(seen.finished), len(seen.started), len(seen.pending)], [1, 1, 2])
        self.assertEqual(str(seen.started[0]), "AllReduce#2(4) start")

    def test_an_unknown_communicator_is_trouble(self):
        self.assertTrue(Launches("unknown communicator kernel=ncclDevKernel_SendRecv\n").trouble)

    def test_who_sends_and_who_receives(self):
        head = "launch number=1 comm=0x1 rank={} sequence=0 kernel=ncclDevKernel_SendRecv transfer=11>1:64"
        for rank, sends, receives in (("1/12", False, True), ("11/12", True, False)):
            kernel = Launches(head.format(rank)).kernels[0]
            self.assertEqual((kernel.sends, kernel.receives), (sends, receives))

    def test_a_full_queue_shows(self):
        self.assertTrue(Launches("full\n").full)
        self.assertFalse(log(*done(1)).full)

    def test_a_reason_does_not_hold_for_other_launches(self):
        reason = missing_collective.SCENARIO.reason
        stuck, outside = log(*done(1), *done(2), *done(3)[:2]), log(*done(1), *done(2))
        reason([stuck, outside])
        for other in ([outside, outside], [stuck, stuck], [log(), log()]):
            with self.assertRaises(AssertionError):
                reason(other)


class Jobs(unittest.TestCase):
    def job(self):
        """A LabJob that starts nothing."""
        job = LabJob.__new__(LabJob)
        job.python = job.script = "true"
        job.ranks, job.ready, job.said, started = [], [], [], []

        def spawn(_, **environment):
            job.ranks.append(None)
            started.append(environment)

        job.spawn = spawn
        return job, started

    def test_each_of_two_jobs_has_a_rank_0_and_a_store_and_no_device_twice(self):
        job, started = self.job()
        job.jobs = (2, 1)
        job.start()
        self.assertEqual([each["RANK"] for each in started], [0, 1, 0])
        self.assertEqual([each["WORLD_SIZE"] for each in started], [2, 2, 1])
        self.assertEqual([each["LOCAL_RANK"] for each in started], [0, 1, 2])
        self.assertEqual(len({each["MASTER_PORT"] for each in started}), 2)

    def test_ranks_are_the_children_of_an_agent_that_have_a_rank(self):
        with contextlib.ExitStack() as ended:
            for rank in ("1", "0", None):
                environment = {"RANK": rank} if rank else {}
                child = subprocess.Popen(["sleep", "60"], env=environment, preexec_fn=die_with_parent)
                ended.enter_context(child)
                ended.callback(child.kill)
            agent = mock.Mock(pid=os.getpid(), **{"poll.return_value": None})
            started = torchrun.ranks_of(agent, 2)
            ranks = [torchrun.children_of(os.getpid())[pid]["RANK"] for pid in started]
            self.assertEqual(ranks, ["0", "1"])

    def test_lines_are_what_was_said_up_to_now(self):
        job, _ = self.job()
        reading, writing = os.pipe()
        job.ready, job.said = [reading], ["first\n"]
        self.assertEqual(job.lines(), {0: ["first"]})
        os.write(writing, b"dumped\n")
        self.assertEqual(job.lines(), {0: ["first", "dumped"]})
        os.close(writing)
        os.close(reading)


class Sockets(unittest.TestCase):
    def test_a_connection_is_seen_from_both_ends(self):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
            with socket.create_connection(("127.0.0.1", port)):
                mine = sockets.of(os.getpid())
                self.assertEqual([each.port for each in mine if each.state == "LISTEN"], [port])
                self.assertEqual([each.peer for each in mine if each.peer == port], [port])


HANDLER = """
import os, signal, {imports}
signal.signal(signal.SIGUSR1, lambda *_: os.write(int(os.environ["READY_FD"]), b"dumped\\n"))
os.kill(os.getpid(), signal.SIGUSR1)
{wait}
"""
IN_PYTHON = HANDLER.format(imports="time", wait="time.sleep(600)")
# A mutex that is locked twice: no signal brings the thread back.
IN_NATIVE_CODE = HANDLER.format(
    imports="ctypes",
    wait="mutex = ctypes.create_string_buffer(40); [ctypes.CDLL(None).pthread_mutex_lock(mutex) for _ in range(2)]",
)


class TinyJob(LabJob):
    """Two ranks of a few lines, without a torch."""

    def __init__(self, code):
        Job.__init__(self, sys.executable, "-c", 2, [code])

    start, end = Job.start, Job.end


class Proofs(unittest.TestCase):
    def prove(self, code):
        with TinyJob(code) as job:
            job.wait_for_lines(dict.fromkeys(range(2), "dumped"))
            job.wait_until_asleep(quiet_s=0.1)
            reproducer.SCENARIO.prove(job)

    def test_a_handler_that_never_runs_is_the_proof(self):
        self.prove(IN_NATIVE_CODE)

    def test_a_rank_that_dumps_its_stacks_proves_nothing(self):
        with self.assertRaises(AssertionError):
            self.prove(IN_PYTHON)


class Counts(unittest.TestCase):
    def faults(self, launched, comm="0x1", pid=7, nccl="2.30.7", status="ok"):
        item = {"pid": pid, "hash": comm, "seq": {"AllReduce": launched, "Broadcast": 0}}
        records = {"communicators": {"status": status, "items": [item] if status == "ok" else []}}
        return counts.check_counts(nccl, {"jobs": [{"records": records}]}, [log(*done(1), *done(2)[:2])], [7])

    def test_the_report_counts_what_was_launched(self):
        self.assertEqual(self.faults(2), [])
        self.assertEqual(len(self.faults(1)), 1)

    def test_a_communicator_that_a_rank_waits_on_must_be_read(self):
        self.assertEqual(len(self.faults(2, comm="0x2")), 2)
        self.assertEqual(len(self.faults(2, pid=8)), 1)
        self.assertEqual(len(self.faults(2, status="absent")), 1)

    def test_old_versions_do_not_count_or_keep_no_list(self):
        self.assertEqual(self.faults(0, nccl="2.24.3"), [])
        self.assertEqual(len(self.faults(2, nccl="2.24.3")), 1)
        self.assertEqual(self.faults(0, nccl="2.21.5", status="absent"), [])
        self.assertEqual(len(self.faults(0, nccl="2.21.5")), 1)


class RasCounts(unittest.TestCase):
    def faults(self, seq=None, collectives=None, status="ok", nccl="2.28.9", presence="answered"):
        item = {"pid": 7, "hash": "0x1", "seq": seq or {}, "collectives": collectives, "presence": presence}
        record = {"status": status, "reason": "why", "items": [item] if status == "ok" else []}
        report = {"jobs": [{"records": {"ras": record}}]}
        return counts.check_ras(nccl, report, [log(*done(1), *done(2)[:2])], [7])

    def test_what_ras_tells_is_what_was_launched(self):
        self.assertEqual(self.faults({"AllReduce": 2}), [])
        self.assertEqual(len(self.faults({"AllReduce": 1})), 1)
        self.assertEqual(len(self.faults({"AllReduce": 3, "Broadcast": 0})), 1)
        self.assertEqual(len(self.faults({"Broadcast": 1})), 1)

    def test_all_kinds_together_are_compared_together(self):
        self.assertEqual(self.faults(collectives=2, nccl="2.24.3"), [])
        self.assertEqual(len(self.faults(collectives=1, nccl="2.24.3")), 1)

    def test_ras_has_to_answer_where_it_is_there_but_for_ranks_that_cannot(self):
        self.assertEqual(len(self.faults(status="absent")), 1)
        self.assertEqual(len(self.faults(status="failed")), 1)
        self.assertEqual(self.faults(status="refused"), [])
        self.assertEqual(self.faults({"AllReduce": 1}, presence="silent"), [])
        self.assertEqual(self.faults(status="absent", nccl="2.21.5"), [])


class Tables(unittest.TestCase):
    def test_the_most_special_generation_is_read(self):
        self.assertEqual(pick({"any": 1, "nccl2": 2}, GENERATIONS), 2)
        self.assertEqual(pick({"any": 1, "classic": 2}, GENERATIONS), 1)
        self.assertIsNone(pick({"classic": 2}, GENERATIONS))

    def test_a_scenario_runs_with_torch_unless_it_says_otherwise(self):
        direct = Scenario(**{**vars(SCENARIO), "versions": ("nccl",)})
        for scenario, generations, can in (
            (SCENARIO, GENERATIONS, True),
            (SCENARIO, ("nccl-2.28.9", "nccl", "any"), False),
            (direct, ("nccl-2.28.9", "nccl", "any"), True),
            (direct, GENERATIONS, False),
        ):
            self.assertEqual(can_run(scenario, generations), can)

    def test_a_failed_run_shows_and_begins_a_new_row(self):
        fine, failed = judge.Judgement([], "right", "x", {}), judge.Judgement(["a fault"], "wrong", "y", {})
        self.assertEqual(table.as_text(table.cell_of([fine, fine])), "right: x (2 in a row)")
        self.assertEqual(table.as_text(table.cell_of([fine], table.cell_of([fine, fine]))), "right: x (3 in a row)")
        self.assertIn("1 of 2 failed", table.as_text(table.cell_of([fine, failed])))
        self.assertEqual(table.as_text(table.cell_of([fine], table.cell_of([failed]))), "right: x")
        self.assertEqual(table.as_text(None), "not run")

    def test_what_did_not_run_keeps_its_cell(self):
        first, second = (mock.Mock(name=each, generations=(each, "any")) for each in ("2.15", "2.8"))
        first.name, second.name = "2.15", "2.8"
        stacks = {0: ["usleep", "std::a(int) | b", "?? /lib/x.so"], 1: []}
        run = judge.Judgement([], "right", "host_straggler (hung: yes, likely, ranks: 1)", stacks)
        failed = judge.Judgement(["a fault"], "", "", {})
        scenarios = {"one": SCENARIO, "two": SCENARIO}
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "lab.md"
            page.write_text(f"before\n{table.BEGIN}\n{table.END}\nafter\n")
            table.merge(page, scenarios, [first, second], {("one", "2.15"): [run] * 3, ("one", "2.8"): [failed]})
            written = page.read_text()
            table.merge(page, scenarios, [first, second], {("two", "2.8"): [run]})
            grown = page.read_text()
            table.merge(page, scenarios, [first, second], {("one", "2.15"): [run] * 7})
            again = table.read(page.read_text())
        self.assertIn("ranks: 1) (3 in a row) | **1 of 1 failed**:", written)
        self.assertEqual([line for line in written.splitlines() if line not in grown], ["| two | host_straggler [1] | not run | not run |"])
        self.assertTrue(grown.startswith("before\n") and grown.endswith("\nafter\n"))
        self.assertEqual([again["one", "2.15"].in_a_row, again["one", "2.8"].in_a_row], [10, 0])
        self.assertEqual(again["two", "2.8"], table.cell_of([run]))


if __name__ == "__main__":
    unittest.main()
