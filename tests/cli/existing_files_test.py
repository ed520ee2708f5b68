# Kernels where they are: in files with code for the CPU, as PTX, and for nvcc.
import os
import pathlib
import shutil
import struct
import unittest

from program import CheckTest, gpu_is_there

WHOLE = """#include <cuda_runtime.h>
#include <iostream>
#include <vector>
using namespace std;

#define CHECK(x) do { if ((x) != cudaSuccess) { cerr << "bad"; exit(1); } } while (0)

static cudaStream_t stream;

constexpr int half(int x) { return x / 2; }

template <typename T>
void fill(std::vector<T> &v) {
  for (auto &x : v) x = 1;
}

__device__ float twice(float x) { return half(4) * x; }

__global__ void scale(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = twice(a[i]);
}

int main(int argc, char **argv)
{
  std::vector<float> v(10);
  fill(v);
  float *d;
  CHECK(cudaMalloc(&d, 40));
  scale<<<1, 256>>>(d, 10);
  return 0;
}
"""

PTX = """.version 8.0
.target sm_80
.address_size 64
.visible .entry add(.param .u64 a, .param .u32 b)
{
  .reg .b32 %r<4>;
  .reg .b64 %d<4>;
  ld.param.u64 %d1, [a];
  ld.param.u32 %r1, [b];
  mov.u32 %r2, %tid.x;
  mul.wide.u32 %d2, %r2, 4;
  add.u64 %d3, %d1, %d2;
  ld.global.u32 %r3, [%d3];
  add.u32 %r3, %r3, %r1;
  st.global.u32 [%d3], %r3;
  ret;
}
"""


class ExistingFiles(CheckTest):
    DEVICE = "cpu"

    def check(self, *arguments, **options):
        return super().check(*arguments, **{"device": self.DEVICE, **options})

    def scale(self, source, kernel="file: k.cu, entry: scale"):
        self.write("suites/k.cu", source)
        self.write("suites/t.yaml", "warpmark: 1\nkernel: {%s}\narguments: {a: {inout: rng.random(100)}, n: {scalar: 100}}\n"
                   "launch: {block: 128}\nreference: {a: 2 * a}\n" % kernel)

    def test_code_for_the_cpu_is_left_out_and_named(self):
        self.scale(WHOLE)
        out, _ = self.check()
        self.assertIn("1 passed", out)
        self.assertIn("left out of k.cu, as it is for the CPU: #include <cuda_runtime.h>, #include <iostream>, "
                      "#include <vector>, the variable `stream` in line 8, fill() in lines 12 to 15, "
                      "main() in lines 24 to 32", out)

    def test_lines_keep_their_numbers(self):
        if self.DEVICE == "gpu":
            self.skipTest("a GPU does not report out-of-bounds reads next to an array")
        self.scale(WHOLE.replace("if (i < n) a[i]", "if (i < n + 1) a[i]"))
        out, _ = self.check(code=1)
        self.assertIn("k.cu:21: error: out-of-bounds", out)

    def test_a_mistake_in_the_kernel_is_shown_with_its_line(self):
        self.scale(WHOLE.replace("twice(a[i])", "thrice(a[i])"))
        out, _ = self.check(code=1)
        self.assertIn('k.cu(21): error: identifier "thrice" is undefined', out)

    def test_code_for_the_cpu_beside_a_kernel_is_left_out(self):
        kernel = "__global__ void scale(float *a, int n) { if (threadIdx.x < n) a[threadIdx.x] *= 2; }"
        for source in (kernel + " int main() { cudaDeviceReset(); }\n",
                       "void host(int); __device__ int y;\n" + kernel,
                       "#include <vector>\nstd::vector<int> v; __device__ int y;\n" + kernel,
                       "\n" + kernel + " void run(float *a) { scale<<<1, 9>>>(a, 9); }\n",
                       "static int count; __device__ int y;\n" + kernel):
            self.scale(source)
            self.assertIn("left out of k.cu, as it is for the CPU", self.check()[0])

    def test_what_a_macro_makes_for_the_cpu_is_named_with_the_remedies(self):
        self.scale("#define HOST void host() { }\nHOST\n"
                   "__global__ void scale(float *a, int n) { a[threadIdx.x] *= 2; }")
        out, _ = self.check(code=1)
        hint = next(one for one in out.splitlines() if one.startswith("    hint: "))
        self.assertIn("line 2 has a host function or variable", hint)
        self.assertIn("`#ifndef __CUDACC_RTC__` and `#endif`", hint)
        self.assertIn("`compiler: nvcc` compiles the file as it is", hint)

    def hint_of(self, source):
        """The hint of a file that does not compile."""
        self.scale(source)
        out, _ = self.check(code=1)
        return next((one for one in out.splitlines() if one.startswith("    hint: ")), out)

    def test_names_that_nvcc_alone_knows_are_a_hint_at_nvcc(self):
        kernel = "__global__ void scale(float *a, int n) { %s }"
        for name, call in (("cudaGraphSetConditional", "cudaGraphSetConditional(0, n);"),
                           ("cudaMalloc", "cudaMalloc((void **)&a, n);"),
                           ("cudaStreamCreateWithFlags", "cudaStream_t s; cudaStreamCreateWithFlags(&s, n);")):
            for include in ("", "#include <cuda_runtime.h>\n"):
                hint = self.hint_of(include + kernel % call)
                self.assertIn(f"`{name}` in line {2 if include else 1} is in code for the device", hint)
                self.assertIn("`compiler: nvcc` does", hint)
        for header, parameter in (("cudnn.h", "cudnnHandle_t h"), ("absl/types/span.h", "absl::Span<int> h"),
                                  ("Eigen/Core", "Eigen::Matrix3f h")):
            hint = self.hint_of("#include <%s>\n__global__ void scale(float *a, int n, %s) { }" % (header, parameter))
            self.assertIn(f"<{header}> is for the CPU, and left out", hint)
            self.assertIn("`compiler: nvcc` compiles the file as it is", hint)

    def test_code_for_the_cpu_in_the_suite_itself(self):
        self.write("suites/t.yaml", "warpmark: 1\nkernel:\n  entry: scale\n  source: |\n    %s"
                   "arguments: {a: {inout: rng.random(100)}, n: {scalar: 100}}\n"
                   "launch: {block: 128}\nreference: {a: 2 * a}\n" % WHOLE.replace("\n", "\n    ")[:-4])
        out, _ = self.check()
        self.assertIn("the variable `stream` in line 12, fill() in lines 16 to 19, main() in lines 28 to 36", out)

    def test_a_file_of_ptx(self):
        self.write("suites/k.ptx", PTX)
        text = ("warpmark: 1\nkernel: {ptx: k.ptx, entry: add}\narguments:\n"
                "  a: {inout: np.arange(32), dtype: int32}\n  b: {scalar: 5%s}\nlaunch: {block: 32}\n"
                "reference: {a: a + 5}\n")
        self.write("suites/t.yaml", text % ", dtype: int32")
        self.check()
        self.write("suites/t.yaml", text % "")
        out, _ = self.check(code=1)
        self.assertIn("the dtype of argument `b` is not known", out)

    COMPILED = ("warpmark: 1\nkernel: {%s, entry: add}\narguments:\n"
                "  a: {inout: np.arange(32), dtype: int32}\n  b: {scalar: 5%s}\nlaunch: {block: 32}\n"
                "reference: {a: a + 5}\n")

    def compiled(self, key, file, dtype=", dtype: int32"):
        self.write("suites/t.yaml", self.COMPILED % ("%s: %s" % (key, file), dtype))

    def cubin(self):
        """Machine code of the same kernel, as our own compiler makes it for this device."""
        self.write("suites/k.cu", 'extern "C" __global__ void add(int *a, int b) { a[threadIdx.x] += b; }')
        self.compiled("file", "k.cu")
        self.check("--keep", "kept", "--keep-all")
        made = next((self.folder / "kept").rglob("kernel.cubin"))
        shutil.copy(made, self.folder / "suites/k.cubin")

    def test_a_cubin_needs_the_gpu_that_it_is_for(self):
        self.cubin()
        self.compiled("cubin", "k.cubin")
        if self.DEVICE == "gpu":
            self.assertIn("1 passed", self.check()[0])
            self.compiled("cubin", "k.cubin", "")
            self.assertIn("the dtype of argument `b` is not known", self.check(code=1)[0])
            self.compiled("cubin", "k.cubin", ", dtype: int64")
            self.assertIn("argument `b` is of dtype int64 (8 bytes), and the kernel takes 4 bytes",
                          self.check(code=1)[0])
            return
        out, _ = self.check(code=77)
        self.assertIn("runs k.cubin, which has no code for Warpmark CPU device", out)

    def test_a_fatbin_runs_where_it_has_an_image(self):
        text = PTX.encode() + b"\0"
        text += bytes(-len(text) % 8)
        # As nvcc lays it out: a header, and one entry of PTX for sm_90 behind its own.
        entry = struct.pack("<HHIQIIHHIIIQQQQQ", 1, 0x101, 80, len(text), 0, 64, 0, 9, 90, 0, 0,
                            0x11, 0, 0, 72, 0)
        (self.folder / "suites").mkdir(exist_ok=True)
        (self.folder / "suites/k.fatbin").write_bytes(
            struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(entry) + len(text)) + entry + text)
        self.compiled("fatbin", "k.fatbin")
        self.assertIn("1 passed", self.check()[0])
        self.compiled("fatbin", "k.fatbin", ", dtype: int64")
        self.assertIn("(8 bytes), and the kernel takes 4 bytes", self.check(code=1)[0])
        self.write("suites/t.yaml", (self.COMPILED % ("fatbin: k.fatbin", "")).replace("add}", "sub}"))
        self.assertIn("`sub`", self.check(code=1)[0])

    def test_a_file_that_is_no_cubin(self):
        self.write("suites/k.cubin", "not one")
        self.compiled("cubin", "k.cubin")
        self.assertIn("k.cubin", self.check(code=1)[0])
        self.compiled("cubin", "k.cubin, ptx: k.cubin")
        self.assertIn("`kernel` has both `cubin` and `ptx`", self.check(code=2)[1])

    def test_headers_without_execution_spaces_as_cute_has_them(self):
        """`-default-device`, and includes that macros name: a small CuTe."""
        self.write("lib/cute/config.hpp", "#pragma once\n#if defined(__CUDACC__)\n#define CUTE_HOST_DEVICE "
                   "__forceinline__ __host__ __device__\n#else\n#define CUTE_HOST_DEVICE inline\n#endif\n"
                   "#define CUTE_STL_NAMESPACE cuda::std\n#define CUTE_UTIL <cuda/std/utility>\n")
        self.write("lib/cute/layout.hpp", """#pragma once
#include <cute/config.hpp>
#include CUTE_UTIL
namespace cute {
template <int N> struct Int { static constexpr int value = N; };
constexpr int crd2idx(int i, int j, int stride) { return i * stride + j; }   // no execution space
template <class T> struct Tensor {
  T *data;
  int stride;
  constexpr Tensor(T *at, int step) : data(at), stride(step) {}
  constexpr T &operator()(int i, int j) const { return data[crd2idx(i, j, stride)]; }
};
template <class T> constexpr auto make_tensor(T *data, int stride) { return Tensor<T>(data, stride); }
template <class From, class To> CUTE_HOST_DEVICE void copy(const From &from, const To &to, int i, int j) {
  to(j, i) = CUTE_STL_NAMESPACE::forward<decltype(from(i, j))>(from(i, j));
}
}
""")
        self.write("suites/k.cu", """#include <cute/layout.hpp>
#include "cute/config.hpp"
using namespace cute;
template <class T, int N> __global__ void transpose(const T *in, T *out) {
  auto from = make_tensor(in, Int<N>::value);
  auto to = make_tensor(out, Int<N>::value);
  copy(from, to, threadIdx.y, threadIdx.x);
}
""")
        suite = ("warpmark: 1\nkernel:\n  {file: k.cu, entry: 'transpose<float, 8>', include: [../lib]%s}\n"
                 "arguments:\n  x: {in: 'rng.random((8, 8))'}\n  y: {out: x.shape}\n"
                 "launch: {block: [8, 8]}\nreference: {y: x.T}\n")
        self.write("suites/t.yaml", suite % ", options: [-default-device]")
        out, _ = self.check()
        self.assertIn("1 passed", out)
        self.assertNotIn("note", out)
        self.write("suites/t.yaml", suite % ", options: [-default-device, -std=c++20, -lineinfo]")
        out, _ = self.check()
        self.assertNotIn("note", out)
        self.assertNotIn("warning", out)

    def test_the_suites_standard_replaces_ours(self):
        source = "__global__ void scale(float *a, int n) { if (threadIdx.x < n) a[threadIdx.x] *= %s; }"
        self.scale(source % "__cplusplus == 202002L ? 2 : 1", "file: k.cu, entry: scale, options: [-std=c++20]")
        out, _ = self.check()
        self.assertIn("1 passed", out)
        self.assertNotIn("std", out)
        self.scale(source % "__cplusplus == 201402L ? 2 : 1", "file: k.cu, entry: scale, options: [--std, c++14]")
        self.assertIn("1 passed", self.check()[0])
        self.scale(source % "2", "file: k.cu, entry: scale, options: [-arch=sm_90]")
        out, errors = self.check(code=1)
        self.assertIn("a suite cannot set the option `-arch=sm_90`", out + errors)

    def test_an_nvcc_that_does_not_know_the_architecture(self):
        nvcc = self.folder / "bin/nvcc"
        nvcc.parent.mkdir()
        nvcc.write_text("#!/bin/sh\nfor one in \"$@\"; do case $one in -arch=*) "
                        "echo \"nvcc fatal   : Unsupported gpu architecture '${one#-arch=}'\"; esac; done; exit 1\n")
        nvcc.chmod(0o755)
        self.environment["PATH"] = "%s:%s" % (nvcc.parent, os.environ["PATH"])
        self.environment["WARPMARK_CUDA_HOME"] = ""
        self.scale(WHOLE, "file: k.cu, entry: scale, compiler: nvcc, arch: sm_80")
        out, errors = self.check(code=1)
        self.assertRegex(out, r"suites/t.yaml:2:58: error: .*bin/nvcc cannot compile for sm_80")
        self.assertIn("a newer toolkit knows newer ones, or change `arch`", out + errors)

    def test_nvcc_compiles_where_it_is(self):
        home = pathlib.Path(os.environ.get("WARPMARK_CUDA_HOME", "/usr/local/cuda"))
        if not (home / "bin/nvcc").exists() and not shutil.which("nvcc"):
            self.skipTest("there is no nvcc")
        self.environment["PATH"] = os.environ["PATH"]
        self.scale(WHOLE.replace("constexpr int half", "__host__ __device__ constexpr int half"),
                   "file: k.cu, entry: scale, compiler: nvcc")
        out, _ = self.check()
        self.assertIn("1 passed", out)
        self.scale("__global__ void scale(float *a, int n) {\n#ifdef __CUDA_ARCH_FEAT_SM90_ALL\n"
                   "  if (threadIdx.x < n) a[threadIdx.x] *= __cplusplus == 202002L ? 2 : 1;\n#endif\n}\n",
                   "file: k.cu, entry: scale, compiler: nvcc, arch: sm_90a, options: [-std=c++20]")
        out, _ = self.check()
        self.assertIn("1 passed", out)
        self.assertNotIn("redefinition", out)
        self.scale(WHOLE, "file: k.cu, entry: scale, compiler: nvcc")
        out, _ = self.check(code=1)
        self.assertIn("k.cu(17): error: calling a constexpr __host__ function", out)
        self.scale("__global__ void scale(half *a, int n) {}\n", "file: k.cu, entry: scale, compiler: nvcc")
        self.assertIn("write `#include <cuda_fp16.h>`", self.check(code=1)[0])

    def test_without_nvcc_the_remedy_is_named(self):
        self.environment["WARPMARK_CUDA_HOME"] = str(self.folder)
        if pathlib.Path("/usr/local/cuda/bin/nvcc").exists():
            self.skipTest("there is an nvcc where one is always looked for")
        self.environment["PATH"] = "/nowhere"
        self.scale(WHOLE, "file: k.cu, entry: scale, compiler: nvcc")
        out, errors = self.check(code=3)
        self.assertIn("leave `compiler` out to compile with NVRTC", out + errors)


class OnGpu(ExistingFiles):
    """The same on a GPU, where there is one."""
    DEVICE = "gpu"

    def setUp(self):
        super().setUp()
        if not gpu_is_there():
            self.skipTest("there is no GPU")


if __name__ == "__main__":
    unittest.main()
