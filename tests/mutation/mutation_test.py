"""Which mutants are made of a text, and that the measurement distinguishes killed from survived.

Usage: mutation_test.py BUILD [unittest arguments]
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

from mutants import mutants_of

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = ""


def changes(text):
    return [mutant.change for mutant in mutants_of(text)]


class Operators(unittest.TestCase):
    def test_each_token_alone(self):
        for text, expected in (
                ("return a < b;", ["< -> <=", "< -> >="]),
                ("return a == b && c;", ["== -> !=", "&& -> ||"]),
                ("if (!a) continue;", ["! -> (nothing)", "continue -> break"]),
                ("x += 2;", ["+= -> -=", "2 -> 3"]),
                ("return 1;", ["1 -> 0"]),
                ("++i;", ["++ -> --"]),
                ("return true;", ["true -> false"]),
                ("y = std::min(a, b);", ["min -> max"]),
                ("x = 2.5f;", ["2.5f -> 3.5f"])):
            self.assertEqual(changes(text), expected, text)

    def test_what_is_no_operator_stays(self):
        for text in ("std::vector<int> v;", "char *p = &x;", "void f(T &&x);", "// a < b\n",
                     "#define A a < b\n", 'f("a < b");', "f('<');", 'R"x(a < b)x";', "/* a < b */",
                     "-x;", "options.min;", "p->x;", "x = 0x7fff;"):
            self.assertEqual(changes(text), [], text)

    def test_place_and_text(self):
        text = "int f() {\n  return a + b + c;\n}\n"
        mutants = list(mutants_of(text))
        self.assertEqual([(m.line, m.column, m.nth) for m in mutants], [(2, 12, 1), (2, 16, 2)])
        self.assertEqual(mutants[1].apply(text), "int f() {\n  return a + b - c;\n}\n")
        self.assertEqual(mutants[0].text, "return a + b + c;")


class MeasuredTest(unittest.TestCase):
    """On lines of a real file, whose tests are built."""

    def measure(self, *arguments, equivalent=()):
        with tempfile.TemporaryDirectory(prefix="warpmark-mutation-") as folder:
            judged = os.path.join(folder, "judged.json")
            with open(judged, "w", encoding="utf-8") as file:
                json.dump({"files": [{"file": "harness/base/statistics.cpp", "tests": ["unit.base"]}],
                           "equivalent": list(equivalent)}, file)
            return subprocess.run(
                [sys.executable, "-B", os.path.join(HERE, "mutation_score.py"), BUILD, "--judged",
                 judged, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                check=False)


class Measurement(MeasuredTest):
    def test_killed_and_survived(self):
        line = "const double width = (interval.high - interval.low) / 2;"
        done = self.measure("--line", line)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("3 of 3 killed, 100.0 %; 0 equivalent", done.stdout)


class Equivalents(MeasuredTest):
    def test_an_equivalent_that_is_killed_is_an_error(self):
        line = "if (width == 0) return 0;"
        done = self.measure("--line", line, equivalent=[
            {"file": "harness/base/statistics.cpp", "line": line, "change": "== -> !=",
             "reason": "none"}])
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("is named equivalent, and is killed", done.stdout)

    def test_an_equivalent_that_is_not_there_is_an_error(self):
        done = self.measure("--list", equivalent=[
            {"file": "harness/base/statistics.cpp", "line": "no such line", "change": "< -> <=",
             "reason": "none"}])
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("has no mutant", done.stdout)


if __name__ == "__main__":
    BUILD = sys.argv.pop(1)
    unittest.main()
