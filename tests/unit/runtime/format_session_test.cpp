// Features of the suite format, run: tolerances, Python files, expectations, limits, bad values.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "support/fake_driver.hpp"
#include "unit/runtime/session_fixture.hpp"

namespace warpmark {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class FormatSession : public SessionTest {
 protected:
  void write(const std::string& name, const std::string& text) {
    write_file_atomically(folder_.path() / "suites" / name, text);
  }

  // Two outputs, the second off by 1e-6 of its value.
  static std::string two_outputs(const std::string& more) {
    return "kernel: {file: k.cu, entry: k}\n"
           "arguments:\n"
           "  count: {out: 8, dtype: int32}\n"
           "  z: {out: 8, dtype: float64}\n"
           "launch: {block: 8}\n"
           "reference:\n"
           "  count: np.arange(8)\n"
           "  z: np.arange(8) * 1.0\n" +
           more;
  }
};

constexpr const char* kTwoOutputs =
    "extern \"C\" __global__ void k(int *count, double *z) {\n"
    "  int i = threadIdx.x;\n"
    "  count[i] = i;\n"
    "  z[i] = i * 1.000001;\n"
    "}\n";

TEST_F(FormatSession, EachOutputHasItsTolerance) {
  EXPECT_EQ(run(two_outputs(""), kTwoOutputs).failure, FailureKind::wrong);
  EXPECT_EQ(run(two_outputs("tolerance: {outputs: {z: {rtol: 1e-5}}}\n"), kTwoOutputs).verdict,
            Verdict::passed);
  // A tolerance that is left for `count` alone would hold for nothing.
  const Outcome swapped =
      run(two_outputs("tolerance: {rtol: 1e-5, outputs: {z: exact}}\n"), kTwoOutputs);
  EXPECT_EQ(swapped.failure, FailureKind::reference);
  EXPECT_THAT(swapped.message, HasSubstr("`count` of int32 cannot have a tolerance"));
  EXPECT_EQ(run(two_outputs("tolerance: {rtol: 0, outputs: {z: exact}}\n"), kTwoOutputs).failure,
            FailureKind::wrong);
  EXPECT_EQ(run(two_outputs("tolerance: {ulp: 1, outputs: {count: exact, z: {atol: z_bound}}}\n"),
                kTwoOutputs)
                .failure,
            FailureKind::reference);
}

TEST_F(FormatSession, ValuesFromAPythonFile) {
  write("values.py",
        "import numpy\n"
        "\n"
        "def start(rng, n):\n"
        "    return rng.standard_normal(n)\n"
        "\n"
        "def scaled(f, src):\n"
        "    return f * src\n"
        "\n"
        "def broken(src):\n"
        "    return src[1000]\n");
  const auto suite = [](const std::string& reference) {
    return "kernel: {file: k.cu, entry: k}\n"
           "axes: {n: [100]}\n"
           "arguments:\n"
           "  out: {out: n}\n"
           "  src: {in: {function: values.py:start}}\n"
           "  f: {scalar: 3}\n"
           "  n: {scalar: n}\n"
           "launch: {block: 128}\n"
           "reference:\n"
           "  out: {function: " +
           reference + "}\n";
  };
  const Outcome outcome = run(suite("values.py:scaled"), kScale);
  EXPECT_EQ(outcome.verdict, Verdict::passed) << outcome.message;
  const Outcome broken = run(suite("values.py:broken"), kScale);
  EXPECT_EQ(broken.failure, FailureKind::reference);
  EXPECT_THAT(broken.message, HasSubstr("`broken` failed: IndexError"));
  EXPECT_THAT(broken.where.file, testing::EndsWith("values.py"));
  EXPECT_EQ(broken.where.line, 10);
  const Outcome missing = run(suite("values.py:scald"), kScale);
  EXPECT_THAT(missing.message, HasSubstr("did you mean `scaled`?"));
  EXPECT_THAT(missing.where.file, testing::EndsWith("t.yaml"));
  EXPECT_EQ(missing.where.line, 11);
  EXPECT_EQ(missing.where.column, 19);
}

TEST_F(FormatSession, AnExpectedCompileError) {
  const std::string suite =
      "kernel: {file: k.cu, entry: k}\n"
      "arguments: {out: {out: 10}}\n"
      "launch: {block: 10}\n";
  const std::string bad = "extern \"C\" __global__ void k(float *out) { oops; }\n";
  const std::string good = "extern \"C\" __global__ void k(float *out) { out[0] = 1; }\n";
  EXPECT_EQ(run(suite + "expect: compile_error\n", bad).verdict, Verdict::passed);
  EXPECT_EQ(run(suite + "expect: {compile_error: '\"oops\" is undefined'}\n", bad).verdict,
            Verdict::passed);
  const Outcome other = run(suite + "expect: {compile_error: does not compile}\n", bad);
  EXPECT_EQ(other.failure, FailureKind::no_fault) << "our own words are no part of the log";
  EXPECT_THAT(other.message, HasSubstr("\"oops\" is undefined"));
  EXPECT_EQ(other.where.line, 5);
  const Outcome compiles = run(suite + "expect: compile_error\n", good);
  EXPECT_EQ(compiles.failure, FailureKind::no_fault);
  EXPECT_THAT(compiles.reason, HasSubstr("the kernel compiles"));
  // A kernel that is not there is the suite's mistake, and none that the compiler found.
  EXPECT_EQ(run(suite + "expect: compile_error\n", "__global__ void other() {}\n").failure,
            FailureKind::compile);
}

TEST_F(FormatSession, ACompileErrorIsTheSourcesAndInTheCompilersWords) {
  const auto failure = [&](const std::string& kernel, const std::string& expect,
                           const std::string& source) {
    return run("kernel: {file: k.cu, " + kernel +
                   "}\n"
                   "arguments: {out: {out: 10}}\n"
                   "launch: {block: 10}\n"
                   "expect: " +
                   expect + "\n",
               source)
        .failure;
  };
  const std::string good = "extern \"C\" __global__ void k(float *out) { out[0] = 1; }\n";
  const std::string any = "compile_error";
  for (const char* option :
       {"--no-such-option", "--maxrregcount=abc", "--ptxas-options=--nosuch"}) {
    EXPECT_EQ(failure("entry: k, options: [\"" + std::string(option) + "\"]", any, good),
              FailureKind::compile)
        << option;
  }
  EXPECT_EQ(failure("entry: 'kk<float>'", any, "template <class T> __global__ void k(T *a) {}\n"),
            FailureKind::compile);
  const std::string quoted =
      "extern \"C\" __global__ void k(float *out) { oops; int wurst = 1; }\n";
  EXPECT_EQ(failure("entry: k", any, quoted), FailureKind::none);
  EXPECT_EQ(failure("entry: k", "{compile_error: oops}", quoted), FailureKind::none);
  EXPECT_EQ(failure("entry: k", "{compile_error: wurst}", quoted), FailureKind::no_fault)
      << "it is quoted, and a warning has it";
  for (const char* bad :
       {"asm volatile(\"foo.bar %r1;\");",
        "__shared__ float a[1 << 20]; a[threadIdx.x] = 1; __syncthreads(); out[0] = a[9 - "
        "threadIdx.x];",
        "extern __device__ void f(); f();"}) {
    EXPECT_EQ(failure("entry: k", any,
                      "extern \"C\" __global__ void k(float *out) { " + std::string(bad) + " }\n"),
              FailureKind::none)
        << bad;
  }
}

constexpr const char* kReportSuite =
    "kernel: {file: k.cu, entry: k}\n"
    "arguments: {out: {out: 10}}\n"
    "launch: {block: 11}\n";
constexpr const char* kTooFar =
    "extern \"C\" __global__ void k(float *out) { out[threadIdx.x] = 1; }\n";

TEST_F(FormatSession, AnExpectedReport) {
  const std::string suite = kReportSuite;
  EXPECT_EQ(run(suite + "expect: {report: illegal_address, argument: out}\n", kTooFar).verdict,
            Verdict::passed);
  const Outcome other = run(suite + "expect: {report: misaligned_address}\n", kTooFar);
  EXPECT_EQ(other.failure, FailureKind::no_fault);
  EXPECT_THAT(other.message,
              AllOf(HasSubstr("expected the report misaligned_address"), HasSubstr("out[10]")));
  const std::string harmless =
      "extern \"C\" __global__ void k(float *out) {\n"
      "  if (threadIdx.x < 10) out[threadIdx.x] = 1;\n}\n";
  EXPECT_THAT(run(suite + "expect: {report: illegal_address}\n", harmless).message,
              HasSubstr("the device gave none"));
  const std::string reference = "reference: {out: np.ones(10)}\n";
  EXPECT_THAT(run(suite + reference + "expect: {report: illegal_address}\n", kTooFar).message,
              HasSubstr("no output to compare"));
}

TEST_F(FormatSession, AnExpectedFaultComesAlone) {
  options_.checks = known_checks();
  const std::string suite =
      "kernel: {file: k.cu, entry: k}\n"
      "arguments: {out: {out: 64}, a: {in: np.ones(64)}}\n"
      "launch: {block: 64}\n";
  const std::string kernel = "extern \"C\" __global__ void k(float *out, float *a) {\n";
  const std::string both = kernel + "  out[threadIdx.x + 1] = a[threadIdx.x + 1];\n}\n";
  const Outcome too = run(suite + "expect: {fault: illegal_address, argument: out}\n", both);
  EXPECT_EQ(too.failure, FailureKind::no_fault);
  EXPECT_THAT(too.message, HasSubstr("there is another\nout-of-bounds global read of 4 bytes at "
                                     "a[64]"));
  EXPECT_EQ(run(suite + "expect: {fault: illegal_address}\n", both).verdict, Verdict::passed)
      << "both are of that kind";
  EXPECT_EQ(run(suite + "expect: {fault: misaligned_address}\n",
                kernel + "  out[100] = 1;\n  *(double *)(out + 1) = 2;\n}\n")
                .failure,
            FailureKind::no_fault);
}

TEST_F(FormatSession, AnExpectedReportIsAnErrorAtItsArray) {
  const std::string suite =
      "kernel: {file: k.cu, entry: k}\n"
      "arguments: {c: {out: 64, dtype: float32}, out: {out: 64, dtype: float32}}\n"
      "launch: {block: 64}\n";
  const std::string kernel = "extern \"C\" __global__ void k(float *c, float *out) {\n";
  const std::string unset = kernel + "  out[threadIdx.x] = 2 * c[threadIdx.x];\n}\n";
  // The check that finds it is turned on, though no option asks for checks.
  const Outcome at_c = run(suite + "expect: {report: uninitialised, argument: c}\n", unset);
  EXPECT_EQ(at_c.verdict, Verdict::passed) << at_c.message;
  EXPECT_EQ(run(suite + "expect: {report: uninitialised, argument: out}\n", unset).failure,
            FailureKind::no_fault);
  EXPECT_EQ(run(suite + "expect: {report: uninitialised, argument: c}\n",
                kernel + "  atomicAdd(c + threadIdx.x % 4, 1.0f);\n}\n")
                .verdict,
            Verdict::passed);
  EXPECT_EQ(run(suite + "expect: {report: uninitialised, argument: c}\n",
                kernel + "  __shared__ float d[64];\n  c[threadIdx.x] = 2 * d[threadIdx.x];\n}\n")
                .failure,
            FailureKind::no_fault);
  const std::string same = kernel +
                           "  __shared__ int one[1];\n  one[0] = 5;\n  __syncthreads();\n"
                           "  out[threadIdx.x] = one[0];\n}\n";
  options_.checks = known_checks();
  session_.reset();
  const Outcome harmless = run(suite + "expect: {report: race}\n", same);
  EXPECT_EQ(harmless.failure, FailureKind::no_fault) << "a warning is no race";
  const Outcome beside = run(
      suite + "expect: {report: uninitialised, argument: c}\n",
      kernel + "  out[0] = 5;\n  __syncthreads();\n  out[threadIdx.x] = c[threadIdx.x] + 1;\n}\n");
  EXPECT_EQ(beside.verdict, Verdict::passed) << beside.message;
  EXPECT_THAT(beside.notices, testing::Contains(HasSubstr("harmless race")));
}

// The tolerance alone would let both poisons pass.
TEST_F(FormatSession, WhatNoLaunchWroteFailsWhateverTheTolerance) {
  const auto failure = [&](const std::string& dtype, const std::string& reference,
                           const std::string& tolerance, const std::string& parameter,
                           const std::string& body) {
    const Outcome outcome =
        run("kernel: {file: k.cu, entry: k}\n"
            "arguments: {y: {out: 8, dtype: " +
                dtype + "}}\nlaunch: {block: 8}\nreference: {y: \"" + reference +
                "\"}\ntolerance: {" + tolerance + "}\n",
            "extern \"C\" __global__ void k(" + parameter + " *y) {\n  int i = threadIdx.x;\n  " +
                body + "\n}\n");
    return outcome.failure;
  };
  const char* half = "void";
  EXPECT_EQ(failure("float16", "np.full(8, 12.0)", "atol: 64", half,
                    "if (i != 3) ((short *)y)[i] = 0x4a00;"),
            FailureKind::unwritten);
  EXPECT_EQ(failure("float16", "np.full(8, 12.0)", "atol: 64", half, "((short *)y)[i] = 0x4a00;"),
            FailureKind::none);
  EXPECT_EQ(failure("float16", "np.full(8, -15.0)", "atol: 64", half,
                    "((unsigned short *)y)[i] = 0xcbcb;"),
            FailureKind::none)
      << "who writes what the poison is has written it";
  EXPECT_EQ(failure("float32", "np.full(8, 1.0)", "rtol: 1e9", "float", "if (i) y[i] = 1;"),
            FailureKind::unwritten);
  EXPECT_EQ(failure("float32", "np.full(8, 1.0)", "atol: 1e30, rtol: 1e30", "float", ""),
            FailureKind::unwritten);
  EXPECT_EQ(failure("float64", "np.full(8, 1.0)", "ulp: 1e300", "double", "if (i) y[i] = 1;"),
            FailureKind::unwritten);
  EXPECT_EQ(failure("float32", "np.full(8, 1.0)", "rtol: 0.02", "float",
                    "((unsigned short *)y)[2 * i + 1] = 0x3f80;"),
            FailureKind::unwritten)
      << "the lower halves";
  EXPECT_EQ(failure("float32", "np.full(8, 1.0)", "rtol: 0.02", "float",
                    "((unsigned *)y)[i] = 0x3f80cbcb;"),
            FailureKind::none);
}

// Counters count, too, where a second launch had to decide.
TEST_F(FormatSession, ASecondLaunchHidesNoBrokenBound) {
  const std::string suite =
      "kernel: {file: k.cu, entry: k}\n"
      "arguments: {y: {out: 2, dtype: uint8}}\n"
      "launch: {block: 1}\n"
      "reference: {y: 'np.uint8([0xCB, 0x34])'}\n";
  const std::string kernel =
      "extern \"C\" __global__ void k(unsigned char *y) { y[0] = 0xCB; y[1] = 0x34; }\n";
  EXPECT_EQ(run(suite, kernel).verdict, Verdict::passed);
  EXPECT_EQ(run(suite + "expect: {counters: {global_store_requests: 7}}\n", kernel).failure,
            FailureKind::counter);
}

TEST_F(FormatSession, ReferencesOfIntegersAndOfNothing) {
  const auto outcome = [&](const std::string& dtype, const std::string& parameter,
                           const std::string& n, const std::string& reference,
                           const std::string& body) {
    return run(
        "kernel: {file: k.cu, entry: k}\n"
        "arguments: {y: {out: " +
            n + ", dtype: " + dtype + "}}\nlaunch: {block: 1}\nreference: {y: \"" + reference +
            "\"}\n",
        "extern \"C\" __global__ void k(" + parameter + " *y) { " + body + " }\n");
  };
  // (float)(2^61 + 2^37 + 1) goes up; by way of a double it is a tie, which goes down.
  EXPECT_EQ(outcome("float32", "float", "1", "[2**61 + 2**37 + 1]",
                    "y[0] = (float)((1ll << 61) + (1ll << 37) + 1);")
                .verdict,
            Verdict::passed);
  for (const char* dtype : {"int32", "float16", "bool"}) {
    EXPECT_EQ(outcome(dtype, "void", "0", "[]", "").verdict, Verdict::passed) << dtype;
  }
  EXPECT_EQ(outcome("int32", "int", "2", "np.ma.array([1, 2], mask=[0, 1])", "y[0] = 1, y[1] = 2;")
                .failure,
            FailureKind::reference);
}

TEST_F(FormatSession, AFloatAxisIsWhatTheKernelGets) {
  const std::string suite =
      "kernel: {file: k.cu, entry: k}\n"
      "axes: {alpha: [0.1, 3], n: [8]}\n"
      "arguments:\n"
      "  y: {out: n, dtype: float64}\n"
      "  x: {in: 'rng.standard_normal(n)', dtype: float64}\n"
      "  alpha: {scalar: alpha, dtype: float32}\n"
      "  n: {scalar: n, dtype: uint32}\n"
      "launch: {block: 8}\n"
      "reference: {y: \"alpha * x if isinstance(n, int) else None\"}\n";
  const std::string kernel =
      "extern \"C\" __global__ void k(double *y, const double *x, float alpha, unsigned n) {\n"
      "  if (threadIdx.x < n) y[threadIdx.x] = alpha * x[threadIdx.x];\n"
      "}\n";
  for (const Case& which : make(suite, kernel)) {
    const Outcome outcome = run(which);
    EXPECT_EQ(outcome.verdict, Verdict::passed) << which.id << outcome.message;
  }
}

TEST_F(FormatSession, AToleranceThatHoldsForNoOutputIsRefused) {
  const auto judge = [&](const std::string& dtypes, const std::string& tolerance) {
    const std::string suite =
        "kernel: {file: k.cu, entry: k}\n"
        "arguments: {count: {out: 1, dtype: int32}, z: {out: 1" +
        dtypes +
        "}}\n"
        "launch: {block: 1}\n"
        "reference: {count: '[7]', z: '[1]'}\n"
        "tolerance: " +
        tolerance + "\n";
    const std::string type = dtypes.find("float") != std::string::npos ? "float" : "int";
    return run(suite,
               "extern \"C\" __global__ void k(int *c, " + type + " *z) { c[0] = 7; z[0] = 1; }\n");
  };
  const Outcome own = judge(", dtype: float32", "{ulp: 1, outputs: {count: {atol: 1}}}");
  EXPECT_EQ(own.failure, FailureKind::reference);
  EXPECT_EQ(own.where.line, 6);
  EXPECT_THAT(own.message, HasSubstr("`count` of int32 cannot have a tolerance"));
  EXPECT_EQ(judge("", "{rtol: 1e-5}").failure, FailureKind::reference) << "z is an int, too";
  EXPECT_EQ(judge("", "{rtol: 0, atol: 0}").verdict, Verdict::passed);
  EXPECT_EQ(judge(", dtype: float32", "{ulp: 1}").verdict, Verdict::passed) << "it is for z";
  EXPECT_EQ(judge(", dtype: float32", "{ulp: 1, outputs: {z: exact}}").failure,
            FailureKind::reference);
  // An axis of dtypes may have floats elsewhere.
  EXPECT_EQ(run("kernel: {file: k.cu, entry: k, define: {T: ctype(dtype)}}\n"
                "axes: {dtype: [int32, float32]}\n"
                "arguments: {z: {out: 1, dtype: dtype}}\n"
                "launch: {block: 1}\n"
                "reference: {z: '[7]'}\n"
                "tolerance: {rtol: 1e-5}\n",
                "extern \"C\" __global__ void k(T *z) { z[0] = 7; }\n")
                .verdict,
            Verdict::passed);
}

// The limit that the suite gives counts, not a part of it.
TEST_F(FormatSession, ATimeLimitIsWhatItSays) {
  const std::string endless =
      "extern \"C\" __global__ void k(volatile float *out) { while (out[0] != 1) {} }\n";
  const std::string suite =
      "kernel: {file: k.cu, entry: k}\narguments: {out: {out: 10}}\nlaunch: {block: 1}\n"
      "limits: {timeout_s: 1.5}\n";
  const Outcome outcome = run(suite + "reference: {out: np.ones(10)}\n", endless);
  EXPECT_EQ(outcome.failure, FailureKind::limit);
  EXPECT_GE(outcome.seconds, 1.5);
  EXPECT_FALSE(outcome.findings.empty()) << "the device reported where its threads were";
  EXPECT_EQ(run(suite + "expect: {fault: limit}\n", endless).verdict, Verdict::passed);
}

// A device that ends no launch itself leaves that to the one who ends its worker.
TEST_F(FormatSession, ALimitWithoutADeviceThatKeepsIt) {
  options_.device = "misbehaving";
  options_.report_s = 0.5;
  const std::string suite =
      "kernel: {file: k.cu, entry: k}\narguments: {out: {out: 10}}\n"
      "launch: {block: 1, shared: 1003}\nlimits: {timeout_s: 0.5}\n";
  const std::string kernel = "extern \"C\" __global__ void k(float *out) {}\n";
  EXPECT_EQ(run(suite + "reference: {out: np.ones(10)}\n", kernel).failure, FailureKind::limit);
  EXPECT_EQ(run(suite + "expect: {fault: limit}\n", kernel).verdict, Verdict::passed);
  EXPECT_EQ(run(suite + "expect: {fault: trap}\n", kernel).failure, FailureKind::limit);
}

// A device whose findings let the launch go on.
const char* g_finding = "";
void drain_finding(warpmark_device_context, warpmark_device_sink sink, void* user) {
  if (*g_finding != '\0') sink(user, g_finding, std::strlen(g_finding));
}
int accept_options(warpmark_device_context, const char*) {
  return 0;
}

TEST_F(FormatSession, AReportBesideARunThatEndsWell) {
  warpmark_device extension{};
  extension.size = sizeof extension;
  extension.version = WARPMARK_DEVICE_VERSION;
  extension.capabilities = WARPMARK_REPORTS;
  extension.configure = accept_options;
  extension.drain_reports = drain_finding;
  FakeDriver fake;
  fake.extension = &extension;
  fake.kernels["k"] = {{{0, 8}}};
  float value = 1;
  fake.on_launch = [&](const FakeLaunch& launch) {
    auto* out = reinterpret_cast<float*>(launch.argument<uint64_t>(0));
    std::fill_n(out, 10, value);
    return CUDA_SUCCESS;
  };
  options_.in_process = true;
  options_.openers.gpu = [&] { return fake.driver(); };
  options_.device = "gpu";
  const std::string suite = std::string(kReportSuite) +
                            "reference: {out: np.ones(10)}\n"
                            "expect: {report: trap, argument: out}\n";
  g_finding = R"({"kind": "trap", "argument": "out", "message": "a trap"})";
  EXPECT_EQ(run(suite, kTooFar).verdict, Verdict::passed);
  value = 2;
  EXPECT_EQ(run(suite, kTooFar).failure, FailureKind::wrong) << "outputs count as well";
  value = 1;
  g_finding = R"({"kind": "trap", "argument": "in", "message": "another trap"})";
  EXPECT_THAT(run(suite, kTooFar).message, HasSubstr("another trap"));
  g_finding = "";
  EXPECT_EQ(run(suite, kTooFar).failure, FailureKind::no_fault);
  // Without the capability there is nothing to expect.
  session_.reset();
  extension.capabilities = 0;
  EXPECT_THAT(run(suite, kTooFar).reason, HasSubstr("needs reports, which"));
  session_.reset();
}

TEST_F(FormatSession, Limits) {
  const std::string suite = scale_suite("f * src");
  const Outcome memory = run(scale_suite("f * src", "limits: {memory_mib: 1}\n"), kScale);
  EXPECT_EQ(memory.verdict, Verdict::passed) << memory.message;
  std::string large = scale_suite("f * src", "limits: {memory_mib: 1}\n");
  large.replace(large.find("(4, 25)"), 7, "(512, 512)");
  const Outcome skipped = run(large, kScale);
  EXPECT_EQ(skipped.verdict, Verdict::skipped);
  EXPECT_THAT(skipped.reason, AllOf(HasSubstr("2 MiB"), HasSubstr("1 MiB")));
  EXPECT_EQ(skipped.where.line, 10) << "of the limit";
  // A little more reads alike in MiB.
  large.replace(large.find("(512, 512)"), 10, "(131073, 1)");
  EXPECT_EQ(run(large, kScale).reason,
            "its buffers take 1,048,584 bytes, and `limits.memory_mib` allows 1,048,576 bytes");

  const std::string endless =
      "extern \"C\" __global__ void k(volatile float *out) { while (out[0] != 1) {} }\n";
  const std::string loop =
      "kernel: {file: k.cu, entry: k}\narguments: {out: {out: 10}}\nlaunch: {block: 1}\n";
  const Outcome budget =
      run(loop + "expect: {fault: limit}\nlimits: {instructions: 1e5}\n", endless);
  EXPECT_EQ(budget.verdict, Verdict::passed) << budget.message;
  EXPECT_LT(budget.seconds, 30);
  // The budget was that case's only: the same loop now meets its own wall clock.
  const Outcome wall =
      run(loop + "reference: {out: np.ones(10)}\nlimits: {timeout_s: 0.5}\n", endless);
  EXPECT_EQ(wall.failure, FailureKind::limit);
  EXPECT_THAT(wall.message, testing::Not(HasSubstr("100000")));
  // Calls end no turn of a warp, so that the clock is looked at within it.
  const std::string calls =
      "__device__ __noinline__ float fib(int k) { return k < 2 ? k : fib(k - 1) + fib(k - 2); }\n"
      "extern \"C\" __global__ void k(float *out) { out[0] = fib(60); }\n";
  const Outcome recursion =
      run(loop + "reference: {out: np.ones(10)}\nlimits: {timeout_s: 0.5}\n", calls);
  EXPECT_EQ(recursion.failure, FailureKind::limit);
  EXPECT_THAT(recursion.message, HasSubstr("took longer than its limit of 500 ms"));
  EXPECT_EQ(run(suite, kScale).verdict, Verdict::passed);
}

TEST_F(FormatSession, StackAndHeapAreSetOncePerContext) {
  FakeDriver fake;
  fake.kernels["k"] = {{{0, 8}, {8, 8}, {16, 4}, {20, 4}}};
  options_.in_process = true;
  options_.openers.gpu = [&] { return fake.driver(); };
  options_.device = "gpu";
  const auto calls = [&](const std::string& symbol) {
    return std::count(fake.calls.begin(), fake.calls.end(), symbol);
  };
  const std::string limited = scale_suite("f * src", "limits: {stack_bytes: 4096, heap_mib: 16}\n");
  run(limited, kScale);
  EXPECT_EQ(calls("cuCtxSetLimit"), 2);
  EXPECT_EQ(calls("cuCtxCreate_v2"), 2);
  run(limited, kScale);
  EXPECT_EQ(calls("cuCtxCreate_v2"), 2) << "equal limits need no other context";
  run(scale_suite("f * src"), kScale);
  EXPECT_EQ(calls("cuCtxCreate_v2"), 3) << "the next case has the driver's own limits";
  fake.fail("cuCtxSetLimit", CUDA_ERROR_INVALID_VALUE);
  const Outcome refused = run(limited, kScale);
  EXPECT_EQ(refused.verdict, Verdict::skipped);
  EXPECT_THAT(refused.reason, HasSubstr("4096"));
  EXPECT_EQ(refused.where.line, 10);
  // No device has as much: that is no skip.
  const Outcome never = run(scale_suite("f * src", "limits: {stack_bytes: 2**20}\n"), kScale);
  EXPECT_EQ(never.failure, FailureKind::launch);
  EXPECT_THAT(never.reason, AllOf(HasSubstr("1048576"), HasSubstr("524288")));
  session_.reset();
  EXPECT_THAT(fake.live(), testing::IsEmpty());
  EXPECT_THAT(fake.misuse, testing::IsEmpty());
}

TEST_F(FormatSession, SizesThatOverflow) {
  const auto suite = [](const std::string& shape, const std::string& grid) {
    return "kernel: {file: k.cu, entry: k}\narguments: {out: {out: \"" + shape +
           "\"}}\nlaunch: {block: 10, grid: \"" + grid + "\"}\nreference: {out: 1}\n";
  };
  const Outcome bytes = run(suite("2**62", "1"), kTooFar);
  EXPECT_EQ(bytes.failure, FailureKind::input) << bytes.message;
  EXPECT_THAT(bytes.message, HasSubstr("has more bytes than an int64 can count"));
  EXPECT_EQ(bytes.where.line, 3);
  const Outcome sum =
      run("kernel: {file: k.cu, entry: k}\narguments:\n  a: {out: 2**60}\n  b: {out: 2**60}\n"
          "launch: {block: 1}\nreference: {a: 1, b: 1}\n",
          "extern \"C\" __global__ void k(float *a, float *b) {}\n");
  EXPECT_EQ(sum.failure, FailureKind::input) << sum.message;
  EXPECT_THAT(sum.message, HasSubstr("the buffers up to `b` take more than 2**63 bytes"));
  EXPECT_EQ(sum.where.line, 5);
  const Outcome memory = run(suite("2**45", "1"), kTooFar);
  EXPECT_EQ(memory.verdict, Verdict::skipped);
  EXPECT_THAT(memory.reason, AllOf(HasSubstr("128 TiB"), HasSubstr("4 GiB")));
  EXPECT_EQ(memory.where.line, 3);
  const Outcome grid = run(suite("10", "2**40"), kTooFar);
  EXPECT_EQ(grid.failure, FailureKind::launch);
  EXPECT_THAT(grid.reason, AllOf(HasSubstr("1099511627776"), HasSubstr("2147483647")));
  const std::string shape =
      "kernel: {file: k.cu, entry: k}\narguments: {out: {out: [2**40, 2**40]}}\n"
      "launch: {block: 1}\nreference: {out: 1}\n";
  const Outcome elements = run(shape, kTooFar);
  EXPECT_EQ(elements.failure, FailureKind::input) << elements.message;
  EXPECT_EQ(elements.where.line, 3);
}

TEST_F(FormatSession, AnInputLargerThanTheMachineIsSkippedWithBothNumbers) {
  std::string suite = scale_suite("f * src");
  suite.replace(suite.find("rng.standard_normal((4, 25))"), 28, "np.ones(2**50, np.float32)");
  const Outcome outcome = run(suite, kScale);
  EXPECT_EQ(outcome.verdict, Verdict::skipped) << outcome.message;
  EXPECT_THAT(outcome.reason, AllOf(HasSubstr("4.00 PiB"), HasSubstr("this machine has")));
}

TEST_F(FormatSession, AReferenceOfTheWrongShapeOrKind) {
  const auto reference = [&](const std::string& value) {
    const Outcome outcome = run(
        two_outputs("").replace(two_outputs("").find("np.arange(8)\n"), 12, value), kTwoOutputs);
    EXPECT_EQ(outcome.failure, FailureKind::reference) << value;
    EXPECT_EQ(outcome.where.line, 8) << value;
    return outcome.message;
  };
  EXPECT_THAT(reference("np.arange(9)"), AllOf(HasSubstr("(9,)"), HasSubstr("(8,)")));
  EXPECT_THAT(reference("np.arange(8).reshape(2, 4)"), HasSubstr("(2, 4)"));
  EXPECT_THAT(reference("np.arange(8) * 0.5"), AllOf(HasSubstr("float64"), HasSubstr("int32")));
  EXPECT_THAT(reference("np.arange(8) * 1j"), HasSubstr("complex128"));
  EXPECT_THAT(reference("'\"text\"'"), HasSubstr("text"));
  EXPECT_THAT(reference("None"), HasSubstr("None"));
}

TEST_F(FormatSession, IntegersOutOfADtypesRange) {
  const auto input = [&](const std::string& dtype, const std::string& value) {
    const Outcome outcome = run("kernel: {file: k.cu, entry: k}\narguments:\n  a: {in: '" + value +
                                    "', dtype: " + dtype + "}\nlaunch: {block: 1}\n",
                                "extern \"C\" __global__ void k(const void *a) {}\n");
    EXPECT_EQ(outcome.failure, FailureKind::input) << value;
    EXPECT_EQ(outcome.where.line, 4) << value;
    return outcome.message;
  };
  EXPECT_THAT(input("int8", "[1, 128]"), AllOf(HasSubstr("128"), HasSubstr("127")));
  EXPECT_THAT(input("uint32", "np.array([-1])"), HasSubstr("-1"));
  EXPECT_THAT(input("int64", "[2**63]"), HasSubstr("9223372036854775808"));
  EXPECT_THAT(input("int32", "[0.5]"), HasSubstr("float64"));
}

}  // namespace
}  // namespace warpmark
