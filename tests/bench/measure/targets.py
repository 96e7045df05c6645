"""What is measured: real gloo ranks, and plain processes of many threads. Each is ended by its own pid."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from measure.pause import PauseMeter

BENCH = Path(__file__).resolve().parent.parent
READY_SECONDS = 180
PRIORITY = "-10"
REST_SECONDS = 0.5


def find_torch_python():
    """A Python with torch and gloo, and what it is; the newest release first. (None, reason) without one."""
    cache = Path(os.environ.get("HANGSTACK_CACHE") or Path.home() / ".cache" / "hangstack")
    for python in (cache / "torch-2.15" / "bin" / "python", Path("/usr/bin/python3")):
        if not python.exists():
            continue
        probe = "import sys, torch, torch.distributed as d; assert d.is_gloo_available();" \
                "print('torch', torch.__version__.split('+')[0] + ', CPython', '.'.join(map(str, sys.version_info[:3])))"
        found = subprocess.run([python, "-c", probe], capture_output=True, text=True, check=False)
        if found.returncode == 0:
            return str(python), found.stdout.strip()
    return None, "no Python with torch (gloo): neither torch-2.15 in the cache nor Debian's python3-torch"


def raise_priority(pid):
    try:
        Path(f"/proc/{pid}/autogroup").write_text(PRIORITY)
    except OSError:
        pass  # not root, or a kernel without autogroups: the load of others is measured along


def switches(pid):
    """Context switches of each thread of pid but the meter's."""
    counts = {}
    for task in Path(f"/proc/{pid}/task").iterdir():
        fields = dict(line.split(":", 1) for line in (task / "status").read_text().splitlines() if ":" in line)
        if fields["Name"].strip() != "pause_meter":
            counts[task.name] = (fields["voluntary_ctxt_switches"], fields["nonvoluntary_ctxt_switches"])
    return counts


class Target:
    """Processes that hang, the pids a tool is pointed at, and the meter inside the first of them."""

    def __init__(self, build, meter_cpu):
        self.build = Path(build)
        self.folder = tempfile.mkdtemp(prefix="hangstack-bench-")
        self.meter = PauseMeter(self.folder)
        self.meter_words = [self.meter.record_path, self.meter.start_path, str(meter_cpu)]
        self.processes = []
        self.pids = []

    def start(self, words):
        process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True)
        self.processes.append(process)
        raise_priority(process.pid)

    def wait_until_hung(self):
        give_up = time.monotonic() + READY_SECONDS
        for process in self.processes:
            for line in process.stdout:
                if line.strip() == "ready":
                    break
            else:
                raise RuntimeError(f"a target ended before it hung: {process.args}")
        resting_since, before = time.monotonic(), None
        while time.monotonic() - resting_since < REST_SECONDS:
            if time.monotonic() > give_up:
                raise RuntimeError("the targets do not come to rest")
            # Only the main thread: helper threads of a hung rank may nap for good.
            current = [switches(process.pid)[str(process.pid)] for process in self.processes]
            if current != before:
                resting_since, before = time.monotonic(), current
            time.sleep(0.05)  # rest is the absence of switches: it can only be watched

    def threads(self):
        return sum(len(os.listdir(f"/proc/{pid}/task")) for pid in self.pids)

    def resume(self):
        """After a tool that was killed: gdb then leaves its target stopped."""
        for process in self.processes:
            process.send_signal(signal.SIGCONT)

    def close(self):
        for process in self.processes:
            process.send_signal(signal.SIGKILL)
        for process in self.processes:
            process.wait()
            process.stdin.close()
            process.stdout.close()
        self.meter.close()
        shutil.rmtree(self.folder)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def torch_job(build, meter_cpu, python, dumped, python_threads=0):
    """A job of `dumped` ranks, or of two when one is dumped; rank 0 carries the meter and the extra Python threads."""
    target = Target(build, meter_cpu)
    world = max(2, dumped)
    try:
        for rank in range(world):
            words = [python, str(BENCH / "torch_rank.py"), str(rank), str(world), os.path.join(target.folder, "store")]
            words.append(str(python_threads if rank == 0 else 0))
            if rank == 0:
                words += [str(target.build / "bench" / "libpause_meter.so"), *target.meter_words]
            target.start(words)
        target.wait_until_hung()
    except BaseException:
        target.close()
        raise
    target.pids = [process.pid for process in target.processes[:dumped]]
    return target


def plain_process(build, meter_cpu, threads):
    target = Target(build, meter_cpu)
    try:
        target.start([str(target.build / "bench" / "bench_thread_target"), str(threads), *target.meter_words])
        target.wait_until_hung()
    except BaseException:
        target.close()
        raise
    target.pids = [target.processes[0].pid]
    return target
