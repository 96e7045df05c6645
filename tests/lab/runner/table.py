"""Merges what the runner has seen into the table of docs/lab.md, between two marks; what did not run keeps its cell."""

import dataclasses
import fcntl
import re

from scenario import can_run

BEGIN = "<!-- written by tests/lab/run --all --table -->"
END = "<!-- end of what the runner writes -->"
NOT_RUN = "not run"
FAILED = re.compile(r"\*\*\d+ of \d+ failed\*\*")


@dataclasses.dataclass
class Cell:
    """What a scenario showed with a version, in the table's own words."""

    text: str
    in_a_row: int  # runs without a fault up to the latest one; 0 when one of the latest failed
    stacks: dict  # {rank: its frames as one line}


def short(name):
    """A frame without its arguments, and of a nameless one the file's name only: where it lies is one machine's matter."""
    if name.startswith("??"):
        return "?? " + name.rsplit("/", 1)[-1].removeprefix("?? ").replace("None", "...")
    return name.removeprefix("py:").replace("(anonymous namespace)::", "").split("(")[0].replace("|", "\\|")


def stack_line(frames):
    return " < ".join(f"`{short(name)}`" for name in frames)


def cell_of(runs, before=None):
    """The cell of the runs of one invocation, which follow those of `before`."""
    failed = sum(bool(run.faults) for run in runs)
    words = sorted({run.verdict for run in runs} - {""})
    says = "; ".join(sorted({run.says for run in runs}))
    stacks = {int(rank): stack_line(frames) or "no process" for rank, frames in runs[-1].stacks.items()}
    if failed:
        return Cell(f"**{failed} of {len(runs)} failed**: {says}".rstrip(), 0, stacks)
    text = f"{'/'.join(words)}: {says}" if words else says
    return Cell(text, len(runs) + (before.in_a_row if before else 0), stacks)


def as_text(cell):
    if cell is None:
        return NOT_RUN
    return cell.text + (f" ({cell.in_a_row} in a row)" if cell.in_a_row > 1 else "")


def lines(scenarios, torches, cells):
    yield "| scenario | right verdict | " + " | ".join(torch.name for torch in torches) + " |"
    yield "|---" * (2 + len(torches)) + "|"
    for name, scenario in scenarios.items():
        right = (
            f"{scenario.verdict[0]} {list(scenario.culprits) if scenario.culprits else ''}" if scenario.verdict else "-"
        )
        row = [
            as_text(cells.get((name, torch.name))) if can_run(scenario, torch.generations) else "-" for torch in torches
        ]
        yield f"| {name} | {right.strip()} | " + " | ".join(row) + " |"
    yield ""
    yield "What blocks each rank: the innermost frames of the thread that hangstack calls blocking, innermost first."
    for name, scenario in scenarios.items():
        stacks = stacks_of(name, torches, cells)
        if scenario.outcome == "ends" or not stacks:
            continue
        yield ""
        yield f"**{name}**: {scenario.title}"
        yield ""
        for (rank, stack), versions in stacks.items():
            yield f"- rank {rank}, {', '.join(versions)}: {stack}"


def stacks_of(name, torches, cells):
    """{(rank, stack as text): the versions that show it}."""
    found = {}
    for torch in torches:
        cell = cells.get((name, torch.name))
        for rank, stack in cell.stacks.items() if cell else ():
            found.setdefault((rank, stack), []).append(torch.name)
    return dict(sorted(found.items()))


def read(text):
    """The cells that `lines` wrote: {(scenario, version): Cell}."""
    cells, versions, name = {}, [], None
    for line in text.split(BEGIN)[1].split(END)[0].splitlines():
        columns = [each.strip() for each in line.strip("|").split(" | ")] if line.startswith("| ") else None
        if columns and columns[0] == "scenario":
            versions = columns[2:]
        elif columns:
            for version, said in zip(versions, columns[2:]):
                if said not in ("-", NOT_RUN):
                    row = re.fullmatch(r"(.*?)(?: \((\d+) in a row\))?", said)
                    count = 0 if FAILED.match(said) else int(row[2] or 1)
                    cells[columns[0], version] = Cell(row[1], count, {})
        elif heading := re.match(r"\*\*(\w+)\*\*: ", line):
            name = heading[1]
        elif stack := re.match(r"- rank (\d+), ([^:]+): (.*)", line):
            for version in stack[2].split(", "):
                if (name, version) in cells:
                    cells[name, version].stacks[int(stack[1])] = stack[3]
    return cells


def merge(path, scenarios, torches, seen):
    """Brings `seen`, {(scenario, version): the runs of one invocation}, into the file at `path`; two runners at once may."""
    with path.open("r+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        text = file.read()
        cells = read(text)
        cells.update({key: cell_of(runs, cells.get(key)) for key, runs in seen.items()})
        before, after = text.split(BEGIN)[0], text.split(END)[1]
        file.seek(0)
        file.write(before + BEGIN + "\n\n" + "\n".join(lines(scenarios, torches, cells)) + "\n\n" + END + after)
        file.truncate()
