# Suites of several steps: loops, swaps, copies and fills, and what is said of one that fails.
import unittest

from program import CheckTest

KERNELS = """
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void step(const float *a, float *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) b[i] = i == 0 || i == n - 1 ? a[i] : (a[i - 1] + a[i + 1]) / 2;
}
extern "C" __global__ void merge(int *a, int distance, int length) {
  int i = threadIdx.x, other = i ^ distance;
  if (other > i && (a[i] > a[other]) == !(i & length)) { int x = a[i]; a[i] = a[other]; a[other] = x; }
}
extern "C" __global__ void total(const int *x, int *partial, int *sum, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&partial[blockIdx.x], x[i]);
  cg::this_grid().sync();
  if (i != 0) return;
  *sum = 0;
  for (int b = 0; b < gridDim.x; ++b) *sum += partial[b];
}
extern "C" __global__ void ranks(int *out) {
  if (threadIdx.x == 0) out[blockIdx.x] = cg::this_cluster().block_rank();
}
"""

SMOOTH = """
def smooth(a, rounds):
    for _ in range(rounds):
        inner = (a[:-2] + a[2:]) / 2
        a = a.copy()
        a[1:-1] = inner
    return a
"""


class Steps(CheckTest):
    def suite(self, launch, arguments, reference, more="", axes=""):
        self.write("suites/k.cu", KERNELS)
        self.write("suites/r.py", SMOOTH)
        return self.write("suites/t.yaml", "warpmark: 1\nkernel: {file: k.cu}\n%sarguments: %s\nlaunch:\n%s\n%s\n%s" % (
            axes, arguments, launch, "reference: " + reference if reference else "", more))

    def smoothing(self, launch, rounds="[1, 2, 7]", **options):
        return self.suite(launch, "{a: {inout: rng.random(50)}, b: {scratch: 50}, n: {scalar: 50}}",
                          '{a: {function: "r.py:smooth"}}', axes="axes: {rounds: %s}\n" % rounds, **options)

    def test_names_are_swapped_after_each_round(self):
        self.smoothing("  - {entry: step, arguments: [a, b, n], block: 64, repeat: rounds, swap: [a, b]}")
        out, _ = self.check()
        self.assertIn("3 passed", out)

    def test_a_swap_that_is_missing_is_found(self):
        self.smoothing("  - {entry: step, arguments: [a, b, n], block: 64, repeat: rounds}", rounds="[2]")
        out, _ = self.check(code=1)
        self.assertIn("elements of `a` are wrong", out)

    def test_a_copy_does_what_a_swap_does(self):
        self.smoothing("  - repeat: rounds\n    steps:\n"
                       "      - {entry: step, arguments: [a, b, n], block: 64}\n"
                       "      - {copy: {from: b, to: a}}")
        self.check()

    def test_an_output_in_scratch_memory_must_be_written(self):
        self.suite("  - {entry: step, arguments: [a, b, {value: 0}], block: 64, swap: [a, b]}",
                   "{a: {inout: rng.random(50)}, b: {scratch: 50}}", "{a: a}")
        out, _ = self.check(code=1)
        self.assertIn("50 of 50 elements of `a` were never written", out)

    def test_loops_give_kernels_their_indices(self):
        self.suite("  - repeat: {k: log2(n)}\n    steps:\n"
                   "      - {entry: merge, name: merge, block: n, repeat: {j: k + 1},"
                   " arguments: [a, {value: 2**(k - j)}, {value: 2**(k + 1)}]}",
                   "{a: {inout: \"rng.integers(0, 9, n)\"}}", "{a: np.sort(a)}", axes="axes: {n: [2, 64, 256]}\n")
        self.check()
        out, _ = self.check("--case", "t.n=64", "--counters", "suites")
        self.assertRegex(out, r"launch +21 times merge")

    def test_grids_and_clusters(self):
        self.suite("  - {fill: partial}\n"
                   "  - {entry: total, arguments: [x, partial, sum, n], block: 64, grid: 4, cooperative: true}\n"
                   "  - {entry: ranks, arguments: [ranks], block: 32, grid: 8, cluster: 4}\n"
                   "  - {entry: ranks, arguments: [more], block: 32, grid: 32, cluster: 16}",  # more than is portable
                   "{x: {in: \"rng.integers(0, 9, 200)\"}, partial: {scratch: 4}, sum: {out: 1}, ranks: {out: 8},"
                   " more: {out: 32}, n: {scalar: 200}}",
                   "{sum: \"[np.sum(x)]\", ranks: np.arange(8) % 4, more: np.arange(32) % 16}")
        self.check()

    def test_findings_and_counters_name_their_step(self):
        self.smoothing("  - {entry: step, arguments: [a, b, {value: 20 + 20 * i}], block: 64, repeat: {i: 3}}",
                       rounds="[1]")
        out, _ = self.check("--journal", "run.jsonl", "suites", code=1)
        self.assertIn("step 3, `step` (i = 2): out-of-bounds", out)
        record = next(one for one in self.journal() if one["type"] == "case")
        self.assertEqual(record["findings"][0]["step"], "step 3, `step` (i = 2)")

    def test_pointers_into_arrays_and_floats(self):
        self.write("suites/k.cu", 'extern "C" __global__ void add(float *a, float x, const float *b) {\n'
                   "  a[threadIdx.x] += x + (b ? b[threadIdx.x] : 0); }\n")
        text = ("warpmark: 1\nkernel: {file: k.cu, entry: add}\naxes: {n: [64]}\narguments:\n"
                "  a: {inout: np.zeros(n), dtype: float32}\n  b: {in: np.arange(n), dtype: float32}\nlaunch:\n"
                "  - {block: n // 4, repeat: {i: 3}, arguments: [{array: a, element: i * n // 4}, {value: 0.5 * i}, null]}\n"
                "  - {block: 4, arguments: [{array: a, element: 60}, {value: -1.5}, {array: b, element: 2}]}\n"
                "reference: {a: \"np.concatenate([np.repeat([0, 0.5, 1], 16), np.zeros(12), np.arange(2, 6) - 1.5])\"}\n")
        self.write("suites/t.yaml", text)
        self.check()
        self.write("suites/t.yaml", text.replace("element: 60", "element: 61"))
        self.assertIn("out-of-bounds", self.check(code=1)[0])
        self.write("suites/t.yaml", text.replace("element: 60", "element: 65"))
        self.assertIn("`a` has 64 elements, and a pointer to element 65 is given", self.check(code=1)[0])

    def test_one_number_for_parameters_of_several_types(self):
        self.write("suites/k.cu", "#include <cuda_fp16.h>\n"
                   'extern "C" __global__ void set(float *a, float x, double y, __half z, bool b, long long n) {\n'
                   "  a[threadIdx.x] = b ? x + (float)y + (float)z + (float)n : 0; }\n"
                   'extern "C" __global__ void add(float *a, unsigned char x, float y) { a[threadIdx.x] += x + y; }\n')
        text = ("warpmark: 1\nkernel: {file: k.cu}\naxes: {n: [1, 3]}\narguments: {a: {out: 4, dtype: float32}}\nlaunch:\n"
                "  - {entry: set, block: 4, arguments: [a, {value: 1}, {value: 1}, {value: 1}, {value: 1}, {value: n}]}\n"
                "  - {entry: add, block: 4, arguments: [a, {value: n}, {value: 1.5}]}\n"
                "  - {entry: add, block: 4, arguments: [a, {value: n}, {value: n}]}\n"
                "reference: {a: \"np.full(4, 4.5 + 4 * n)\"}\n")
        self.write("suites/t.yaml", text)
        self.check()

    def test_arrays_that_are_swapped_must_be_alike(self):
        self.suite("  - {entry: step, arguments: [a, b, {value: 9}], block: 64, swap: [a, b]}",
                   "{a: {inout: rng.random(50)}, b: {scratch: 49}}", "{a: a}")
        out, _ = self.check(code=1)
        self.assertIn("`a` is float32 of shape (50,), and `b` is float32 of shape (49,): arrays that are swapped must "
                      "be alike", out)

    def test_a_step_that_names_no_kernel_names_the_nearest(self):
        self.smoothing("  - {entry: stepp, arguments: [a, b, n], block: 64}", rounds="[1]")
        out, _ = self.check(code=1)
        self.assertIn("did you mean `step`?", out)

    def test_a_step_is_counted_alone(self):
        self.smoothing("  - {entry: step, name: first, arguments: [a, b, n], block: 64}\n"
                       "  - {entry: step, name: second, arguments: [b, a, {value: 10}], block: 32}",
                       rounds="[1]", more="bench: {step: second}\n")
        text = (self.folder / "suites/t.yaml").read_text().replace("r.py:smooth", "r.py:twice")
        self.write("suites/r.py", SMOOTH + "\n\ndef twice(a):\n    b = smooth(a, 2)\n    b[9] = smooth(a, 1)[9]\n"
                   "    b[10:] = a[10:]\n    return b\n")
        counted = {}
        for step in ("first", "second", "all"):
            self.write("suites/t.yaml", text.replace("bench: {step: second}", "bench: {step: %s}" % step
                                                     if step != "all" else ""))
            self.run_program("bench", "suites", "--device", "cpu", "--journal", step + ".jsonl")
            record = next(one for one in self.journal(step + ".jsonl") if one["type"] == "case")
            counted[step] = {one["name"]: one["value"] for one in record["measurement"]["counters"]}
        instructions = {step: values["ptx_thread_instructions"] for step, values in counted.items()}
        self.assertGreater(instructions["first"], instructions["second"])
        self.assertEqual(instructions["first"] + instructions["second"], instructions["all"])

    # The second of three steps writes past the array; the command that repeats it ends there.
    def faulty_steps(self):
        self.suite("  - {name: first, entry: step, arguments: [a, b, n], block: 64}\n"
                   "  - {name: second, entry: step, arguments: [a, b, m], block: 64}\n"
                   "  - {name: third, entry: step, arguments: [b, a, n], block: 64}",
                   "{a: {inout: rng.random(50)}, b: {scratch: 50}, n: {scalar: 50}, m: {scalar: 51}}",
                   "{a: a}")

    def test_the_command_that_repeats_a_finding_names_its_step(self):
        self.faulty_steps()
        out, _ = self.check(code=1)
        self.assertIn("step 2, `second`", out)
        command = next(line for line in out.splitlines() if "reproduce: " in line)
        self.assertIn(" --step second", command)
        out, _ = self.check("--step", "second", code=1)
        self.assertIn("step 2, `second`", out)
        self.assertIn(" --step second", out)

    def test_a_wrong_result_is_of_the_whole_case(self):
        self.smoothing("  - {entry: step, arguments: [a, b, n], block: 64}\n"
                       "  - {entry: step, arguments: [b, a, n], block: 64}", rounds="[1]")
        out, _ = self.check(code=1)
        self.assertIn("reproduce: ", out)
        self.assertNotIn("--step", out)

    def test_a_case_that_ends_after_a_step_is_no_pass(self):
        self.faulty_steps()
        out, _ = self.check("--step", "first", code=77)
        self.assertIn("no finding up to the step `first`", out)
        self.assertIn("leaves out the 2 after it", out)

    def test_a_case_that_ends_after_its_last_step_is_judged(self):
        self.smoothing("  - {name: once, entry: step, arguments: [a, b, n], block: 64, swap: [a, b]}", rounds="[1]")
        out, _ = self.check("--step", "once")
        self.assertIn("1 passed", out)

    def test_an_expected_fault_may_come_before_the_end(self):
        self.suite("  - {name: first, entry: step, arguments: [a, b, m], block: 64}\n"
                   "  - {name: second, entry: step, arguments: [b, a, n], block: 64}",
                   "{a: {inout: rng.random(50)}, b: {scratch: 50}, n: {scalar: 50}, m: {scalar: 51}}", "",
                   more="expect: {fault: illegal_address}")
        self.assertIn("1 passed", self.check("--step", "first")[0])

    def test_an_unknown_step_names_the_nearest(self):
        self.faulty_steps()
        out, err = self.check("--step", "secnd", code=2)
        self.assertIn("unknown step `secnd`; there are: first, second, third", err)
        self.assertIn("did you mean `second`?", err)


if __name__ == "__main__":
    unittest.main()
