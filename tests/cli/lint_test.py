# `warpmark lint`: all problems of all suites at once, each with its place.
import json
import unittest

from program import DEMO, KERNEL, SOURCE, CheckTest, ProgramTest


def problem_lines(test, *arguments, **options):
    out, errors = test.run_program("lint", *arguments, code=2, **options)
    lines = [line for line in errors.splitlines() if ": error: " in line]
    test.assertRegex(out, r": %d problems?\n$" % len(lines))
    return lines


class Lint(ProgramTest):
    """What is found without NumPy and a compiler."""

    def problems(self, *arguments, **options):
        return problem_lines(self, "--static", *arguments, **options)

    def test_shipped_suites_have_none(self):
        out, errors = self.run_program("lint", "--static", SOURCE / "suites")
        self.assertRegex(out, r"^\d+ suites, \d+ cases: no problems\n$")
        self.assertEqual(errors, "")

    def test_counts(self):
        def out(path):
            return self.run_program("lint", "--static", path)[0]
        self.assertEqual(out(DEMO), "2 suites, 5 cases: no problems\n")
        self.write_suite("a.yaml", axis="[4]")
        self.assertEqual(out("a.yaml"), "1 suite, 1 case: no problems\n")

    def as_json(self, *arguments, code):
        found = json.loads(self.run_program("lint", "--json", *arguments, code=code)[0])
        try:
            import jsonschema
            jsonschema.validate(found, json.loads((SOURCE / "schema/lint.json").read_text()))
        except ImportError:
            pass
        return found

    def test_json(self):
        self.assertEqual(self.as_json("--static", DEMO, code=0),
                         {"warpmark": 1, "suites": 2, "cases": 5, "problems": []})
        self.write_suite("a.yaml", axis="[4, 4]")
        found = self.as_json("--static", "a.yaml", code=2)
        self.assertEqual(found["suites"], 1)
        problem, = found["problems"]
        self.assertEqual((problem["file"], problem["line"]), ("a.yaml", 6))
        line, = self.problems("a.yaml")
        self.assertIn(": error: " + problem["message"], line)

    def test_json_says_what_could_not_be_checked(self):
        self.environment["WARPMARK_NVRTC"] = str(self.folder / "nothing.so")
        self.write_suite("a.yaml")
        found = self.as_json("a.yaml", code=3)
        self.assertEqual(found["problems"], [])
        self.assertIn("nothing.so", found["unchecked"]["message"])

    def test_every_suite_is_read_on(self):
        self.write_suite("suites/a.yaml", axis="[4, 4]")
        self.write_suite("suites/b.yaml", axis="[m]")
        self.write_suite("suites/c.yaml")
        self.write_suite("suites/d.yaml", reference="np.arange(n")
        lines = self.problems()
        self.assertEqual([line.split(":")[0] for line in lines],
                         ["suites/a.yaml", "suites/b.yaml", "suites/d.yaml"])

    def test_every_key_of_a_suite_is_read_on(self):
        self.write("a.yaml", """warpmark: 1
abuot: A suite.
kernel: {file: none.cu, entry: k}
axes: {n: [1 // 0]}
arguments: {a: {out: n +}, b: {in: n}}
launch: {grid: 1}
reference: {a: ''}
tolerance: loose
lint: {allow: [zeros]}
""")
        places = [line.split(": error: ")[0] for line in self.problems("a.yaml")]
        self.assertEqual([place.split(":")[1] for place in places],
                         ["2", "3", "4", "5", "6", "7", "8", "9"])

    def test_a_mistake_makes_no_further_ones(self):
        self.write("a.yaml", (self.write_suite("b.yaml").read_text()
                              .replace("[4, 8]", "[4, 8 8]")))
        self.assertEqual(len(self.problems("a.yaml")), 1)

    def test_numpy_text_is_checked_at_its_column(self):
        suite = self.write("a.yaml", """warpmark: 1
kernel: {entry: k, source: "extern void k();"}
arguments:
  x: {in: rng.random(4)}
  y: {in: "rng.random(4 4)"}
  s: {scalar: 1 +, dtype: int32}
  z: {out: 4}
launch: {block: 4}
reference:
  z: |
    (x +
     y *)
tolerance: {rtol: 1e-6 *, atol: 0}
""")
        places = [line.split(": error: ")[0].rsplit("/", 1)[-1] for line in self.problems(suite)]
        self.assertEqual([place.split(":")[1] for place in places], ["5", "6", "12", "13"])
        # The first character of the quoted text is in column 12.
        self.assertIn(int(places[0].split(":")[2]), range(12, 27))

    def test_needs_no_numpy(self):
        self.environment["WARPMARK_PYTHON"] = str(self.make_python("raise SystemExit(9)\n"))
        self.run_program("lint", "--static", DEMO)

    def test_without_python_the_other_problems_are_still_reported(self):
        self.environment["WARPMARK_PYTHON"] = "/nowhere/python3"
        self.write_suite("suites/a.yaml", axis="[4, 4]")
        self.write_suite("suites/b.yaml")
        for arguments in (["--static"], []):
            out, errors = self.run_program("lint", *arguments, code=3)
            self.assertIn("1 problem, and not all could be checked", out)
            self.assertIn("suites/a.yaml:6:", errors)
            self.assertIn("/nowhere/python3", errors)

    def test_without_numpy_or_compiler_the_static_part_is_reported(self):
        self.write_suite("suites/a.yaml", axis="[4, 4]")
        self.write_suite("suites/b.yaml")
        good = dict(self.environment)
        for change in ({"WARPMARK_PYTHON": str(self.make_python("raise ImportError('x')\n"))},
                       {"WARPMARK_NVRTC": "/nowhere/libnvrtc.so"}):
            self.environment = {**good, **change}
            out, errors = self.run_program("lint", code=3)
            self.assertIn("2 suites, 2 cases: 1 problem, and not all could be checked", out)
            self.assertIn("suites/a.yaml:6:", errors)
            self.assertIn("`warpmark lint --static`", errors)

    def test_cases_without_a_plan(self):
        self.write_suite("a.yaml", axis="[4, -1, -2]")
        lines = self.problems("a.yaml")
        self.assertGreaterEqual(len(lines), 1)
        self.assertEqual(len(lines), len(set(lines)))

    def test_bench_axes_are_checked(self):
        text = self.write_suite("a.yaml").read_text()
        self.write("a.yaml", text + "bench: {axes: {n: [-5]}}\n")
        self.assertEqual(len(self.problems("a.yaml")), 1)

    def test_kernel_files(self):
        text = (DEMO / "demo" / "suite.yaml").read_text()
        self.write("a.yaml", text)
        self.assertIn("there is no file `scale.cu`", self.problems("a.yaml")[0])

    def test_an_unreadable_kernel_file(self):
        self.write("a.yaml", (DEMO / "demo" / "suite.yaml").read_text())
        self.write("scale.cu", "").chmod(0)
        self.assertRegex(self.problems("a.yaml", preexec_fn=self.permissions_count())[0],
                         r"^a\.yaml:3:\d+: error: cannot read scale.cu")


class Trivial(CheckTest):
    """Cases that a kernel which computes nothing would pass; tests/unit/runtime has the rules."""
    SHARES_KERNELS = True

    def lint(self, code=0, **changes):
        self.write_scale(**changes)
        return self.run_program("lint", code=code)

    def test_shipped_suites_have_none(self):
        out, errors = self.run_program("lint", SOURCE / "suites", DEMO)
        self.assertRegex(out, r"^\d+ suites, \d+ cases: no problems\n$")
        self.assertEqual(errors, "")

    def test_a_good_suite(self):
        self.assertEqual(self.lint(axes="{n: [0, 1, 2, 100]}",
                                   launch="{block: 32, grid: 'max(1, ceil_div(n, 32))'}")[0],
                         "1 suite, 4 cases: no problems\n")

    def test_what_a_finding_looks_like(self):
        out, errors = self.lint(code=2, f="{scalar: 1}")
        self.assertEqual(errors, "suites/t.yaml:10:18: error: t.n=100: `out` would pass if the "
                                 "kernel copied `src`\n  hint: choose inputs that lead to another "
                                 "answer; if it is meant so: `lint: {allow: [copy], reason: …}`\n")
        self.assertEqual(out, "1 suite, 1 case: 1 problem\n")

    COMPOSED = """warpmark: 1
kernel:
  entry: k
  source: |
    struct Pair { float x; int i; };
    extern "C" __global__ void k(Pair *p, const Pair *q, float2 *z) {
      p[threadIdx.x] = %s;
      z[threadIdx.x] = {%s};
    }
types:
  Pair: {x: float, i: int}
arguments:
  p: {inout: "dict(x=np.zeros(4), i=np.arange(4))"}
  q: {in: "dict(x=rng.random(4), i=np.arange(4))", dtype: Pair}
  z: {out: 4, dtype: complex64}
launch: {block: 4}
reference: {p: "%s", z: "%s"}
tolerance: {rtol: %s}
"""

    def test_answers_are_tried_for_structs_and_complex_numbers(self):
        for values, words in (
                (("q[threadIdx.x]", "q[threadIdx.x].x, 1", "q", "q['x'] + 1j", "0"),
                 ["`p` would pass if the kernel copied `q`"]),
                (("p[threadIdx.x]", "0, 0", "p", "np.zeros(4, complex)", "0"),
                 ["`p` would pass if the kernel wrote nothing",
                  "`z` would pass if the kernel wrote zeros"]),
                (("p[threadIdx.x]", "q[threadIdx.x].x, 1", "dict(x=p['x'] + 1, i=p['i'])",
                  "q['x'] + 1j", "0.01"), [])):
            self.write("suites/t.yaml", self.COMPOSED % values)
            errors = self.run_program("lint", "suites/t.yaml", code=2 if words else 0)[1]
            for word in words:
                self.assertIn(word, errors)

    def test_a_loose_tolerance_is_to_blame_itself(self):
        for tolerance, column in (("{atol: 40}", 12), ("{outputs: {out: {atol: 40}}}", 28)):
            _, errors = self.lint(code=2, tolerance=tolerance)
            self.assertRegex(errors, r"^suites/t.yaml:11:%d: error: .* wrote zeros or copied `src`\n"
                                     r"  hint: the tolerance lets it: make it tighter" % column)

    def test_each_answer(self):
        for answer, reference in {"zeros": "0 * src", "ones": "src / src", "copy": "src",
                                  "constant": "np.full(n, 7.5)", "nan": "src * np.nan"}.items():
            with self.subTest(answer):
                self.assertIn("lint: {allow: [%s], " % answer,
                              self.lint(code=2, reference='{out: "%s"}' % reference)[1])

    def test_exceptions(self):
        allow = "lint: {allow: [%s], when: %s, reason: of a test}\n"
        copy = dict(axes="{n: [100], f: [1, 2]}", f="{scalar: f}")
        self.assertIn("t.n=100,f=1", self.lint(code=2, **copy)[1])
        self.lint(**copy, more=allow % ("copy", "f == 1"))
        errors = self.lint(code=2, **copy, more=allow % ("copy", "f == 2"))[1]
        self.assertIn("suites/t.yaml:11:16: error: no case needs the exception `copy`", errors)
        self.assertIn("t.n=100,f=1", errors)
        errors = self.lint(code=2, **copy, more=allow % ("copy", "f"))[1]
        self.assertIn("suites/t.yaml:11:29: error: `when` must be True or False, and is 1", errors)

    def test_what_check_would_fail_is_a_problem(self):
        broken = dict(kernel_text="oops\n")
        self.assertIn("suites/k.cu:1: error: t.n=100: k.cu does not compile",
                      self.lint(code=2, **broken)[1])
        more = KERNEL.replace("int n", "int n, int m")
        self.assertIn("takes 5 arguments, and the suite gives 4",
                      self.lint(code=2, kernel_text=more)[1])

    def test_a_problem_of_many_cases_is_reported_once(self):
        lines = problem_lines(self, self.write_scale(axes="{n: [1, 2, 3, 4]}",
                                                     reference="{out: np.zeros(5)}"))
        self.assertEqual(len(lines), 1)
        self.assertIn("t.n=1: the reference has shape (5,), the output (1,)", lines[0])

    def test_an_expected_fault_has_nothing_to_judge(self):
        self.lint(reference=None, expect="{fault: illegal_address}")

    def test_static_looks_at_none_of_it(self):
        self.write_scale(kernel_text="oops\n", f="{scalar: 1}")
        self.run_program("lint", "--static")


if __name__ == "__main__":
    unittest.main()
