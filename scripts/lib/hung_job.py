"""Starts the ranks of a torch.distributed job, waits until it hangs by what the kernel says, and ends it.

Used by scripts/demo and by the tests of tests/torch.
"""

import ctypes
import os
import pathlib
import select
import signal
import socket
import subprocess
import time

PR_SET_PDEATHSIG = 1
LIBC = ctypes.CDLL(None, use_errno=True)


def die_with_parent():
    """In the child: the kernel kills it when the thread that started it ends, however that happens."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def thread_rest(pid, tid):
    """What stays equal exactly as long as a thread sleeps: (system call line, switches); None while it runs."""
    folder = pathlib.Path(f"/proc/{pid}/task/{tid}")
    call = (folder / "syscall").read_text()
    if call.startswith("running"):
        return None
    switches = [line for line in (folder / "status").read_text().splitlines() if "ctxt_switches" in line]
    return call, tuple(switches)


def kernel_state(pid):
    """The letter of /proc/PID/stat: "S", "T", "Z"...; "" when there is no such process."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return ""


def wait_until_asleep(pids, quiet_s=0.5, deadline_s=60):
    """Until the main thread of every process has slept in one system call, without a single switch, for `quiet_s`."""
    end = time.monotonic() + deadline_s
    since, before = time.monotonic(), None
    while time.monotonic() < end:
        rest = [thread_rest(pid, pid) for pid in pids]
        if rest != before or None in rest:
            since, before = time.monotonic(), rest
        elif time.monotonic() - since >= quiet_s:
            return
        select.select([], [], [], 0.02)
    raise TimeoutError(f"after {deadline_s} s the job still moves: {dict(zip(pids, before))}")


CALLED_HUNG_S = 10.5  # hangstack says "HUNG" of what has slept for 10 s


class Job:
    """The ranks of one job. `with Job(...) as job:` leaves no process behind."""

    def __init__(self, python, script, world_size=3, arguments=(), environment=None, output=None, pass_fds=()):
        self.python = str(python)
        self.script = str(script)
        self.world_size = world_size
        self.arguments = list(arguments)
        self.environment = environment or {}
        self.output = output
        self.pass_fds = list(pass_fds)
        self.ranks = []
        self.ready = []  # the reading end of each rank's pipe
        self.said = []  # the lines each rank has written so far

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.end()
            raise
        return self

    def __exit__(self, *_):
        self.end()

    @property
    def pids(self):
        return [rank.pid for rank in self.ranks]

    def start(self):
        port = free_port()
        for rank in range(self.world_size):
            self.spawn(
                [self.python, self.script, *self.arguments],
                RANK=rank,
                LOCAL_RANK=rank,
                WORLD_SIZE=self.world_size,
                MASTER_ADDR="127.0.0.1",
                MASTER_PORT=port,
            )

    def spawn(self, command, **environment):
        reading, writing = os.pipe()
        settings = {"OMP_NUM_THREADS": 1, "GLOO_SOCKET_IFNAME": "lo", "READY_FD": writing}
        settings.update(environment, **self.environment)
        try:
            process = subprocess.Popen(
                command,
                env={**os.environ, **{name: str(value) for name, value in settings.items()}},
                stdin=subprocess.DEVNULL,
                stdout=self.output,
                stderr=self.output,
                pass_fds=[writing, *self.pass_fds],
                preexec_fn=die_with_parent,
            )
        finally:
            os.close(writing)
        self.ranks.append(process)
        self.ready.append(reading)
        self.said.append("")
        return process

    def wait_for_lines(self, expected, deadline_s=120):
        """Until every rank in `expected` {rank: event} has written that line; a rank that ends first is an error."""
        end = time.monotonic() + deadline_s
        missing = {rank for rank, event in expected.items() if not self.has_said(rank, event)}
        while missing:
            readable, _, _ = select.select([self.ready[rank] for rank in missing], [], [], end - time.monotonic())
            if not readable:
                raise TimeoutError(f"after {deadline_s} s rank {sorted(missing)} has not come to its call")
            for rank in list(missing):
                if self.ready[rank] in readable:
                    text = os.read(self.ready[rank], 4096).decode()
                    if not text:
                        raise RuntimeError(f"rank {rank} ended before it hung (pid {self.ranks[rank].pid})")
                    self.said[rank] += text
                    if self.has_said(rank, expected[rank]):
                        missing.discard(rank)

    def has_said(self, rank, event):
        return event in self.said[rank].splitlines()

    def wait_until_asleep(self, ranks=None, **settings):
        pids = [self.pids[rank] for rank in (range(len(self.ranks)) if ranks is None else ranks)]
        wait_until_asleep(pids, **settings)

    def wait_until_hung(self, expected, **settings):
        """`expected`: {rank: the line it writes right before the call that it hangs in}."""
        self.wait_for_lines(expected)
        self.wait_until_asleep(expected, **settings)

    def end(self):
        """Kills what was started here, stopped ranks too, and waits for it."""
        for process in self.ranks:
            if process.poll() is None:
                process.kill()
        for process in self.ranks:
            process.wait()
        for descriptor in self.ready:
            os.close(descriptor)
        self.ready = []
