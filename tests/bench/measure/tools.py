"""The command lines that are compared."""

import shutil
from dataclasses import dataclass
from typing import Callable

from measure import peers

GDB = ["gdb", "-nx", "-batch", "-ex", "set debuginfod enabled off", "-ex", "thread apply all bt", "-p"]


@dataclass
class Tool:
    name: str
    kind: str  # "floor", "hangstack" or "peer"
    commands: Callable  # pids -> list of commands, run at the same time
    holds_all: bool = True  # every thread of the process at once, so that its pause grows with the threads
    python_only: bool = False
    repeats: int = 1000  # at most
    most_pids: int = 1000
    most_threads: int = 100_000
    countable: bool = True  # strace can follow it
    prints: str = ""  # regular expression its output must match; empty: what the target's stacks show


def one_each(*words):
    """A command per pid, for tools that take one."""
    return lambda pids: [[*words, str(pid)] for pid in pids]


def at_once(*words):
    return lambda pids: [[*words, *map(str, pids)]]


def present(program):
    return shutil.which(program) or shutil.which(program, path=str(peers.folder() / "bin"))


def floors(build):
    floor = str(build / "bench" / "bench_floor")
    return [Tool("floor", "floor", at_once(floor), prints="threads"),
            Tool("floor, 16 KiB a stack", "floor", at_once(floor, "--bytes", "16384"), prints="threads")]


def hangstacks(binary):
    return [Tool(f"hangstack --stop {mode}", "hangstack", at_once(str(binary), "--samples", "1", "--stop", mode, "--pids"),
                 holds_all=mode == "all") for mode in ("auto", "all", "never")]


def peer_tools():
    """Those that are installed, and a sentence for each that is not."""
    found, missing = [], []
    wanted = [
        ("eu-stack", Tool("eu-stack", "peer", one_each("eu-stack", "-p"), holds_all=False)),
        # 1.2 GiB and 10 to 20 s for one torch rank: not run on many, nor on many threads. It stops for good under strace.
        ("gdb", Tool("gdb", "peer", one_each(*GDB), repeats=2, most_pids=1, most_threads=100, countable=False)),
        ("py-spy", Tool("py-spy --native", "peer", one_each(str(present("py-spy")), "dump", "--native", "--pid"), python_only=True)),
        ("pystack", Tool("pystack --native-all", "peer", one_each(str(present("pystack")), "remote", "--native-all"),
                         python_only=True)),
    ]
    for program, tool in wanted:
        if present(program):
            found.append(tool)
        else:
            missing.append(f"{tool.name} is not installed: not compared (tests/bench/run --setup, or the package)")
    return found, missing
