"""Writes what the runner has seen into docs/lab.md, between two marks."""

from scenario import can_run

BEGIN = "<!-- written by tests/lab/run --all --table -->"
END = "<!-- end of what the runner writes -->"


def short(name):
    """A frame without its arguments, and of a nameless one the file's name only: where it lies is one machine's matter."""
    if name.startswith("??"):
        return "?? " + name.rsplit("/", 1)[-1].removeprefix("?? ").replace("None", "...")
    return name.removeprefix("py:").replace("(anonymous namespace)::", "").split("(")[0].replace("|", "\\|")


def stack_line(frames):
    return " < ".join(f"`{short(name)}`" for name in frames)


def cell(runs):
    """One word for all runs of a scenario with a version, and what hangstack said."""
    if not runs:
        return "not run"
    failed = sum(bool(run.faults) for run in runs)
    words = sorted({run.verdict for run in runs} - {""})
    says = sorted({run.says for run in runs})
    many = f" ({len(runs)} runs)" if len(runs) > 1 else ""
    if failed:
        return f"**{failed} of {len(runs)} failed**: {'; '.join(says)}"
    return f"{'/'.join(words) + ': ' if words else ''}{'; '.join(says)}{many}"


def lines(scenarios, torches, seen):
    yield "| scenario | right verdict | " + " | ".join(torch.name for torch in torches) + " |"
    yield "|---" * (2 + len(torches)) + "|"
    for name, scenario in scenarios.items():
        right = (
            f"{scenario.verdict[0]} {list(scenario.culprits) if scenario.culprits else ''}" if scenario.verdict else "-"
        )
        cells = [
            cell(seen.get((name, torch.name))) if can_run(scenario, torch.generations) else "-" for torch in torches
        ]
        yield f"| {name} | {right.strip()} | " + " | ".join(cells) + " |"
    yield ""
    yield "What blocks each rank: the innermost frames of the thread that hangstack calls blocking, innermost first."
    for name, scenario in scenarios.items():
        runs = {torch.name: seen.get((name, torch.name)) for torch in torches}
        if scenario.outcome == "ends" or not any(runs.values()):
            continue
        yield ""
        yield f"**{name}**: {scenario.title}"
        yield ""
        for (rank, stack), versions in stacks_of(runs).items():
            yield f"- rank {rank}, {', '.join(versions)}: {stack}"


def stacks_of(runs):
    """{(rank, stack as text): the versions that show it}, of the last run of each version."""
    found = {}
    for version, each in runs.items():
        for rank, frames in (each[-1].stacks if each else {}).items():
            found.setdefault((int(rank), stack_line(frames) or "no process"), []).append(version)
    return dict(sorted(found.items()))


def write(path, scenarios, torches, seen):
    text = path.read_text()
    before, after = text.split(BEGIN)[0], text.split(END)[1]
    path.write_text(before + BEGIN + "\n\n" + "\n".join(lines(scenarios, torches, seen)) + "\n\n" + END + after)
