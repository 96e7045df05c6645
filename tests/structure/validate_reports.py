#!/usr/bin/env python3
"""Validates JSON reports against docs/report.schema.json.

    validate_reports.py SCHEMA REPORT.json...

Exits 1 for a report that is not as the schema says, and for a schema that accepts a spoilt report.
Knows the part of JSON Schema (draft 7) that the schema uses, and refuses any other keyword: no package is needed.
"""
import copy
import json
import re
import sys


TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}
SILENT = {"$schema", "$id", "title", "description", "definitions", "additionalProperties"}


def is_type(value, name):
    if name in ("integer", "number"):
        return isinstance(value, int if name == "integer" else (int, float)) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


def complaints(value, rule, root, path="report"):
    """What in `value` is not as `rule` says; empty if it is."""
    for keyword, wanted in rule.items():
        if keyword in SILENT:
            continue
        if keyword == "$ref":
            yield from complaints(value, root["definitions"][wanted.rsplit("/", 1)[1]], root, path)
        elif keyword == "anyOf":
            if all(any(complaints(value, one, root, path)) for one in wanted):
                yield f"{path}: {str(value)[:60]!r} fits no alternative"
        elif keyword == "type":
            if not any(is_type(value, name) for name in ([wanted] if isinstance(wanted, str) else wanted)):
                yield f"{path}: {str(value)[:60]!r} is no {wanted}"
        elif keyword in ("const", "enum"):
            if value not in ([wanted] if keyword == "const" else wanted):
                yield f"{path}: {str(value)[:60]!r} is not {wanted}"
        elif keyword == "pattern":
            if isinstance(value, str) and not re.search(wanted, value):
                yield f"{path}: {value[:60]!r} does not match {wanted}"
        elif keyword == "required":
            for name in wanted if isinstance(value, dict) else []:
                if name not in value:
                    yield f"{path}: has no {name}"
        elif keyword == "properties":
            for name, inner in wanted.items():
                if isinstance(value, dict) and name in value:
                    yield from complaints(value[name], inner, root, f"{path}.{name}")
        elif keyword == "items":
            for i, item in enumerate(value if isinstance(value, list) else []):
                yield from complaints(item, wanted, root, f"{path}.{i}")
        else:
            raise ValueError(f"the schema uses {keyword}, which this script does not know")


def spoilt_copies(report):
    """The report with one thing wrong at a time: the schema must refuse each."""
    for key in report:
        less = dict(report)
        del less[key]
        yield f"without {key}", less
    for path, wrong in [
        (["schema"], "hangstack-report/2"),
        (["created"], "yesterday"),
        (["jobs", 0, "verdict", "hung"], True),
        (["jobs", 0, "verdict", "culprit_ranks"], "3"),
        (["jobs", 0, "groups", 0, "ranks"], [0, 1]),
        (["jobs", 0, "missing_ranks"], "a-b"),
        (["jobs", 0, "records", "ras", "status"], "fine"),
        (["processes", 0, "threads", 0, "how"], "guessed"),
        (["processes", 0, "threads", 0, "frames", 0, "address"], 4096),
        (["processes", 0, "threads", 0, "frames", 0, "kind"], "c++"),
    ]:
        spoilt = copy.deepcopy(report)
        place = spoilt
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = wrong
        yield f"{'.'.join(map(str, path))} = {wrong!r}", spoilt


def main(arguments):
    if len(arguments) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    with open(arguments[0], encoding="utf-8") as file:
        schema = json.load(file)
    failures = 0
    richest = None
    for name in arguments[1:]:
        with open(name, encoding="utf-8") as file:
            report = json.load(file)
        for complaint in complaints(report, schema, schema, name):
            print(complaint)
            failures += 1
        if report["processes"] and report["jobs"] and report["jobs"][0]["groups"]:
            richest = report
    if richest is None:
        print("no report with processes and groups: nothing proves that the schema can refuse")
        return 1
    for what, spoilt in spoilt_copies(richest):
        if not any(complaints(spoilt, schema, schema)):
            print(f"the schema accepts a report {what}")
            failures += 1
    print(f"{len(arguments) - 1} reports, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
