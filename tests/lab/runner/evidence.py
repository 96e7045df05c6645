"""Whether a rank hangs, by what the kernel says of its main thread."""

import pathlib
import select
import time

POLL_S = 0.02
QUIET_S = 0.6
SEEN_ASLEEP = 8  # samples
BUSY_S = 1.0  # of CPU time: that long in a loop after its line is no way to a call

TICKS_PER_S = 100  # USER_HZ of Linux


def place(pid):
    """(system call, stack pointer, program counter) while the thread is in a call; None while it runs."""
    words = pathlib.Path(f"/proc/{pid}/syscall").read_text().split()
    return None if words[0] == "running" else (words[0], words[-2], words[-1])


def cpu_s(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS_PER_S


def kernel_state(pid):
    """The letter of /proc/PID/stat: "S", "D", "Z"..."""
    return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]


def calls_of(pid):
    """{tid: (number of the system call, its first argument)} of the threads that sleep in one."""
    found = {}
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        words = (task / "syscall").read_text().split()
        if len(words) > 3:
            found[int(task.name)] = (int(words[0]), int(words[1], 16))
    return found


def below(pid):
    """{pid: name} of all that it has started, and what those have."""
    found = {}
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            found[int(child)] = pathlib.Path(f"/proc/{child}/comm").read_text().strip()
            found.update(below(child))
    return found


def wait_until(holds, deadline_s, what):
    """Until `holds()` raises no AssertionError; the last one is part of the TimeoutError."""
    end = time.monotonic() + deadline_s
    while True:
        try:
            return holds()
        except (AssertionError, FileNotFoundError, ProcessLookupError) as error:  # of a process that has just ended
            if time.monotonic() > end:
                raise TimeoutError(f"after {deadline_s} s {what}: {error}") from None
        select.select([], [], [], POLL_S)


def wait_until_steady(pids, deadline_s=60):
    """Until every main thread has been seen for a while in one system call at one place of the stack, and nowhere else.

    The wait for a device naps: it leaves and enters the same call at the same place, again and again.
    """
    if not pids:
        return
    end = time.monotonic() + deadline_s
    since, before, seen = time.monotonic(), None, 0
    while time.monotonic() < end:
        now = [place(pid) for pid in pids]
        if before is None or any(a and b and a != b for a, b in zip(before, now)):
            since, before, seen = time.monotonic(), now, 0
        else:
            before = [b or a for a, b in zip(before, now)]
            seen += None not in now
        if None not in before and seen >= SEEN_ASLEEP and time.monotonic() - since >= QUIET_S:
            return
        select.select([], [], [], POLL_S)
    raise TimeoutError(f"after {deadline_s} s the ranks still move: {dict(zip(pids, before))}")


def wait_until_busy(pids, deadline_s=60):
    """Until each of `pids` has burnt `BUSY_S` of CPU time from now on, or was seen to nap at one place only for as long.

    A wait that asks again and again sleeps between its tries, some longer from one to the next.
    """
    since = time.monotonic()
    began = {pid: cpu_s(pid) for pid in pids}
    naps = {pid: [] for pid in pids}

    def stays(pid):
        now = place(pid)
        naps[pid] += [now] if now else []
        one_place = len(naps[pid]) >= SEEN_ASLEEP and len(set(naps[pid])) == 1
        return cpu_s(pid) - began[pid] >= BUSY_S or (one_place and time.monotonic() - since >= BUSY_S)

    def all_stay():
        others = [pid for pid in pids if not stays(pid)]
        assert not others, f"pids {others} do not loop"

    wait_until(all_stay, deadline_s, "a rank that should loop does not")
