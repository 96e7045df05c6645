"""Checks a report of hangstack against what a scenario expects."""

import dataclasses
import json
import re
import subprocess

from scenario import pick

TIMEOUT_S = 120


@dataclasses.dataclass
class Judgement:
    """`faults` fail the scenario; `verdict` is a word for the table: right, open, misled or wrong."""

    faults: list
    verdict: str
    says: str
    stacks: dict  # {rank: the innermost frames of what blocks it}


def sample(hangstack, pids, extra=()):
    """(report, exit status) of hangstack on `pids`."""
    gap = () if "--gap" in extra else ("--gap", "0.5")
    command = [hangstack, *gap, "--format", "json", *extra, "--pids", *map(str, pids)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S)
    try:
        return json.loads(done.stdout), done.returncode
    except json.JSONDecodeError:
        raise RuntimeError(
            f"hangstack gave no report (exit status {done.returncode}): {' '.join(map(str, command))}\n"
            f"{done.stderr[-2000:]}\n{done.stdout[-500:]}"
        ) from None


def name_of(frame):
    return ("py:" if frame["kind"] == "python" else "") + (frame["function"] or f"?? {frame['module']}")


def missing_frame(frames, patterns):
    """The first of `patterns` that no frame behind the one before it matches; None when all are there in order."""
    names = iter([name_of(frame) for frame in frames])
    for pattern in patterns:
        if not any(re.search(pattern, name) and pattern.startswith("py:") == name.startswith("py:") for name in names):
            return pattern
    return None


def threads_of(report, pid):
    return next((each["threads"] for each in report["processes"] if each["pid"] == pid), [])


def any_has(threads, patterns):
    return any(missing_frame(thread["frames"], patterns) is None for thread in threads)


def check_frames(scenario, generations, report, pids):
    for rank, table in scenario.frames.items():
        main = [thread for thread in threads_of(report, pids[rank]) if thread["tid"] == pids[rank]]
        missing = missing_frame(main[0]["frames"], pick(table, generations, [])) if main else "the main thread"
        if missing:
            yield f"rank {rank}: no frame {missing} in its main thread"
    for rank, table in scenario.elsewhere.items():
        patterns = pick(table, generations, [])
        others = [thread for thread in threads_of(report, pids[rank]) if thread["tid"] != pids[rank]]
        if patterns and not any_has(others, patterns):
            yield f"rank {rank}: no other thread has {' < '.join(patterns)}"
    of_others = [thread for each in report["processes"] if each["pid"] not in pids for thread in each["threads"]]
    for rank, table in scenario.below.items():
        patterns = pick(table, generations, [])
        if patterns and not any_has(of_others, patterns):
            yield f"rank {rank}: no process below it has {' < '.join(patterns)}"


def check_words(scenario, report, verdict):
    words = json.dumps([verdict, report.get("errors", [])])
    return [f"the report does not tell {pattern}" for pattern in scenario.tells if not re.search(pattern, words)]


def word_for(scenario, verdict):
    right_pattern = verdict["pattern"] in scenario.verdict
    right_ranks = scenario.culprits is None or tuple(verdict["culprit_ranks"]) == scenario.culprits
    hung = {"hangs": "no", "moves": "yes"}.get(scenario.outcome)
    if verdict["hung"] == hung:
        return "wrong"
    if right_pattern and right_ranks:
        return "right"
    if verdict["confidence"] == "certain":
        return "wrong"
    innocent = set(verdict["culprit_ranks"]) - set(scenario.culprits or ())
    return "misled" if innocent else "open"


def stacks(report, pids, count=11):
    found = {}
    for rank, pid in enumerate(pids):
        blocking = [thread for thread in threads_of(report, pid) if thread["blocking"]]
        found[rank] = [name_of(frame) for frame in (blocking[0]["frames"] if blocking else [])][:count]
    return found


def verdict_of(scenario, report, pids):
    """The verdict on the job of the first process. Where jobs were launched apart, rank numbers are of one job only:
    the culprits of all of them are then places among `pids`, as in the scenario."""
    if not report["jobs"]:
        return None
    if not scenario.jobs:
        return report["jobs"][0]["verdict"]
    job = next(job for job in report["jobs"] if pids[0] in [rank["pid"] for rank in job["ranks"]])
    blamed = {
        rank["pid"]
        for each in report["jobs"]
        for rank in each["ranks"]
        if rank["rank"] in each["verdict"]["culprit_ranks"]
    }
    return {**job["verdict"], "culprit_ranks": [place for place, pid in enumerate(pids) if pid in blamed]}


def judge(scenario, generations, report, pids):
    verdict = verdict_of(scenario, report, pids)
    faults = list(check_frames(scenario, generations, report, pids))
    if verdict is None:
        return Judgement([*faults, "the report has no job"], "wrong", "nothing", stacks(report, pids))
    faults.extend(check_words(scenario, report, verdict))
    word = word_for(scenario, verdict)
    culprits = ",".join(map(str, verdict["culprit_ranks"])) or "none"
    says = f"{verdict['pattern']} (hung: {verdict['hung']}, {verdict['confidence']}, ranks: {culprits})"
    known = pick(scenario.known_faults, generations)
    if word == "wrong" and known:
        says += f"; known: {known}"
    elif word == "wrong":
        faults.append(f"a wrong verdict: {says}; right is {scenario.verdict}, ranks {scenario.culprits}")
    if len(report["jobs"]) not in (1, len(scenario.jobs)):
        faults.append(f"{len(report['jobs'])} jobs instead of one")
    return Judgement(faults, word, says, stacks(report, pids))
