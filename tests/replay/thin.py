"""Makes a session that --capture kept small and anonymous, so that it can be a test: what its report needs stays."""

import bisect
import difflib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PAGE = 4096
# Memory holds the environment and the paths of a process: what is kept was recorded here.
NEUTRAL = pathlib.Path("/tmp/hangstack-case")
BARE_ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": "/nonexistent"}
SHORTEST_MASKED = 4  # bytes: a shorter word is in memory by chance


class Changed(Exception):
    """The report lost a word when the session was made small."""


def replay(hangstack, folder, *arguments):
    done = subprocess.run([hangstack, "replay", folder, *arguments], check=True, capture_output=True, text=True)
    return done.stdout


def full_report(hangstack, folder):
    return replay(hangstack, folder, "--full", "--all-threads", "--why", "--color", "never")


def used_addresses(hangstack, folder, captures):
    """Every address that a frame, a register or a kept byte has, ascending."""
    found = json.loads(replay(hangstack, folder, "--format", "json"))
    frames = [frame for each in found["processes"] for thread in each["threads"] for frame in thread["frames"]]
    used = {int(str(frame["address"]), 0) for frame in frames}
    for kept in captures:
        for thread in kept["threads"]:
            used.update(value for value in thread["registers"] if isinstance(value, int))
        for address, _, size in [*kept["memory"], *(each for thread in kept["threads"] for each in thread["memory"])]:
            used.update(range(address, address + size, PAGE))
            used.add(address + size - 1)
    return sorted(used)


def touched(mapping, used):
    at = bisect.bisect_left(used, mapping[0])
    return at < len(used) and used[at] <= mapping[1]


def known_files(facts):
    """The build-ids of files of which a fact is kept: that something is not in a file (a name alone) is none."""
    return {
        build_id
        for build_id, module in facts["modules"].items()
        if any(len(fact) > 1 for key, list_of_facts in module.items() if key != "path" for fact in list_of_facts)
    }


def shrink(kept, used, known):
    """Takes away the mappings of files that nothing touches and of which nothing is known, and those files."""
    paths = {mapping[-1] for mapping in kept["mappings"] if touched(mapping, used)}
    paths |= {file["path"] for file in kept["files"] if file["build_id"] in known}
    kept["mappings"] = [
        mapping for mapping in kept["mappings"] if touched(mapping, used) or (mapping[-1] and mapping[-1] in paths)
    ]
    kept["files"] = [file for file in kept["files"] if file["path"] in paths]
    for file in kept["files"]:
        file["open_paths"] = []


def make_anonymous(kept, keeps_variable):
    kept["host"] = "host"
    kept["environment"] = {name: value for name, value in kept["environment"].items() if keeps_variable(name)}


def renamed(text, names):
    for name, other in names:
        text = re.sub(rf"(?<![\w-]){re.escape(str(name))}(?![\w-])", str(other), text)
    return text


def mask(memory, words):
    """Writes x over words in bytes: their length may be part of what a structure says of them."""
    for word in words:
        if len(word) >= SHORTEST_MASKED:
            memory = memory.replace(word.encode(), b"x" * len(word))
    return memory


def rewrite(file, change):
    kept = json.loads(file.read_text())
    change(kept)
    file.write_text(json.dumps(kept, separators=(",", ":"), ensure_ascii=False))
    return kept


def keep_needed_memory(hangstack, folder):
    """Zeroes the memory that no report reads."""
    with tempfile.TemporaryDirectory() as temporary:
        thinned = pathlib.Path(temporary) / "thinned"
        replay(hangstack, folder, "--quiet", "--thin", thinned)
        for file in thinned.glob("*/memory.bin"):
            shutil.copy(file, folder / file.relative_to(thinned))


def thin(hangstack, folder, names, masked=(), keeps_variable=lambda name: True):
    """Thins the session in `folder`; gives its full report.

    In its texts each of `names` [(path, other)] is replaced, and this host; in memory what is left of them and of
    `masked` is written over. `Changed` if the report is not the same before and after.
    """
    names = [*names, (os.uname().nodename, "host")]
    files = sorted(folder.glob("*/capture.json"))
    for file in [*files, folder / "session.json", folder / "facts.json"]:
        file.write_text(renamed(file.read_text(), names))
    captures = [rewrite(file, lambda kept: make_anonymous(kept, keeps_variable)) for file in files]
    before, used = full_report(hangstack, folder), used_addresses(hangstack, folder, captures)
    known = known_files(json.loads((folder / "facts.json").read_text()))
    for file in files:
        rewrite(file, lambda kept: shrink(kept, used, known))
    keep_needed_memory(hangstack, folder)
    for file in folder.glob("*/memory.bin"):
        file.write_bytes(mask(file.read_bytes(), [str(word) for word in [*(old for old, _ in names), *masked]]))
    after = full_report(hangstack, folder)
    if after != before:
        sys.stdout.writelines(difflib.unified_diff(before.splitlines(True), after.splitlines(True), "whole", "small"))
        raise Changed(f"{folder.name}: the report changed when the case was made small")
    return after
