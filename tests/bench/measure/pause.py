"""The reader's side of the pause meter (pause_meter.h)."""

import mmap
import os
import struct
import time
from dataclasses import dataclass

WORDS = struct.Struct("=8Q")
IDLE, MEASURING, ENDING = range(3)
ANSWER_SECONDS = 30


@dataclass
class Pause:
    stops: int
    stopped_ms: float
    longest_stop_ms: float
    raw_gaps: int
    raw_ms: float
    longest_raw_ms: float


class PauseMeter:
    """Makes the files a metered target is given, then starts and ends measurements."""

    def __init__(self, folder):
        # No file of a disk: the meter would wait for write-back, and that looks like a stop.
        self._record = os.memfd_create("hangstack-pause")
        os.truncate(self._record, WORDS.size)
        self.record_path = f"/proc/{os.getpid()}/fd/{self._record}"
        self.start_path = os.path.join(folder, "pause.start")
        os.mkfifo(self.start_path)
        # Read and write: the open does not wait for the other side.
        self._start = os.open(self.start_path, os.O_RDWR)
        self._words = mmap.mmap(self._record, WORDS.size)

    def close(self):
        self._words.close()
        os.close(self._start)
        os.close(self._record)

    def start(self):
        os.write(self._start, b"1")
        self._wait_for(MEASURING)

    def end(self):
        self._words[:8] = struct.pack("=Q", ENDING)
        self._wait_for(IDLE)
        _, stops, stopped, longest, raw, raw_ns, longest_raw, _ = WORDS.unpack(self._words[:])
        return Pause(stops, stopped / 1e6, longest / 1e6, raw, raw_ns / 1e6, longest_raw / 1e6)

    def _wait_for(self, phase):
        give_up = time.monotonic() + ANSWER_SECONDS
        while WORDS.unpack(self._words[:])[0] != phase:
            if time.monotonic() > give_up:
                raise RuntimeError("the pause meter does not answer: is its target stopped?")
            time.sleep(0.0005)  # the meter answers in shared memory: nothing to block on
