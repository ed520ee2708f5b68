# `lint --mutate`: changes of a suite's kernel that its cases notice, and those that they let live.
"""Each kernel is tiny, and the living mutants of its suite are known."""
import json
import shutil
import unittest

from program import SOURCE, CheckTest

SCALE = """extern "C" __global__ void k(float *out, const float *src, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = src[i] * 3;
}
"""
SUITE = """warpmark: 1
kernel: {%s, entry: k}
axes: {n: [%s]}
arguments:
  out: {out: n}
  src: {in: rng.standard_normal(n)}
  n: {scalar: n}
launch: {block: %s, grid: 'ceil_div(n, %s)'}
reference: {out: 3 * src}
tolerance: %s
"""
# The sum of a block: its barriers matter, and the tail that no case has does not.
SUM = """#define HALF(n) ((n) / 2)
extern "C" __global__ void k(float *out, const float *x) {
  __shared__ float sum[128];
  int t = threadIdx.x;
  sum[t] = x[t];
  __syncthreads();
  for (int half = HALF(128); half > 0; half /= 2) {
    if (t < half) sum[t] += sum[t + half];
    __syncthreads();
  }
  if (t == 0) out[0] = sum[0];
  if (x[0] > 1e30f)
    out[0] = -1;
}
"""
SUM_SUITE = """warpmark: 1
kernel: {file: sum.cu, entry: k}
arguments:
  out: {out: 1}
  x: {in: rng.random(128)}
launch: {block: 128}
reference: {out: np.sum(x)}
tolerance: {rtol: 1.0e-5}
"""


class Mutants(CheckTest):
    def lint(self, *arguments, code=0):
        return self.run_program("lint", "--mutate", "--jobs", "1", *arguments, code=code)

    def found(self, *arguments, code=0):
        """The suites' mutants of --json, and the warnings."""
        told = json.loads(self.lint("--json", *arguments, code=code)[0])
        return told["mutants"], told.get("warnings", [])

    def write_scale_suite(self, sizes="100, 257", block=128, tolerance="exact", kernel="file: k.cu"):
        self.write("suites/k.cu", SCALE)
        self.write("suites/t.yaml", SUITE % (kernel, sizes, block, block, tolerance))

    def living(self, suite):
        return {one["after"] for one in suite["live"]}

    def test_sizes_beside_a_block_kill_every_mutant(self):
        self.write_scale_suite()
        (suite,), warnings = self.found("suites")
        self.assertEqual(suite["live"], [])
        self.assertGreater(suite["killed"], 8)
        self.assertEqual(warnings, [])

    def test_a_whole_number_of_blocks_lets_the_bound_live(self):
        self.write_scale_suite("128, 256")
        (suite,), warnings = self.found("suites")
        self.assertEqual(self.living(suite), {"if (i <= n) out[i] = src[i] * 3;"})
        self.assertRegex(suite["live"][0]["killed_by"], r"^n=\d+$")
        self.assertEqual((suite["live"][0]["line"], suite["live"][0]["column"]), (3, 9))
        self.assertIn("bit for bit", warnings[0]["message"])
        out, errors = self.lint("suites")
        self.assertRegex(out, r"mutants of t: \d+ of \d+ killed, 1 live")
        self.assertIn("+ if (i <= n) out[i] = src[i] * 3;", errors)

    def test_an_exception_accepts_it_and_must_be_needed(self):
        self.write_scale_suite("128, 256")
        allow = "lint: {allow: [{mutant: 'if (i <= n) out[i] = src[i] * 3;'}], reason: whole blocks alone}\n"
        suite = self.folder / "suites/t.yaml"
        suite.write_text(suite.read_text() + allow)
        (found,), warnings = self.found("suites")
        self.assertEqual((found["accepted"], found["live"], warnings), (1, [], []))
        suite.write_text(suite.read_text().replace("i <= n", "i == n"))
        said = self.lint("suites", code=2)[1]
        self.assertRegex(said, r"t.yaml:11:\d+: error: no mutant of this line lives")

    def allow_less_precision(self):
        suite = self.folder / "suites/t.yaml"
        suite.write_text(suite.read_text() + "lint: {allow: [float16, tf32], reason: the bound is wide}\n")

    def test_a_wide_tolerance_is_told(self):
        self.write_scale_suite(tolerance="{atol: 0.01}")
        self.write("suites/k.cu", SCALE.replace("* 3", "* 3 + 0.001f"))
        self.allow_less_precision()
        (suite,), _ = self.found("suites")
        self.assertEqual(self.living(suite), {"if (i < n) out[i] = src[i] * 3 - 0.001f;"})
        self.assertIn("within the tolerance", suite["live"][0]["reason"])

    def test_barriers_macros_and_lines_that_no_case_executes(self):
        self.write("suites/sum.cu", SUM)
        self.write("suites/t.yaml", SUM_SUITE)
        (suite,), warnings = self.found("suites")
        self.assertFalse(any("sync" in one["before"] for one in suite["live"]), suite["live"])
        self.assertFalse(any("HALF" in one["before"] for one in suite["live"]), suite["live"])
        self.assertGreater(suite["not_executed"], 0)
        self.assertTrue(any("no case executes line 13" in one["message"] for one in warnings), warnings)

    def test_headers_and_kernels_in_the_suite(self):
        self.write("suites/part.cuh", "#pragma once\n__device__ float three(float x) { return x * 3 + 0.001f; }\n")
        kernel = SCALE.replace("src[i] * 3", "three(src[i])")
        self.write("suites/k.cu", '#include "part.cuh"\n#include "./part.cuh"\n' + kernel)
        self.write("suites/t.yaml", SUITE % ("file: k.cu", "100, 257", 128, 128, "{atol: 0.01}"))
        self.allow_less_precision()
        (suite,), _ = self.found("suites")
        self.assertIn("suites/part.cuh", {one["file"] for one in suite["live"]})
        inside = "source: |\n" + "".join("    " + line + "\n" for line in SCALE.splitlines())
        text = SUITE % ("file: k.cu", "128", 128, 128, "exact")
        self.write("suites/t.yaml", text.replace("{file: k.cu, entry: k}", "\n  entry: k\n  " + inside.rstrip()))
        (suite,), _ = self.found("suites/t.yaml")
        bound = [one for one in suite["live"] if "i <= n" in one["after"]]
        self.assertEqual([(one["file"], one["line"], one["column"]) for one in bound], [("suites/t.yaml", 7, 13)])

    def test_expressions_of_plugins(self):
        self.write("suites/t.yaml", """warpmark: 1
plugin: elementwise
kernel: {parameters: 'float *x, float *z', operation: 'z[i] = x[i] + 2'}
axes: {n: [50]}
arguments:
  x: {in: rng.random(n)}
  z: {out: n}
reference: {z: x + np.float32(2)}
tolerance: exact
""")
        (suite,), _ = self.found("suites")
        self.assertGreater(suite["killed"], 2)

    def test_a_kernel_that_hangs_is_killed(self):
        self.write("suites/k.cu", """extern "C" __global__ void k(int *out, int n) {
  int sum = 0;
  for (volatile int i = 0; i != n; i += 1) sum += i;
  out[threadIdx.x] = sum;
}
""")
        self.write("suites/t.yaml", """warpmark: 1
kernel: {file: k.cu, entry: k}
arguments: {out: {out: 32}, n: {scalar: 8, dtype: int32}}
launch: {block: 32}
reference: {out: np.full(32, 28)}
lint: {allow: [constant], reason: the kernel has no input}
""")
        (suite,), _ = self.found("suites")
        self.assertFalse(any("-=" in one["after"] for one in suite["live"]), suite["live"])

    def test_suites_without_mutants_say_why(self):
        self.write("suites/k.cu", 'extern "C" __global__ void k(int *out) { out[threadIdx.x + 1] = 1; }\n')
        text = ("warpmark: 1\nkernel: {file: k.cu, entry: k}\narguments: {out: {out: 32}}\nlaunch: {block: 32}\n"
                "expect: {fault: illegal_address}\n")
        self.write("suites/t.yaml", text)
        self.assertIn("mutants of t: none, because its cases expect an error", self.lint("suites")[0])
        self.write("suites/t.yaml", text.replace("expect: {fault: illegal_address}", "reference: {out: np.arange(32)}"))
        said = self.lint("suites", code=2)[1]
        self.assertIn("the suite's own kernel fails, so that its mutants say nothing", said)

    def test_fewer_mutants_and_the_same_each_time(self):
        self.write_scale_suite("128")
        (some,), _ = self.found("--mutants", "5", "suites")
        self.assertEqual(some["killed"] + some["equivalent"] + len(some["live"]), 5)
        self.assertGreater(some["left_out"], 3)
        one = self.run_program("lint", "--mutate", "--json", "-j", "1", "suites")[0]
        self.assertEqual(self.run_program("lint", "--mutate", "--json", "-j", "2", "suites")[0], one)

    def test_assignments_say_which_mistakes_get_all_points(self):
        course = shutil.copytree(SOURCE / "courses/first/doublify", self.folder / "courses/first/doublify")
        out, errors = self.run_program("grade", "--lint", "--mutate", course / "assignment.yaml", "--device", "cpu")
        self.assertRegex(out, r"mutants of doublify: (\d+) of \1 killed")
        self.assertEqual(errors, "")
        said = self.refused("grade", "--mutate", course / "assignment.yaml", "k.cu")
        self.assertIn("--mutate changes the course's kernels, for --lint", said)

    def test_static_launches_nothing(self):
        self.write_scale_suite()
        said = self.lint("--static", "suites", code=2)[1]
        self.assertIn("--mutate launches kernels", said)


if __name__ == "__main__":
    unittest.main()
