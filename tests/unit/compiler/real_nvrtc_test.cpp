// Compiling with the machine's NVRTC; skipped where there is none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "base/file.hpp"
#include "base/text.hpp"
#include "compiler/compiler.hpp"
#include "compiler/shims.hpp"

namespace warpmark {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class RealNvrtc : public testing::Test {
 protected:
  void SetUp() override {
    try {
      nvrtc_ = Nvrtc::open();
    } catch (const Error& error) {
      GTEST_SKIP() << error.message();
    }
    request_.name = "sub/k.cu";
    request_.folder = suite_.path();
    request_.architecture = 90;
  }

  CompileResult compile(const std::string& source) {
    request_.source = source;
    return Compiler(nvrtc_, CompileCache(cache_.path())).compile(request_);
  }
  std::string error_of(const std::string& source) {
    try {
      compile(source);
    } catch (const Error& error) {
      where_ = error.where();
      code_ = error.code();
      return error.what();
    }
    return "no error";
  }

  // libcu++ of CUDA 12 has fewer headers than that of CUDA 13: one that is missing is an error.
  bool lacks(std::string_view name) const {
    if (name == "algorithm" || find_shim(name)->find("#error") == std::string_view::npos) {
      return false;
    }
    const auto has = [&](const std::filesystem::path& folder) {
      return std::filesystem::exists(folder / "cuda/std" / name);
    };
    const std::vector<std::string>& folders = nvrtc_->include_folders();
    return std::none_of(folders.begin(), folders.end(), has);
  }

  std::shared_ptr<const Nvrtc> nvrtc_;
  TemporaryFolder suite_;
  TemporaryFolder cache_;
  CompileRequest request_;
  Position where_;
  ExitCode code_ = ExitCode::success;
};

constexpr const char* kDoublify =
    "extern \"C\" __global__ void doublify(float *a, const unsigned n) {\n"
    "  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) a[i] *= 2;\n"
    "}";  // no newline at the end

TEST_F(RealNvrtc, RegionsMapLinesOfAGeneratedSource) {
  request_.name = "s.generated.cu";
  request_.regions = {{2, {"s.yaml", 30, 5}}, {4, {}}};
  const std::string lines =
      "__device__ void f() {\n  int here;\n  %s;\n}\n__global__ void k() { %s; }\n";
  const auto source = [&](const std::string& in_region, const std::string& after) {
    std::string text = lines;
    text.replace(text.find("%s"), 2, in_region);
    return text.replace(text.find("%s"), 2, after);
  };
  EXPECT_THAT(error_of(source("wrong", "f()")), HasSubstr("s.yaml(31): error: "));
  EXPECT_EQ(where_, (Position{"s.yaml", 31, 0}));
  EXPECT_THAT(error_of(source("here = 1", "wrong")), HasSubstr("s.generated.cu(5): error: "));
  EXPECT_EQ(compile(source("here = 1", "f()")).entries.size(), 1U);
}

TEST_F(RealNvrtc, GivesCubinPtxTypesAndRegisters) {
  const CompileResult result = compile(kDoublify);
  EXPECT_EQ(result.cubin.substr(1, 3), "ELF");
  EXPECT_THAT(result.ptx, AllOf(HasSubstr(".target sm_90"), HasSubstr(".file\t1 \"sub/k.cu\""),
                                HasSubstr(".loc")));
  ASSERT_EQ(result.entries.size(), 1U);
  EXPECT_EQ(result.entries[0].text(), "doublify(float*, unsigned int)");
  EXPECT_GT(result.entries[0].bounds.registers, 0U);
  EXPECT_EQ(result.warnings(), "");
  EXPECT_THAT(result.ptx, Not(HasSubstr("warpmark_signature")));
}

TEST_F(RealNvrtc, EqualInputsInTwoFoldersGiveEqualBytes) {
  const auto build = [&](const std::filesystem::path& folder, const std::string& source) {
    write_file_atomically(folder / "sub" / "f.h",
                          "__device__ __noinline__ float f(float x) {\n return x * 3;\n}\n");
    request_.folder = folder;
    request_.use_cache = false;
    const std::filesystem::path before = std::filesystem::current_path();
    std::filesystem::current_path(folder);
    CompileResult result = compile(source);
    std::filesystem::current_path(before);
    return result;
  };
  const TemporaryFolder one("one");
  const TemporaryFolder two("another");
  const char* calls =
      "#include \"f.h\"\n#include <cmath>\n#include <cstring>\n"
      "namespace { __device__ int hidden; }\nstatic __device__ int* p = &hidden;\n"
      "__global__ void k(float* a, int n) {\n"
      "  *a = f(*a) + std::sqrt(*a);\n  memmove(a, a + 1, n);\n  hidden += n;\n  *p = 1;\n}\n";
  const CompileResult a = build(one.path(), calls);
  const CompileResult b = build(two.path(), calls);
  EXPECT_EQ(a.ptx, b.ptx);
  EXPECT_EQ(a.log, b.log);
  // A cubin holds the PTX with the call numbers, so only one without calls can be equal.
  const char* plain = "#include \"f.h\"\n__global__ void k(float* a) { *a *= 2; }\n";
  EXPECT_EQ(build(one.path(), plain).cubin, build(two.path(), plain).cubin);
  EXPECT_THAT(a.ptx, AllOf(HasSubstr("\"sub/f.h\""), HasSubstr("\"cstring\"")));
  EXPECT_THAT(a.ptx, Not(HasSubstr(one.path().string())));
}

TEST_F(RealNvrtc, ErrorsHaveTheSuitesFileAndLine) {
  EXPECT_THAT(error_of("\n\n__global__ void k() { x = 1; }\n"),
              AllOf(HasSubstr("sub/k.cu(3): error: identifier \"x\" is undefined"),
                    Not(HasSubstr("/suite/"))));
  EXPECT_EQ(code_, ExitCode::verdict);
  EXPECT_EQ(where_, (Position{"sub/k.cu", 3, 0}));
  request_.origin = {"x.yaml", 12, 3};
  error_of("\n\n__global__ void k() { x = 1; }\n");
  EXPECT_EQ(where_, (Position{"x.yaml", 14, 0}));
  request_.origin = {};
  write_file_atomically(suite_.path() / "sub" / "bad.h", "\nint x = ;\n");
  error_of("#include \"bad.h\"\n");
  EXPECT_EQ(where_, (Position{"sub/bad.h", 2, 0}));
}

TEST_F(RealNvrtc, PtxasErrorsAreVerdictsToo) {
  EXPECT_THAT(error_of("extern \"C\" __global__ void k() { asm volatile(\"frobnicate;\"); }\n"),
              HasSubstr("frobnicate"));
  EXPECT_EQ(code_, ExitCode::verdict);
  EXPECT_THAT(error_of("extern \"C\" __global__ void k(int* p, int i) { __shared__ int a[99999]; "
                       "a[i] = i; __syncthreads(); *p = a[i + 1]; }\n"),
              HasSubstr("too much shared data"));
}

TEST_F(RealNvrtc, MangledOverloadedAndTemplateKernels) {
  const char* source =
      "__global__ void ov(float* a) { *a = 1; }\n"
      "__global__ void ov(double* a) { *a = 1; }\n"
      "namespace ns { template <typename T> __global__ void scale(T* a, int n) { a[n] *= 2; } }\n"
      "struct P { float x[3]; char c; };\n"
      "__global__ void by_value(P p, bool b, const float* __restrict__ q) {}\n"
      "extern \"C\" __global__ void plain(size_t n, P* p, void (*f)(int, int), short s) {}\n"
      "// the end";
  const CompileResult plain = compile(source);
  EXPECT_EQ(plain.entries.size(), 4U);
  request_.entry = "ov(double*)";
  EXPECT_EQ(plain.entry(request_).name, "_Z2ovPd");
  request_.entry = "by_value";
  EXPECT_EQ(plain.entry(request_).text(), "by_value(P, bool, float const*)");
  EXPECT_EQ(plain.entry(request_).parameters[0].bytes, 16U);
  request_.entry = "plain";
  EXPECT_EQ(plain.entry(request_).text(), "plain(unsigned long, P*, void (*)(int, int), short)");
  request_.entry = "ns::scale<double>";
  const CompileResult instance = compile(source);
  EXPECT_EQ(instance.entries.size(), 5U);
  EXPECT_EQ(instance.entry(request_).text(), "ns::scale<double>(double*, int)");
  EXPECT_EQ(compile(source).entry(request_).text(), "ns::scale<double>(double*, int)");
  request_.entry = "scael";
  try {
    plain.entry(request_);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("no kernel `scael` in sub/k.cu; it has: "));
  }
}

TEST_F(RealNvrtc, TwoInstancesOfOneUnitWithMacros) {
  request_.defines = {{"T", "float"}, {"N", "4"}};
  request_.entry = "scale<T, N>";
  request_.further_entries = {"scale<double, N + 1>", "scale<T, N>"};
  const char* source =
      "template <typename U, int M> struct Pair { U x[M]; };\n"
      "template <typename U, int M>\n"
      "__global__ void scale(typename Pair<U, M>::type_is_not_used *, U *a) {}\n";
  EXPECT_THAT(error_of(source), HasSubstr("`scale<T, N>` is no kernel of sub/k.cu"));
  source =
      "template <typename U, int M> struct Pair { typedef U type; U x[M]; };\n"
      "template <typename U, int M>\n"
      "__global__ void scale(typename Pair<U, M>::type *a, Pair<U, M> p, char c) { *a = p.x[0]; "
      "}\n";
  for (const bool from_cache : {false, true}) {
    const CompileResult result = compile(source);
    EXPECT_EQ(result.from_cache, from_cache);
    ASSERT_EQ(result.entries.size(), 2U);
    const Entry& narrow = result.entry(request_);
    EXPECT_EQ(narrow.text(), "scale<float, 4>(float*, Pair<float, 4>, char)");
    EXPECT_EQ(narrow.parameters[1].bytes, 16U);
    EXPECT_EQ(narrow.parameters[1].alignment, 4U);
    CompileRequest other = request_;
    other.entry = "scale<double, N + 1>";
    const Entry& wide = result.entry(other);
    EXPECT_EQ(wide.text(), "scale<double, 5>(double*, Pair<double, 5>, char)");
    EXPECT_EQ(wide.parameters[1].bytes, 40U);
    EXPECT_EQ(wide.parameters[1].alignment, 8U);
    EXPECT_EQ(wide.parameters[2].offset, 48U);
  }
}

TEST_F(RealNvrtc, RelocatableCodeMayLeaveSymbolsOpen) {
  const char* source =
      "extern __device__ float f(float);\n"
      "extern \"C\" __global__ void k(float* a, int n) { *a = f(*a) + n; }\n";
  EXPECT_THAT(error_of(source), HasSubstr("_Z1ff"));
  request_.relocatable = true;
  const CompileResult result = compile(source);
  EXPECT_EQ(result.cubin.substr(1, 3), "ELF");
  EXPECT_THAT(result.ptx, HasSubstr(".extern .func"));
  EXPECT_EQ(result.entries.at(0).text(), "k(float*, int)");
}

TEST_F(RealNvrtc, OddEndsOfASourceLoseTypesAtMost) {
  const std::string kernel = "extern \"C\" __global__ void k(float* a, int n) { a[n] = 1; }\n";
  for (const char* end : {"// comment", "// joined \\", "/* whole */", "#if 0\n#endif",
                          "#define template", "#define __global__ error", "namespace {\n}"}) {
    const CompileResult result = compile(kernel + end);
    ASSERT_EQ(result.entries.size(), 1U) << end;
    EXPECT_EQ(result.entries[0].parameters[0].bytes, 8U) << end;
    EXPECT_EQ(result.entries[0].parameters[1].bytes, 4U) << end;
  }
}

TEST_F(RealNvrtc, AllShimsCompileTogetherTwiceAndInAnyLanguageVersion) {
  std::string source;
  for (int i = 0; i < 2; ++i) {
    for (const std::string_view name : shim_names()) {
      if (!lacks(name)) source += "#include <" + std::string(name) + ">\n";
    }
  }
  source +=
      "static_assert(sizeof(std::int64_t) == 8 && sizeof(uint8_t) == 1 && CHAR_BIT == 8, \"\");\n"
      "static_assert(INT64_MAX == LONG_MAX && UINT32_MAX == UINT_MAX, \"\");\n"
      "extern \"C\" __global__ void k(float* p, double* q, std::size_t n, ptrdiff_t d) {\n"
      "  assert(p != NULL);\n"
      "  p[0] = std::sqrt(p[1]) + std::fmax(p[2], FLT_MAX) + std::pow(p[3], 2.0f) + INFINITY + "
      "NAN;\n"
      "  q[0] = std::sqrt(q[1]) + M_PI + DBL_EPSILON + std::abs(q[2]) + HUGE_VAL;\n"
      "  if (std::isnan(p[4]) || isinf(p[5]) || std::isfinite(q[1])) std::memcpy(p, p + 1, n);\n"
      "  memmove(p + 1, p, n); std::memset(p, 0, 4); p[6] = offsetof(int3, y) + memcmp(p, q, 4) + "
      "strlen(\"abc\");\n"
      "  std::printf(\"%d\\n\", INT_MAX); if (d < 0) abort(); if (d > 9) exit(EXIT_FAILURE);\n"
      "  free(malloc(8));\n"
      "}\n";
  for (const char* standard : {"c++17", "c++20"}) {  // libcu++ has no older ones
    request_.options = {std::string("-std=") + standard};
    const CompileResult result = compile(source);
    EXPECT_EQ(result.warnings(), "") << standard;
    EXPECT_EQ(result.entries.size(), 1U);
  }
}

// A third of them a day; unit.compiler_shims, which is long, takes all.
TEST_F(RealNvrtc, EachShimCompilesAlone) {
  const bool all = std::getenv("WARPMARK_TEST_ALL") != nullptr;
  const auto day = std::chrono::system_clock::now().time_since_epoch() / std::chrono::hours(24);
  const std::size_t step = all ? 1 : 3;
  const std::size_t first = static_cast<std::size_t>(day) % step;
  std::printf("shims from number %zu on, each %zu. one\n", first, step);
  const std::vector<std::string_view> names = shim_names();
  for (std::size_t i = first; i < names.size(); i += step) {
    const std::string_view name = names[i];
    const std::string source =
        "#include <" + std::string(name) + ">\nextern \"C\" __global__ void k() {}\n";
    if (lacks(name)) {
      EXPECT_THAT(error_of(source), HasSubstr("This toolkit has no <" + std::string(name) + ">"));
      continue;
    }
    EXPECT_EQ(compile(source).warnings(), "") << name;
  }
}

// nvcc has them in every source.
TEST_F(RealNvrtc, FloatsAreClassifiedByStdWhateverIsIncluded) {
  const std::string kernel =
      "extern \"C\" __global__ void k(float* a, double* b) {\n"
      "  *a = std::isinf(*a) + std::isnan(*b) + std::isfinite(*a) + std::signbit(*b);\n}\n";
  for (const char* includes :
       {"", "#include <algorithm>\n", "#include <limits>\n",
        "#include <cmath>\n#include <algorithm>\n", "#include <algorithm>\n#include <cmath>\n"}) {
    EXPECT_EQ(compile(includes + kernel).entries.size(), 1U) << includes;
  }
  // A submission has what nvcc brings along, too, but nothing of it is left out.
  std::vector<Header> headers;
  for (const std::string_view name : shim_names()) {
    headers.push_back({std::string(name), std::string(*find_shim(name)), {}});
  }
  request_.headers = std::make_shared<const std::vector<Header>>(headers);
  EXPECT_EQ(compile("#include <cmath>\n" + kernel).entries.size(), 1U);
  EXPECT_EQ(compile(kernel).entries.size(), 1U);
  EXPECT_THAT(error_of("#include <iostream>\n" + kernel), HasSubstr("<iostream>"));
  EXPECT_THAT(error_of(kernel + "int main() { k<<<1, 1>>>(nullptr, nullptr); }\n"),
              HasSubstr("main"));
}

TEST_F(RealNvrtc, AMissingHeaderOfTheToolkitIsNamed) {
  for (const auto& [use, header] :
       std::vector<std::pair<std::string, std::string>>{{"half", "cuda_fp16.h"},
                                                        {"__half2", "cuda_fp16.h"},
                                                        {"__nv_bfloat16", "cuda_bf16.h"},
                                                        {"__nv_fp8_e4m3", "cuda_fp8.h"},
                                                        {"cuDoubleComplex", "cuComplex.h"},
                                                        {"curandState", "curand_kernel.h"}}) {
    EXPECT_THAT(
        error_of("extern \"C\" __global__ void k(" + use + "* a) {}\n"),
        HasSubstr("`" + use + "` is declared by a header: write `#include <" + header + ">`"));
  }
  EXPECT_THAT(error_of("namespace cg = cooperative_groups;\n"),
              HasSubstr("write `#include <cooperative_groups.h>`"));
  EXPECT_THAT(error_of("__global__ void k(halve* a) {}\n"), Not(HasSubstr("hint")));
}

TEST_F(RealNvrtc, AHeaderWithCodeForTheCpuIsOneErrorWithTheRemedy) {
  if (nvrtc_->include_folders().empty()) GTEST_SKIP() << "no toolkit headers beside NVRTC";
  const std::string error = error_of(
      "#include <cub/util_allocator.cuh>\nextern \"C\" __global__ void k(int* a) { *a = 1; }\n");
  EXPECT_THAT(error, AllOf(HasSubstr("hint: `<cub/util_allocator.cuh>` has code for the CPU"),
                           HasSubstr("`compiler: nvcc`")));
  EXPECT_LE(split(error, '\n').size(), 4U) << error;
  // Errors that such a header gives about its use are left as they are.
  EXPECT_THAT(error_of("#include <cuda/std/array>\n"
                       "__global__ void k(int* a) { cuda::std::array<int, 2> b; *a = "
                       "cuda::std::get<5>(b); }\n"),
              Not(HasSubstr("for the CPU")));
}

// Kernels as programs have them, beside code for the CPU and its libraries.
TEST_F(RealNvrtc, LibrariesForTheCpuHaveStandIns) {
  if (nvrtc_->include_folders().empty()) GTEST_SKIP() << "no toolkit headers beside NVRTC";
  const std::string host = "void run(std::vector<int>& all) { all.clear(); }\n";
  for (const std::string& source : {
           std::string(
               "#include <torch/extension.h>\n#include <ATen/cuda/CUDAContext.h>\n"
               "template <typename scalar_t> __global__ void add(\n"
               "    torch::PackedTensorAccessor32<scalar_t, 2, torch::RestrictPtrTraits> a,\n"
               "    const c10::Half* b) { a[threadIdx.x][1] += float(*b); }\n"
               "template __global__ void add<float>(\n"
               "    torch::PackedTensorAccessor32<float, 2, torch::RestrictPtrTraits>, const "
               "c10::Half*);\n"
               "void add_cuda(at::Tensor a) { AT_DISPATCH_FLOATING_TYPES(a.type(), \"add\", ([&] "
               "{ add<scalar_t><<<1, 1>>>(a); })); }\n"
               "PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def(\"add\", &add_cuda); }\n"),
           "#include <cub/cub.cuh>\n#include <vector>\n" + host +
               "__global__ void sum(int* a) { typedef cub::BlockReduce<int, 128> Reduce;\n"
               "  __shared__ typename Reduce::TempStorage memory;\n"
               "  const int all = Reduce(memory).Sum(a[threadIdx.x]);\n"
               "  if (threadIdx.x == 0) *a = all; }\n",
           "#include <cufft.h>\n#include <vector>\n" + host +
               "__global__ void scale(cufftComplex* a) { a->x *= 2; }\n",
           "#include <cublas_v2.h>\n#include <vector>\n" + host +
               "__global__ void half_of(__half* a) { *a = __hmul(*a, *a); }\n",
           "#include <vector>\n#include <algorithm>\n" + host +
               "__global__ void least(int64_t* a) { a[0] = std::min(a[0], "
               "std::numeric_limits<int64_t>::max()); }\n",
       }) {
    // CUB of CUDA 12.4 is for nvcc alone.
    const bool is_old = std::pair(nvrtc_->major(), nvrtc_->minor()) < std::pair(12, 8);
    if (is_old && source.find("cub/") != std::string::npos) continue;
    EXPECT_EQ(compile(source).entries.size(), 1U) << source;
  }
  // A mistake in a kernel is its own.
  EXPECT_THAT(error_of("#include <torch/extension.h>\n" + host +
                       "__global__ void k(int* a) { *a = nowhere; }\n"),
              HasSubstr("sub/k.cu(3): error: identifier \"nowhere\" is undefined"));
}

// Only an H100 has it, and CUDA's headers guard it by this macro.
TEST_F(RealNvrtc, WgmmaIsOfSm90a) {
  const std::string source =
      "#ifdef __CUDA_ARCH_FEAT_SM90_ALL\n#define NAME own\n#else\n#define NAME other\n#endif\n"
      "extern \"C\" __global__ void NAME(float* o, long long a, long long b, int n) {\n"
      "  float x = o[0], y = o[1], z = o[2], w = o[3];\n"
      "  for (int i = 0; i < n; ++i) {\n"
      "    asm volatile(\"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, "
      "\"\n"
      "                 \"%5, 1, 1, 1, 0, 0;\" : \"+f\"(x), \"+f\"(y), \"+f\"(z), \"+f\"(w) : "
      "\"l\"(a), "
      "\"l\"(b));\n"
      "    x += 1;  // waits for it\n"
      "  }\n"
      "  o[threadIdx.x] = x + y + z + w;\n}\n";
  request_.architecture = {90, 'a'};
  const CompileResult result = compile(source);
  EXPECT_EQ(result.entries.at(0).name, "own");
  EXPECT_GT(result.entries.at(0).bounds.registers, 0U);
  EXPECT_THAT(result.ptx, HasSubstr(".target sm_90a"));
  EXPECT_THAT(result.warnings(), HasSubstr("wgmma.mma_async instructions are serialized"));
  request_.architecture = 90;
  EXPECT_THAT(error_of(source), HasSubstr("not supported on .target 'sm_90'"));
  EXPECT_EQ(code_, ExitCode::verdict);
}

TEST_F(RealNvrtc, WhatNoCompilerTakesIsAnError) {
  const std::string kernel = "__global__ void k(int* a) { *a = 1; }\n";
  for (const std::string& source :
       {"oops\n" + kernel, kernel + "void f( {\n", kernel + "int main() {\n",
        "#include <vector>\n" + kernel + "struct X { int a\n", std::string("int main() {}\n")}) {
    error_of(source);
    EXPECT_EQ(code_, ExitCode::verdict) << source;
  }
}

TEST_F(RealNvrtc, ShimsLiveBesideTheToolkitsHeaders) {
  if (nvrtc_->include_folders().empty()) GTEST_SKIP() << "no toolkit headers beside NVRTC";
  const CompileResult result = compile(
      "#include <cstdint>\n#include <cmath>\n#include <cuda_fp16.h>\n#include <limits.h>\n"
      "#include <cuda/std/cstdint>\n#include <cuda/std/limits>\n"
      "extern \"C\" __global__ void k(__half* h, uint32_t n) { h[n] = __hmul(h[n], h[0]); }\n");
  EXPECT_EQ(result.entries.at(0).text(), "k(__half*, unsigned int)");
  for (const std::string& folder : nvrtc_->include_folders()) {
    EXPECT_THAT(result.ptx, Not(HasSubstr(folder)));
  }
}

TEST_F(RealNvrtc, WithoutToolkitHeadersTheErrorSaysSo) {
  nvrtc_ = Nvrtc::from_table(nvrtc_->table(), nvrtc_->path());
  EXPECT_THAT(
      error_of("#include <cuda_fp16.h>\n"),
      AllOf(HasSubstr("cuda_fp16.h"), HasSubstr("no header folder"), HasSubstr("bootstrap")));
}

TEST_F(RealNvrtc, SuitesMayRepeatOurOptionsAndDebug) {
  for (const char* option :
       {"--ptxas-options=-v", "-lineinfo", "-G", "--std=c++14", "-default-device", "--fmad=false",
        "--use_fast_math", "-maxrregcount=32"}) {
    request_.options = {option};
    EXPECT_EQ(compile(kDoublify).entries.size(), 1U) << option;
  }
  request_.options = {"--no-such-option"};
  EXPECT_THAT(error_of(kDoublify), HasSubstr("--no-such-option"));
  EXPECT_EQ(code_, ExitCode::verdict);
}

TEST_F(RealNvrtc, TheLogIsReplayedOnAHit) {
  const char* source = "extern \"C\" __global__ void k(int* p) { int unused; *p = 1; }\n";
  const CompileResult first = compile(source);
  EXPECT_THAT(first.warnings(), HasSubstr("unused"));
  const CompileResult again = compile(source);
  EXPECT_TRUE(again.from_cache);
  EXPECT_EQ(again.log, first.log);
  EXPECT_EQ(again.entries, first.entries);
}

TEST_F(RealNvrtc, EightThreadsShareACache) {
  const Compiler compiler(nvrtc_, CompileCache(cache_.path()));
  request_.source = kDoublify;
  std::vector<std::string> ptx(8);
  std::vector<std::thread> threads;
  for (std::string& text : ptx) {
    threads.emplace_back([&] { text = compiler.compile(request_).ptx; });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& text : ptx) EXPECT_EQ(text, ptx[0]);
  EXPECT_THAT(ptx[0], HasSubstr("doublify"));
  EXPECT_TRUE(compiler.compile(request_).from_cache);
}

}  // namespace
}  // namespace warpmark
