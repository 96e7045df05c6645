"""Runs tools in turn on one target, several rounds, so that all see the same minute of the machine."""

import json
import re
import shutil
import statistics
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from measure.page_cache import warm
from measure.tools import Tool

DEADLINE_SECONDS = 120
# Not pid 0, which hangstack tries to learn whether the kernel lets it trace at all.
ATTACH = re.compile(r"ptrace\((?:PTRACE_SEIZE|PTRACE_ATTACH), ([1-9]\d*)")


@dataclass
class Result:
    """Of one tool on one target; medians over its rounds."""

    tool: Tool
    walls: list = field(default_factory=list)
    cpus: list = field(default_factory=list)
    rss_mib: list = field(default_factory=list)
    pauses: list = field(default_factory=list)
    held_us: list = field(default_factory=list)  # the floor's own clock
    attached: object = None  # threads it attached to, of those there; None: not counted
    failure: str = ""

    def wall(self):
        return statistics.median(self.walls) if self.walls else None

    def cpu(self):
        return statistics.median(self.cpus) if self.cpus else None

    def rss(self):
        return statistics.median(self.rss_mib) if self.rss_mib else None

    def pause_ms(self):
        return statistics.median(pause.longest_stop_ms for pause in self.pauses) if self.pauses else None

    def shortest_pause_ms(self):
        return min(pause.longest_stop_ms for pause in self.pauses) if self.pauses else None


@dataclass
class Case:
    name: str
    describe: str
    make: object  # () -> Target
    python: bool
    expect: str  # regular expression: what a dump that worked shows
    ranks: int = 1


@dataclass
class CaseResult:
    case: Case
    threads: int
    results: list

    def of(self, name):
        return next((result for result in self.results if result.tool.name == name and not result.failure), None)


class ToolFailed(Exception):
    pass


def launch(build, target, tool, cpu, expect):
    """One run: the launcher's figures, and what the first command printed, which must match `expect`."""
    output = Path(target.folder) / "output"
    words = [str(build / "bench" / "bench_launch"), str(output), str(cpu), str(DEADLINE_SECONDS)]
    for command in tool.commands(target.pids):
        words += [*command, ";;"]
    done = subprocess.run(words[:-1], capture_output=True, text=True, check=True)
    cost = json.loads(done.stdout)
    text = Path(f"{output}.0").read_text(errors="replace")
    if cost["status"] != 0:
        complaint = Path(f"{output}.0.err").read_text(errors="replace").strip().splitlines()
        raise ToolFailed(f"status {cost['status']}: {complaint[-1] if complaint else 'no message'}")
    if not re.search(expect, text):
        raise ToolFailed(f"its dump does not show {expect}")
    return cost, text


def measure_cost(build, target, result, expect):
    cost, text = launch(build, target, result.tool, -1, expect)
    result.walls.append(cost["wall_s"])
    result.cpus.append(cost["cpu_s"])
    result.rss_mib.append(cost["rss_sum_kib"] / 1024)
    if result.tool.kind == "floor":
        result.held_us.append(sum(json.loads(line)["us"] for line in text.splitlines()))


def measure_pause(build, target, result, cpu, expect):
    target.meter.start()
    try:
        launch(build, target, result.tool, cpu, expect)
    except ToolFailed:
        target.resume()
        raise
    finally:
        pause = target.meter.end()
    result.pauses.append(pause)


def count_attached(target, tool):
    """How many threads the tool attaches to while none of them runs, by strace; None without strace."""
    if not shutil.which("strace") or not tool.countable:
        return None
    log = Path(target.folder) / "strace"
    seen = set()
    for command in tool.commands(target.pids):
        subprocess.run(["strace", "-f", "--seccomp-bpf", "-qq", "-e", "trace=ptrace", "-e", "signal=none", "-o", str(log), *command],
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False,
                       timeout=2 * DEADLINE_SECONDS)
        seen.update(ATTACH.findall(log.read_text(errors="replace")))
    return len(seen)


def run_case(build, case, tools, rounds, tool_cpu, say):
    """`tool_cpu`: the core for tools while the meter has another; None: no pause can be measured."""
    with case.make() as target:
        threads = target.threads()
        results = [Result(tool) for tool in tools if case.python or not tool.python_only]
        results = [r for r in results if len(target.pids) <= r.tool.most_pids and threads <= r.tool.most_threads]
        say(f"{case.name}: {case.describe}; {threads} threads")
        for turn in range(rounds):
            for result in results[turn % len(results):] + results[:turn % len(results)]:
                if result.failure or turn >= result.tool.repeats:
                    continue
                try:
                    warm(target.pids)
                    expect = result.tool.prints or case.expect
                    measure_cost(build, target, result, expect)
                    if tool_cpu is not None:
                        measure_pause(build, target, result, tool_cpu, expect)
                except ToolFailed as failure:
                    result.failure = str(failure)
                    target.resume()
                    say(f"{case.name}: {result.tool.name}: {failure}")
        for result in results:
            if not result.failure:
                result.attached = count_attached(target, result.tool)
        return CaseResult(case, threads, results)
