"""Markdown tables of the results, and their place in docs/bench.md."""

import os
import platform
from pathlib import Path

BEGIN, END = "<!-- tables: written by tests/bench/run --write-docs -->", "<!-- end of tables -->"


def machine():
    model = next((line.split(":", 1)[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines()
                  if line.startswith("model name")), platform.machine())
    memory = int(Path("/proc/meminfo").read_text().split()[1]) / 1024 / 1024
    release = dict(line.split("=", 1) for line in Path("/etc/os-release").read_text().splitlines() if "=" in line)
    kernel = ".".join(platform.release().split("-")[0].split(".")[:2])
    virtual = " (virtual machine)" if "hypervisor" in Path("/proc/cpuinfo").read_text() else ""
    return (f"{os.cpu_count()} cores of {model}{virtual}, {memory:.0f} GiB, {release['PRETTY_NAME'].strip(chr(34))},"
            f" Linux {kernel}")


def number(value, digits=2):
    return "" if value is None else f"{value:.{digits}f}"


def ratio(value, base):
    return "" if value is None or not base else f"{value / base:.2g}x" if value / base < 100 else f"{value / base:.0f}x"


def rows(outcome):
    floor, own = outcome.of("floor"), outcome.of("hangstack --stop auto")
    floor_pause = floor.pause_ms() if floor else None
    for result in outcome.results:
        if result.failure:
            yield [result.tool.name, f"failed: {result.failure}", "", "", "", "", "", "", ""]
            continue
        stops = result.attached
        held = [pause.stops for pause in result.pauses]
        yield [result.tool.name, number(result.wall(), 3), ratio(result.wall(), own.wall() if own else None),
               number(result.cpu(), 3), number(result.rss(), 0),
               number(result.pause_ms(), 3) if any(held) else "not stopped" if held else "not measured",
               ratio(result.pause_ms(), floor_pause), number(result.shortest_pause_ms(), 3),
               "" if stops is None else f"{stops} of {outcome.threads}"]


HEADER = ["tool", "wall s", "wall / hangstack", "CPU s", "RSS MiB", "pause ms", "pause / floor", "shortest pause ms",
          "blocked threads attached"]


def markdown(outcome):
    lines = [f"### {outcome.case.name}", "", f"{outcome.case.describe}; {outcome.threads} threads.", "",
             "| " + " | ".join(HEADER) + " |", "|" + "---|" * len(HEADER)]
    lines += ["| " + " | ".join(row) + " |" for row in rows(outcome)]
    floor = outcome.of("floor")
    if floor and floor.held_us:
        lines += ["", f"The floor program's own clock, first seize to last detach: {min(floor.held_us) / 1000:.2f} ms at best."]
    return "\n".join(lines) + "\n"


def document(outcomes, rounds, versions):
    head = f"Machine: {machine()}. Medians of {rounds} rounds. {versions}\n"
    return head + "\n" + "\n".join(markdown(outcome) for outcome in outcomes)


def write_into(path, text):
    """Replaces what stands between the two marks of the page. ValueError if it has none."""
    page = path.read_text()
    if BEGIN not in page or END not in page:
        raise ValueError(f"{path}: the marks of the tables are missing")
    before, rest = page.split(BEGIN, 1)
    path.write_text(f"{before}{BEGIN}\n\n{text}\n{END}{rest.split(END, 1)[1]}")
