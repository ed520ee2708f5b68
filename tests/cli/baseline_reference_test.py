# References that are another kernel's outputs: `baseline['NAME']` in `reference` and `check`.
import unittest

from assignment import KERNEL, SUITE as SCALE, WRONG, GradeTest
from program import CheckTest

PAIR = """#define K extern "C" __global__ void
K ours(float *y, float *z, const float *x, int n) {
  int i = threadIdx.x;
  if (i < n) y[i] = x[i] * 2, z[i] = %s;
}
K theirs(float *y, float *z, const float *x, int n) {
  for (int i = 0; i < n; ++i) y[i] = x[i] + x[i], z[i] = %s;
}
"""
SUITE = """warpmark: 1
kernel: {file: k.cu, entry: ours}
axes: {n: [8]}
arguments:
  y: {out: n}
  z: {out: n}
  x: {in: rng.random(n)}
  n: {scalar: n}
launch: {block: 32}
"""
BASELINE = "baseline: {kernel: {file: k.cu, entry: theirs}, launch: {block: 1}}\n"
REFERENCE = "reference: {y: \"baseline['y']\", z: \"2 * baseline['z']\"}\n"


class BaselineReference(CheckTest):
    def suite(self, more, ours="6", theirs="3"):
        self.write("suites/k.cu", PAIR % (ours, theirs))
        self.write("suites/t.yaml", SUITE + more)

    def refused(self, more, place, *words):
        self.suite(more)
        errors = self.check("suites/t.yaml", code=2)[1]
        self.assertIn("suites/t.yaml:%s: error: " % place, errors)
        for word in words:
            self.assertIn(word, errors)

    def test_outputs_of_the_baseline_are_references(self):
        self.suite(BASELINE + REFERENCE)
        self.assertIn("1 passed", self.check("suites/t.yaml")[0])
        self.suite(BASELINE + REFERENCE, ours="i == 5 ? 7 : 6")
        out = self.check("suites/t.yaml", code=1)[0]
        self.assertIn("z[5] = 7, expected 6", out)

    def test_checks_and_tolerances_go_with_them(self):
        more = ("reference: {y: \"baseline['y']\"}\n"
                "check: {within: z, low: \"baseline['z']\", high: \"baseline['z'] + 1\"}\n")
        self.suite(BASELINE + more, ours="3.5f")
        self.assertIn("1 passed", self.check("suites/t.yaml")[0])
        self.suite(BASELINE + more, ours="5")
        self.assertIn("`z` is out of bounds", self.check("suites/t.yaml", code=1)[0])
        self.suite(BASELINE + REFERENCE + "tolerance: {atol: 0.5}\n", ours="6.25f")
        self.assertIn("1 passed", self.check("suites/t.yaml")[0])

    def test_a_wrong_baseline_fails_the_case_and_is_blamed(self):
        for theirs, words in (("x[i + n]", "the baseline fails: "),
                              ("i == 3 ? z[i] : 3", "the baseline fails: ")):
            self.suite(BASELINE + REFERENCE, theirs=theirs)
            out = self.check("suites/t.yaml", "--checks", "all", code=1)[0]
            self.assertIn(words, out)

    def test_an_output_that_the_baseline_does_not_write_fails(self):
        self.suite(BASELINE + REFERENCE)
        self.write("suites/k.cu", (PAIR % ("6", "3")).replace(", z[i] = 3", ""))
        out = self.check("suites/t.yaml", code=1)[0]
        self.assertIn("the baseline fails: suites/t.yaml:6:3: error: 8 of 8 elements of `z` were never",
                      out)

    def test_counters_and_benchmarks_are_those_of_the_own_kernel(self):
        self.suite(BASELINE + REFERENCE +
                   "expect: {counters: {global_store_requests: '== 2'}, parallel: true}\n")
        self.check("suites/t.yaml")
        self.suite(BASELINE + REFERENCE)
        self.assertIn("t.n=8", self.run_program("bench", "suites/t.yaml", "--device", "cpu",
                                                "--processes", "1")[0])

    def test_lint_tries_answers_against_it(self):
        self.suite(BASELINE + REFERENCE, ours="0", theirs="0")
        out, errors = self.run_program("lint", "suites/t.yaml", code=2)
        self.assertIn("`z`", out + errors)
        self.suite(BASELINE + REFERENCE.replace("2 * baseline['z']", "baseline['z'] + x"),
                   ours="3 + x[i]")
        self.run_program("lint", "suites/t.yaml")

    def test_what_is_refused(self):
        self.refused(REFERENCE, "10:17", "the suite has no `baseline`")
        self.refused("reference: {y: 2 * x}\ncheck: {within: z, low: \"baseline['z']\"}\n", "11:8",
                     "the suite has no `baseline`")
        self.refused(BASELINE + "reference: {y: 2 * x, z: x}\n", "10:11",
                     "nothing is held against the baseline", "baseline['NAME']")
        self.suite(BASELINE + REFERENCE)
        self.write("suites/t.yaml", (SUITE + BASELINE + REFERENCE).replace("  x: {in",
                                                                         "  baseline: {in"))
        self.assertIn("the name `baseline` is taken", self.check("suites/t.yaml", code=2)[1])

    def test_a_name_that_the_baseline_has_not(self):
        self.suite(BASELINE + "reference: {y: \"baseline['w']\", z: 6 + 0 * x}\n", theirs="6")
        out = self.check("suites/t.yaml", code=1)[0]
        self.assertIn("KeyError", out)

    def test_written_asks_for_every_element(self):
        self.suite("reference: {y: 2 * x}\ncheck: {written: z}\n", ours="i")
        self.check("suites/t.yaml")
        self.suite("reference: {y: 2 * x}\ncheck: {written: z}\n")
        self.write("suites/k.cu", (PAIR % ("6", "3")).replace(", z[i] = 6", ""))
        self.assertIn("never written", self.check("suites/t.yaml", code=1)[0])


class Graded(GradeTest):
    def test_a_submission_is_held_against_the_solution(self):
        self.write("suites/scale.yaml", SCALE.replace("reference: {out: f * src}", """\
baseline: {kernel: {file: solution.cu, entry: scale}}
reference: {out: "baseline['out']"}"""))
        self.write("suites/solution.cu", KERNEL)
        self.hand_in(ann=KERNEL, ben=WRONG)
        for more in ((), ("--no-sandbox",)):
            self.run_program("grade", "hw1.yaml", "class", "-o", "out", "--secret", "secret",
                             "--device", "cpu", "--regrade", *more)
            self.assertEqual({name: one["points"] for name, one in self.results().items()},
                             {"ann": 6, "ben": 0})


if __name__ == "__main__":
    unittest.main()
