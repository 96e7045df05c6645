#!/usr/bin/env python3
"""Makes of the scenarios scripts that run by themselves: tests/lab/reproducers.py OUT.cpp writes them as C++.

A script is what `main` of a scenario needs, and of scenario.py what that needs; runner/by_hand.py replaces what is of
use in the lab only. `hangstack explain reproducer` prints them.
"""

import ast
import functools
import importlib
import json
import pathlib
import sys
import textwrap

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(HERE / "runner"), str(HERE / "scenarios"), str(HERE.parents[1] / "scripts" / "lib")]

import environments  # noqa: E402

DELIMITER = "reproducer"
# Of a pattern with many scripts, the one that shows it best; else the shortest.
SHOWN_FIRST = {"host_straggler": "missing_collective", "collective_mismatch": "mismatch_operation"}
RUNNER, SCENARIOS = HERE / "runner", HERE / "scenarios"
BY_HAND = RUNNER / "by_hand.py"

WIDTH = 100

HEAD = '''\
#!/usr/bin/env python3
"""{sentence}

{about}

    torchrun --nproc-per-node {ranks} reproducer.py
    hangstack --pgrep reproducer.py                     # in another terminal
"""

{imports}

if "RANK" not in os.environ:
    sys.exit("start it with torchrun --nproc-per-node {ranks}, or set what torchrun sets: RANK, WORLD_SIZE...")
# No watchdog of a rank acts while you look at it, and PyTorch's flight recorder is on.
os.environ.update(
    {{
{environment}
    }}
)
'''
ABOUT = (
    "A reproducer of {pattern}: {title}. It hangs on purpose, until Ctrl-C, and needs {gpus}. It was seen to hang in "
    "hangstack's lab, which has no GPU."
)


def lab_file(module):
    """The file of a module of the lab; None for one of Python."""
    return next((path for folder in (RUNNER, SCENARIOS) if (path := folder / f"{module}.py").exists()), None)


class Source:
    """What a file defines, imports and takes from another file of the lab, by name."""

    def __init__(self, path):
        self.path = path
        self.lines = path.read_text().splitlines()
        self.defined, self.imported, self.borrowed = {}, {}, {}
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ImportFrom) and lab_file(node.module):
                self.borrowed.update({alias.name: lab_file(node.module) for alias in node.names})
            elif isinstance(node, (ast.Import, ast.ImportFrom)):
                self.imported.update({(alias.asname or alias.name.split(".")[0]): node for alias in node.names})
            else:
                self.defined.update({name: node for name in self._names(node)})

    @staticmethod
    def _names(node):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            return [node.name]
        targets = node.targets if isinstance(node, ast.Assign) else []
        return [each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)]

    def text(self, node):
        """Its lines, with the comment above."""
        first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", []))]) - 1
        while first > 0 and self.lines[first - 1].startswith("#"):
            first -= 1
        return "\n".join(self.lines[first : node.end_lineno])


@functools.cache
def source_of(path):
    return Source(path)


class Script:
    """What `main` of a scenario needs, what is needed first."""

    def __init__(self, name):
        self.imports, self.parts, self.begun = {"import os", "import sys"}, [], set()
        path = SCENARIOS / f"{name}.py"
        self.alone = "main" in source_of(path).defined  # not another scenario's, and no module of the lab as a whole
        self._need("main", path)

    def _need(self, name, path):
        """`name` as the file at `path` means it. What is no global there is a local variable, or Python's."""
        source = source_of(path)
        if path.parent == RUNNER and name in source_of(BY_HAND).defined:
            source = source_of(BY_HAND)
        if name in source.borrowed:
            self._need(name, source.borrowed[name])
        elif name in source.imported:
            self.imports.add(source.text(source.imported[name]))
            modules = [alias.name for alias in source.imported[name].names]
            self.alone = self.alone and not any(map(lab_file, modules))
        elif name in source.defined and source.defined[name] not in self.begun:
            node = source.defined[name]
            self.begun.add(node)
            for used in dict.fromkeys(each.id for each in ast.walk(node) if isinstance(each, ast.Name)):
                self._need(used, source.path)
            self.parts.append((type(node), source.text(node)))

    def body(self):
        constants = [text for kind, text in self.parts if kind is ast.Assign]
        others = [text for kind, text in self.parts if kind is not ast.Assign]
        ending = 'if __name__ == "__main__":\n    main()\n'
        return "\n\n\n".join(filter(None, ["\n".join(constants), *others, ending]))


def settings_of(scenario):
    """Of the lab's environment, what is PyTorch's: how NCCL talks is the machine's matter."""
    classic = {"TORCH_DIST_USE_NCCL2": "0"} if scenario.versions == ("classic",) else {}
    names = {**environments.NCCL, **classic, **scenario.environment}
    return [(name, str(value)) for name, value in names.items() if name.startswith("TORCH_")]


def printed(script, module):
    imports = "\n".join(sorted(script.imports, key=lambda line: (line.startswith("from"), line)))
    scenario = module.SCENARIO
    gpus = f"{gpus_of(scenario, script) or 'no'} GPUs"
    about = ABOUT.format(pattern=scenario.verdict[0], title=scenario.title, gpus=gpus)
    if numbers := [version for version in scenario.versions if version[0].isdigit()]:
        about += f" It is for PyTorch {' and '.join(numbers)}."
    environment = [f"        {json.dumps(name)}: {json.dumps(value)}," for name, value in settings_of(scenario)]
    head = HEAD.format(
        sentence=module.__doc__.split("\n")[0],
        about=textwrap.fill(about, WIDTH),
        ranks=scenario.ranks,
        imports=imports,
        environment="\n".join(environment),
    )
    return head + "\n" + script.body()


def has_script(scenario, script):
    """Whether it hangs on sound GPUs too: without the stand-in's switches, and as one job of torch under torchrun."""
    of_the_lab = scenario.bare_driver or scenario.jobs or "nccl" in scenario.versions or not scenario.torchrun
    switched = "HANGSTACK_LAB" in f"{scenario.environment}{script.body()}"
    return scenario.outcome == "hangs" and script.alone and not of_the_lab and not switched


def gpus_of(scenario, script):
    return 0 if 'join("gloo"' in script.body() else scenario.ranks


def reproducers():
    """([(pattern, name, title, ranks, GPUs, text)] with the one to show first first, the patterns that have none)"""
    found, patterns = [], set()
    for path in sorted(SCENARIOS.glob("*.py")):
        module = importlib.import_module(path.stem)
        scenario = module.SCENARIO
        if scenario.outcome == "hangs":
            patterns.add(scenario.verdict[0])
        script = Script(path.stem)
        if has_script(scenario, script):
            needs = scenario.ranks, gpus_of(scenario, script)
            found.append((scenario.verdict[0], path.stem, scenario.title, *needs, printed(script, module)))
    found.sort(key=lambda each: (each[0], SHOWN_FIRST.get(each[0]) != each[1], each[-1].count("\n")))
    return found, sorted(patterns - {each[0] for each in found})


def quoted(text):
    return f'R"{DELIMITER}({text}){DELIMITER}"'


def as_cpp():
    found, without = reproducers()
    rows = [
        f"    {{{quoted(pattern)}, {quoted(name)}, {quoted(title)}, {ranks}, {gpus}, {quoted(text)}}},\n"
        for pattern, name, title, ranks, gpus, text in found
    ]
    names = "".join(f"    {quoted(pattern)},\n" for pattern in without)
    return f"""// Written by tests/lab/reproducers.py.
#include "cli/reproducers.h"

namespace hangstack::cli {{
namespace {{

constexpr Reproducer kReproducers[] = {{
{"".join(rows)}}};
constexpr std::string_view kWithout[] = {{
{names}}};

}}  // namespace

std::span<const Reproducer> reproducers() {{ return kReproducers; }}
std::span<const std::string_view> patterns_without_reproducer() {{ return kWithout; }}

}}  // namespace hangstack::cli
"""


if __name__ == "__main__":
    pathlib.Path(sys.argv[1]).write_text(as_cpp())
