"""`warpmark new suite`: what is written loads and runs, and what cannot be written is reported."""
import json
import os
import pathlib
import re
import subprocess
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

    def test_python_is_not_read(self):
        self.write("kernels.py", "import triton\n")
        self.assertIn("`kernels.py` is Python, not CUDA C++", self.new("kernels.py"))

    def test_what_is_no_file(self):
        self.assertIn("error: FILE is required", self.new())
        self.write("saxpy.cu", SAXPY)
        self.assertIn("did you mean `saxpy.cu`?", self.new("saxpi.cu"))
        self.assertIn("is a folder", self.new("."))
        self.assertIn("there is no folder `absent`", self.new("saxpy.cu", "--include", "absent"))
        self.assertIn("there is no file `compile_commands.json`", self.new("-p", "."))
        self.write("compile_commands.json", "{}")
        self.assertIn("`compile_commands.json` is no compile_commands.json", self.new("-p", "."))
        self.write("compile_commands.json", '[{"directory": ".", "file": "a.cpp", "command": "c++ a.cpp"}, 7]')
        self.assertIn("has no .cu file", self.new("-p", "."))
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
        self.write("p.cu", "enum class E { x, y };\n"
                   "__global__ void function(void (*p)(int)) {}\n"
                   "__global__ void pointers(float ***p) {}\n"
                   "__global__ void good(E e, float4 *v, void *w) {}\n")
        made = self.new("p.cu", warnings=r"(?s)warning: left out: `function`: its parameter `arg0` is a "
                        r"pointer to a function, .*`pointers`: its parameter `p` points to pointers")
        text = made["p.yaml"]
        self.assertIn("e: {scalar: 0, dtype: int32}", text)
        self.assertIn("dtype: float32}", text)
        self.assertIn("64 for each `void`", text)
        out, _ = self.check("p.yaml", code=1)
        self.assertIn("the reference of `v` is still to be written", out)
        errors = self.refused("new", "suite", "p.cu", "--kernel", "function")
        self.assertIn("no suite can be written for p.cu: `function`: its parameter `arg0`", errors)

    def test_structs_pointers_textures_and_constants(self):
        """Each draft runs as it is: only the references are missing."""
        self.write("types.h", "#pragma once\nnamespace geo {\nusing real = float;\n"
                   "struct Point { real x, y; };\ntemplate <typename T> struct Box { Point low; T size[2]; };\n"
                   "struct Odd { int bits : 3; char c; };\n"
                   "struct __align__(16) Wide { float a; };\n}\n")
        self.write("k.cu", """#include "types.h"
using namespace geo;
struct View { float *data; int n; unsigned char flags[3]; };
__constant__ float weights[4], unused[2];
namespace deep { __constant__ int shift; __constant__ int own = 3; }
__global__ void boxes(Box<float> *box, const Point *from, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) box[i].low = from[i];
}
__global__ void view(View v, Point p, Odd o, Wide w) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < v.n) v.data[i] += p.x + o.bits + w.a;
}
__global__ void rows(float **all, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) all[1][i] = all[0][i];
}
__global__ void blur(cudaTextureObject_t image, uchar4 *out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) out[y * width + x] = tex2D<uchar4>(image, x, y);
}
__global__ void weigh(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] *= weights[i & 3] + deep::shift + deep::own;
}
""")
        made = self.new("k.cu")
        self.assertIn('"geo::Box<float>": {low: "geo::Point", size: [float32, 2]}', made["k_boxes.yaml"])
        self.assertIn("points_to: {data: v_data}", made["k_view.yaml"])
        self.assertIn("  View: {data: float32 *, n: int32, flags: [uint8, 3]}", made["k_view.yaml"])
        self.assertIn('o: {scalar: "np.zeros(4, np.uint8)", dtype: uint8}', made["k_view.yaml"])
        self.assertIn('w: {scalar: "np.zeros(16, np.uint8)", dtype: uint8}', made["k_view.yaml"])
        self.assertIn("all: {pointers: [all_0, all_1]}", made["k_rows.yaml"])
        self.assertIn("dtype: uint8, channels: 4", made["k_blur.yaml"])
        self.assertIn("  weights: ", made["k_weigh.yaml"])
        self.assertIn('  "deep::shift": 1', made["k_weigh.yaml"])
        for other in ("unused", "own"):
            self.assertNotIn(other, made["k_weigh.yaml"])
        for file in made:
            out, _ = self.check(file, code=1)
            self.assertIn("still to be written", out)
            self.assertEqual(set(re.findall(r"error: (.*)", out)),
                             set(re.findall(r"error: (the reference of .* is still to be written)", out)), out)

    def test_a_tensor_map_gets_an_array(self):
        tile = (program.SOURCE / "suites/tensor_maps/tile.cu").read_text()
        # The draft's block has two dimensions, as the grid has.
        self.write("k.cu", tile.replace("constexpr int kTile = 32;", "constexpr int kTile = 16;")
                   .replace("threadIdx.x == 0)", "threadIdx.x + threadIdx.y == 0)"))
        made = self.new("k.cu", "--kernel", "transpose")["k.yaml"]
        self.assertIn("  source: {tensor_map: source_array, box: [16, 16]}", made)
        self.assertIn("  target_array: {inout: ", made)
        self.assertIn("    arguments: [source, target]\n", made)
        out, _ = self.check("k.yaml", code=1)
        self.assertEqual(re.findall(r"error: (.*)", out), ["the reference of `source_array` is still to be written"])

    def test_kernels_are_listed_as_they_are_chosen(self):
        self.write("l.cu", "namespace a { namespace {\ntemplate <typename T, int N> __global__ void t(T *p) {}\n} }\n"
                   "namespace b { __global__ void plain(int *p) {} }\n"
                   "template <template <typename> class C> __global__ void odd(int *p) {}\n")
        out, _ = self.run_program("new", "suite", "l.cu", "--list")
        self.assertEqual(out, "l.cu\n"
                         "  --kernel 'a::t<float, 32>'  (its arguments are guessed)\n"
                         "  --kernel 'b::plain'\n"
                         "  left out: `template <template <typename> class C> odd(int *p)` is a template: name an "
                         "instance, as in --kernel 'odd<float>'\n")
        self.assertEqual(list(self.folder.glob("*.yaml")), [])
        for kernel in re.findall("--kernel '(.*?)'", out)[:2]:
            self.new("l.cu", "-o", "made", "--force", "--kernel", kernel)

    def test_folders_and_macros_of_a_build(self):
        self.write("lib/include/factor.h", "constexpr float kFactor = FACTOR;\n")
        kernel = ("#include <factor.h>\n__global__ void %s(float *a, int n) { if (threadIdx.x < n) "
                  "a[threadIdx.x] *= kFactor; }\n")
        self.write("lib/src/a.cu", kernel % "a")
        self.write("lib/src/b.cu", kernel % "b")
        self.write("lib/src/none.cu", "int none;\n")
        self.write("lib/src/bad.cu", "__global__ void k() { x; }\n")
        commands = [{"directory": str(self.folder / "build"), "file": "../lib/src/%s.cu" % name,
                     "command": "nvcc -forward-unknown-to-host-compiler -DFACTOR='2.f' -I../lib/include -I../absent "
                     "--generate-code=arch=compute_90,code=[sm_90] -Xcompiler -DNOT=1 --use_fast_math "
                     "-std=c++17 -o x.o -c x.cu"} for name in ("a", "b", "none", "bad")]
        commands[1]["arguments"] = ["nvcc", "-isystem", "../lib/include", "-D", "FACTOR=3.f"]
        self.write("build/compile_commands.json", json.dumps(commands))
        made = self.new("lib/src/a.cu", "-p", "build", "-o", "one")
        self.assertRegex(made["one/a.yaml"], r'include: \["?../lib/include"?\]\n  options: '
                         r'\["?-DFACTOR=2.f"?, "?--use_fast_math"?, "?-std=c\+\+17"?\]\n')
        self.assertIn("still to be written", self.check("one/a.yaml", code=1)[0])
        made = self.new("-p", "build/compile_commands.json", "-o", "all", warnings=r"left out: lib/src/bad.cu: ")
        self.assertEqual(list(made), ["all/a.yaml", "all/b.yaml"])
        self.assertIn("FACTOR=3.f", made["all/b.yaml"])
        self.write("all/a.yaml", "mine")
        os.remove(self.folder / "all/b.yaml")
        made = self.new("-p", "build", "-o", "all", "--keep", warnings="left out")
        self.assertEqual(list(made), ["all/b.yaml"])
        self.assertEqual((self.folder / "all/a.yaml").read_text(), "mine")
        out, _ = self.run_program("new", "suite", "-p", "build", "-o", "all", "--keep")
        self.assertEqual(out, "2 suites there already\n")

    def test_a_kernel_is_no_suite(self):
        self.write("saxpy.cu", SAXPY)
        errors = self.refused("check", "saxpy.cu")
        self.assertIn("saxpy.cu has kernels, and is no suite", errors)
        self.assertIn("`warpmark new suite saxpy.cu` writes a suite", errors)

    def test_odd_files(self):
        """Line ends of Windows, other encodings, macros for braces, two programs in one file, headers in a circle."""
        self.write("blocks.cu", "#include <vector>\n#define BEGIN {\n#define END }\n__global__ void k(float *a) BEGIN a[0] = 1; "
                   "END\nvoid host() BEGIN std::vector<int> v; END\n")
        self.write("mains.cu", SAXPY + "int main() { return 0; }\nint main(int n, char **v) { return n; }\n")
        crlf = "#include <vector>\nstd::vector<int> v;\nstruct P { int a; float b; };\n__global__ void k(P *p, P q) { p[0] = q; }\n"
        (self.folder / "crlf.cu").write_bytes(crlf.replace("\n", "\r\n").encode())
        (self.folder / "latin.cu").write_bytes(("// Gr\xf6\xdfe\n#include <string>\nstd::string s = \"\xe4\";\n"
                                                + SAXPY).encode("latin-1"))
        for name in ("blocks", "mains", "crlf", "latin"):
            self.assertEqual(list(self.new(name + ".cu")), [name + ".yaml"])
        self.assertIn("  P: {a: int32, b: float32}\n", (self.folder / "crlf.yaml").read_text())
        self.write("a.h", '#include "b.h"\nstruct A {};\n')
        self.write("b.h", '#include "a.h"\n')
        self.write("circle.cu", '#include "a.h"\n' + SAXPY)
        self.assertIn("includes itself", self.refused("new", "suite", "circle.cu", code=1))

    def test_an_architecture(self):
        self.write("w.cu", "#ifndef __CUDA_ARCH_FEAT_SM90_ALL\n#error for sm_90a\n#endif\n"
                   "__global__ void w(float *a) { asm volatile(\"wgmma.fence.sync.aligned;\"); a[threadIdx.x] = 1; }\n")
        self.assertIn("for sm_90a", self.refused("new", "suite", "w.cu", code=1))
        self.assertIn("  file: w.cu\n  entry: w\n  arch: sm_90a\n", self.new("w.cu", "--arch", "sm_90a")["w.yaml"])
        self.assertIn("still to be written", self.check("w.yaml", code=1)[0])
        self.assertIn("`sm_9`", self.refused("new", "suite", "w.cu", "--arch", "sm_9"))

    def test_headers_beside_the_kernel_stay(self):
        self.write("src/factor.h", "constexpr float kFactor = 2;\n")
        self.write("src/k.cu", '#include "factor.h"\n__global__ void k(float *a, int n) { if (threadIdx.x < n) '
                   'a[threadIdx.x] *= kFactor; }\n')
        self.new("src/k.cu", "-o", "new/suites")
        self.assertIn("still to be written", self.check("new/suites/k.yaml", code=1)[0])

    def test_targets_of_cmake(self):
        if "WARPMARK_TEST_CMAKE" not in os.environ:
            self.skipTest("no CMake is named")
        self.write("include/factor.h", "#define SCALE(x) ((x) * FACTOR)\n")
        self.write("a.cu", "#include <factor.h>\nnamespace n { __global__ void a(float *x) { "
                   "int i = blockIdx.x * blockDim.x + threadIdx.x; x[i] = SCALE(x[i]); } }\n")
        self.write("CMakeLists.txt", """cmake_minimum_required(VERSION 3.25)
project(lib NONE)
include([[%s/cmake/WarpmarkDiscoverKernels.cmake]])
add_library(mylib INTERFACE)
add_custom_target(kernels SOURCES a.cu)
set_target_properties(kernels PROPERTIES INCLUDE_DIRECTORIES
  "${CMAKE_SOURCE_DIR}/include;${CMAKE_SOURCE_DIR}/absent"
  COMPILE_DEFINITIONS "FACTOR=2;OTHER=(1)" CXX_STANDARD 17)
warpmark_discover_kernels(kernels OUTPUT made PROGRAM [[%s]])
""" % (program.SOURCE, program.PROGRAM))
        cmake = os.environ["WARPMARK_TEST_CMAKE"]
        def run(*arguments):
            done = subprocess.run([cmake, *arguments], cwd=self.folder, text=True, timeout=120, check=False,
                                  env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            self.assertEqual(done.returncode, 0, done.stdout)
            return done.stdout
        run("-S", ".", "-B", "build")
        self.assertIn("  --kernel 'n::a'\n", run("--build", "build", "--target", "kernels_kernels"))
        run("--build", "build", "--target", "kernels_suites")
        text = (self.folder / "made/a.yaml").read_text()
        self.assertRegex(text, r'options: \["?-DFACTOR=2"?, "?-DOTHER=\(1\)"?, "?-std=c\+\+17"?\]')
        self.assertIn("still to be written", self.check("made/a.yaml", code=1)[0])
        self.assertIn("1 suite there already", run("--build", "build", "--target", "kernels_suites"))

    def test_arguments_of_a_template_are_guessed(self):
        self.write("g.cu", "template <typename T, int N, bool B = true> __global__ void scale(T *a, int n)"
                   " { if (threadIdx.x < n) a[threadIdx.x] *= N; }\n"
                   "struct One { static constexpr int kOne = 1; };\n"
                   "template <typename T> __global__ void one(int *a) { a[0] = T::kOne; }\n"
                   "enum class Kind { one }; typedef unsigned Count;\n"
                   "template <const Kind K, Count N> __global__ void small(int *a) { static_assert(N < 5, \"\"); *a = N; }\n"
                   "__global__ void plain(int *a) { a[0] = 1; }\n")
        self.run_program("new", "suite", "g.cu")
        text = next(pathlib.Path(self.folder).glob("g_small*")).read_text(encoding="utf-8")
        self.assertRegex(text, r'entry: "small<\(Kind\)0, .*> *"')
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
        self.write("t.cu", "template <template <typename> class T> __global__ void scale(int *a, int by) { "
                   "a[threadIdx.x] *= by; }\n")
        errors = self.refused("new", "suite", "t.cu")
        self.assertIn("`template <template <typename> class T> scale(int *a, int by)` is a template: name an instance, "
                      "as in --kernel 'scale<float>'", errors)
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
        self.write("vector.cu", SAXPY + "#include <vector>\n__global__ void bad(std::vector<float> v) { v[0] = 1; }\n")
        self.assertIn("the kernel `bad` in line 6 takes a `std::vector<float>`, which only code for the CPU can use",
                      self.refused("new", "suite", "vector.cu", code=1))
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
