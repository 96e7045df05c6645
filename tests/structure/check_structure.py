#!/usr/bin/env python3
"""Checks what the architecture promises about the sources: docs/architecture.md says why.

    check_structure.py ROOT              every rule that only reads
    check_structure.py --headers ROOT    headers without a .cpp of their own compile alone (needs g++)

Prints one line per breach and exits 1 if there is one.
"""
import concurrent.futures
import pathlib
import re
import subprocess
import sys

ROOMS = {
    "model": set(),
    "sampler": {"model"},
    "symbolizer": {"model"},
    "classifiers": {"model"},
    "ingest": {"model"},
    "report": {"model"},
    "cli": {"model", "sampler", "symbolizer", "classifiers", "ingest", "report"},
}
LARGEST = {".cpp": 400, ".h": 200}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
# Slow to compile, or another library's types: they stay behind a room's door.
HEAVY = re.compile(r"^(nlohmann/json\.hpp|CLI/|elfutils/|libelf\.h|gelf\.h|dwarf\.h|libunwind)")
FORBIDDEN = [
    (re.compile(r"#\s*include\s*<regex>"), "std::regex overflows the stack on hostile input"),
    (re.compile(r"\b(TODO|FIXME|XXX)\b"), "an open end: do it, or describe the limit"),
]
PRINTS = re.compile(r"std::(cout|cerr)|\bfmt::print\(|(?<![\w:])printf\(|\bfprintf\(|\bputs\(")
# Written in parts: this file is checked too.
MACHINE_PATH = re.compile(r"(?<![\w\])}>*.$\"'+-])/(?:" + "wo" + r"rk|ro" + r"ot|tmp/" + r"hs)/[\w.]")
QUOTED_MACHINE_PATH = re.compile(r"[\"']/(?:" + "wo" + r"rk|ro" + r"ot|tmp/" + r"hs)/[\w.]")
TEXT_SUFFIXES = {".cpp", ".h", ".c", ".py", ".sh", ".md", ".txt", ".cmake", ".json", ".yml", ".yaml", ".toml", ""}


def tracked_files(root):
    """Tracked and new files as paths relative to root; of a folder that is no checkout, all of them."""
    command = ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    top = subprocess.run(["git", "-C", str(root), "rev-parse", "--show-toplevel"], capture_output=True, text=True)
    if top.returncode == 0 and pathlib.Path(top.stdout.strip()) == root.resolve():
        names = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\0")
        return sorted(pathlib.PurePath(n) for n in names if n and (root / n).is_file())
    return sorted(p.relative_to(root) for p in root.rglob("*") if p.is_file() and p.parts[len(root.parts)] != "build")


class Sources:
    def __init__(self, root):
        self.root = root
        self.files = tracked_files(root)
        self.code = {p: self.text(p) for p in self.files if p.suffix in LARGEST}
        self.includes = {p: [(kind, name) for kind, name in INCLUDE.findall(text)] for p, text in self.code.items()}

    def text(self, path):
        return (self.root / path).read_text(encoding="utf-8", errors="replace")


def room_of(path):
    return path.parts[0] if path.parts[0] in ROOMS else None


def check_arrows(sources):
    for path, includes in sources.includes.items():
        room = room_of(path)
        for kind, name in includes:
            target = pathlib.PurePath(name)
            other = room_of(target)
            if kind == '"' and target not in sources.code:
                yield f'{path}: includes "{name}", which is no file by its path from the root'
            if room is None or other is None or other == room or other in ROOMS[room]:
                continue
            yield f"{path}: {room} must not include {name}: the arrow {room} -> {other} does not exist"


def public_headers(sources):
    """Headers that another room includes, and what they include in turn."""
    found = set()
    wanted = [pathlib.PurePath(name) for path, includes in sources.includes.items() for kind, name in includes
              if kind == '"' and room_of(path) and room_of(pathlib.PurePath(name)) not in (None, room_of(path))]
    while wanted:
        header = wanted.pop()
        if header in found or header not in sources.includes:
            continue
        found.add(header)
        wanted += [pathlib.PurePath(name) for kind, name in sources.includes[header] if kind == '"']
    return sorted(found)


def check_public_headers(sources):
    for header in public_headers(sources):
        for _, name in sources.includes[header]:
            if HEAVY.match(name):
                yield f"{header}: other rooms include it, so it must not include <{name}>"


def check_sizes(sources):
    for path, text in sources.code.items():
        lines = text.count("\n")
        if lines > LARGEST[path.suffix]:
            yield f"{path}: {lines} lines, more than {LARGEST[path.suffix]}: split it by job"


def check_header_form(sources):
    for path, text in sources.code.items():
        if path.suffix == ".h" and "#pragma once" not in text:
            yield f"{path}: has no #pragma once"


def check_own_header_first(sources):
    """So every header with a .cpp of its name is proved to compile alone by the build itself."""
    for path, includes in sources.includes.items():
        own = path.with_suffix(".h")
        if path.suffix == ".cpp" and own in sources.code and includes and includes[0] != ('"', str(own)):
            yield f'{path}: includes {includes[0][1]} before its own header "{own}"'


def check_words(sources):
    for path, text in sources.code.items():
        for pattern, why in FORBIDDEN:
            for match in pattern.finditer(text):
                yield f"{path}:{text.count(chr(10), 0, match.start()) + 1}: {match.group(0)}: {why}"
        if room_of(path) not in (None, "cli"):
            for match in PRINTS.finditer(text):
                line = text.count("\n", 0, match.start()) + 1
                yield f"{path}:{line}: {match.group(0)}: only cli prints"


def check_machine_paths(sources):
    for path in sources.files:
        if path.suffix not in TEXT_SUFFIXES:
            continue
        for number, line in enumerate(sources.text(path).splitlines(), 1):
            if MACHINE_PATH.search(line) or QUOTED_MACHINE_PATH.search(line):
                yield f"{path}:{number}: a path of one machine: {line.strip()[:100]}"


def check_changelog(sources):
    path = pathlib.PurePath("CHANGELOG.md")
    if path not in sources.files:
        yield "CHANGELOG.md is missing"
        return
    version = re.search(r"project\([^)]*VERSION\s+([\d.]+)", sources.text(pathlib.PurePath("CMakeLists.txt")))
    top = re.search(r"^## \[?([^\]\s]+)\]?.*\n(?:\s*\n|###.*\n)*(- .+)", sources.text(path), re.MULTILINE)
    if not top:
        yield "CHANGELOG.md: no section with an entry"
    elif top.group(1) not in ("Unreleased", version.group(1) if version else None):
        yield f"CHANGELOG.md: its first section is {top.group(1)}, neither Unreleased nor the project's version"


READING_CHECKS = [check_arrows, check_public_headers, check_sizes, check_header_form,
                  check_own_header_first, check_words, check_machine_paths, check_changelog]


def check_headers_compile(sources):
    """The headers that check_own_header_first says nothing of."""
    headers = [p for p in sources.code
               if p.suffix == ".h" and room_of(p) and p.with_suffix(".cpp") not in sources.code]
    command = ["g++", "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-I", str(sources.root)]

    def compile_alone(header):
        done = subprocess.run(command + ["-include", str(header), "-x", "c++", "/dev/null"], capture_output=True, text=True)
        errors = [l for l in done.stderr.splitlines() if "error" in l]
        return None if done.returncode == 0 else f"{header}: does not compile alone: {(errors or ['?'])[0]}"

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        yield from filter(None, pool.map(compile_alone, headers))


def breaches(root, checks):
    sources = Sources(root)
    if not sources.code:
        return [f"{root}: no sources found"]
    return [breach for check in checks for breach in check(sources)]


def main(arguments):
    headers = "--headers" in arguments
    roots = [a for a in arguments if not a.startswith("--")]
    if len(roots) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    found = breaches(pathlib.Path(roots[0]).resolve(), [check_headers_compile] if headers else READING_CHECKS)
    for breach in found:
        print(breach)
    print(f"{len(found)} breaches" if found else "the structure holds")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
