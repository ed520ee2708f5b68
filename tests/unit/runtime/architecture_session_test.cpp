// The architecture that kernels are compiled for: by the device, by `kernel.arch`, and where neither serves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/fake_driver.hpp"
#include "unit/runtime/session_fixture.hpp"

namespace warpmark {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// Writes the architecture, and 1000 more with what only that one has, as CUDA's headers ask for it.
constexpr const char* kTold =
    "extern \"C\" __global__ void k(int *a) {\n"
    "  *a = __CUDA_ARCH__ / 10;\n"
    "#ifdef __CUDA_ARCH_FEAT_SM90_ALL\n"
    "  *a += 1000;\n"
    "#endif\n"
    "}\n";

class ArchitectureSession : public SessionTest {
 protected:
  std::string suite(const std::string& arch, const std::string& more = {}) {
    return "kernel: {file: k.cu, entry: k" + (arch.empty() ? "" : ", arch: " + arch) + more +
           "}\narguments: {a: {out: 1, dtype: int32}}\nlaunch: {block: 1}\n";
  }
  Outcome told(const std::string& arch, int number) {
    return run(suite(arch) + "reference: {a: " + std::to_string(number) + "}\n", kTold);
  }

  // Runs it on a fake GPU, whose kernel writes 0.
  Outcome on_fake(FakeDriver& fake, const std::string& yaml) {
    fake.kernels["k"] = {{{0, 8}}};
    fake.on_launch = [](const FakeLaunch& launch) {
      *reinterpret_cast<int*>(launch.argument<uint64_t>(0)) = 0;
      return CUDA_SUCCESS;
    };
    options_.in_process = true;
    options_.openers.gpu = [&] { return fake.driver(); };
    options_.device = "gpu";
    Outcome outcome = run(yaml + "reference: {a: 0}\n", kTold);
    session_.reset();
    return outcome;
  }

  std::string image_of(const std::string& arch, const std::string& more = {}) {
    FakeDriver fake;
    const Outcome outcome = on_fake(fake, suite(arch, more));
    EXPECT_EQ(outcome.verdict, Verdict::passed) << outcome.message << outcome.reason;
    return fake.images.empty() ? "" : fake.images.back();
  }
};

TEST_F(ArchitectureSession, OfTheCpuDevice) {
  for (const auto& [arch, number] :
       {std::pair("", 90), {"sm_90", 90}, {"sm_90a", 1090}, {"sm_80", 80}}) {
    const Outcome outcome = told(arch, number);
    EXPECT_EQ(outcome.verdict, Verdict::passed) << arch << " " << outcome.message;
  }
  EXPECT_EQ(session().require().target, "sm_90");
}

TEST_F(ArchitectureSession, ACaseIsSkippedWhereSuchCodeDoesNotRun) {
  for (const char* arch : {"sm_100", "sm_100a", "sm_103f", "sm_120"}) {
    const Outcome outcome = told(arch, 0);
    EXPECT_EQ(outcome.verdict, Verdict::skipped) << arch;
    EXPECT_THAT(outcome.reason,
                AllOf(HasSubstr(std::string("is compiled for ") + arch + ", and Warpmark CPU"),
                      HasSubstr("has compute capability 9.0"),
                      HasSubstr("without `arch` it is compiled for sm_90")));
    EXPECT_EQ(outcome.where.line, 2);
  }
}

TEST_F(ArchitectureSession, TheCompilerMustKnowIt) {
  const Outcome outcome = told("sm_30", 0);
  EXPECT_EQ(outcome.failure, FailureKind::compile);
  EXPECT_THAT(outcome.message, AllOf(HasSubstr("cannot compile for sm_30; it can for"),
                                     HasSubstr("sm_90"), HasSubstr("or change `arch`")));
  EXPECT_EQ(outcome.where.line, 2);
  EXPECT_EQ(outcome.where.column, 38);
}

// An instruction that the device lacks is refused by name and line; what sm_90a has it executes.
TEST_F(ArchitectureSession, WhatTheCpuDeviceDoesNotExecute) {
  const std::string source =
      "extern \"C\" __global__ void k(int *a) {\n"
      "  asm volatile(\"wgmma.fence.sync.aligned;\" ::: \"memory\");\n"
      "  *a = 1;\n"
      "}\n";
  const std::string yaml = suite("sm_90a") + "reference: {a: 1}\n";
  EXPECT_EQ(run(yaml, source).verdict, Verdict::passed);
  const Outcome outcome =
      run(yaml,
          "extern \"C\" __global__ void k(int *a) {\n"
          "  asm volatile(\"{ .reg .b64 t; mov.b64 t, 0; suld.b.1d.b32.trap {t}, [t, {0}]; }\");\n"
          "  *a = 1;\n"
          "}\n");
  EXPECT_EQ(outcome.verdict, Verdict::failed);
  EXPECT_THAT(outcome.message, AllOf(HasSubstr("suld.b.1d.b32.trap"), HasSubstr("k.cu:2")));
  const Outcome baseline = run(suite("") + "reference: {a: 1}\n", source);
  EXPECT_EQ(baseline.failure, FailureKind::compile);
  EXPECT_THAT(baseline.message, HasSubstr("wgmma"));
}

TEST_F(ArchitectureSession, OfAGpu) {
  EXPECT_THAT(image_of(""), testing::StartsWith("\177ELF"));
  EXPECT_THAT(image_of("sm_90"), testing::StartsWith("\177ELF"));
  // A GPU has no machine code of an earlier major version; its driver compiles the PTX.
  EXPECT_THAT(image_of("sm_80"), HasSubstr(".target sm_80"));
  FakeDriver fake;
  const Outcome later = on_fake(fake, suite("sm_100a"));
  EXPECT_EQ(later.verdict, Verdict::skipped);
  EXPECT_THAT(later.reason, AllOf(HasSubstr("sm_100a, and Fake GPU has compute capability 9.0"),
                                  HasSubstr("it is compiled for sm_90a")));
}

TEST_F(ArchitectureSession, LinkedUnitsAreOfOneArchitecture) {
  write_file_atomically(folder_.path() / "suites" / "more.cu",
                        "__device__ int more() { return 1; }");
  EXPECT_THAT(image_of("sm_80", ", link: [more.cu]"),
              AllOf(HasSubstr(".target sm_80"), Not(HasSubstr("ELF"))));
}

TEST_F(ArchitectureSession, EachOfSeveralDevicesMustRunIt) {
  FakeDriver fake;
  fake.devices = 2;
  fake.majors[1] = 8;
  const std::string yaml =
      "kernel: {file: k.cu, entry: k}\ndevices: 2\n"
      "arguments: {a: {out: 2, dtype: int32, partition: {axis: 0}}}\nlaunch: {block: 1}\n";
  const Outcome outcome = on_fake(fake, yaml);
  EXPECT_EQ(outcome.verdict, Verdict::skipped) << outcome.message;
  EXPECT_THAT(outcome.reason, AllOf(HasSubstr("runs code for sm_90a on 2 devices"),
                                    HasSubstr("device 1 (Fake GPU) has compute capability 8.0")));
}

}  // namespace
}  // namespace warpmark
