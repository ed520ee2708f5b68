# `warpmark check`: what fails a case, with its words, its place and the exit code.
import re
import unittest

from program import KERNEL, CheckTest


class Failures(CheckTest):
    def fails(self, place, *words, code=1, **changes):
        """One failing case `t.n=100` at `place`, reported with `words` and its reproduce command."""
        self.write_scale(**changes)
        out, errors = self.check("suites/t.yaml", code=code)
        self.assertEqual(errors, "")
        self.assertIn("\nFAILED t.n=100\n  %s: error: " % place, out)
        for word in words:
            self.assertIn(word, out)
        self.assertIn("\n  reproduce: warpmark check suites/t.yaml --case t.n=100 --device cpu\n",
                      out)
        self.assertRegex(out, r"\n0 passed, 1 failed in \d+\.\d+ s\n$")
        return out

    def test_what_does_not_compile(self):
        self.fails("suites/k.cu:2", 'identifier "oops" is undefined',
                   kernel_text='// one\nextern "C" __global__ void k() { oops; }\n')

    def test_what_does_not_compile_inside_the_suite(self):
        self.fails("suites/t.yaml:5", 'identifier "oops" is undefined', kernel_text=None,
                   kernel='\n  entry: k\n  source: |\n    extern "C" __global__ void k() { oops; }')

    PROGRAM = KERNEL + "int main() {\n  float *d;\n  cudaMalloc(&d, 4);\n  k<<<1, 1>>>(d);\n}\n"

    def test_host_code_is_explained(self):
        # Host code is left out, also beside device code.
        self.write_scale(kernel_text=self.PROGRAM)
        self.assertIn("left out of k.cu", self.check("suites/t.yaml")[0])
        shared = self.PROGRAM.replace("int main", "__constant__ int one; int main")
        self.write_scale(kernel_text=shared)
        self.assertIn("left out of k.cu", self.check("suites/t.yaml")[0])
        # Host code that a kernel calls is an error.
        called = "int one() { return 1; }\n" + self.PROGRAM.replace("f * src[i]", "one()")
        hint = "hint: line 1 begins `one` without `__device__`: that makes it code for the CPU"
        self.fails("suites/k.cu:4", 'identifier "one" is undefined', hint, kernel_text=called)
        self.fails("suites/k.cu:5", 'identifier "one" is undefined', hint.replace("line 1", "line 2"),
                   kernel_text="#include <torch/extension.h>\n" + called.replace(
                       "int one() {", "int one() { auto a = at::zeros(1);"))
        remedied = self.PROGRAM.replace("int main", "#ifndef __CUDACC_RTC__\nint main") + "#endif\n"
        self.write_scale(kernel_text=remedied)
        self.check("suites/t.yaml")
        # An error elsewhere is not blamed on the host code.
        out = self.fails("suites/k.cu:3", 'identifier "oops" is undefined',
                         kernel_text=remedied.replace("f * src[i]", "oops"))
        self.assertNotIn("code for the CPU", out)

    def test_host_code_inside_the_suite_is_reported_by_the_suites_lines(self):
        self.fails("suites/t.yaml:7", "hint: line 6 begins `one` without `__device__`",
                   "write `__device__` before it", kernel_text=None,
                   kernel="\n  entry: k\n  source: |\n    // a helper and a kernel\n"
                          "    float one() { return 1; }\n"
                          "    extern \"C\" __global__ void k(float *out, const float *src, float f, "
                          "int n) { out[0] = one(); }")

    def test_a_header_for_the_cpu_is_explained(self):
        self.write_scale(kernel_text="#include <vector>\n" + KERNEL)
        self.assertIn("left out of k.cu, as it is for the CPU: #include <vector>",
                      self.check("suites/t.yaml")[0])

    def test_a_missing_kernel_lists_those_that_exist(self):
        self.fails("suites/t.yaml:2:29", "`k`", "kk(float*, int)", "fill<float>",
                   kernel_text="__global__ void kk(float *a, int n) { a[0] = n; }\n"
                               "template <typename T> __global__ void fill(T *a) { *a = 1; }\n"
                               "template __global__ void fill<float>(float *);\n")

    def test_shared_memory_that_the_launch_does_not_give(self):
        self.fails("suites/k.cu:3", "of s, which has 0 bytes", "as many bytes as `launch.shared` says",
                   kernel_text="extern \"C\" __global__ void k(float *out, const float *src, float f, int n) {\n"
                               "  extern __shared__ float s[];\n  s[threadIdx.x] = f;\n"
                               "  out[0] = s[threadIdx.x];\n}\n")

    def test_a_wrong_count_of_arguments(self):
        self.fails("suites/t.yaml:5:3", "takes 3 arguments, and the suite gives 4",
                   kernel_text=KERNEL.replace(", int n", "").replace("< n", "< 100"))

    def test_a_scalar_of_another_size(self):
        self.fails("suites/t.yaml:8:3",
                   "argument `n` is of dtype int64 (8 bytes), and the kernel takes `int`",
                   n="{scalar: n, dtype: int64}")

    def test_an_array_where_a_scalar_belongs(self):
        self.fails("suites/t.yaml:7:3", "argument `f` is an array", f="{in: '[3]'}")

    def test_a_reference_that_raises(self):
        self.fails("suites/t.yaml:10:22", "NameError", "name 'sorce' is not defined",
                   reference="{out: f * sorce}")

    def test_a_reference_that_is_still_to_be_written(self):
        self.fails("suites/t.yaml:10:18", "the reference of `out` is still to be written",
                   reference="{out: TODO}")

    def test_a_reference_of_another_shape(self):
        self.fails("suites/t.yaml:10:19", "(2,)", "(100,)", reference="{out: 'src[:2]'}")

    def test_an_input_that_raises(self):
        self.fails("suites/t.yaml:6:13", "rng.Normal", src="{in: rng.Normal(n)}")

    def test_a_race_is_found_unless_checks_leave_it_out(self):
        racy = KERNEL.replace("f * src[i];", "f * src[i];\n"
                              "  if (i > 0 && i < n && out[i - 1] == 1e30f) out[i] = 0;")
        self.write_scale(kernel_text=racy)
        out, _ = self.check("suites/t.yaml", code=1)
        self.assertIn("--case t.n=100 --device cpu\n", out)
        self.check("suites/t.yaml", "--checks", "memory,sync", code=0)
        out, _ = self.check("suites/t.yaml", "--checks", "race", code=1)
        self.assertIn("race: read after write of 4 bytes of global memory at out[0]", out)
        self.assertIn("suites/k.cu:4: error: ", out)
        self.assertIn("--case t.n=100 --device cpu --checks race\n", out)

    def test_an_expected_race(self):
        racy = KERNEL.replace("f * src[i];", "f * src[i];\n"
                              "  if (i > 0 && i < n && out[i - 1] == 1e30f) out[i] = 0;")
        self.write_scale(kernel_text=racy, more="expect: {report: race, argument: out}\n")
        self.check("suites/t.yaml", code=0)
        self.check("suites/t.yaml", "--checks", "memory", code=0)  # the check for it is turned on
        self.write_scale(more="expect: {report: race, argument: out}\n")
        out, _ = self.check("suites/t.yaml", "--checks", "memory", code=1)
        self.assertIn("expected the report race at `out`, and the device gave none", out)
        self.write_scale(more="expect: {report: sync}\n")
        out, _ = self.check("suites/t.yaml", code=1)
        self.assertIn("expected the report sync, and the device gave none", out)

    def test_a_value_that_nobody_wrote(self):
        text = KERNEL.replace("f * src[i];", "out[i] * 0 + f * src[i];")
        self.write_scale(kernel_text=text)
        out, _ = self.check("suites/t.yaml", "--checks", "init", code=1)
        self.assertIn("a value from uninitialised global memory (out) is stored (out[0])", out)
        self.assertIn("--case t.n=100 --device cpu --checks init\n", out)

    def test_wrong_values(self):
        out = self.fails("suites/t.yaml:10:19", "72 of 100 elements of `out` are wrong",
                         "the first is out[28] = 84, expected 28",
                         "off by 56, 2.936e+07 ulp, allowed 1",
                         "the worst is out[99] = 297, expected 99 (off by 198, 2.595e+07 ulp, allowed 1)",
                         src="{in: 'np.arange(n, dtype=np.float32)'}",
                         more="tolerance: {atol: 1}\n",
                         reference="{out: 'np.where(src < 28, f * src, src)'}")
        self.assertLess(max(map(len, out.splitlines())), 150)

    def test_distances_are_short_unless_that_hides_the_difference(self):
        self.fails("suites/t.yaml:10:18", "out[0] = 1, expected 0.5 (off by 0.5, 8.389e+06 ulp, allowed 0.3333)",
                   f="{scalar: 1}", src="{in: np.ones(n)}", reference="{out: 0.5 * src}",
                   more="tolerance: {atol: 1 / 3}\n")
        self.fails("suites/t.yaml:10:18", "(off by 0.5, 8.389e+06 ulp, allowed 0.4999999)", f="{scalar: 1}",
                   src="{in: np.ones(n)}", reference="{out: 0.5 * src}",
                   more="tolerance: {atol: 0.4999999}\n")

    def test_nan_in_the_output(self):
        self.fails("suites/t.yaml:10:18", "1 of 100 elements of `out` is wrong",
                   "out[3] = nan, expected ",
                   kernel_text=KERNEL.replace("f * src[i];", "i == 3 ? nanf(\"\") : f * src[i];"))

    def test_nan_in_the_reference(self):
        self.fails("suites/t.yaml:10:19", "1 of 100 elements of `out` is wrong", "out[3] = ",
                   "expected nan",
                   reference="{out: 'np.where(np.arange(n) == 3, np.nan, f * src)'}")

    def test_a_nan_that_is_forbidden(self):
        self.fails("suites/t.yaml:10:19", "the first is out[3] = nan, which `nan: forbid` does not "
                   "allow, though it is what the reference has",
                   reference="{out: 'np.where(np.arange(n) == 3, np.nan, f * src)'}",
                   kernel_text=KERNEL.replace("f * src[i];", "i == 3 ? nanf(\"\") : f * src[i];"),
                   more="tolerance: {nan: forbid}\n")

    def test_a_tolerance_that_no_output_of_floats_has(self):
        self.fails("suites/t.yaml:11:19", "`out` of int32 cannot have a tolerance",
                   "integers and booleans must be equal",
                   kernel_text=KERNEL.replace("float *out", "int *out"),
                   reference="{out: '(f * src).astype(int)'}", more="tolerance: {atol: 1}\n")

    def test_elements_that_a_tolerance_swallows(self):
        self.fails("suites/t.yaml:10:18", "3 of 100 elements of `out` were never written; "
                   "the first is out[97], expected ", kernel_text=KERNEL.replace("< n", "< n - 3"),
                   more="tolerance: {atol: 1e9}\n")

    def test_an_input_that_the_kernel_changes(self):
        self.fails("suites/t.yaml:6:3", "the kernel changed its input `src`: src[7] was ",
                   " and is 9", "`inout`",
                   kernel_text=KERNEL.replace("if (i", "if (i == 7) ((float *)src)[7] = 9;\n  if (i"))

    def test_an_output_that_is_not_written(self):
        self.fails("suites/t.yaml:10:18", "3 of 100 elements of `out` were never written; "
                   "the first is out[97], expected ", kernel_text=KERNEL.replace("< n", "< n - 3"))

    def test_a_fault(self):
        self.fails("suites/k.cu:3", "out[100]", kernel_text=KERNEL.replace("< n", "<= n"),
                   src="{in: rng.standard_normal(n + 1)}")

    def test_a_fault_inside_the_suite(self):
        self.fails("suites/t.yaml:6", "out[100]", kernel_text=None, axes="{n: [100]}",
                   kernel='\n  entry: k\n  source: |\n'
                          '    extern "C" __global__ void k(float *out) {\n'
                          '      out[threadIdx.x] = 1; }',
                   src=None, f=None, n=None, launch="{block: 101}", reference="{out: np.ones(n)}")

    def test_an_expected_fault_that_does_not_happen(self):
        self.fails("suites/t.yaml:10:17", "expected the fault illegal_address at `out`, and the "
                   "kernel ran without one", reference=None,
                   more="expect: {fault: illegal_address, argument: out}\n")

    def test_quotients_of_128_bits(self):
        self.write("suites/k.cu", 'extern "C" __global__ void divide(unsigned long long *q, const unsigned long long *a,\n'
                                  "                                  const unsigned long long *b) {\n"
                                  "  const unsigned __int128 x = (unsigned __int128)a[threadIdx.x] << 64 | b[threadIdx.x];\n"
                                  "  q[threadIdx.x] = (unsigned long long)(x / (b[threadIdx.x] >> (threadIdx.x & 63) | 1));\n}\n")
        self.write("suites/t.yaml", "warpmark: 1\nkernel: {file: k.cu, entry: divide}\narguments:\n"
                                    "  q: {out: 64}\n"
                                    "  a: {in: 'rng.integers(1, 2**64, 64, dtype=np.uint64)'}\n"
                                    "  b: {in: 'rng.integers(1, 2**64, 64, dtype=np.uint64)'}\nlaunch: {block: 64}\n"
                                    "reference:\n  q: 'np.array([((int(x) << 64 | int(y)) // (int(y) >> (i & 63) | 1)) "
                                    "% 2**64 for i, (x, y) in enumerate(zip(a, b))], dtype=np.uint64)'\ntolerance: exact\n")
        self.check("suites")

    def test_an_endless_kernel(self):
        self.write_scale(kernel_text=KERNEL.replace("if (i", "while (n > 0 && src[0] != 1e30f) {}\n"
                                                    "  if (i").replace("const float *src",
                                                                      "volatile float *src"))
        out, _ = self.check("suites", "--timeout-s", "2", code=1)
        self.assertRegex(out, r"\nFAILED t\.n=100\n"
                              r"  suites/k\.cu:3: error: the launch took longer than its limit of 2000 ms\n"
                              r"  threads poll here until others act: thread \(0,0,0\) of block \(\d+,0,0\) "
                              r"and \d+ more in k at k\.cu:3\n")


class Impossible(CheckTest):
    """A launch that no CUDA device can make is a failure on every device, not a skip."""
    def test_a_block_over_the_limit(self):
        self.write_scale(axes="{n: [32, 2048]}", launch="{block: n}")
        out, _ = self.check("suites/t.yaml", "--junit", "x.xml", code=1)
        words = "no CUDA device can launch `k`: block.x is 2048, and can be 1024 at most"
        self.assertIn("\nFAILED t.n=2048\n  suites/t.yaml:9:17: error: " + words, out)
        self.assertIn("\n1 passed, 1 failed in ", out)
        self.assertIn(words, (self.folder / "x.xml").read_text())
        self.check("suites/t.yaml", "--case", "t.n=2048", code=1)
        self.check("suites/t.yaml", "--case", "t.n=32")

    def launches(self):
        bounded = KERNEL.replace("void k", "void __launch_bounds__(64) k")
        many = KERNEL.replace("  int i", "  float v[160], s = 0;\n"
                              "  for (int j = 0; j < 160; ++j) v[j] = ((volatile float *)out)[j % n];\n"
                              "  __syncthreads();\n"
                              "  for (int j = 0; j < 160; ++j) s += v[j] * v[159 - j];\n"
                              "  if (s == 1e30f) out[0] = s;\n  int i")
        return [("{block: 32, grid: 0}", KERNEL, "grid.x is 0, and must be 1 at least"),
                ("{block: 32, grid: [4, 65536]}", KERNEL, "grid.y is 65536, and can be 65535 at most"),
                ("{block: [64, 32]}", KERNEL, "has 2048 threads (64x32x1), and can have 1024 at most"),
                ("{block: [1, 1, 128]}", KERNEL, "block.z is 128, and can be 64 at most"),
                ("{block: 2**40}", KERNEL, "block.x is 1099511627776, and can be 1024 at most"),
                ("{block: 128, shared: 300000}", KERNEL, "needs 300000 bytes of shared memory, and can "
                 "have 232448 at most"),
                ("{block: 128, shared: 4 * src.nbytes * 1000}", KERNEL, "needs 1600000 bytes"),
                ("{block: 128}", bounded, "the block has 128 threads, and the kernel's "
                 "`__launch_bounds__` allows 64"),
                ("{block: 1024}", many, "registers for each it can have")]

    def test_each_way_fails_check_lint_and_bench(self):
        for launch, kernel, words in self.launches():
            self.write_scale(launch=launch, kernel_text=kernel)
            place = "suites/t.yaml:9:"
            out, _ = self.check("suites/t.yaml", code=1)
            self.assertIn("\n0 passed, 1 failed in ", out)
            self.assertRegex(out, r"\n  %s\d+: error: no CUDA device can launch `k`: .*%s"
                             % (re.escape(place), re.escape(words)))
            _, errors = self.run_program("lint", "suites/t.yaml", code=2)
            self.assertTrue(errors.startswith(place), errors)
            self.assertIn("error: t.n=100: no CUDA device can launch `k`: ", errors)
            self.assertIn(words, errors)
            out, _ = self.run_program("bench", "suites/t.yaml", "--device", "cpu", code=1)
            self.assertIn(words, out)

    def test_what_arithmetic_finds_needs_no_compiler(self):
        self.write_scale(launch="{block: 2048}")
        _, errors = self.run_program("lint", "--static", "suites/t.yaml", code=2)
        self.assertRegex(errors, r"^suites/t\.yaml:9:17: error: t\.n=100: no CUDA device can launch")
        out, errors = self.run_program("plan", "suites/t.yaml", code=1)
        self.assertIn('"block": [2048, 1, 1]', out)  # the plan is shown all the same
        self.assertRegex(errors, r"^suites/t\.yaml:9:17: error: no CUDA device can launch `k`")
        out, _ = self.run_program("profile", "suites/t.yaml", code=1)
        self.assertIn("no CUDA device can launch", out)

    def test_lint_reports_one_cause_once_and_looks_at_other_points(self):
        self.write_scale(axes="{n: [1025, 2048, 4096]}", launch="{block: n}")
        _, errors = self.run_program("lint", "suites/t.yaml", code=2)
        self.assertEqual(errors.count("no CUDA device"), 1, errors)
        self.write_scale(launch="{block: 128, grid: n}", more="bench: {axes: {n: [2**31]}}\n")
        _, errors = self.run_program("lint", "suites/t.yaml", code=2)
        self.assertIn("grid.x is 2147483648", errors)
        bounded = KERNEL.replace("void k", "void __launch_bounds__(64) k")
        self.write_scale(axes="{n: [32]}", launch="{block: n}", kernel_text=bounded,
                         more="bench: {axes: {n: [128]}}\n")
        _, errors = self.run_program("lint", "suites/t.yaml", code=2)
        self.assertIn("allows 64", errors)
        # A case that is to fault is to be launched, too.
        self.write_scale(launch="{block: 128}", reference=None, kernel_text=bounded,
                         more="expect: {fault: illegal_address}\n")
        _, errors = self.run_program("lint", "suites/t.yaml", code=2)
        self.assertIn("allows 64", errors)
        self.check("suites/t.yaml", code=1)

    def test_what_is_not_launched_is_not_looked_at(self):
        self.write_scale(axes="{n: [32, 2048]}", launch="{block: n}",
                         more="skip: {when: n > 1024, reason: one block}\n")
        self.check("suites/t.yaml")
        self.run_program("lint", "suites/t.yaml")
        self.write_scale(launch="{block: 2048}", reference=None, kernel_text="nonsense",
                         more="expect: compile_error\n")
        self.check("suites/t.yaml")

    def test_a_baseline_that_no_device_can_launch_fails(self):
        self.write_scale(launch="{block: 128}",
                         more="expect: {coalesced: true}\n"
                              "baseline: {kernel: {file: k.cu, entry: k}, launch: {block: 2048}}\n")
        out, _ = self.check("suites/t.yaml", code=1)
        self.assertIn("the baseline fails: ", out)
        self.assertIn("block.x is 2048, and can be 1024 at most", out)
        self.run_program("lint", "suites/t.yaml", code=2)


class Skips(CheckTest):
    def test_more_memory_than_the_device_has(self):
        self.write_scale(axes="{n: [32, 2**31 - 1]}", src="{in: 'np.zeros(1, np.float32)'}",
                         kernel_text=KERNEL.replace("src[i]", "src[0]"),
                         reference="{out: 'np.zeros(n, np.float32)'}")
        out, _ = self.check("suites/t.yaml")
        self.assertRegex(out, r"\nSKIPPED t\.n=2147483647: suites/t\.yaml:5:3: its buffers take "
                              r"8 GiB, and .* has 4 GiB\n")
        self.assertIn("\n1 passed, 1 skipped in ", out)
        self.assertNotIn("exit code", out)
        out, _ = self.check("suites/t.yaml", "--fail-on", "skipped", code=1)
        self.assertIn("\nexit code 1: 1 case skipped, and --fail-on has `skipped`\n", out)
        one = ("--case", "t.n=2147483647")
        out, _ = self.check("suites/t.yaml", *one, code=77)
        self.assertRegex(out, r"\nSKIPPED t\.n=2147483647: suites/t\.yaml:5:3: ")
        self.check("suites/t.yaml", *one, "--fail-on=skipped,notices", code=1)
        self.check("suites/t.yaml", "--case", "t.n=32", "--fail-on", "skipped")

    def test_a_rule_of_the_suite(self):
        self.write_scale(axes="{n: [4, 100]}", more="skip: {when: n > 50, reason: too long}\n")
        out, _ = self.check("suites/t.yaml")
        self.assertIn("\nSKIPPED t.n=100: too long\n", out)

    def test_a_run_of_skips_only_is_no_success(self):
        self.write_scale(axes="{n: [60, 100]}", more="skip: {when: n > 50, reason: too long}\n")
        out, _ = self.check("suites", code=77)
        self.assertIn("\nexit code 77: nothing passed or failed, because every case was skipped\n",
                      out)
        self.run_program("bench", "suites", "--device", "cpu", code=77)
        self.run_program("profile", "suites", code=77)

    def test_skips_and_notices_of_a_configuration(self):
        self.write_scale(axes="{n: [4, 100]}", more="skip: {when: n > 50, reason: too long}\n",
                         kernel_text=KERNEL.replace("  int i", "  int unused;\n  int i"))
        self.write("run.yaml", "warpmark: 1\ncheck: {suites: [suites], fail_on: [skipped]}\n")
        self.run_program("run", "run.yaml", "--device", "cpu", code=1)
        self.write("run.yaml", "warpmark: 1\ncheck: {suites: [suites]}\n")
        self.run_program("run", "run.yaml", "--device", "cpu")
        out, _ = self.run_program("run", "run.yaml", "--device", "cpu", "--fail-on", "notices",
                                  code=1)
        self.assertIn("exit code 1: 1 case with a notice, and --fail-on has `notices`", out)
        self.write("run.yaml", "warpmark: 1\ncheck: {suites: [suites], fail_on: [slow]}\n")
        errors = self.refused("run", "run.yaml", "--device", "cpu")
        self.assertTrue(errors.startswith("run.yaml:2:37: error: `fail_on` of `check` knows no "
                                          "`slow`\n"), errors)
        self.assertIn("skipped, notices, order-by-barrier, order-by-lane, order-decides, proxy-order and warp-synchronous", errors)
        self.refused("check", "suites", "--fail-on", "missing")


class BeforeAnyCase(CheckTest):
    """Suites that cannot be loaded: exit 2, and nothing on stdout."""

    def load(self, place, *words, **changes):
        self.write_scale(**changes)
        errors = self.refused("check", "suites/t.yaml", "--device", "cpu")
        self.assertTrue(errors.startswith("suites/t.yaml:%s: error: " % place), errors)
        for word in words:
            self.assertIn(word, errors)

    def test_an_unknown_key(self):
        self.load("11:1", "unknown key of a suite `tolerence`", "did you mean `tolerance`?",
                  more="tolerence: exact\n")

    def test_a_key_twice(self):
        self.load("11:1", "the key `launch` is here a second time",
                  "the first is on line 9", more="launch: {block: 1}\n")

    def test_no_yaml(self):
        self.load("9:22", "this is not YAML", launch="{block: [1, 2}")

    def test_a_split_expression_gets_the_hint_to_quote(self):
        self.load("9:27", "unbalanced parenthesis", "quote the expression",
                  launch="{block: 32, grid: ceil_div(n, shared: 32}")

    def test_a_value_that_holds_a_colon(self):
        self.load("11:11", "this is not YAML", "quote the text", about="one: two: three")

    def test_no_kernel_file(self):
        self.load("2:16", "k.cu", kernel_text=None)
        self.write("suites/kernel.cu", KERNEL)
        self.load("2:16", "there is no file `kernal.cu`", "did you mean `kernel.cu`?", kernel_text=None,
                  kernel="{file: kernal.cu, entry: k}")

    def test_a_kernel_beside_the_suites_folder(self):
        self.write_scale(kernel="{file: ../src/x.cu, entry: k}", kernel_text=None)
        self.write("src/x.cu", KERNEL.replace("i < n", "i <= n"))
        out, _ = self.check("suites", "--journal", "run.jsonl", code=1)
        self.assertIn("\n  src/x.cu:3: error: ", out)
        self.assertEqual(self.journal()[1]["where"]["file"], "src/x.cu")
        (self.folder / "work").mkdir()
        out, _ = self.check("../suites", code=1, cwd=self.folder / "work")
        self.assertIn("\n  %s:3: error: " % (self.folder / "src/x.cu"), out)

    def test_arguments_in_another_order(self):
        self.write("suites/t.yaml", """warpmark: 1
kernel: {file: k.cu, entry: k}
arguments:
  src: {in: rng.standard_normal(9)}
  out: {out: 9}
  n: {scalar: 9}
  f: {scalar: 3}
launch: {block: 32}
reference: {out: f * src}
""")
        self.write("suites/k.cu", KERNEL.replace("float f", "float *f").replace("f *", "*f *"))
        out, _ = self.check("suites", code=1)
        self.assertIn("hint: the arguments are in the order src, out, n, f, and the parameters of "
                      "`k` in the order out, src, f, n", out)

    def test_no_suite_file(self):
        self.write_scale()
        errors = self.refused("check", "suites/tt.yaml")
        self.assertIn("error: there is no file or folder `suites/tt.yaml`", errors)
        self.assertIn("did you mean `suites/t.yaml`?", errors)

    def test_one_broken_suite_takes_no_other_away(self):
        self.write_scale("suites/a.yaml")
        self.load("1:11", "version", warpmark="2")
        out, _ = self.check("suites", code=1)
        self.assertIn("FAILED t.not_loaded\n  suites/t.yaml:1:11: error: ", out)
        self.assertIn("1 passed, 1 failed", out)


class Cases(CheckTest):
    def test_places_do_not_depend_on_the_working_directory(self):
        self.write_scale(reference="{out: src}")
        for cwd, name in (("suites", "t.yaml"), ("empty", "../suites/t.yaml")):
            (self.folder / cwd).mkdir(exist_ok=True)
            out, _ = self.check(name, code=1, cwd=self.folder / cwd)
            place = re.search(r"\nFAILED t\.n=100\n  (\S+):10:18: error: ", out).group(1)
            self.assertTrue((self.folder / cwd / place).samefile(self.folder / "suites/t.yaml"))

    def test_large_inputs_are_read_from_the_front(self):
        """Only a run whose device may be a GPU has inputs of 32 MiB in memory of that kind."""
        name = "n: [%d]" % (2 ** 23 + 5)
        self.write_scale(axes="{%s}" % name)
        for command in ("check", "bench"):
            out, _ = self.run_program(command, "suites/t.yaml", "--device", "auto")
            self.assertNotIn("FAILED", out)
        self.write_scale(axes="{%s}" % name, reference="{out: f * src + (np.arange(n) == n - 1)}")
        out, _ = self.check("suites/t.yaml", device="auto", code=1)
        self.assertIn("the first is out[8388612] = ", out)


if __name__ == "__main__":
    unittest.main()
