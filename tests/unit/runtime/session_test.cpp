// Sessions on the CPU device, with workers that are processes and threads, and on a fake driver.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <thread>

#include "base/own_program.hpp"
#include "support/fake_driver.hpp"
#include "unit/runtime/session_fixture.hpp"

namespace warpmark {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST_F(SessionTest, APassOnAProcess) {
  const Outcome outcome = run(scale_suite("f * src"), kScale);
  EXPECT_EQ(outcome.verdict, Verdict::passed) << outcome.message;
  ASSERT_EQ(outcome.outputs.size(), 1U);
  EXPECT_EQ(outcome.outputs[0].comparison.elements, 100U);
  EXPECT_THAT(outcome.outputs[0].shape, ElementsAre(4, 25));
  EXPECT_EQ(session().require().kind, "cpu");
}

TEST_F(SessionTest, APassOnAThread) {
  options_.in_process = true;
  EXPECT_EQ(run(scale_suite("f * src"), kScale).verdict, Verdict::passed);
}

// A front that goes on, such as Python's module, must not collect zombies.
TEST_F(SessionTest, NoProcessIsLeftOfAWorker) {
  EXPECT_EQ(run(scale_suite("f * src"), kScale).verdict, Verdict::passed);
  session_.reset();
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  const auto has_children = [] {
    siginfo_t ignored = {};
    return ::waitid(P_ALL, 0, &ignored, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD;
  };
  while (has_children() && std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_FALSE(has_children());
}

// The worker starts when the file is there that the inputs' function writes.
TEST_F(SessionTest, InputsAreMadeWhileADeviceStarts) {
  options_.device = "auto";  // which may take a while
  const std::string made = (folder_.path() / "made").string();
  write_file_atomically(folder_.path() / "suites" / "f.py",
                        "import numpy as np\n"
                        "def values():\n"
                        "    open('" +
                            made +
                            "', 'a').write('once')\n"
                            "    return np.arange(100)\n");
  // Under a shell, /proc/self/exe is the shell.
  const std::string own = std::filesystem::canonical(own_program().worker).string();
  options_.program = (folder_.path() / "late").string();
  write_file_atomically(options_.program, "#!/bin/sh\nfor i in $(seq 200); do test -e " + made +
                                              " && exec " + own + " \"$@\"; sleep 0.1; done\n");
  std::filesystem::permissions(options_.program, std::filesystem::perms::owner_all);
  const Case which = make(
                         "kernel: {file: k.cu, entry: k}\n"
                         "arguments:\n"
                         "  out: {out: src.shape, dtype: float32}\n"
                         "  src: {in: {function: 'f.py:values'}, dtype: float32}\n"
                         "  f: {scalar: 3, dtype: float32}\n"
                         "  n: {scalar: 100, dtype: int32}\n"
                         "launch: {block: 128, grid: 1}\n"
                         "reference: {out: 3 * src}\n",
                         kScale)
                         .front();
  const PlannedCase planned = make_plan(which, plugins_);
  session().expect(which, std::make_shared<const PlannedCase>(planned));
  session().require();
  const Outcome outcome = session().verify(which, planned);
  EXPECT_EQ(outcome.verdict, Verdict::passed) << outcome.message;
  EXPECT_EQ(read_file(made), "once");
  // Another trial has inputs of its own.
  EXPECT_EQ(session().verify(which, planned, Trial(1)).verdict, Verdict::passed);
  EXPECT_EQ(read_file(made), "onceonce");
}

TEST_F(SessionTest, AWrongElementIsNamedWithItsPlace) {
  const Outcome outcome =
      run(scale_suite("np.where(np.arange(100).reshape(4, 25) == 27, src, f * src)"), kScale);
  EXPECT_EQ(outcome.failure, FailureKind::wrong);
  EXPECT_THAT(outcome.message,
              HasSubstr("1 of 100 elements of `out` is wrong; the first is out[1, 2] = "));
  EXPECT_EQ(outcome.where.line, 9);
}

TEST_F(SessionTest, AnElementThatIsNeverWritten) {
  std::string kernel = kScale;
  kernel.replace(kernel.find("i < n"), 5, "i < n - 3");
  const Outcome outcome = run(scale_suite("f * src"), kernel);
  EXPECT_EQ(outcome.failure, FailureKind::unwritten);
  EXPECT_THAT(outcome.reason,
              HasSubstr("3 of 100 elements of `out` were never written; the first is out[3, 22]"));
}

// Every byte equals the poison of the first launch, so only the second can decide.
TEST_F(SessionTest, AnOutputThatHappensToEqualThePoison) {
  const std::string suite =
      "kernel: {file: k.cu, entry: k}\n"
      "arguments: {out: {out: 64, dtype: uint8}}\n"
      "launch: {block: 64}\n"
      "reference: {out: 'np.full(64, 0xCB, np.uint8)'}\n";
  const std::string kernel = "extern \"C\" __global__ void k(unsigned char *out) { %s }\n";
  const auto with = [&](const char* body) {
    std::string text = kernel;
    return text.replace(text.find("%s"), 2, body);
  };
  EXPECT_EQ(run(suite, with("out[threadIdx.x] = 0xCB;")).verdict, Verdict::passed);
  EXPECT_EQ(run(suite, with("if (threadIdx.x != 5) out[threadIdx.x] = 0xCB;")).failure,
            FailureKind::unwritten);
}

TEST_F(SessionTest, AnInputThatTheKernelChanges) {
  std::string kernel = kScale;
  kernel.replace(kernel.find("out[i] ="), 8, "((float *)in)[7] = 9, out[i] =");
  const Outcome outcome = run(scale_suite("f * src"), kernel);
  EXPECT_EQ(outcome.failure, FailureKind::input_changed);
  EXPECT_THAT(outcome.reason, HasSubstr("the kernel changed its input `src`: src[0, 7] was "));
}

// Bits of records may be undefined where they are copied to, those of numbers not.
TEST_F(SessionTest, TheDeviceKnowsWhatParametersPointTo) {
  options_.checks = {"init"};
  const auto findings = [&](const std::string& parameter) {
    return run("kernel: {file: k.cu, entry: k}\n"
               "arguments: {y: {out: 16, dtype: uint32}}\n"
               "launch: {block: 16}\n"
               "reference: {y: np.arange(16)}\n",
               "struct F { unsigned kind : 3, id : 29; };\n"
               "extern \"C\" __global__ void k(" +
                   parameter +
                   "*y) {\n"
                   "  __shared__ F s[16];\n"
                   "  s[threadIdx.x].kind = threadIdx.x;\n"
                   "  ((F *)y)[threadIdx.x] = s[threadIdx.x];\n"
                   "}\n")
        .findings.size();
  };
  EXPECT_EQ(findings("F "), 0U);
  EXPECT_EQ(findings("unsigned "), 1U);
}

TEST_F(SessionTest, ExamineGivesEachTrialItsOwnInputsAndLaunchesNothing) {
  std::string faulty = kScale;
  faulty.replace(faulty.find("out[i] ="), 8, "out[1 << 30] =");
  const Case which = make(scale_suite("src"), faulty).front();
  const PlannedCase planned = make_plan(which, plugins_);
  std::vector<float> first;
  const Outcome outcome = session().examine(which, planned, [&](const ReadyCase& ready) {
    EXPECT_EQ(ready.inputs.dtypes.at("out"), find_dtype("float32"));
    EXPECT_EQ(ready.inputs.elements.at("out"), 4U);
    EXPECT_THAT(buffer_shape(*ready.planned.plan.find_buffer("out"), ready.inputs),
                ElementsAre(4, 25));
    float value = 0;
    std::memcpy(&value, ready.inputs.arrays.at("src").bytes().data(), sizeof value);
    first.push_back(value);
    return first.size() < 3;
  });
  EXPECT_EQ(outcome.verdict, Verdict::passed) << outcome.message;
  ASSERT_EQ(first.size(), 3U);
  EXPECT_NE(first[0], first[1]);
  EXPECT_NE(first[1], first[2]);
  // Nothing was loaded for it, so that a launch needs its own compile.
  EXPECT_EQ(run(which).failure, FailureKind::fault);
}

TEST_F(SessionTest, ExamineFailsWithWhatVerifyWouldFailWith) {
  const auto examine = [&](const std::string& suite, const std::string& kernel, bool raise) {
    const Case which = make(suite, kernel).front();
    return session().examine(which, make_plan(which, plugins_), [&](const ReadyCase&) -> bool {
      if (raise) throw verdict_error("a reference of a test");
      return false;
    });
  };
  const std::string good = scale_suite("src");
  for (int i = 0; i < 2; ++i) {  // the second time from memory
    const Outcome broken = examine(good, "oops", false);
    EXPECT_EQ(broken.failure, FailureKind::compile);
    EXPECT_EQ(broken.error->where().line, 1);
  }
  EXPECT_EQ(examine(good, "extern \"C\" __global__ void k() {}", false).failure,
            FailureKind::signature);
  EXPECT_EQ(examine(scale_suite("src", "skip: {when: device.warp_size == 32, reason: r}\n"), kScale,
                    false)
                .reason,
            "r");
  const Outcome raised = examine(good, kScale, true);
  EXPECT_EQ(raised.failure, FailureKind::reference);
  EXPECT_EQ(raised.reason, "a reference of a test");
  EXPECT_EQ(examine(good, kScale, false).verdict, Verdict::passed);
}

TEST_F(SessionTest, WhatDoesNotCompileNamesFileAndLine) {
  const Outcome outcome =
      run(scale_suite("src"), "// one\nextern \"C\" __global__ void k() { oops; }\n");
  EXPECT_EQ(outcome.failure, FailureKind::compile);
  EXPECT_THAT(outcome.message, HasSubstr("identifier \"oops\" is undefined"));
  EXPECT_THAT(outcome.where.file, testing::EndsWith("suites/k.cu"));
  EXPECT_EQ(outcome.where.line, 2);
}

// Headers of the toolkit have names, and no place that a person could open.
TEST_F(SessionTest, AFaultInAHeaderIsTheLineOfTheSuiteThatCalledIt) {
  const std::string store =
      "__device__ __forceinline__ void store(float *p, float v) { *p = v; }\n";
  const std::string kernel =
      "__device__ void store(float *p, float v);\n"
      "extern \"C\" __global__ void k(float *out, const float *in, float f, int n) {\n"
      "  store(out + n + threadIdx.x, f * in[0]);\n"
      "}\n";
  const Outcome foreign =
      run(scale_suite("f * src"), kernel + "#line 7 \"/toolkit/x.h\"\n" + store);
  EXPECT_EQ(foreign.failure, FailureKind::fault);
  EXPECT_THAT(foreign.where.file, testing::EndsWith("suites/k.cu"));
  EXPECT_EQ(foreign.where.line, 3);
  EXPECT_THAT(foreign.message, HasSubstr("at /toolkit/x.h:7 (inlined at k.cu:3"));
  // A header of the suite is as good as the kernel's file.
  write_file_atomically(folder_.path() / "suites/lib/store.cuh", "#pragma once\n" + store);
  const Outcome own = run(scale_suite("f * src"), "#include \"lib/store.cuh\"\n" + kernel);
  EXPECT_THAT(own.where.file, testing::EndsWith("suites/lib/store.cuh"));
  EXPECT_EQ(own.where.line, 2);
  // So is a text of the suite.
  std::string suite = scale_suite("f * src");
  std::string text = "#line 6 \"/toolkit/x.h\"\n" + store + "#line 8 \"/suite/t.yaml\"\n" + kernel;
  for (size_t at = 0; (at = text.find('\n', at)) + 1 < text.size(); at += 5) {
    text.insert(at + 1, "    ");
  }
  suite.replace(suite.find("{file: k.cu, entry: k}"), 22,
                "\n  source: |\n    " + text + "  entry: k");
  const Outcome inlined = run(suite, "");
  EXPECT_THAT(inlined.where.file, testing::EndsWith("suites/t.yaml"));
  EXPECT_EQ(inlined.where.line, 10);
}

TEST_F(SessionTest, AMissingKernelListsThoseThatExist) {
  const Outcome outcome =
      run(scale_suite("src"), "__global__ void kk(float *a, int n) { a[0] = n; }\n");
  EXPECT_EQ(outcome.failure, FailureKind::compile);
  EXPECT_THAT(outcome.message, HasSubstr("kk(float*, int)"));
}

TEST_F(SessionTest, ArgumentsThatDoNotFit) {
  const auto failure = [&](const std::string& parameters) {
    const Outcome outcome =
        run(scale_suite("src"), "extern \"C\" __global__ void k(" + parameters + ") {}\n");
    EXPECT_EQ(outcome.failure, FailureKind::signature) << parameters;
    return outcome.message;
  };
  EXPECT_THAT(failure("float *o, float *i, float f"),
              HasSubstr("takes 3 arguments, and the suite gives 4"));
  EXPECT_THAT(failure("float o, float *i, float f, int n"),
              HasSubstr("argument `out` is an array"));
  EXPECT_THAT(failure("float *o, float *i, float *f, int n"),
              HasSubstr("argument `f` is a scalar"));
}

TEST_F(SessionTest, ADtypeThatIsNotTheKernels) {
  std::string suite = scale_suite("src");
  suite.replace(suite.find("{scalar: 100}"), 13, "{scalar: 100, dtype: int64}");
  const Outcome outcome = run(suite, kScale);
  EXPECT_EQ(outcome.failure, FailureKind::signature);
  EXPECT_THAT(outcome.message,
              HasSubstr("argument `n` is of dtype int64 (8 bytes), and the kernel takes `int`"));
}

TEST_F(SessionTest, WhatNoDeviceCanLaunchFailsWithBothNumbers) {
  const auto fails = [&](const std::string& launch, const std::string& words) {
    std::string suite = scale_suite("f * src");
    suite.replace(suite.find("block: 32"), 9, launch);
    const Outcome outcome = run(suite, kScale);
    EXPECT_EQ(outcome.verdict, Verdict::failed) << launch;
    EXPECT_EQ(outcome.failure, FailureKind::launch) << launch;
    EXPECT_THAT(outcome.reason, HasSubstr(words)) << launch;
    EXPECT_THAT(outcome.reason, HasSubstr("no CUDA device can launch `k`")) << launch;
    EXPECT_EQ(outcome.where.line, 8) << launch;
    EXPECT_GT(outcome.where.column, 1) << launch;
  };
  fails("block: 2048", "block.x is 2048, and can be 1024 at most");
  fails("block: [32, 0]", "block.y is 0, and must be 1 at least");
  fails("block: [32, 33]", "the block has 1056 threads (32x33x1), and can have 1024 at most");
  fails("block: 32, shared: 232449",
        "a block needs 232449 bytes of shared memory, and can have "
        "232448 at most");
  // Sizes that wait for arrays or a device are looked at when those are there.
  fails("block: src.size * 100", "block.x is 10000, and can be 1024 at most");
  fails("block: device.warp_size * 33", "block.x is 1056, and can be 1024 at most");
}

TEST_F(SessionTest, WhatAKernelIsCompiledForIsALimitOfItsLaunches) {
  const auto outcome = [&](const std::string& kernel, const std::string& launch) {
    return run("kernel: {file: k.cu, entry: k}\narguments: {out: {out: 10}}\nlaunch: " + launch +
                   "\nreference: {out: np.ones(10)}\n",
               kernel);
  };
  const auto fails = [&](const std::string& kernel, const std::string& launch,
                         const std::string& words) {
    const Outcome failed = outcome(kernel, launch);
    EXPECT_EQ(failed.failure, FailureKind::launch) << kernel << failed.message;
    EXPECT_THAT(failed.reason, HasSubstr(words));
    EXPECT_EQ(failed.where.line, 4);
  };
  const std::string body = "k(float *out) { if (threadIdx.x < 10) out[threadIdx.x] = 1; }\n";
  const std::string bounded = "extern \"C\" __global__ void __launch_bounds__(64) " + body;
  fails(bounded, "{block: 65}",
        "the block has 65 threads, and the kernel's `__launch_bounds__` allows 64");
  EXPECT_EQ(outcome(bounded, "{block: 64}").verdict, Verdict::passed);
  const std::string clustered = "extern \"C\" __global__ void __cluster_dims__(2) " + body;
  fails(clustered, "{block: 32, grid: 3}", "grid.x is 3, and must be a multiple of 2");
  // The static memory of a block counts, too: 230000 + 8192 bytes are too many.
  const std::string shared =
      "extern \"C\" __global__ void k(float *out) {\n"
      "  __shared__ volatile float s[2048];\n  extern __shared__ volatile float d[];\n"
      "  s[threadIdx.x] = d[threadIdx.x] = 1;\n"
      "  if (threadIdx.x < 10) out[threadIdx.x] = s[threadIdx.x] * d[threadIdx.x];\n}\n";
  fails(shared, "{block: 32, shared: 230000}",
        "a block needs 230000 + 8192 bytes of shared memory (dynamic + static), and can have "
        "232448 at most");
  const Outcome fits = outcome(shared, "{block: 32, shared: 224000}");
  EXPECT_EQ(fits.verdict, Verdict::passed) << fits.message << fits.reason;
  // Registers: the CPU device has no use for them, and a GPU would refuse the launch.
  std::string many =
      "extern \"C\" __global__ void k(float *out) {\n  float v[160];\n"
      "  for (int i = 0; i < 160; ++i) v[i] = ((volatile float *)out)[i % 10];\n"
      "  __syncthreads();\n  float s = 0;\n"
      "  for (int i = 0; i < 160; ++i) s += v[i] * v[159 - i];\n"
      "  if (threadIdx.x < 10) out[threadIdx.x] = s;\n}\n";
  fails(many, "{block: 1024}", "registers for each it can have");
}

TEST_F(SessionTest, ASkipRuleGoesBeforeAnImpossibleLaunch) {
  const auto verdict = [&](const std::string& launch, const std::string& more) {
    std::string suite = scale_suite("f * src", more);
    suite.replace(suite.find("block: 32"), 9, launch);
    return run(suite, kScale).verdict;
  };
  const std::string rule = "skip: {when: device.warp_size == 32, reason: r}\n";
  EXPECT_EQ(verdict("block: 2048", rule), Verdict::skipped);
  EXPECT_EQ(verdict("block: src.size * 100", rule), Verdict::skipped);
  const std::string other = "skip: {when: device.warp_size == 64, reason: r}\n";
  EXPECT_EQ(verdict("block: 2048", other), Verdict::failed);
  // A capability that is missing here hides nothing that no device could do.
  EXPECT_EQ(verdict("block: 2048", "requires: [exact_bounds]\n"), Verdict::failed);
}

TEST_F(SessionTest, AReferenceThatRaises) {
  const Outcome outcome = run(scale_suite("f * source"), kScale);
  EXPECT_EQ(outcome.failure, FailureKind::reference);
  EXPECT_THAT(outcome.message, HasSubstr("name 'source' is not defined"));
  EXPECT_EQ(outcome.where.line, 9);
}

TEST_F(SessionTest, AnInputThatRaises) {
  std::string suite = scale_suite("src");
  suite.replace(suite.find("rng.standard"), 12, "rng.Standard");
  EXPECT_EQ(run(suite, kScale).failure, FailureKind::input);
}

TEST_F(SessionTest, NaNInOutputOrReference) {
  EXPECT_EQ(run(scale_suite("np.full((4, 25), np.nan)"), kScale).failure, FailureKind::wrong);
  std::string kernel = kScale;
  kernel.replace(kernel.find("f * in[i]"), 9, "i == 3 ? 0.0f / (f - 3) : f * in[i]");
  EXPECT_EQ(run(scale_suite("f * src"), kernel).failure, FailureKind::wrong);
}

constexpr const char* kFaultSuite =
    "kernel: {file: k.cu, entry: k}\n"
    "arguments: {out: {out: 10}}\n"
    "launch: {block: 11}\n";
constexpr const char* kFaulting =
    "extern \"C\" __global__ void k(float *out) { out[threadIdx.x] = 1; }\n";

TEST_F(SessionTest, AFaultNamesArgumentAndIndexAndTheNextCaseRuns) {
  const Outcome outcome =
      run(kFaultSuite + std::string("reference: {out: np.ones(10)}\n"), kFaulting);
  EXPECT_EQ(outcome.failure, FailureKind::fault);
  EXPECT_THAT(outcome.message, HasSubstr("out[10]"));
  ASSERT_FALSE(outcome.findings.empty());
  EXPECT_EQ(outcome.findings[0].at("argument"), "out");
  EXPECT_EQ(run(scale_suite("f * src"), kScale).verdict, Verdict::passed);
}

TEST_F(SessionTest, AnExpectedFault) {
  const std::string kSuite = kFaultSuite;
  EXPECT_EQ(run(kSuite + "expect: {fault: illegal_address, argument: out}\n", kFaulting).verdict,
            Verdict::passed);
  EXPECT_EQ(run(kSuite + "expect: {fault: misaligned_address}\n", kFaulting).failure,
            FailureKind::no_fault);
  EXPECT_EQ(run(kSuite + "expect: {fault: illegal_address}\n",
                "extern \"C\" __global__ void k(float *out) {}\n")
                .failure,
            FailureKind::no_fault);
}

TEST_F(SessionTest, ACapabilityThatTheDeviceLacksSkips) {
  FakeDriver fake;
  options_.in_process = true;
  options_.openers.gpu = [&] { return fake.driver(); };
  options_.device = "gpu";
  const Outcome outcome = run(scale_suite("f * src", "requires: [exact_bounds]\n"), kScale);
  EXPECT_EQ(outcome.verdict, Verdict::skipped);
  EXPECT_THAT(outcome.reason, HasSubstr("needs exact_bounds, which"));
  EXPECT_EQ(outcome.where.line, 10);
  // Shared memory that other devices have is asked for on line 8.
  fake.kernels["k"] = {{{0, 8}, {8, 8}, {16, 4}, {20, 4}}};
  fake.attributes[CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN] = 99 * 1024;
  std::string large = scale_suite("f * src");
  large.replace(large.find("block: 32"), 9, "block: 32, shared: 150000");
  const Outcome shared = run(large, kScale);
  EXPECT_EQ(shared.verdict, Verdict::skipped) << shared.message;
  EXPECT_THAT(shared.reason, testing::AllOf(HasSubstr("150000"), HasSubstr("101376")));
  EXPECT_EQ(shared.where.line, 8);
  std::string impossible = scale_suite("f * src", "requires: [exact_bounds]\n");
  impossible.replace(impossible.find("block: 32"), 9, "block: 2048");
  EXPECT_EQ(run(impossible, kScale).failure, FailureKind::launch);
  session_.reset();
  EXPECT_THAT(fake.live(), testing::IsEmpty());
}

// The whole path on a fake driver, whose kernel is a function of the test.
TEST_F(SessionTest, TheSamePathOnAFakeDriver) {
  FakeDriver fake;
  fake.kernels["k"] = {{{0, 8}, {8, 8}, {16, 4}, {20, 4}}};
  fake.on_launch = [](const FakeLaunch& launch) {
    auto* out = reinterpret_cast<float*>(launch.argument<uint64_t>(0));
    const auto* in = reinterpret_cast<const float*>(launch.argument<uint64_t>(1));
    for (int i = 0; i < launch.argument<int>(3); ++i) out[i] = launch.argument<float>(2) * in[i];
    return CUDA_SUCCESS;
  };
  options_.in_process = true;
  options_.openers.gpu = [&] { return fake.driver(); };
  options_.device = "gpu";
  const Outcome outcome = run(scale_suite("f * src"), kScale);
  EXPECT_EQ(outcome.verdict, Verdict::passed) << outcome.message;
  EXPECT_EQ(fake.launches.size(), 1U);
  EXPECT_EQ(fake.images.at(0).substr(1, 3), "ELF") << "a device without image_ptx gets the cubin";
  session_.reset();
  EXPECT_THAT(fake.live(), testing::IsEmpty());
  EXPECT_THAT(fake.misuse, testing::IsEmpty());
}

TEST_F(SessionTest, AStickyErrorCostsOneCase) {
  FakeDriver fake;
  fake.kernels["k"] = {{{0, 8}, {8, 8}, {16, 4}, {20, 4}}};
  fake.on_launch = [](const FakeLaunch&) { return CUDA_ERROR_MISALIGNED_ADDRESS; };
  options_.in_process = true;
  options_.openers.gpu = [&] { return fake.driver(); };
  options_.device = "gpu";
  const Outcome outcome = run(scale_suite("f * src"), kScale);
  EXPECT_EQ(outcome.failure, FailureKind::fault);
  EXPECT_THAT(outcome.message, HasSubstr("716"));
}

// One suite; cases whose shared memory asks the driver to misbehave, with good ones between.
TEST_F(SessionTest, AWorkerThatDiesOrHangsCostsOneCase) {
  options_.device = "misbehaving";
  options_.timeout_s = 2;
  options_.report_s = 0.5;
  std::string suite =
      scale_suite("f * src", "axes: {shared: [0, 1001, 8, 1002, 16, 1003, 24, 1004, 32]}\n");
  suite.replace(suite.find("launch: {"), 9, "launch: {shared: shared, ");
  std::vector<std::string> results;
  for (const Case& which : make(suite, kScale)) {
    const Outcome outcome = run(which);
    results.push_back(std::string(to_text(outcome.verdict)) + " " +
                      std::string(to_text(outcome.failure)) + " " + outcome.reason);
  }
  EXPECT_THAT(
      results,
      ElementsAre(
          "passed none ",
          "failed crash the worker died in the middle of the case: it ended by signal 9 (Killed)",
          "passed none ",
          "failed crash the worker died in the middle of the case: it ended by signal 11 "
          "(Segmentation fault)",
          "passed none ", "failed limit no answer within 2 s; the worker was ended", "passed none ",
          "failed crash the worker died in the middle of the case: it exited with code 7",
          "passed none "));
}

TEST_F(SessionTest, AWorkerThatNeverAnswersIsAnEnvironmentError) {
  options_.program = (folder_.path() / "sleeper").string();
  write_file_atomically(options_.program, "#!/bin/sh\nexec sleep 60\n");
  std::filesystem::permissions(options_.program, std::filesystem::perms::owner_all);
  options_.start_timeout_s = 0.1;
  try {
    session().require();
    ADD_FAILURE() << "there is no worker";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::environment);
    EXPECT_EQ(error.message(), "the worker did not start: it gave no answer within 0.1 s");
  }
}

TEST_F(SessionTest, AThreadThatNeverAnswersIsLeftToItself) {
  options_.device = "misbehaving";
  options_.in_process = true;
  options_.timeout_s = 0.5;
  options_.report_s = 0.5;
  std::string suite = scale_suite("f * src");
  suite.replace(suite.find("launch: {"), 9, "launch: {shared: 1003, ");
  try {
    run(suite, kScale);
    ADD_FAILURE() << "the launch ended";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::environment);
    EXPECT_THAT(error.message(), HasSubstr("which cannot be ended"));
  }
}

TEST_F(SessionTest, AnEndlessKernelIsStoppedByTheDeviceWithAReport) {
  options_.timeout_s = 2;
  const Outcome outcome =
      run(kFaultSuite + std::string("reference: {out: np.ones(10)}\n"),
          "extern \"C\" __global__ void k(volatile float *out) { while (out[0] != 1) {} }\n");
  EXPECT_EQ(outcome.failure, FailureKind::limit);
  EXPECT_FALSE(outcome.findings.empty()) << outcome.message;
}

TEST_F(SessionTest, AnInterruptEndsTheCaseAndAllLaterOnes) {
  options_.device = "misbehaving";
  std::string suite = scale_suite("f * src");
  suite.replace(suite.find("launch: {"), 9, "launch: {shared: 1003, ");
  const std::vector<Case> work = make(suite, kScale);
  session().require();
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    session_->interrupt();
  });
  EXPECT_EQ(run(work.front()).verdict, Verdict::interrupted);
  later.join();
  EXPECT_EQ(run(work.front()).verdict, Verdict::interrupted);
}

TEST_F(SessionTest, NoSuchDeviceIsAnEnvironmentError) {
  options_.device = "nowhere";
  try {
    session().require();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::environment);
    EXPECT_THAT(error.message(), HasSubstr("libwarpmark_nowhere.so"));
  }
}

TEST_F(SessionTest, NoCompilerIsAnEnvironmentError) {
  ::setenv("WARPMARK_NVRTC", "/nonexistent/libnvrtc.so", 1);
  try {
    session().require();
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::environment);
    EXPECT_THAT(error.message(), HasSubstr("/nonexistent/libnvrtc.so"));
  }
  ::unsetenv("WARPMARK_NVRTC");
}

TEST_F(SessionTest, EqualSeedsGiveEqualInputsAndOthersDoNot) {
  // The reference passes exactly when the input's first value is the one of seed 0.
  const std::string suite = scale_suite("f * src");
  const Case which = make(suite, kScale).front();
  const auto first = [&](uint64_t seed, uint64_t trial) {
    options_.seed = seed;
    Session fresh(python(), options_);
    PlannedCase planned = make_plan(which, plugins_);
    planned.plan.expected[0].value.text = "np.zeros((4, 25))";
    return fresh.verify(which, planned, trial).outputs.at(0).comparison.first->actual;
  };
  EXPECT_EQ(first(0, 0), first(0, 0));
  EXPECT_NE(first(0, 0), first(1, 0));
  EXPECT_NE(first(0, 0), first(0, 1));
}

}  // namespace
}  // namespace warpmark
