# `check` of a suite: properties and functions, their words, places and exit codes; what failures say.
import json
import re
import unittest

from assignment import GradeTest
from program import SOURCE, CheckTest

SUITE = """warpmark: 1
kernel:
  entry: k
  source: |
    extern "C" __global__ void k(%s *a, const %s *x, int n) {
      int i = threadIdx.x;
      if (i < n) a[i] = %s;
    }
axes: {n: [8]}
arguments:
  a: {out: n}
  x: {in: "%s"}
  n: {scalar: n}
launch: {block: 32}
%s
"""


class OutputChecks(CheckTest):
    def suite(self, more, value="x[i]", x="np.arange(n)", ctype="float", n=8):
        text = SUITE % (ctype, ctype, value, x, more)
        self.write("suites/t.yaml", text.replace("n: [8]", "n: [%d]" % n).replace("block: 32", "block: %d" % max(32, n)))

    def fails(self, *words, code=1, arguments=(), **changes):
        self.suite(**changes)
        out, errors = self.check("suites/t.yaml", *arguments, code=code)
        for word in words:
            self.assertIn(word, out + errors)
        return out + errors

    def passes(self, **changes):
        self.suite(**changes)
        self.assertIn("1 passed", self.check("suites/t.yaml")[0])

    def test_each_property_holds_and_fails(self):
        for check, wrong, words in (
                ("{sorted: a}", "i == 5 ? 0 : x[i]",
                 "`a` is not sorted: a[4] = 4.0 comes before a[5] = 0.0"),
                ("{permutation: a, of: x}", "i == 5 ? 4 : x[i]",
                 "`a` is no permutation of `x`: a[4] = 4.0 is there 2 times, and 1 time in `x`"),
                ("{within: a, low: 0, high: 7}", "x[i] + 1",
                 "`a` is out of bounds: a[7] = 8.0, and must be at most 7")):
            with self.subTest(check):
                self.passes(more="check: " + check)
                self.fails("suites/t.yaml:15:", ": error: " + words, "reproduce: ",
                           more="check: " + check, value=wrong)

    def test_moments(self):
        for check, wrong, words in (
                ("{moments: a, mean: 3.5}", "x[i] + 9", "the mean of `a` is 12.5, and must be 3.5"),
                ("{moments: a, mean: 3.5, variance: 5.25}", "x[i] + 9", "the mean of `a` is 12.5"),
                ("{moments: a, variance: 5.25, sigmas: 1}", "x[i] * 9", "the variance of `a` is 427")):
            with self.subTest(check):
                self.passes(more="check: " + check, n=200, x="np.arange(n) % 8")
                self.fails("suites/t.yaml:15:", ": error: " + words, more="check: " + check, value=wrong, n=200,
                           x="np.arange(n) % 8")

    def test_moments_have_no_false_alarms_of_few_elements(self):
        self.fails("`a` is too small a sample: it has 99 of at least 100 elements", more="check: {moments: a, mean: 0}", n=99,
                   x="rng.standard_normal(n)")
        for n in (100, 300):
            self.suite(more="check: {moments: a, mean: 1, variance: 1}", n=n, x="rng.exponential(size=n)")
            self.assertIn("1 passed", self.check("suites/t.yaml", "--trials", "300")[0])

    def test_integers_and_booleans_have_properties_too(self):
        for ctype in ("int", "unsigned char", "bool", "double"):
            self.passes(more="check: [{sorted: a}, {permutation: a, of: x}, {within: a, low: 0}]",
                        ctype=ctype, x="np.arange(n) > 2")

    def test_nan_is_last(self):
        self.passes(more="check: {sorted: a}", x="[1, 2, 3, 4, 5, np.inf, np.nan, np.nan]")
        self.fails("a[0] = nan comes before a[1] = 2.0", more="check: {sorted: a}",
                   x="[np.nan, 2, 3, 4, 5, 6, 7, 8]")

    def test_functions(self):
        self.write("suites/f.py", "def right(a, x, before, np):\n"
                   "    assert (before['x'] == x).all()\n"
                   "    return np.array_equal(a, x)\n"
                   "def says(a): return 'a[0] is %g' % a[0]\n"
                   "def raises(a):\n    assert a[0] > 5, 'too small'\n    return True\n"
                   "def nothing(a):\n    assert a[1] == 1\n"
                   "def array(a): return a >= 0\n"
                   "def blind(): return True\n")
        self.passes(more="check: {function: 'f.py:right'}")
        self.fails("suites/t.yaml:15:", "the check `right` returned False",
                   more="check: {function: 'f.py:right'}", value="x[i] + 1")
        self.fails("the check `says` says: a[0] is 0", more="check: {function: 'f.py:says'}")
        self.fails("suites/f.py:6: error: the check `raises` failed: AssertionError: too small",
                   "it is called from suites/t.yaml:15", more="check: {function: 'f.py:raises'}")
        self.fails("the check `nothing` returns no verdict", "hint: return True, False, or a text",
                   more="check: {function: 'f.py:nothing'}")
        self.fails("returned an array", "`.all()`", more="check: {function: 'f.py:array'}")
        self.fails("suites/t.yaml:11:", "the output `a` has no reference, and no check is about it",
                   "hint: add it to `reference`, or to the parameters of `blind`",
                   more="check: {function: 'f.py:blind'}")
        self.passes(more="check: [{function: 'f.py:blind'}, {sorted: a}]")

    def test_values_are_judged_at_their_places(self):
        self.fails("suites/t.yaml:15:25: error: cannot evaluate `oops`",
                   more="check: {within: a, low: oops}")
        self.fails("suites/t.yaml:15:25: error: `low` is NaN", more="check: {within: a, low: np.nan}")

    def test_what_only_checks_are_about_must_be_written(self):
        out = self.fails("1 of 8 elements of `a` were never written; the first is a[3]",
                         more="check: {within: a, low: -1e38}", value="i == 3 ? a[i] : x[i]")
        self.assertNotIn("expected", out)

    def test_a_kernel_may_store_what_the_pattern_is(self):
        for pattern in ("0xCBCBCBCB", "0x34343434"):
            self.passes(more="check: {within: a, low: 0}", value="(unsigned)%s" % pattern,
                        ctype="unsigned")

    def test_checks_come_after_references(self):
        self.fails("expected 0 (off by 1", more="reference: {a: x}\ncheck: {within: a, high: 0}",
                   value="x[i] + 1")
        self.fails("`a` is out of bounds", more="reference: {a: x}\ncheck: {within: a, high: 0}")

    def test_without_scipy_the_environment_is_to_blame(self):
        self.environment["WARPMARK_PYTHON"] = str(self.python_without_scipy())
        errors = self.fails("has no usable SciPy, which `distribution` needs", "pip install scipy",
                            code=3, more="check: {distribution: a, cdf: norm}")
        self.assertNotIn("Traceback", errors)
        self.assertIn("pip install scipy", self.run_program("lint", "suites", code=3)[1])

    def python_without_scipy(self):
        """An environment whose packages are those of this machine, with a SciPy that is broken."""
        python = self.make_python()
        packages = next((self.folder / "python").glob("lib/python*/site-packages"))
        (packages / "scipy").mkdir()
        (packages / "scipy" / "__init__.py").write_text("raise ImportError('no SciPy here')\n")
        configuration = self.folder / "python" / "pyvenv.cfg"
        configuration.write_text(configuration.read_text().replace(
            "include-system-site-packages = false", "include-system-site-packages = true"))
        return python

    def test_ulp_may_have_atol_beside_it(self):
        changes = {"x": "[1, 0, 0, 0, 0, 0, 0, 0]", "value": "i == 0 ? 1 + 1.1920929e-7f : 1e-7f"}
        self.passes(more="reference: {a: x}\ntolerance: {ulp: 1, atol: 1e-6}", **changes)
        for tolerance in ("{ulp: 1}", "{ulp: 1, atol: 1e-8}", "{ulp: 0, atol: 1.1e-7}"):
            self.fails("wrong", more="reference: {a: x}\ntolerance: " + tolerance, **changes)
        self.assertIn("suites/t.yaml:16:12: error: `tolerance` is either ulp or rtol, not both",
                      self.fails(code=2, more="reference: {a: x}\ntolerance: {ulp: 1, rtol: 1}"))

    def test_a_failure_lists_elements_and_the_tolerance_that_would_do(self):
        out = self.fails(more="reference: {a: x + 1}", value="x[i] + 1.0000002f")
        self.assertIn("error: 3 of 8 elements of `a` are wrong; the first is a[0] = 1.0000002, "
                      "expected 1 (off by 2.384e-07, 2 ulp, must be equal)\n", out)
        self.assertIn("\n  it would pass with `tolerance: {ulp: 2}`\n", out)
        self.passes(more="reference: {a: x + 1}\ntolerance: {ulp: 2}", value="x[i] + 1.0000002f")
        out = self.fails("7 of 8", more="reference: {a: x * 0}", ctype="int")
        self.assertEqual(re.findall(r"(?m)^  also a\[(\d)\] = \1, expected 0 ", out),
                         ["2", "3", "4", "5"])
        self.assertIn("the worst is a[7] = 7, expected 0", out)
        self.assertNotIn("would pass", out)

    def test_verbose_shows_how_far_elements_are_off(self):
        changes = {"more": "reference: {a: x + 1}", "value": "x[i] + 1.0000002f"}
        self.assertNotIn("errors of", self.fails(**changes))
        out = self.fails("errors of `a`, in ulp:", arguments=["-v"], **changes)
        self.assertRegex(out, r"\n    1 to 2  #+ +2\n    2 to 4  #+ +1\n")

    def test_the_journal_has_it_by_its_schema(self):
        self.fails(more="reference: {a: x + 1}", value="x[i] + 1.0000002f",
                   arguments=["--journal", "run.jsonl"])
        case, = [record for record in self.journal() if record["type"] == "case"]
        output, = case["outputs"]
        self.assertEqual(output["first"]["ulp"], "2")
        self.assertEqual(output["sufficient_tolerance"], "{ulp: 2}")
        self.assertEqual(output["errors"], {"unit": "ulp", "buckets": [
            {"low": 1, "high": 2, "count": 2}, {"low": 2, "high": 4, "count": 1}]})
        self.assertNotIn("would pass", case["message"])
        self.fails(more="check: {within: a, high: 0}", arguments=["--journal", "run.jsonl"])
        checked, = [record for record in self.journal() if record["type"] == "case"]
        self.assertEqual(checked["failure"], "check")
        self.assertFalse(checked["outputs"][0]["has_reference"])
        try:
            import jsonschema
        except ImportError:
            return
        schema = json.loads((SOURCE / "schema/outcome.json").read_text())
        for record in (case, checked):
            jsonschema.validate(record, schema)

    def test_lint_tries_answers_against_checks(self):
        self.suite(more="check: {within: a, low: 0, high: 100}")
        _, errors = self.run_program("lint", "suites", code=2)
        self.assertIn("suites/t.yaml:15:17: error: t.n=8: `a` would pass if the kernel wrote zeros "
                      "or copied `x`", errors)
        self.suite(more="check: [{sorted: a}, {permutation: a, of: x}]", x="rng.random(n)")
        self.run_program("lint", "suites")

    def test_lint_reads_checks_without_numpy(self):
        self.suite(more="check: {within: a, low: 1 +}")
        self.assertIn("suites/t.yaml:15:", self.run_program("lint", "--static", "suites", code=2)[1])


class GradedChecks(GradeTest):
    def feedback(self):
        self.grade()
        return json.dumps(json.loads((self.folder / "out" / "ann" / "result.json").read_text()))

    def test_students_get_no_tolerance(self):
        self.hand_in(ann=self.wrong("* 1.0000002f"))
        everything = "".join(file.read_text(errors="replace")
                             for file in self.graded_files())
        self.assertNotIn("would pass", everything)
        self.assertNotIn("ulp: ", everything)

    def wrong(self, change):
        import assignment
        return assignment.KERNEL.replace("src[i];", "src[i] %s;" % change)

    def graded_files(self):
        self.grade()
        files = [file for file in (self.folder / "out").rglob("*") if file.is_file()]
        self.assertTrue(files)
        return files

    def test_a_check_that_fails_costs_points_with_its_reason(self):
        suite = self.folder / "suites/scale.yaml"
        suite.write_text(suite.read_text().replace(
            "reference: {out: f * src}", "check: {permutation: out, of: f * src}"))
        self.hand_in(ann=self.wrong("+ 1"))
        everything = "".join(file.read_text(errors="replace") for file in self.graded_files())
        self.assertIn("The result is not as it must be: `out` is no permutation of", everything)


if __name__ == "__main__":
    unittest.main()
