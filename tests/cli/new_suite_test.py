"""`warpmark new suite`: what is written loads and runs, and what cannot be written is reported."""
import os
import pathlib
import re
import unittest

import program

SAXPY = """__global__ void saxpy(float a, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
"""


class Refused(program.ProgramTest):
    def new(self, *arguments, code=2):
        return self.refused("new", "suite", *arguments, code=code)

    def test_what_is_no_file(self):
        self.assertIn("error: FILE is required", self.new())
        self.write("saxpy.cu", SAXPY)
        self.assertIn("did you mean `saxpy.cu`?", self.new("saxpi.cu"))
        self.assertIn("is a folder", self.new("."))
        self.assertIn("`saxpy.cu` is no folder", self.new("saxpy.cu", "-o", "saxpy.cu"))

    def test_without_a_compiler(self):
        self.write("saxpy.cu", SAXPY)
        self.environment["WARPMARK_NVRTC"] = os.devnull
        self.assertIn("NVRTC", self.new("saxpy.cu", code=3))
        self.assertFalse((self.folder / "saxpy.yaml").exists())


class NewSuite(program.CheckTest):
    def new(self, file, *arguments, warnings=""):
        """The files that were written, and their texts."""
        out, errors = self.run_program("new", "suite", file, *arguments)
        self.assertRegex(errors, warnings or r"\A\Z")
        *files, last = out.splitlines()
        self.assertTrue(last.startswith("next: "), out)
        return {name: (self.folder / name).read_text() for name in files}

    def test_a_reference_is_all_that_is_missing(self):
        self.write("saxpy.cu", SAXPY)
        made = self.new("saxpy.cu")
        self.assertEqual(list(made), ["saxpy.yaml"])
        self.run_program("lint", "--static", "saxpy.yaml")
        out, _ = self.check("saxpy.yaml", code=1)
        self.assertIn("saxpy.yaml:19:6: error: the reference of `y` is still to be written\n", out)
        self.assertIn("3 failed", out)
        _, errors = self.run_program("lint", "saxpy.yaml", code=2)
        self.assertIn("the reference of `y` is still to be written", errors)
        text = made["saxpy.yaml"].replace("y: TODO", "y: a * x + y").replace("exact", "{ulp: 1}")
        self.write("saxpy.yaml", text)
        self.assertIn("3 passed", self.check("saxpy.yaml")[0])
        self.run_program("lint", "saxpy.yaml")

    def test_a_mistake_of_the_kernel_comes_before_the_reference(self):
        self.write("saxpy.cu", SAXPY.replace("i < n", "i <= n"))
        self.new("saxpy.cu")
        out, _ = self.check("saxpy.yaml", code=1)
        self.assertIn("out-of-bounds global read of 4 bytes at x[1]", out)

    def test_each_kernel_has_a_file(self):
        self.write("k/two.cu", "__global__ void two_a(int *p) {}\n"
                   "namespace n { __global__ void b(int *p) {} }\n")
        self.assertEqual(list(self.new("k/two.cu")), ["k/two_a.yaml", "k/two_n_b.yaml"])
        made = self.new("k/two.cu", "-o", "suites/new", "--kernel", "b")
        self.assertEqual(list(made), ["suites/new/two.yaml"])
        self.assertIn("  file: ../../k/two.cu\n  entry: \"n::b\"\n", made["suites/new/two.yaml"])
        self.assertEqual(list(self.new("k/two.cu", "-o", "x.yaml", "--kernel", "two_a")),
                         ["x.yaml"])
        self.assertIn("choose one with --kernel",
                      self.refused("new", "suite", "k/two.cu", "-o", "y.yaml"))
        self.run_program("lint", "--static", "k", "suites", "x.yaml")

    def test_nothing_is_written_over_without_a_word(self):
        self.write("two.cu", "__global__ void a(int *p) {}\n__global__ void b(int *p) {}\n")
        self.write("two_b.yaml", "mine")
        self.assertRegex(self.refused("new", "suite", "two.cu"),
                         r"there is already two_b.yaml\n +hint: --force")
        self.assertFalse((self.folder / "two_a.yaml").exists())
        self.assertEqual((self.folder / "two_b.yaml").read_text(), "mine")
        self.assertIn("TODO", self.new("two.cu", "--force")["two_b.yaml"])

    def test_parameters_that_no_suite_gives(self):
        self.write("p.cu", "struct P { float a, b; };\nenum class E { x, y };\n"
                   "__global__ void by_value(P p) {}\n"
                   "__global__ void pointers(float **p) {}\n"
                   "__global__ void good(E e, P *p, float4 *v, void *w) {}\n")
        made = self.new("p.cu", warnings=r"(?s)warning: left out: `by_value`: its parameter `p` is a "
                        r"`P` by value, .*`pointers`: its parameter `p` points to pointers")
        text = made["p.yaml"]
        self.assertIn("e: {scalar: 0, dtype: int32}", text)
        self.assertIn("dtype: float32}", text)
        self.assertIn("64 for each `P`", text)
        out, _ = self.check("p.yaml", code=1)
        self.assertIn("the reference of `p` is still to be written", out)
        errors = self.refused("new", "suite", "p.cu", "--kernel", "by_value")
        self.assertIn("no suite can be written for p.cu: `by_value`: its parameter `p`", errors)

    def test_arguments_of_a_template_are_guessed(self):
        self.write("g.cu", "template <typename T, int N, bool B = true> __global__ void scale(T *a, int n)"
                   " { if (threadIdx.x < n) a[threadIdx.x] *= N; }\n"
                   "struct One { static constexpr int kOne = 1; };\n"
                   "template <typename T> __global__ void one(int *a) { a[0] = T::kOne; }\n"
                   "__global__ void plain(int *a) { a[0] = 1; }\n")
        self.run_program("new", "suite", "g.cu")
        text = next(pathlib.Path(self.folder).glob("g_scale*")).read_text(encoding="utf-8")
        self.assertRegex(text, "entry: \"scale<float, 32.*>\" *# the template's arguments are a guess")
        self.assertFalse(list(pathlib.Path(self.folder).glob("g_one*")))

    def test_folders_of_headers_macros_and_options(self):
        (pathlib.Path(self.folder) / "lib/inner").mkdir(parents=True)
        self.write("lib/inner/factor.h", "#pragma once\nconstexpr float kFactor = FACTOR;\n#include <vector>\n"
                   "std::vector<float> all();\n")
        self.write("k.cu", "#include <inner/factor.h>\n__global__ void k(float *a, int n) { if (threadIdx.x < n) "
                   "a[threadIdx.x] *= kFactor; }\n")
        self.assertIn("<inner/factor.h> is in no folder", self.refused("new", "suite", "k.cu", code=1))
        self.run_program("new", "suite", "k.cu", "--include", "lib", "--define", "FACTOR=2.f",
                         "--options=--use_fast_math")
        text = pathlib.Path(self.folder, "k.yaml").read_text(encoding="utf-8")
        self.assertRegex(text, r'\n  include: \["?lib"?\]\n  options: \["?-DFACTOR=2.f"?, "?--use_fast_math"?\]\n')
        self.assertIn("still to be written", self.check("k.yaml", code=1)[0])

    def test_templates_need_an_instance(self):
        self.write("t.cu", "enum class Kind { one };\ntemplate <Kind T> __global__ void scale(int *a, int by) { "
                   "a[threadIdx.x] *= by; }\n")
        errors = self.refused("new", "suite", "t.cu")
        self.assertIn("`template <Kind T> scale(int *a, int by)` is a template: name an instance, as "
                      "in --kernel 'scale<float>'", errors)
        self.write("t.cu", "template <typename T> __global__ void scale(T *a, T by) { "
                   "a[threadIdx.x] *= by; }\n")
        self.assertIn("is a template", self.refused("new", "suite", "t.cu", "--kernel", "scale"))
        made = self.new("t.cu", "--kernel", "scale<double>", "--kernel", "scale<int>")
        self.assertEqual(list(made), ["t_scale_double.yaml", "t_scale_int.yaml"])
        self.assertIn("entry: \"scale<int>\"", made["t_scale_int.yaml"])
        self.assertIn("still to be written", self.check("t_scale_double.yaml", code=1)[0])

    def test_names_that_expressions_have(self):
        self.write("k.cu", "__global__ void k(const int *in, int *n, float lambda, int *float32,\n"
                   "                  int /*unnamed*/, const int size, int *__restrict__ last) {}\n")
        text = self.new("k.cu")["k.yaml"]
        names = re.findall(r"^  (\w+): \{", text, re.M)
        self.assertEqual(names, ["in_", "n", "lambda_", "float32_", "arg4", "size", "last"])
        self.assertIn("# its name was not found in the source\n  arg4", text)
        self.run_program("lint", "--static", "k.yaml")

    def test_launches(self):
        self.write("k.cu", """
extern __shared__ float shared[];
__global__ void plane(float *a, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) a[y * width + x] = 0;
}
__global__ void __launch_bounds__(64) bounded(float *a) { a[blockIdx.x * 64 + threadIdx.x] = 0; }
__global__ void dynamic(float *a, int n) { shared[threadIdx.x] = n; a[0] = shared[0]; }
__global__ void nothing() {}
""")
        made = self.new("k.cu")
        self.assertIn("grid: [\"ceil_div(width, 16)\", \"ceil_div(height, 16)\"]",
                      made["k_plane.yaml"])
        self.assertIn("block: 64 ", made["k_bounded.yaml"])
        self.assertIn("shared: 4096 ", made["k_dynamic.yaml"])
        self.assertNotIn("shared:", made["k_plane.yaml"])
        self.assertIn("no array that it could write", made["k_nothing.yaml"])
        self.assertIn("1 passed", self.check("k_nothing.yaml")[0])
        self.assertIn("still to be written", self.check("k_plane.yaml", code=1)[0])

    def test_names_stand_in_headers_too(self):
        self.write("h.cuh", "__global__ void from_header(float *values, int count) {}\n")
        self.write("k.cu", "#include \"h.cuh\"\n")
        self.assertIn("values: {inout: rng.standard_normal(count)}", self.new("k.cu")["k.yaml"])

    def test_sources_without_kernels(self):
        self.write("none.cu", "__device__ int f() { return 1; }\n")
        self.assertIn("none.cu has no kernel", self.refused("new", "suite", "none.cu"))
        self.write("bad.cu", "__global__ void k() { x; }\n")
        errors = self.refused("new", "suite", "bad.cu", code=1)
        self.assertIn('bad.cu(1): error: identifier "x" is undefined', errors)
        # Code for the CPU is left out, also beside other code.
        self.write("whole.cu", SAXPY + "#include <vector>\nint main() { saxpy<<<1, 1>>>(0,0,0,0); }\n")
        self.assertIn("whole.yaml", self.run_program("new", "suite", "whole.cu")[0])
        self.write("host.cu", SAXPY + "#include <vector>\nint one; int main() { saxpy<<<1, 1>>>(0,0,0,0); }\n")
        self.assertIn("host.yaml", self.run_program("new", "suite", "host.cu")[0])
        # A mistake of another kind has its own hint.
        self.write("half.cu", "#include <vector>\n__global__ void k(half *a) {}\nint main() { std::vector<int> v; }\n")
        self.assertIn("write `#include <cuda_fp16.h>`", self.refused("new", "suite", "half.cu", code=1))
        self.write("k.cu", SAXPY)
        self.assertIn("did you mean `saxpy`?", self.refused("new", "suite", "k.cu", "--kernel",
                                                            "saxpi", code=1))

    def test_every_kernel_of_the_corpus(self):
        """Never a crash, and every suite loads."""
        written = 0
        for file in sorted((program.SOURCE / "tests/device/kernels").glob("*.cu")):
            with self.subTest(file.name):
                self.write(file.name, file.read_text())
                done = self.start("new", "suite", file.name)
                self.assertIn(done.returncode, (0, 1, 2), done.stderr)
                written += done.stdout.count(b".yaml\n")
        self.assertGreaterEqual(written, 60)
        self.run_program("lint", "--static", ".")


if __name__ == "__main__":
    unittest.main()
