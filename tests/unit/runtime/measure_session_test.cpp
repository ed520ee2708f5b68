// Measuring through a session: verified before and after, timed between.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/runtime/session_fixture.hpp"

namespace warpmark {
namespace {

using testing::Each;
using testing::HasSubstr;
using testing::SizeIs;

class MeasureSession : public SessionTest {
 protected:
  Outcome measure(const std::string& yaml, const std::string& kernel) {
    const Case which = make(yaml, kernel).front();
    const PlannedCase planned = make_plan(which, plugins_);
    TimingJob job{&which, &planned, timing_, {}, {}};
    EXPECT_EQ(session().measure({&job, 1}), 1U);
    measured_ = job.processes.empty() ? Measurement{} : job.processes.front();
    return job.outcome;
  }
  TimingOptions timing_;
  Measurement measured_;
};

TEST_F(MeasureSession, ADeviceThatCountsHasAFewTimes) {
  const Outcome outcome =
      measure(scale_suite("f * src") + "bench: {bytes: 2*src.nbytes}\n", kScale);
  EXPECT_EQ(outcome.verdict, Verdict::passed) << outcome.message;
  ASSERT_THAT(measured_.series, SizeIs(1));
  EXPECT_EQ(measured_.series[0].mode, TimingMode::hot);
  EXPECT_THAT(measured_.series[0].seconds, SizeIs(5));
  EXPECT_THAT(measured_.series[0].seconds, Each(testing::Gt(0)));
  ASSERT_THAT(measured_.kernels, SizeIs(1));
  EXPECT_EQ(measured_.kernels[0].entry, "k");
  EXPECT_EQ(measured_.kernels[0].grid[0], 4);
  EXPECT_EQ(measured_.bytes, 2.0 * 100 * 4);
  EXPECT_EQ(measured_.flops, std::nullopt);
  EXPECT_EQ(session().ceilings(), std::nullopt);
}

// One that counts takes no times that could be held against the baseline's.
TEST_F(MeasureSession, ABaselineIsTimedWhereTimesAreTaken) {
  const std::string suite =
      scale_suite("f * src") +
      "baseline: {kernel: {file: k.cu, entry: k}}\nbench: {against_baseline: true}\n";
  const Case which = make(suite, kScale).front();
  const PlannedCase planned = make_plan(which, plugins_);
  TimingJob job{&which, &planned, timing_, {}, {}};
  session().measure({&job, 1});
  EXPECT_EQ(job.baseline, nullptr);

  job.options.modes = {TimingMode::cold, TimingMode::hot};
  const auto baseline = timed_baseline(job);
  ASSERT_NE(baseline, nullptr);
  EXPECT_EQ(baseline->job.planned, &baseline->planned);
  EXPECT_EQ(baseline->job.options.modes, job.options.modes);
  job.options.profile = true;
  EXPECT_EQ(timed_baseline(job), nullptr);
}

// The model has a thousand operations for each element, and the kernel does one.
TEST_F(MeasureSession, WorkThatIsNotDoneIsNoticed) {
  const Outcome outcome = measure(
      scale_suite("f * src") + "bench: {bytes: 2*src.nbytes, flops: 1000*src.size}\n", kScale);
  EXPECT_EQ(outcome.verdict, Verdict::passed) << outcome.message;
  EXPECT_THAT(outcome.notices,
              testing::ElementsAre("bench.flops is 100000, and the device counted 100: the formula "
                                   "is wrong, or the kernel does not do the work"));
}

// Values that an earlier launch left in a variable do not change what is counted.
TEST_F(MeasureSession, CountsAreOfModulesThatAreNew) {
  const std::string replaying =
      "__device__ float kept[128], key;\n"
      "extern \"C\" __global__ void k(float *out, const float *in, float f, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (key == in[0]) { if (i < n) out[i] = kept[i]; return; }\n"
      "  float v = 0;\n"
      "  for (int j = 0; j < 500 && i < n; ++j) v = in[i] * f + v * 0;\n"
      "  if (i < n) { out[i] = v; kept[i] = v; }\n"
      "  if (i == n - 1) key = in[0];\n"
      "}\n";
  const Outcome outcome = measure(scale_suite("f * src"), replaying);
  EXPECT_EQ(outcome.verdict, Verdict::passed) << outcome.message;
  const auto instructions = std::ranges::find(measured_.counters, "ptx_thread_instructions",
                                              [](const auto& one) { return one.first; });
  ASSERT_NE(instructions, measured_.counters.end());
  EXPECT_GT(instructions->second, 100 * 500);
}

TEST_F(MeasureSession, AWrongKernelHasNoTimes) {
  const Outcome outcome = measure(scale_suite("src"), kScale);
  EXPECT_EQ(outcome.failure, FailureKind::wrong);
  EXPECT_THAT(measured_.series, SizeIs(0));
}

// Right at first, and wrong once it has run a few times: its counter lives in the module.
TEST_F(MeasureSession, AKernelThatTurnsWrongHasNoTimes) {
  const std::string turning =
      "__device__ int runs;\n"
      "extern \"C\" __global__ void k(float *out, const float *in, float f, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) out[i] = (runs > 2 ? 2 : 1) * f * in[i];\n"
      "  if (i == n - 1) ++runs;\n"
      "}\n";
  const Outcome outcome = measure(scale_suite("f * src"), turning);
  EXPECT_EQ(outcome.failure, FailureKind::wrong);
  EXPECT_THAT(outcome.message, HasSubstr("right before it was timed"));
  EXPECT_THAT(measured_.series, SizeIs(0));
}

TEST_F(MeasureSession, InoutBuffersAreRestoredWhereThatIsSaid) {
  const std::string kernel =
      "extern \"C\" __global__ void k(float *a) { a[threadIdx.x] *= 1e10f; }\n";
  const std::string suite =
      "kernel: {file: k.cu, entry: k}\n"
      "arguments: {a: {inout: 'np.ones(32)'}}\n"
      "launch: {block: 32}\n"
      "reference: {a: a * np.float32(1e10)}\n";
  EXPECT_EQ(measure(suite + "bench: {restore: each}\n", kernel).verdict, Verdict::passed);
  EXPECT_THAT(measured_.series, SizeIs(1));
}

TEST_F(MeasureSession, ASkippedCaseHasNoTimes) {
  const Outcome outcome = measure(
      "kernel: {file: k.cu, entry: k}\n"
      "arguments: {a: {inout: 'np.ones(1 << 20)'}}\n"
      "launch: {block: 32}\n"
      "reference: {a: a}\n"
      "limits: {memory_mib: 1}\n",
      "extern \"C\" __global__ void k(float *a) {}\n");
  EXPECT_EQ(outcome.verdict, Verdict::skipped);
  EXPECT_THAT(measured_.series, SizeIs(0));
}

TEST_F(MeasureSession, AnInterruptEndsIt) {
  session().require();
  session().interrupt();
  EXPECT_EQ(measure(scale_suite("f * src"), kScale).verdict, Verdict::interrupted);
}

}  // namespace
}  // namespace warpmark
