"""gdb attached to the process that calls this, as by a user at another terminal."""

import ctypes
import pathlib
import re
import subprocess
import time

from scenario import die_with_parent

PR_SET_PTRACER = 0x59616D61  # Yama: else no process may trace its parent
ANYBODY = ctypes.c_ulong(-1)


def tracer_of(pid):
    return int(re.search(r"^TracerPid:\t(\d+)$", pathlib.Path(f"/proc/{pid}/status").read_text(), re.M)[1])


def attach(*commands):
    """Returns while gdb still comes; it waits at its prompt after `commands`, and ends with the caller."""
    ctypes.CDLL(None).prctl(PR_SET_PTRACER, ANYBODY)
    arguments = [word for command in commands for word in ("-ex", command)]
    quick = ["-iex", "set auto-solib-add off", "-iex", "set debuginfod enabled off"]
    return subprocess.Popen(
        ["env", "-u", "LD_PRELOAD", "gdb", "-q", "-nx", *quick, "-p", str(pathlib.Path("/proc/self").readlink()), *arguments],
        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=die_with_parent,
    )  # fmt: skip


def wait_until_traced():
    while not tracer_of("self"):
        time.sleep(0.01)
