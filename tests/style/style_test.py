# Tests that the checkers of this folder find what they are there to find.
import pathlib
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import comment_tables
import dynamic_section
import function_size
import honest_tests
import layering
import leftovers
import plain_english
import public_headers
import timeouts
from checked_tree import CheckedTree


class Tree(CheckedTree):
    def setUp(self):
        super().setUp()
        for name in ("base/error.hpp", "driver/table.hpp", "compiler/nvrtc.hpp", "plan/plan.hpp",
                     "include/warpmark/plugin.h", "cli/main.cpp"):
            self.write("harness/" + name, "#pragma once\n")


class CommentTables(Tree):
    GOOD = ("   *   kind        fault, limit (after\n   *               a while)\n   *   space       global\n   * More:\n"
            "   *   race           unordered\n   *   twice, never   freed\n")

    def found(self, settings, header):
        return list(comment_tables.mistakes(settings, header, ["fault", "limit", "race", "twice", "never"]))

    def test_a_table_and_prose(self):
        settings = "BasedOnStyle: Google\nReflowComments: false\n"
        self.assertEqual(self.found(settings, self.GOOD), [])
        prose = self.GOOD.replace("global\n   * More:\n   *   race           unordered", "global\n   * More: race           unordered")
        self.assertEqual(self.found(settings, prose), ["device.h: no row of a table begins with the kind of report 'race'"])
        self.assertEqual(len(self.found("BasedOnStyle: Google\n", self.GOOD)), 1)


class PlainEnglish(Tree):
    def faults(self, path, text):
        file = self.write(path, text)
        try:
            return self.check(plain_english.main, self.root)[1].strip()
        finally:
            file.unlink()

    def test_comments_without_a_subject(self):
        for path, text in (("harness/base/a.cpp", "\n// What forks has locks.\n"),
                           ("harness/base/a.hpp", "\nint a;  ///< of it\nint b;  ///< Whose it is\n"),
                           ("harness/base/a.cpp", "\n/* Nobody reads it. */\n"),
                           ("suites/a.cu", "\nint a;  // Whether it is one\n"),
                           ("tests/a.py", "\nx = 1  # Of the first\n"), ("tests/a.py", "\ndef f():\n  '''Who calls it.'''\n"),
                           ("tests/a.sh", "\n# Whose folder\n"), ("tests/CMakeLists.txt", "\nproject(a) # What is built\n")):
            with self.subTest(text):
                self.assertRegex(self.faults(path, text), "^%s:[23]: error: a comment begins with" % path)
        for path, text in (("harness/base/a.cpp", "// The fork leaves locks held, of\n// what is shared.\n"),
                           ("harness/base/a.cpp", 'auto a = "// What"; auto b = R"(\n// Of\n)"; char c = \'"\'; // fine\n'),
                           ("harness/base/a.cpp", "int a = 1'000;  // Offices\n"),
                           ("tests/a.py", "'''A module.'''\nx = 'Of the first'\n"), ("tests/a.sh", "echo $#  '#What'\n")):
            with self.subTest(text):
                self.assertEqual(self.faults(path, text), "")

    def test_messages_that_have_to_be_decoded(self):
        text = '\nfail("each stands in a folder of its own");\n'
        self.assertEqual(self.faults("harness/base/a.cpp", text),
                         "harness/base/a.cpp:2: error: a message says 'stands': use plain words of the field")
        self.assertEqual(self.faults("tests/unit/a.cpp", text), "")
        self.assertEqual(self.faults("harness/base/a.cpp", text.replace("stands in", "stands for").replace("of its own", "")), "")


class Timeouts(unittest.TestCase):
    def test_a_minute_or_a_reason(self):
        tests = {"quick": {"TIMEOUT": 60.0}, "endless": {}, "slow": {"TIMEOUT": 61.0, "LABELS": ["device"]},
                 "needless": {"TIMEOUT": 60.0}, "reasoned": {"TIMEOUT": 300.0},
                 "long": {"TIMEOUT": 3600.0, "LABELS": ["long"]}, "gpu": {"LABELS": ["suites", "gpu"]}}
        found = list(timeouts.faults(tests, ["reasoned", "needless"], 60))
        self.assertEqual([fault.split(":")[0] for fault in found], ["endless", "slow", "needless"])
        self.assertIn("61 s without a reason", found[1])


class FunctionSize(Tree):
    def setUp(self):
        super().setUp()
        self.lizard = function_size.lizard_of(pathlib.Path(__file__).resolve().parents[2])
        if self.lizard is None:
            self.skipTest("lizard is not here")

    def found(self, text, exceptions=None):
        self.write("harness/base/large.cpp", text)
        return list(function_size.mistakes(self.lizard, self.root, exceptions or {}))

    def test_long_and_complex_functions_are_found(self):
        long = "namespace w {\nvoid Reader::run() {\n" + "  step();\n" * 79 + "}\n}\n"
        complex_one = "int pick(int a) {\n  return " + " || ".join(["a == 1"] * 31) + ";\n}\n"
        self.assertEqual(self.found(long), ["harness/base/large.cpp:2: Reader::run has 81 lines (at most 80) "
                                            "and a complexity of 1 (at most 30)"])
        self.assertRegex(self.found(complex_one)[0], r"large.cpp:1: pick has 3 lines .* complexity of 31")
        self.assertEqual(self.found(long.replace("  step();\n", "", 1)), [])

    def test_exceptions_must_be_needed(self):
        exception = {("harness/base/large.cpp", "pick"): "a table"}
        self.assertEqual(self.found("int pick(int a) {\n  return a" + " + (a == 1 ? 1 : 2)" * 31 + ";\n}\n", exception),
                         [])
        self.assertRegex(self.found("int pick(int a) { return a; }\n", exception)[0], "no exception any more")


class HonestTests(Tree):
    def faults(self, path, text):
        file = self.write(path, text)
        try:
            return self.check(honest_tests.main, self.root)[1]
        finally:
            file.unlink()

    def test_good_registrations(self):
        self.write("tests/CMakeLists.txt", "# PASS_REGULAR_EXPRESSION would be wrong\n"
                   "add_test(NAME a COMMAND a)\n"
                   "set_tests_properties(a PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 3)\n"
                   "target_link_libraries(a GTest::gtest warpmark_gtest_main)\n")
        self.write("tests/run.sh", "#!/bin/sh\nset -eu\nresult=0\n\"$@\" || result=$?\nexit $result\n")
        self.write("tests/more.sh", "#!/usr/bin/env bash\nset -euo pipefail\nls | wc\n"
                   "found=$(command -v x || true)\ncp a b 2>/dev/null || true\n")
        code, words = self.check(honest_tests.main, self.root)
        self.assertEqual(code, 0, words)

    def test_registrations_that_hide_failures(self):
        for line in ('set_tests_properties(a PROPERTIES SKIP_REGULAR_EXPRESSION "SKIPPED")',
                     '  PASS_REGULAR_EXPRESSION "ok")', "set_property(TEST a PROPERTY WILL_FAIL TRUE)",
                     "set_tests_properties(a PROPERTIES SKIP_RETURN_CODE 3)",
                     "  SKIP_RETURN_CODE 0 TIMEOUT 3)", "target_link_libraries(a GTest::gtest_main)",
                     "add_test(NAME a COMMAND python3 -B x_test.py OnGpu)"):
            for path in ("tests/unit/CMakeLists.txt", "cmake/Own.cmake"):
                with self.subTest(line):
                    self.assertIn(path + ":2: error:", self.faults(path, "\n%s\n" % line))

    def test_scripts_and_programs_that_hide_failures(self):
        for text in ("#!/bin/sh\nrun\n", "#!/bin/bash\nset -eu\nrun | tee log\n",
                     "#!/bin/bash\nset -euo pipefail\nrun || true\n",
                     "#!/bin/bash\nset -euo pipefail\nrun || exit 0\n"):
            with self.subTest(text):
                self.assertIn("tests/x.sh:", self.faults("tests/x.sh", text))
        self.assertIn("tests/x.cpp:1:", self.faults("tests/x.cpp", "return RUN_ALL_TESTS();\n"))


class Layering(Tree):
    def test_good_tree(self):
        self.write("harness/plan/make.cpp", '#include "plan/plan.hpp"\n#include "base/error.hpp"\n'
                   '#include <warpmark/plugin.h>\n#include <vector>\n#include <fmt/core.h>\n')
        self.write("plugins/source/source.cpp", '#include <warpmark/plugin.h>\n#include "own.hpp"\n'
                   '#include <nlohmann/json.hpp>\n')
        self.write("plugins/source/own.hpp", "")
        self.write("plugins/cpu/ptx/a.hpp", "")
        self.write("plugins/cpu/machine/b.cpp", '#include "ptx/a.hpp"\n')
        code, words = self.check(layering.main, self.root)
        self.assertEqual(code, 0, words)

    def test_each_fault_is_found_at_its_line(self):
        for path, text in (
                ("harness/base/up.cpp", '\n#include "plan/plan.hpp"\n'),
                ("harness/base/angle.cpp", "\n#include <plan/plan.hpp>\n"),
                ("harness/driver/beside.cpp", '\n#include "compiler/nvrtc.hpp"\n'),
                ("harness/plan/dots.cpp", '\n#include "../cli/main.cpp"\n'),
                ("plugins/source/inside.cpp", '\n#include "base/error.hpp"\n'),
                ("plugins/source/angle.cpp", "\n#include <base/error.hpp>\n"),
                ("plugins/source/other.cpp", '\n#include "../cpu/x.hpp"\n'),
                ("plugins/source/nowhere.cpp", '\n#include "nowhere.hpp"\n'),
                ("harness/plan/asks.cpp", '\nif (device.name() == "cpu") return;\n'),
                ("harness/plan/predicate.cpp", "\nif (device.is_gpu()) return;\n")):
            with self.subTest(path):
                file = self.write(path, text)
                self.write("plugins/cpu/x.hpp", "")
                code, words = self.check(layering.main, self.root)
                file.unlink()
                self.assertEqual(code, 1)
                self.assertIn(path + ":2: error:", words)

    def test_rooms_of_the_cpu_device(self):
        self.write("plugins/cpu/machine/x.hpp", "")
        self.write("plugins/cpu/ptx/y.hpp", "")
        self.write("plugins/cpu/machine/down.cpp", '#include "ptx/y.hpp"\n')
        self.assertEqual(self.check(layering.main, self.root)[0], 0)
        self.write("plugins/cpu/program/up.cpp", '\n#include "machine/x.hpp"\n')
        self.write("plugins/cpu/inspect/up.cpp", '#include "machine/x.hpp"\n')
        output = self.check(layering.main, self.root)[1]
        self.assertIn("plugins/cpu/program/up.cpp:2: error: program includes machine/x.hpp, a room above it", output)
        self.assertIn("plugins/cpu/inspect/up.cpp:1: error: inspect includes machine/x.hpp, a room above it", output)

    def test_that_the_machine_names_no_check(self):
        self.write("plugins/cpu/inspect/leaks.hpp", "class LeakCheck final : public Check {\n")
        self.write("plugins/cpu/inspect/observer.hpp", "")
        self.write("plugins/cpu/machine/good.cpp",
                   '#include "inspect/observer.hpp"\nobserver->tell<&Check::load>(checks.any());\n')
        self.assertEqual(self.check(layering.main, self.root)[0], 0)
        self.write("plugins/cpu/machine/bad.cpp",
                   '#include "inspect/leaks.hpp"\nLeakCheck check;\nif (checks.race) observer->races()->load();\n')
        output = self.check(layering.main, self.root)[1]
        self.assertIn("plugins/cpu/machine/bad.cpp:1: error: inspect/leaks.hpp is private to the checks", output)
        self.assertIn("plugins/cpu/machine/bad.cpp:2: error: the machine names a check by LeakCheck", output)
        self.assertIn("plugins/cpu/machine/bad.cpp:3: error: the machine names a check by checks.race", output)

    def test_rooms_of_the_grader(self):
        self.write("harness/grade/class/x.hpp", "")
        self.write("harness/grade/assignment/y.hpp", "")
        self.write("harness/grade/class/down.cpp", '#include "grade/assignment/y.hpp"\n')
        self.assertEqual(self.check(layering.main, self.root)[0], 0)
        self.write("harness/grade/grader/up.cpp", '\n#include "grade/class/x.hpp"\n')
        self.write("harness/grade/submission/dots.cpp", '#include "../class/x.hpp"\n')
        self.write("harness/grade/outside.cpp", "")
        self.write("harness/grade/other/inside.cpp", "")
        output = self.check(layering.main, self.root)[1]
        self.assertIn("harness/grade/grader/up.cpp:2: error: grader includes grade/class/x.hpp, a room above it", output)
        self.assertIn("harness/grade/submission/dots.cpp:1: error: submission includes ../class/x.hpp, a", output)
        self.assertIn("harness/grade/outside.cpp:0: error: lies in no room of grade", output)
        self.assertIn("harness/grade/other/inside.cpp:0: error: lies in no room of grade", output)
        self.assertNotIn("down.cpp", output)

    def test_people_read_the_order_of_the_rooms_of_the_grader(self):
        self.write("harness/grade/class/x.hpp", "")
        rows = ["| %d | `%s`: its job |" % (layer, folder)
                for folder, layer in layering.LAYERS.items()]
        order = ",\n".join("`%s`" % room for room in layering.GRADE_ROOMS)
        table = self.write("CONTRIBUTING.md", "\n".join([*rows, "The rooms are", order]))
        self.assertEqual(self.check(layering.main, self.root)[0], 0)
        table.write_text("\n".join([*rows, "The rooms are", order.replace("`class`", "`course`")]))
        self.assertIn("CONTRIBUTING.md:0: error: lacks the rooms of grade in their order",
                      self.check(layering.main, self.root)[1])

    def test_rooms_with_a_door(self):
        self.write("harness/grade/similarity/similarity.hpp", "")
        self.write("harness/grade/similarity/inside.hpp", "")
        self.write("harness/grade/similarity/own.cpp", '#include "grade/similarity/inside.hpp"\n')
        self.write("harness/grade/class/door.cpp", '#include "grade/similarity/similarity.hpp"\n')
        self.assertEqual(self.check(layering.main, self.root)[0], 0)
        self.write("harness/grade/class/wall.cpp", '\n#include "grade/similarity/inside.hpp"\n')
        self.write("harness/cli/wall.cpp", '#include "../grade/similarity/inside.hpp"\n')
        output = self.check(layering.main, self.root)[1]
        words = " error: grade/similarity/inside.hpp is private to its room, whose door is similarity.hpp"
        self.assertIn("harness/grade/class/wall.cpp:2:" + words, output)
        self.assertIn("harness/cli/wall.cpp:1:" + words, output)

    def test_a_folder_has_few_files(self):
        for number in range(layering.MOST_FILES):
            self.write("harness/grade/class/file%d.cpp" % number, "")
        self.write("harness/grade/grader/one.cpp", "")
        self.assertEqual(self.check(layering.main, self.root)[0], 0)
        self.write("harness/grade/class/file.hpp", "")
        self.assertIn("harness/grade/class:0: error: has 41 files, more than 40: give them rooms",
                      self.check(layering.main, self.root)[1])

    def test_a_command_is_short(self):
        self.write("harness/cli/x_command.cpp", "\n" * layering.MOST_COMMAND_LINES)
        self.assertEqual(self.check(layering.main, self.root)[0], 0)
        self.write("harness/cli/x_command.cpp", "\n" * (layering.MOST_COMMAND_LINES + 1))
        self.assertIn("harness/cli/x_command.cpp:0: error: has 166 lines, more than 165",
                      self.check(layering.main, self.root)[1])

    def test_that_nothing_behind_the_parser_compares_texts_of_opcodes(self):
        self.write("plugins/cpu/ptx/y.cpp", 'if (name == "mov") f();\n')
        self.write("plugins/cpu/program/x.cpp", "if (facts.has(Modifier::sat)) f();\n")
        self.assertEqual(self.check(layering.main, self.root)[0], 0)
        self.write("plugins/cpu/machine/z.cpp", '\nif (facts->has("sat") || name == "mov") f();\n')
        output = self.check(layering.main, self.root)[1]
        self.assertIn("plugins/cpu/machine/z.cpp:2: error: compares an opcode's text", output)

    def test_what_the_harness_shares_with_the_cpu_device(self):
        self.write("plugins/cpu/ptx/lexer.hpp", '#include "ptx/error.hpp"\n')
        self.write("plugins/cpu/ptx/error.hpp", "")
        self.write("plugins/cpu/ptx/link.hpp", "")
        self.write("plugins/cpu/program/program.hpp", "")
        self.write("harness/compiler/reads.cpp", '#include "ptx/lexer.hpp"\n')
        self.assertEqual(self.check(layering.main, self.root)[0], 0)
        self.write("harness/compiler/more.cpp", '\n#include "ptx/link.hpp"\n')
        self.write("harness/compiler/far.cpp", '#include "../../plugins/cpu/program/program.hpp"\n')
        self.write("harness/plan/reads.cpp", '#include "ptx/lexer.hpp"\n')
        self.write("plugins/cpu/ptx/lexer.cpp", '#include "ptx/lexer.hpp"\n#include "ptx/link.hpp"\n')
        output = self.check(layering.main, self.root)[1]
        self.assertIn("harness/compiler/more.cpp:2: error: ptx/link.hpp is not shared with the harness", output)
        self.assertIn("harness/compiler/far.cpp:1: error: ../../plugins/cpu/program/program.hpp is not", output)
        self.assertIn("harness/plan/reads.cpp:1: error: only harness/compiler may include ptx/lexer.hpp", output)
        self.assertIn("plugins/cpu/ptx/lexer.cpp:2: error: what the harness shares includes ptx/link.hpp", output)
        self.assertNotIn("reads.cpp:1: error: ptx", output)

    def test_what_a_worker_does_not_reach(self):
        self.write("harness/python/array.hpp", "")
        self.write("harness/runtime/session.hpp", "")
        self.write("harness/suite/near.hpp", '#include "suite/far.hpp"\n')
        loop = self.write("harness/worker/loop.cpp", '\n#include "suite/near.hpp"\n')
        far = self.write("harness/suite/far.hpp", '#include "suite/near.hpp"\n')  # a ring
        self.assertEqual(self.check(layering.main, self.root)[0], 0)
        for folder, header in (("python", "array"), ("runtime", "session"), ("plan", "plan")):
            words = "%s: suite/near.hpp includes suite/far.hpp includes %s/%s.hpp" % (
                folder, folder, header)
            far.write_text('#include "%s/%s.hpp"\n' % (folder, header))
            self.assertIn("harness/worker/loop.cpp:2: error: worker must not reach " + words,
                          self.check(layering.main, self.root)[1])
        far.write_text("")
        loop.write_text('\n#include "python/array.hpp"\n')
        self.assertIn("harness/worker/loop.cpp:2: error: worker must not reach python",
                      self.check(layering.main, self.root)[1])

    def test_the_table_for_people_has_each_folder_in_its_layer(self):
        rows = ["| %d | `%s`: its job |" % (layer, folder)
                for folder, layer in layering.LAYERS.items()]
        table = self.write("CONTRIBUTING.md", "\n".join(rows + ["| 0 | `include/warpmark` |", ""]))
        self.assertEqual(self.check(layering.main, self.root)[0], 0)
        table.write_text("\n".join(rows[1:]))
        self.assertIn("CONTRIBUTING.md:0: error: the table of layers lacks base",
                      self.check(layering.main, self.root)[1])
        table.write_text("\n".join([*rows, "| 7 | `base`, `attic` |"]))
        words = self.check(layering.main, self.root)[1]
        self.assertIn("base is not in layer 7", words)
        self.assertIn("attic is not in layer 7", words)

    def test_folder_without_layer(self):
        self.write("harness/attic/x.cpp", "")
        self.assertIn("has no layer", self.check(layering.main, self.root)[1])

    def test_devices_may_be_named_where_they_are_chosen(self):
        for folder in ("driver", "cli"):
            self.write("harness/%s/choose.cpp" % folder, 'if (name == "cpu") {}\n')
        self.assertEqual(self.check(layering.main, self.root)[0], 0)


class Leftovers(Tree):
    def ctest(self, script):
        self.write("ctest", "#!/bin/sh\n" + script).chmod(0o755)
        return self.check(leftovers.main, str(self.root), str(self.root / "ctest"), [])

    def test_what_is_left_behind_is_named(self):
        self.assertEqual(self.ctest('mkdir "$TMPDIR/a"; rmdir "$TMPDIR/a"')[0], 0)
        code, words = self.ctest('mkdir "$TMPDIR/warpmark-1"')
        self.assertEqual(code, 1)
        self.assertIn("warpmark-1: error", words)

    def test_failing_tests_fail_and_are_shown(self):
        code, words = self.ctest("echo unit.base Failed; exit 8")
        self.assertEqual(code, 1)
        self.assertIn("unit.base Failed", words)


@unittest.skipUnless(shutil.which("cc") and shutil.which("c++"), "no cc and c++ on PATH")
class Compiled(Tree):
    def test_headers(self):
        include = self.root / "harness/include"
        self.write("harness/include/warpmark/plugin.h", "#pragma once\nint f(void);\n")
        self.assertEqual(self.check(public_headers.main, include, "c++", "cc", [])[0], 0)
        for bad in ("size_t f(void);\n", "#pragma once\nclass NotC;\n",
                    "struct no_guard { int i; };\n"):
            with self.subTest(bad):
                self.write("harness/include/warpmark/bad.h", bad)
                code, words = self.check(public_headers.main, include, "c++", "cc", [])
                self.assertEqual(code, 1)
                self.assertIn("warpmark/bad.h: error", words)

    def library(self, output, *options):
        source = self.write("empty.c", "int warpmark_nothing;\n")
        path = self.root / output
        path.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["cc", "-shared", "-fPIC", str(source), "-o", str(path),
                        "-Wl,--no-as-needed", *options], check=True)
        return path

    def test_dynamic_sections(self):
        build = self.root / "build"
        self.assertEqual(self.check(dynamic_section.main, build)[0], 1)  # nothing to read
        self.library("build/lib/warpmark/good.so")
        self.write("build/bin/script", "#!/bin/sh\n")
        self.assertEqual(self.check(dynamic_section.main, build)[0], 0)
        for name in ("libcudart.so.13", "libcuda.so.1", "libnvrtc.so.12",
                     "_multiarray_umath.cpython-311-x86_64-linux-gnu.so"):
            with self.subTest(name):
                stub = self.library("stub/" + name, "-Wl,-soname," + name)
                bad = self.library("build/bin/bad.so", str(stub))
                code, words = self.check(dynamic_section.main, build)
                bad.unlink()
                self.assertEqual(code, 1)
                self.assertIn("linked with " + name, words)


if __name__ == "__main__":
    unittest.main()
