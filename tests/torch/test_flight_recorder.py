"""The flight recorder in a rank's memory says what the rank's own dump says, and tells collectives apart."""

import json
import os
import pathlib
import pickle
import subprocess
import tempfile
import unittest

import hangstack
from hung_job import CALLED_HUNG_S, thread_rest

HAS_RECORDER = "import torch._C._distributed_c10d as c; raise SystemExit(not hasattr(c, '_dump_fr_trace'))"


def place_of(frame):
    """Function, file and line; the dump has the plain name of a function, hangstack its qualified one."""
    return frame["function"].rsplit(".", 1)[-1], frame["file"], frame["line"]


def dumped(frame):
    return frame["name"], frame["filename"], frame["line"]


@unittest.skipIf(
    subprocess.run([hangstack.PYTHON, "-c", HAS_RECORDER], capture_output=True).returncode,
    "this PyTorch has no flight recorder for gloo",
)
class Mismatch(unittest.TestCase):
    """Rank 0 is in all_gather, its peers in all_reduce: their stacks alone do not say that these should be one."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        fifo = pathlib.Path(folder.name) / "dump"
        for rank in range(3):
            os.mkfifo(f"{fifo}.{rank}")
        cls.job = hangstack.job("mismatch", environment={"DUMP_FIFO": fifo})
        cls.addClassCleanup(cls.job.end)
        cls.job.start()
        cls.job.wait_until_hung({0: "all_gather", 1: "all_reduce", 2: "all_reduce"}, quiet_s=CALLED_HUNG_S)
        cls.capture = pathlib.Path(folder.name) / "capture"
        before = [thread_rest(pid, pid) for pid in cls.job.pids]
        cls.report = hangstack.report("--capture", str(cls.capture), pids=cls.job.pids)
        cls.at_rest = before == [thread_rest(pid, pid) for pid in cls.job.pids]
        cls.dumps = [pickle.loads(pathlib.Path(f"{fifo}.{rank}").read_bytes()) for rank in range(3)]

    def items(self, report=None):
        (job,) = (report or self.report)["jobs"]
        recorder = job["records"]["flight_recorder"]
        self.assertEqual(recorder["status"], "ok", recorder)
        return recorder["items"]

    def test_every_entry_is_that_of_the_dump_field_by_field(self):
        compared = 0
        for item in self.items():
            entries = [
                entry
                for entry in self.dumps[item["rank"]]["entries"]
                if entry["collective_seq_id"] == item["seq"] and entry["profiling_name"] == f"gloo:{item['op']}"
            ]
            self.assertEqual(len(entries), 1, item)
            (entry,) = entries
            self.assertEqual(item["backend"], "gloo")
            self.assertEqual((item["group"], item["group_description"]), entry["process_group"])
            self.assertEqual(item["sizes"], [entry["input_sizes"], entry["output_sizes"]])
            self.assertEqual(item["dtypes"], [entry["input_dtypes"], entry["output_dtypes"]])
            self.assertEqual(item["timeout_ms"], entry["timeout_ms"])
            self.assertEqual(item["p2p_seq"], entry["p2p_seq_id"])
            self.assertEqual(item["state"] == "completed", entry["retired"])
            self.assertGreater(item["age_s"], 0)
            self.assertEqual([place_of(frame) for frame in item["frames"]], [dumped(f) for f in entry["frames"]])
            self.assertGreaterEqual(len(item["frames"]), 5, "from distributed_c10d.py out to the module")
            compared += 1
        self.assertGreaterEqual(compared, 3, "one unfinished operation of each rank")

    def test_the_call_site_is_the_line_of_the_script(self):
        lines = hangstack.TRAIN.read_text().splitlines()
        for item in self.items():
            file, line = item["call_site"].rsplit(":", 1)
            self.assertEqual(file, str(hangstack.TRAIN))
            self.assertIn(f"dist.{item['op']}(", lines[int(line) - 1])

    def test_the_text_names_the_line_beside_each_operation(self):
        line = next(n for n, text in enumerate(hangstack.TRAIN.read_text().splitlines(), 1) if "dist.all_gather" in text)
        seen = [each["text"] for each in hangstack.verdict(self.report)["observations"]]
        self.assertTrue(any(f"all_gather #3" in text and f"called at train.py:{line}" in text for text in seen), seen)

    def test_what_is_unfinished_is_told_of_each_rank(self):
        unfinished = {item["rank"]: item["op"] for item in self.items() if item["state"] != "completed"}
        self.assertEqual(unfinished, {0: "all_gather", 1: "all_reduce", 2: "all_reduce"})

    def test_the_verdict_is_the_mismatch_and_names_the_rank_alone(self):
        verdict = hangstack.verdict(self.report)
        self.assertEqual((verdict["pattern"], verdict["hung"]), ("collective_mismatch", "yes"))
        self.assertEqual(verdict["culprit_ranks"], [0])
        self.assertEqual(verdict["confidence"], "likely")
        self.assertIn("flight recorder", {seen["source"] for seen in verdict["observations"]})

    def test_reading_it_wakes_no_rank(self):
        self.assertTrue(self.at_rest)

    def test_a_replay_reads_the_same(self):
        done = hangstack.run("replay", str(self.capture), "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.items(json.loads(done.stdout)), self.items())


if __name__ == "__main__":
    unittest.main()
