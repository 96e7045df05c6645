"""Runs the hangstack under test, and reads its reports."""

import json
import os
import pathlib
import re
import subprocess

from hung_job import Job

BINARY = os.environ["HANGSTACK_BINARY"]
PYTHON = os.environ["HANGSTACK_TORCH_PYTHON"]
TRAIN = pathlib.Path(__file__).resolve().parent / "train.py"
SHORT_GAP = ["--gap", "0.3"]
TIMEOUT_S = 120


def job(scenario, world_size=3, script=TRAIN, **settings):
    return Job(PYTHON, script, world_size, [scenario], output=subprocess.DEVNULL, **settings)


def run(*arguments, pids=()):
    command = [BINARY, *arguments, *(["--pids", *map(str, pids)] if pids else [])]
    return subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S)


def report(*arguments, pids):
    """The JSON report on `pids`; hangstack must exit 0."""
    done = run(*SHORT_GAP, "--format", "json", *arguments, pids=pids)
    if done.returncode != 0:
        raise AssertionError(f"exit status {done.returncode}: {done.stderr}\n{done.stdout}")
    return json.loads(done.stdout)


def verdict(found):
    (only,) = found["jobs"]
    return only["verdict"]


def process(found, pid):
    (only,) = [each for each in found["processes"] if each["pid"] == pid]
    return only


def main_thread(found, pid):
    (only,) = [thread for thread in process(found, pid)["threads"] if thread["tid"] == pid]
    return only


def positions(frames, wanted):
    """Where each of `wanted`, (kind, pattern of the function's name), first occurs; innermost frame is 0."""
    found = []
    for kind, pattern in wanted:
        matches = [
            index
            for index, frame in enumerate(frames)
            if frame["kind"] == kind and re.search(pattern, frame["function"] or "")
        ]
        if not matches:
            raise AssertionError(f"no {kind} frame {pattern} in:\n{show(frames)}")
        found.append(matches[0])
    return found


def show(frames):
    return "\n".join(f"  {f['kind']:7} {f['function']} {f['file']}:{f['line']} {f['module']}" for f in frames)


def addresses(found):
    """{(pid, tid): return addresses} of every thread that did not move."""
    return {
        (each["pid"], thread["tid"]): [frame["address"] for frame in thread["frames"] if frame["kind"] == "native"]
        for each in found["processes"]
        for thread in each["threads"]
        if thread["moved"] is False
    }
