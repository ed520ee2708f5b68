# Selecting cases by their ids, with every character that an id may have, here and through ctest.
import json
import os
import re
import subprocess
import unittest

from program import PROGRAM, SOURCE, CheckTest

CMAKE, CTEST = os.environ["WARPMARK_TEST_CMAKE"], os.environ["WARPMARK_TEST_CTEST"]

LISTS = """cmake_minimum_required(VERSION 3.25)
project(nested NONE)
enable_testing()
include([[%s/cmake/WarpmarkDiscoverTests.cmake]])
warpmark_discover_tests([[%s]] PROGRAM [[%s]] DEVICE cpu)
"""

# One id for each class of characters: letters and digits, "_", "/", "=", ",", ".", "~", a label.
IDS = ("Az09.default", "_a_b.default", "sub/dir/x.default", "axes.n=4,scale=2.5",
       "axes.n=4,scale=~1", "axes.n=4,scale=~2.5e~07", "axes.n=100,scale=a_Label.9",
       "axes.n=100,scale=~1")


class Selection(CheckTest):
    def setUp(self):
        super().setUp()
        for name in ("Az09", "_a_b", "sub/dir/x"):
            self.write_scale("suites/%s.yaml" % name, axes=None, out="{out: 100}",
                             src="{in: rng.standard_normal(100)}", n="{scalar: 100}",
                             launch="{block: 100}")
        self.write_scale("suites/axes.yaml", f="{scalar: scale}", reference="{out: f * src}",
                         axes="\n  n: [4, 100]\n"
                              "  scale: [2.5, -1, -2.5e-7, {value: 2**3, label: a_Label.9}]")

    def test_each_id_selects_its_case(self):
        for one in IDS:
            with self.subTest(one):
                self.check("suites", "--case", one, "--journal", "run.jsonl")
                self.assertEqual([case["case"] for case in self.journal()[1:-1]], [one])

    def test_all_at_once_run_in_the_order_of_the_suites(self):
        listed = json.loads(self.run_program("list", "suites", "--json")[0])
        order = [case["id"] for suite in listed["suites"] for case in suite["cases"]
                 if case["id"] in IDS]
        arguments = [word for one in reversed(IDS) for word in ("--case", one)]
        self.check("suites", *arguments, "--journal", "run.jsonl")
        self.assertEqual([case["case"] for case in self.journal()[1:-1]], order)
        self.assertEqual(sorted(order), sorted(IDS))

    def test_a_misspelt_id_is_an_error_with_the_nearest(self):
        for wrong, near in (("axes.n=4,scale=-1", "axes.n=4,scale=~1"),
                            ("axes.n=100,scale=a_label.9", "axes.n=100,scale=a_Label.9"),
                            ("sub/dirx.default", "sub/dir/x.default"),
                            ("Az09.defualt", "Az09.default")):
            errors = self.refused("check", "suites", "--device", "cpu", "--case", wrong)
            self.assertIn("error: no case is called `%s`" % wrong, errors)
            self.assertIn("hint: did you mean `%s`?" % near, errors)

    def test_ids_are_no_patterns(self):
        for pattern in ("*", "axes.*", "axes", "axes.n=4", "Az09.default:_a_b.default", ""):
            self.refused("check", "suites", "--device", "cpu", "--case", pattern)

    def test_a_value_with_other_characters_needs_a_label(self):
        self.write_scale("suites/axes.yaml", axes="{n: [100], word: {python: \"['a:b']\"}}")
        errors = self.refused("check", "suites/axes.yaml", "--device", "cpu")
        self.assertRegex(errors, r"^suites/axes\.yaml:3:\d+: error: ")
        self.assertIn("label", errors)
        out, _ = self.check("suites", code=1)
        self.assertIn("3 passed, 1 failed in ", out)

    def test_ctest_selects_the_same(self):
        self.write("CMakeLists.txt", LISTS % (SOURCE, self.folder / "suites", PROGRAM))
        build = self.folder / "build"
        subprocess.run([CMAKE, "-S", self.folder, "-B", build, "-G", "Ninja"], check=True, timeout=60,
                       env=self.environment, stdout=subprocess.DEVNULL)

        def ctest(*arguments):
            return subprocess.run([CTEST, *arguments], cwd=build, env=self.environment, text=True,
                                  timeout=60, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  check=False)

        for one in IDS:
            shown = ctest("-N", "-R", "^%s$" % re.escape(one).replace("\\~", "~")).stdout
            self.assertEqual(re.findall(r"Test +#\d+: (.*)", shown), [one])
        done = ctest("-R", r"^axes\.n=4,scale=~(1|2\.5e~07)$", "--output-on-failure")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertRegex(done.stdout, "100% tests passed(, 0 tests failed)? out of 2\n")
        self.assertNotEqual(ctest("-R", "axes.n=5", "--no-tests=error").returncode, 0)


if __name__ == "__main__":
    unittest.main()
