"""The pause meter counts each stop by a tracer, and nothing else. pause_meter_test.py BUILD_FOLDER"""

import os
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from measure.targets import plain_process  # noqa: E402

BUILD = Path(sys.argv.pop())
TIMES = 20
METER_CORE = max(os.sched_getaffinity(0))


class PauseMeter(unittest.TestCase):
    def setUp(self):
        self.target = plain_process(BUILD, METER_CORE, 4)
        self.addCleanup(self.target.close)

    def measure(self, words):
        self.target.meter.start()
        for _ in range(TIMES):
            subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
        return self.target.meter.end()

    def test_counts_every_stop_of_the_floor_program(self):
        pause = self.measure([str(BUILD / "bench" / "bench_floor"), str(self.target.pids[0])])
        self.assertEqual(pause.stops, TIMES)
        self.assertGreater(pause.longest_stop_ms, 0)
        self.assertGreaterEqual(pause.stopped_ms, pause.longest_stop_ms)

    def test_counts_no_preemption_as_a_stop(self):
        load = "i=0; while [ $i -lt 5000 ]; do i=$((i+1)); done"
        self.assertEqual(self.measure(["taskset", "-c", str(METER_CORE), "sh", "-c", load]).stops, 0)

    def test_starts_anew_with_each_measurement(self):
        self.measure([str(BUILD / "bench" / "bench_floor"), str(self.target.pids[0])])
        self.assertEqual(self.measure(["true"]).stops, 0)


if __name__ == "__main__":
    unittest.main()
