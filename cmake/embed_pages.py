#!/usr/bin/env python3
"""Makes C++ of the pages that `hangstack explain` prints, and of what every HTML report has in it.

    embed_pages.py patterns OUT.cpp PAGE.md...    classifiers/patterns/pages.h
    embed_pages.py topics OUT.cpp PAGE.md...      cli/topics.h
    embed_pages.py html OUT.cpp FILE...           report/html/embedded.h: one .css and one .js

A page is "# NAME", a title of one line, and sections. Of a pattern's page the examples, which are tests, are left out;
the items of its sections Verification and Reference are in the table too.
"""
import base64
import hashlib
import pathlib
import sys

DELIMITER = "page"
EXAMPLES = "Examples"


def quoted(text):
    return f'R"{DELIMITER}({text}){DELIMITER}"'


class Page:
    def __init__(self, path):
        head, *sections = path.read_text(encoding="utf-8").split("\n## ")
        self.name = path.stem
        lines = head.split("\n", 3)
        if lines[0] != f"# {self.name}" or lines[1] or not lines[2]:
            sys.exit(f"{path}: begins with \"# {self.name}\", an empty line and a title of one line")
        self.title = lines[2]
        self.sections = dict(section.split("\n", 1) for section in sections)
        printed = [head, *(section for section in sections if not section.startswith(f"{EXAMPLES}\n"))]
        self.text = "\n## ".join(printed).rstrip("\n") + "\n"

    def items(self, section):
        """The points of a list, each as one line."""
        found = []
        for line in self.sections.get(section, "").splitlines():
            if line.startswith("- "):
                found.append(line[2:])
            elif line.startswith("  ") and found:
                found[-1] += " " + line.strip()
        return found


def of_patterns(pages):
    lists, rows = [], []
    for page in pages:
        items = "".join(f"    {quoted(item)},\n" for item in page.items("Verification"))
        lists.append(f"constexpr std::string_view kVerification_{page.name}[] = {{\n{items}}};\n")
        reference = next(iter(page.items("Reference")), "")
        texts = ", ".join(map(quoted, [page.name, page.title, page.text]))
        rows.append(f"    {{{texts}, kVerification_{page.name}, {quoted(reference)}}},\n")
    return f"""#include "classifiers/patterns/pages.h"

namespace hangstack::classifiers {{
namespace {{

{"".join(lists)}
constexpr PatternPage kPages[] = {{
{"".join(rows)}}};

}}  // namespace

std::span<const PatternPage> pattern_pages() {{ return kPages; }}

}}  // namespace hangstack::classifiers
"""


def of_topics(pages):
    rows = "".join(f"    {{{', '.join(map(quoted, [page.name, page.title, page.text]))}}},\n" for page in pages)
    return f"""#include "cli/topics.h"

namespace hangstack::cli {{
namespace {{

constexpr Topic kTopics[] = {{
{rows}}};

}}  // namespace

std::span<const Topic> topics() {{ return kTopics; }}

}}  // namespace hangstack::cli
"""


def of_html(paths):
    functions = []
    for path in paths:
        text = path.read_text(encoding="utf-8")
        name, tag = {".css": ("html_style", "style"), ".js": ("html_script", "script")}[path.suffix]
        # What ends the element early, or makes a parser wait for another end (WHATWG HTML, 4.12.1.3).
        if any(word in text.lower() for word in (f"</{tag}", "<!--", "<script")):
            sys.exit(f"{path}: cannot stand inside <{tag}>")
        digest = base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode()
        functions.append(f'EmbeddedFile {name}() {{ return {{{quoted(text)}, "sha256-{digest}"}}; }}\n')
    return f"""#include "report/html/embedded.h"

namespace hangstack::report {{

{"".join(functions)}
}}  // namespace hangstack::report
"""


def main():
    kind, out, *paths = sys.argv[1:]
    paths = [pathlib.Path(path) for path in sorted(paths)]
    if kind == "html":
        text = of_html(paths)
    else:
        text = {"patterns": of_patterns, "topics": of_topics}[kind]([Page(path) for path in paths])
    pathlib.Path(out).write_text("// Written by cmake/embed_pages.py.\n" + text, encoding="utf-8")


if __name__ == "__main__":
    main()
