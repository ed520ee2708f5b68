# `warpmark lint`: all problems of all suites at once, each with its place.
import json
import re
import unittest

from program import DEMO, KERNEL, SEED, SOURCE, CheckTest, ProgramTest, of_today


def problem_lines(test, *arguments, **options):
    out, errors = test.run_program("lint", *arguments, code=2, **options)
    lines = [line for line in errors.splitlines() if ": error: " in line]
    test.assertRegex(out, r": %d problems?\n$" % len(lines))
    return lines


class Lint(ProgramTest):
    """Problems that are found without NumPy and a compiler."""

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
    def lint(self, code=0, **changes):
        self.write_scale(**changes)
        return self.run_program("lint", code=code)

    def test_suites_without_a_problem(self):
        """The shipped suites are the tests of `lint/`."""
        out, errors = self.run_program("lint", DEMO)
        self.assertEqual(out, "2 suites, 5 cases: no problems\n")
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

    def test_arguments_in_another_order_that_fits(self):
        self.write_scale(kernel_text=KERNEL.replace("float *out, const float *src",
                                                    "const float *src, float *out"))
        out, errors = self.run_program("lint", "suites")
        self.assertEqual(out, "1 suite, 1 case: no problems, 1 warning\n")
        self.assertIn("suites/t.yaml:5:3: warning: the arguments are in the order out, src, f, n, and "
                      "the parameters of `k` in the order src, out, f, n\n", errors)
        # Other names are no other order.
        self.assertEqual(self.lint(kernel_text=KERNEL.replace("src", "from"))[0],
                         "1 suite, 1 case: no problems\n")

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


class Trials(CheckTest):
    """Operations of suites that random tests find not to be what a reduction or a scan needs."""
    NORMAL = "rng.standard_normal(n)"
    WITH_NANS = "np.where(rng.random(n) < 0.2, np.nan, rng.standard_normal(n))"

    def lint(self, keys, **how):
        """The warnings about one suite."""
        self.suite("t", keys, **how)
        return self.warnings()

    def warnings(self):
        errors = self.run_program("lint", "suites")[1]
        return [line.split("warning: ", 1)[1] for line in errors.splitlines() if "warning: " in line]

    def suite(self, name, keys, x=NORMAL, type="float", plugin="reduction", result=None, extra="",
              reference=None):
        is_scan = plugin == "scan"
        self.write("suites/%s.yaml" % name, """warpmark: 1
plugin: %s
kernel:
  parameters: const %s *x, %s *y
%s
axes: {n: [1, 7, 300]}
arguments:
  x: {in: "%s"}
  y: {out: %s}
%sreference: {y: "%s"}
""" % (plugin, type, result or type, "\n".join("  " + line for line in keys), x,
       "x.shape" if is_scan else "1", extra,
       reference or "np.%s(x, dtype=x.dtype)" % ("nancumsum" if is_scan else "nansum")))

    @staticmethod
    def keys(reduce, neutral):
        return ["map: x[i]", "reduce: '%s'" % reduce, "neutral: '%s'" % neutral]

    def operation(self, reduce, neutral="0", **how):
        return self.lint(self.keys(reduce, neutral), **how)

    def operations(self, operations):
        """For each of them and each plugin whether there are warnings that it is not associative."""
        names = {}
        for number, (reduce, neutral, how) in enumerate(operations):
            for plugin in ("reduction", "scan"):
                names["%s%d" % (plugin[0], number)] = reduce
                self.suite("%s%d" % (plugin[0], number), self.keys(reduce, neutral), plugin=plugin,
                           **how)
        found = self.warnings()
        about = "`reduce` is not associative: (a∘b)∘c is "
        return found, {name: (reduce, any(line.startswith(name + ".") and about in line
                                          for line in found)) for name, reduce in names.items()}

    def test_operations_that_are_not_associative(self):
        integers = dict(type="int", x="rng.integers(-9, 9, n)")
        _, verdicts = self.operations([
            ("a - b", "0", {}), ("(a + b) / 2", "0", {}), ("a + 2 * b", "0", {}),
            ("a - b", "0", integers), ("min(a + b, 9)", "0", integers),
            ("a > b ? a : b", "-INFINITY", dict(x=self.WITH_NANS)),
            ("a - b", "0", dict(type="__half"))])
        for name, (reduce, warned) in verdicts.items():
            self.assertTrue(warned, (name, reduce))

    def test_operations_that_are(self):
        wide = "rng.standard_normal(n) * 10.0 ** rng.integers(-20, 20, n)"
        integers = dict(type="int", x="rng.integers(-2**31, 2**31, n)")
        found, _ = self.operations(of_today([
            ("a + b", "0", {}), ("a * b", "1", {}), ("a + b", "0", dict(x=wide)),
            ("a * b", "1", dict(x=wide)), ("sqrtf(a * a + b * b)", "0", dict(x="rng.random(n)")),
            ("fmaxf(a, b) + log1pf(expf(-fabsf(a - b)))", "-1e30f", {}),
            ("a > b || a != a ? a : b", "-INFINITY", dict(x=self.WITH_NANS)),
            ("a + b", "0", integers), ("a * b", "1", integers), ("a ^ b", "0", integers),
            ("max(a, b)", "INT_MIN", integers), ("a + b", "0", dict(type="double")),
            ("a + b", "0", dict(type="__half"))], 4))
        self.assertEqual(found, [], SEED)
        half = self.keys("a + b", "0") + ["accumulate: __half"]
        self.assertEqual(self.lint(half, type="__half"), [])

    def test_a_counterexample_is_one(self):
        found, = self.operation("a - b", "0", type="int", x="rng.integers(1, 9, n)")
        number = r"(-?\d+)"
        place, left, right, a, b, c = re.fullmatch(
            r"(t.n=\d+): `reduce` is not associative: \(a∘b\)∘c is %s, but a∘\(b∘c\) is %s "
            r"for a = %s, b = %s, c = %s" % ((number,) * 5), found).groups()
        a, b, c = int(a), int(b), int(c)
        self.assertEqual((place, int(left), int(right)), ("t.n=1", a - b - c, a - (b - c)))

    def test_an_order_that_matters(self):
        keys = ["map: x[i]", "reduce: 'a != 0 ? a : b'", "neutral: 0"]  # the first that is not 0
        found, = self.lint(keys)
        self.assertRegex(found, r"^t.n=7: `reduce` is not commutative: a∘b is .*, but b∘a is ")
        self.assertEqual(self.lint(keys + ["commutative: false"]), [])
        self.assertEqual(self.lint(keys, plugin="scan"), [])

    def test_neutral_elements(self):
        found, = self.operation("max(a, b)", "0", type="int", x="rng.integers(-9, -1, n)")
        self.assertRegex(found, r"^t.n=1: `neutral` is not neutral: neutral∘a is 0 for a = -\d$")
        self.assertEqual(len(self.operation("sum", "5")), 1)
        # It is, for what `map` gives.
        self.assertEqual(self.lint(["map: fabs(x[i])", "reduce: max", "neutral: 0"]), [])

    def test_structs(self):
        keys = ["preamble: |", "  struct Run { int most; float total; };",
                "  __device__ Run both(Run a, Run b) {",
                "    return {max(a.most, b.most), %s};", "  }",
                "map: 'Run{int(i), x[i]}'", "reduce: both(a, b)", "neutral: 'Run{-1, 0}'"]
        types = "types:\n  Run: {most: int32, total: float32}\n"
        for total, wrong in (("a.total + b.total", False), ("a.total - b.total", True)):
            for result, more in (("Run", []), ("float", ["finish: total.total", "accumulate: Run"])):
                with self.subTest(total, result=result):
                    text = [line % total if "%s" in line else line for line in keys]
                    found = self.lint(text + more, result=result,
                                      extra=types if result == "Run" else "",
                                      reference="dict(most=[n - 1], total=[np.sum(x)])"
                                      if result == "Run" else None)
                    self.assertEqual(len(found), int(wrong), found)
                    if wrong and result == "Run":
                        self.assertRegex(found[0], r"a = {most: 0, total: -?[\d.]+}")

    def test_elements_are_those_of_the_reduction(self):
        minus = ["map: x[i]", "reduce: a - b", "neutral: 0"]
        for more in (["range: {start: 1, stop: 200, step: 2}"], ["tune: {block: 64}"]):
            with self.subTest(more[0]):
                self.assertEqual(len(self.lint(minus + more, x="rng.random(300 + n)")), 1)
        # An element outside of the range would be no number.
        plus = ["map: 'i % 2 ? x[i] : float(i)'", "reduce: 'a == 0 || a == 2 ? 7 : a + b'",
                "neutral: 9", "range: {start: 1, step: 2}", "commutative: false"]
        self.assertNotIn("a = 0,", "".join(self.lint(plus, x="1 + rng.random(n)")))

    def test_subsets_and_axes(self):
        text = """warpmark: 1
plugin: reduction
kernel:
  parameters: const float *x, const int *lut, float *y
  map: %s
  reduce: a %s b
  neutral: 0
  %s
arguments:
  x: {in: "rng.standard_normal((40, 7))"}
  lut: {in: "rng.integers(0, 280, 30)"}
  y: {out: %s}
reference: {y: "%s"}
tolerance: {rtol: 1e-5, atol: 1e-5}
"""
        for value, key, size, sum_of in (
                ("x[i]", "index: lut", "1", "x.ravel()[lut].sum()"),
                ("x[i] * lut[column]", "axis: 0", "7", "(x * lut[:7]).sum(0)"),
                ("x[i] * lut[row % 30]", "axis: 1", "40", "(x * np.resize(lut, 40)[:, None]).sum(1)")):
            for sign in "+-":
                with self.subTest(key, sign=sign):
                    self.write("suites/t.yaml", text % (value, sign, key, size, sum_of))
                    found = self.warnings()
                    self.assertEqual(len(found), int(sign == "-"), found)

    def test_a_warning_is_no_problem(self):
        found, = self.operation("a - b")
        out = self.run_program("lint", "suites")[0]
        self.assertEqual(out, "1 suite, 3 cases: no problems, 1 warning\n")
        document = json.loads(self.run_program("lint", "--json", "suites")[0])
        self.assertEqual(document["problems"], [])
        self.assertEqual([(one["line"], one["message"]) for one in document["warnings"]],
                         [(6, found)])
        self.assertIn("hint", document["warnings"][0])
        errors = self.run_program("lint", "--annotations", "github", "suites")[1]
        self.assertRegex(errors, r"(?m)^::warning file=suites/t.yaml,line=6,")


class WideIndices(CheckTest):
    """Indices that 32 bits do not hold, found without the memory for such arrays."""
    TWICE = """__global__ void twice(float *a, %s n) {
  %s i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] *= 2;
}
"""

    def warnings(self, kernel, keys="", n="[100]", entry="twice", grid="ceil_div(n, 128)", block="128", more=""):
        self.write("suites/k.cu", kernel)
        self.write("suites/t.yaml", """warpmark: 1
kernel: {file: k.cu, entry: %s%s}
axes: {n: %s}
arguments:
  a: {inout: rng.random(n)}
  n: {scalar: n}
launch: {block: %s, grid: %s}
reference: {a: 2 * a}
%s""" % (entry, keys, n, block, grid, more))
        errors = self.run_program("lint", "suites")[1]
        return [line for line in errors.splitlines() if "warning: " in line or "hint: " in line]

    def test_a_size_of_64_bits_promises_as_many_elements(self):
        found, hint = self.warnings(self.TWICE % ("size_t", "int"))
        self.assertEqual(found, "suites/k.cu:2: warning: t.n=2147483700: `twice` computes an index in 32 bits, "
                         "which do not hold 2147483648 in thread (0, 0, 0) of block (16777216, 0, 0): it becomes "
                         "-2147483648")
        self.assertIn("hint: compute it in 64 bits", hint)
        found, _ = self.warnings(self.TWICE % ("long long", "unsigned"))
        self.assertIn("t.n=4294967300: ", found)
        self.assertIn("do not hold 4294967423", found)
        self.assertIn("it becomes 127", found)

    def test_what_promises_less_or_keeps_it_has_none(self):
        self.assertEqual(self.warnings(self.TWICE % ("int", "int")), [])
        self.assertEqual(self.warnings((self.TWICE % ("size_t", "size_t")).replace("= block", "= size_t(1) * block")), [])
        # A launch of so many blocks there is not.
        self.assertEqual(self.warnings(self.TWICE % ("size_t", "int"), grid='[1, "ceil_div(n, 128)"]'), [])

    def test_points_of_a_benchmark_that_are_so_large(self):
        matrix = """__global__ void twice(float *a, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= n || col >= n) return;
  int i = row * n + col;
  a[i] *= 2;
}
"""
        grid, block = '["ceil_div(n, 16)", "ceil_div(n, 16)"]', "[16, 16]"
        found, _ = self.warnings(matrix.replace("rng.random(n)", ""), n="[64]", grid=grid, block=block,
                                 more="bench: {axes: {n: [1024, 50000]}}\n")
        self.assertIn("suites/k.cu:4: warning: t.n=50000: ", found)
        self.assertIn("which do not hold 2499999999", found)
        self.assertEqual(self.warnings(matrix, n="[64]", grid=grid, block=block,
                                       more="bench: {axes: {n: [1024, 46340]}}\n"), [])

    def test_the_point_decides_macros_and_templates(self):
        kernel = "template <typename I> " + self.TWICE % ("long", "I")
        self.assertIn("suites/k.cu:2: ", self.warnings(kernel, entry="twice<int>")[0])
        self.assertEqual(self.warnings(kernel.replace("= block", "= I(1) * block"), entry="twice<long>"), [])

    def test_a_kernel_in_the_suite_has_its_line(self):
        self.write("suites/t.yaml", "warpmark: 1\nkernel:\n  entry: twice\n  source: |\n    "
                   + (self.TWICE % ("size_t", "int")).replace("\n", "\n    ").rstrip() + """
axes: {n: [100]}
arguments:
  a: {inout: rng.random(n)}
  n: {scalar: n}
launch: {block: 128, grid: "ceil_div(n, 128)"}
reference: {a: 2 * a}
""")
        self.assertIn("suites/t.yaml:6: warning: t.n=2147483700", self.run_program("lint", "suites")[1])


if __name__ == "__main__":
    unittest.main()
