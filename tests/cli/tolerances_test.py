# `tolerance: from_float64`: bounds that the reference's own errors give, and lint's lower precisions.
import json
import unittest

from program import CheckTest

SUITE = """warpmark: 1
kernel:
  source: |
    extern "C" __global__ void k(const {c} *x, {c} *y, int n) {{
      {body}
    }}
  entry: k
axes: {{n: [{n}]}}
arguments:
  x: {{in: '{x}', dtype: {dtype}}}
  y: {{out: {out}, dtype: {dtype}}}
  n: {{scalar: n}}
launch: {{block: 64, grid: '{grid}'}}
reference: {{y: '{reference}'}}
tolerance: {tolerance}
"""
ELEMENT = "int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = %s;"
# One thread for all, in order: the honest kernel with the greatest error.
SUM = "if (blockIdx.x + threadIdx.x > 0) return; %s sum = 0; for (int i = 0; i < %s; ++i) sum += x[i]; *y = sum;"
C_TYPES = {"float32": "float", "float64": "double"}


class Tolerances(CheckTest):
    def suite(self, body, reference, x="rng.random(n)", out="n", n=4096, dtype="float32", tolerance="from_float64"):
        self.write("suites/t.yaml", SUITE.format(body=body, reference=reference, x=x, out=out, n=n, dtype=dtype, c=C_TYPES[dtype],
                                                 grid="1" if out == 1 else "ceil_div(n, 64)", tolerance=tolerance))

    def passes(self, *arguments, **suite):
        self.suite(*arguments, **suite)
        return self.run_program("check", "suites/t.yaml", "--device", "cpu")[0]

    def fails(self, *arguments, **suite):
        self.suite(*arguments, **suite)
        return self.run_program("check", "suites/t.yaml", "--device", "cpu", code=1)[0]

    def test_elements(self):
        out = self.passes(ELEMENT % "expf(x[i]) / (1 + x[i])", "np.exp(x) / (1 + x)")
        self.assertRegex(out, r"tolerance of `y` in t.n=4096: rtol \d\.\d+e-0[67] from float64: float32 is off by \d\.\d+e-0[78] of an element\n")
        # Half the digits are another result, and so is one percent.
        for wrong in ("1.001f * x[i]", "0.f"):
            self.assertIn("of 4096 elements", self.fails(ELEMENT % wrong, "x + 0"))

    def test_is_in_the_record(self):
        self.suite(ELEMENT % "2 * x[i]", "2 * x")
        self.run_program("check", "suites/t.yaml", "--device", "cpu", "--journal", "run.jsonl")
        case = [json.loads(line) for line in (self.folder / "run.jsonl").read_text().splitlines()][-2:]
        output, = [one for line in case for one in line.get("outputs", [])]
        self.assertEqual(output["tolerance"], "rtol 1.19e-07 from float64: float32 is off by 0 of an element")

    def test_a_plain_sum_passes(self):
        for x in ("rng.random(n)", "rng.standard_normal(n)"):
            self.assertRegex(self.passes(SUM % ("float", "n"), "x.sum()", x=x, out=1), "with sums in order by")

    def test_a_short_sum_fails(self):
        for wrong in (SUM % ("float", "n - 1"), "if (threadIdx.x == 0) *y = 0;"):
            self.assertIn("allowed", self.fails(wrong, "x.sum()", x="1 + rng.random(n)", out=1))

    def test_a_reference_that_widens_by_itself(self):
        # Sums in order tell what it would be off in float32.
        self.assertIn("float32 is off by", self.passes(SUM % ("float", "n"), "x.astype(np.float64).sum()", out=1))
        text = self.fails(SUM % ("float", "n"), "np.asarray(x.tolist()).sum()", out=1)
        self.assertIn("it computes in float64 whatever its inputs are", text)

    def test_float64(self):
        self.passes(ELEMENT % "sqrt(x[i]) / 3", "np.sqrt(x) / 3", dtype="float64")
        self.fails(ELEMENT % "sqrtf(x[i]) / 3", "np.sqrt(x) / 3", dtype="float64")

    def test_zeros_never_pass(self):
        text = self.fails("if (threadIdx.x == 0) *y = 0;", "(x - x.mean()).sum()", out=1)
        self.assertIn("`from_float64` gives no tolerance for `y`: atol", text)
        self.assertIn("so that zeros or something near them would pass", text)

    def test_overflow(self):
        self.assertRegex(self.fails(ELEMENT % "x[i]", "np.exp(100 * x)"), "in float32 the reference is inf, and .* in float64")

    def test_factor(self):
        self.assertIn("1 or more", self.fails(ELEMENT % "x[i]", "x + 0", tolerance="{from_float64: 0.5}"))
        wide = self.passes(ELEMENT % "expf(x[i])", "np.exp(x)", tolerance="{from_float64: 32}")
        self.assertRegex(wide, r"rtol \d\.\d+e-06")
        self.suite(ELEMENT % "x[i]", "x + 0", tolerance="{from_float64: 8, ulp: 1}")
        self.assertIn("has a bound beside from_float64", self.refused("check", "suites/t.yaml", "--device", "cpu"))

    def test_one_of_several_outputs(self):
        self.passes(ELEMENT % "x[i]", "x + 0", tolerance="{outputs: {y: from_float64}}")

    def lint(self, *arguments, **suite):
        code = suite.pop("code", 0)
        self.suite(*arguments, **suite)
        out, errors = self.run_program("lint", "suites/t.yaml", code=code)
        return out + errors

    def test_lint_prints_it(self):
        self.assertIn("tolerance of `y` in t.n=4096: rtol", self.lint(ELEMENT % "expf(x[i])", "np.exp(x)"))
        found = json.loads(self.run_program("lint", "suites/t.yaml", "--json")[0])
        self.assertEqual(len(found["tolerances"]), 1)

    def test_lint_finds_lower_precisions(self):
        shape = dict(x="rng.random((64, 64))", n=4096)
        body = ELEMENT % "x[i]"
        text = self.lint(body, "(x @ x).ravel()", tolerance="{rtol: 1e-3}", code=2, **shape)
        self.assertIn("computed with the 11 bits of a float16 or multiplied in tf32, with 11 bits of each input", text)
        text = self.lint(body, "(x @ x).ravel()", tolerance="{rtol: 1e-5}", **shape)
        self.assertIn("no problems", text)
        self.assertIn("no problems", self.lint(body, "(x @ x).ravel()", **shape))
        text = self.lint(body, "2 * x", dtype="float64", tolerance="{rtol: 1e-6}", code=2)
        self.assertIn("`y` would pass if the kernel computed in float32", text)
        # A bound that lets a bfloat16 pass lets all others pass, too, and is said once.
        text = self.lint(body, "2 * x", tolerance="{rtol: 5e-3}", code=2)
        self.assertIn("would pass if the kernel computed with the 8 bits of a bfloat16\n", text)


if __name__ == "__main__":
    unittest.main()
