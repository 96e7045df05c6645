#!/usr/bin/env python3
"""Proves that every rule of check_structure.py can fail, and that a good tree passes."""
import pathlib
import tempfile
import unittest

import check_structure as structure

GOOD = {
    "CMakeLists.txt": "project(hangstack VERSION 0.1.0 LANGUAGES CXX)\n",
    "CHANGELOG.md": "# Changelog\n\n## Unreleased\n\n- First.\n",
    "model/frame.h": "#pragma once\n#include <string>\n",
    "model/codec.h": '#pragma once\n#include <nlohmann/json.hpp>\n',
    "model/codec.cpp": '#include "model/codec.h"\n',
    "sampler/sampler.h": '#pragma once\n#include "model/frame.h"\n',
    "sampler/sampler.cpp": '#include "sampler/sampler.h"\nconst char* kRoot = "/proc/self/root/etc";\n',
    "cli/main.cpp": '#include <CLI/CLI.hpp>\n#include "sampler/sampler.h"\nint main() { printf("x"); }\n',
    "tests/unit/sampler/a_test.cpp": '#include "sampler/sampler.h"\n#include "model/codec.h"\n',
}


class CheckStructure(unittest.TestCase):
    def found(self, changes, checks=None):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder).resolve()
            for name, text in {**GOOD, **changes}.items():
                if text is None:
                    continue
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            return structure.breaches(root, checks or structure.READING_CHECKS)

    def expect_one(self, changes, *words, checks=None):
        found = self.found(changes, checks)
        self.assertEqual(len(found), 1, found)
        for word in words:
            self.assertIn(word, found[0])

    def test_a_good_tree_passes(self):
        self.assertEqual(self.found({}), [])

    def test_an_empty_tree_does_not_pass(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(len(structure.breaches(pathlib.Path(folder), structure.READING_CHECKS)), 1)

    def test_wrong_arrows(self):
        for room, other in [("model", "sampler"), ("sampler", "cli"), ("symbolizer", "sampler"),
                            ("sampler", "symbolizer"), ("classifiers", "report"), ("report", "classifiers")]:
            self.expect_one({f"{other}/x.h": "#pragma once\n", f"{room}/bad.cpp": f'#include "{other}/x.h"\n'},
                            f"{room}/bad.cpp", f"{room} -> {other}")

    def test_angle_brackets_do_not_hide_an_arrow(self):
        self.expect_one({"model/bad.h": "#pragma once\n#include <sampler/sampler.h>\n"}, "model -> sampler")

    def test_includes_are_paths_from_the_root(self):
        self.expect_one({"sampler/bad.cpp": '#include "sampler.h"\n'}, "no file by its path from the root")

    def test_heavy_headers_stay_inside(self):
        for heavy in ["nlohmann/json.hpp", "CLI/CLI.hpp", "elfutils/libdw.h", "libelf.h", "libunwind-x86_64.h"]:
            self.expect_one({"sampler/sampler.h": f"#pragma once\n#include <{heavy}>\n"}, "sampler/sampler.h", heavy)

    def test_heavy_headers_are_found_behind_another_header(self):
        self.expect_one({"sampler/sampler.h": '#pragma once\n#include "sampler/inner.h"\n',
                         "sampler/inner.h": "#pragma once\n#include <gelf.h>\n"}, "sampler/inner.h", "gelf.h")

    def test_large_files(self):
        self.expect_one({"model/large.cpp": "\n" * 401}, "401 lines")
        self.expect_one({"model/large.h": "#pragma once\n" + "\n" * 200}, "201 lines")
        self.assertEqual(self.found({"model/large.cpp": "\n" * 400, "model/l.h": "#pragma once\n" + "\n" * 199}), [])

    def test_headers_without_guard(self):
        self.expect_one({"model/bare.h": "int x;\n"}, "#pragma once")

    def test_own_header_first(self):
        self.expect_one({"model/frame.cpp": '#include <string>\n#include "model/frame.h"\n'}, "before its own header")

    def test_words(self):
        self.expect_one({"model/a.cpp": "\n// TO" + "DO later\n"}, "model/a.cpp:2")
        self.expect_one({"model/a.cpp": "#include <regex>\n"}, "regex")
        self.expect_one({"report/a.cpp": 'void f() { fmt::print("x"); }\n'}, "only cli prints")
        self.assertEqual(self.found({"report/a.cpp": "snprintf(b, 1, f); os_printf(x);\n"}), [])

    def test_machine_paths(self):
        for path in ["/wo" + "rk/main", "/ro" + "ot/.pyenv", "/tmp/" + "hs/x"]:
            self.expect_one({"docs/a.md": f"see {path}/b\n"}, "docs/a.md:1")
            self.expect_one({"sampler/a.cpp": f'const char* p = "{path}/b";\n'}, "sampler/a.cpp:1")
        self.assertEqual(self.found({"docs/a.md": "/proc/PID/ro" + "ot/usr and /proc/{pid}/ro" + "ot/x\n"}), [])

    def test_changelog(self):
        self.expect_one({"CHANGELOG.md": None}, "missing")
        self.expect_one({"CHANGELOG.md": "# Changelog\n\n## Unreleased\n"}, "no section with an entry")
        self.expect_one({"CHANGELOG.md": "## 0.0.9\n\n- Old.\n"}, "0.0.9")
        self.assertEqual(self.found({"CHANGELOG.md": "## [0.1.0] - 2026-01-01\n\n### Added\n- New.\n"}), [])

    def test_a_header_that_leans_on_others(self):
        self.assertEqual(self.found({}, [structure.check_headers_compile]), [])
        self.expect_one({"model/leans.h": "#pragma once\nstd::string name();\n"},
                        "model/leans.h", "does not compile alone", checks=[structure.check_headers_compile])


if __name__ == "__main__":
    unittest.main()
