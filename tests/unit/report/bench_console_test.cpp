#include "report/bench/bench_console.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <sstream>

#include "report/page/figure_text.hpp"
#include "unit/results/example_measurement.hpp"

namespace warpmark {
namespace {

using testing_results::measurement;
using testing_results::outcome;
using testing_results::timed;

class Writer {
 public:
  explicit Writer(const ConsoleStyle& style, const RunContext& context, BenchTable table)
      : report_(out_, style, table, context) {}

  void add(const Outcome& each, const TimedCase* times = nullptr) {
    report_.start_case(each.case_id);
    report_.end_case({each, "warpmark bench x.yaml --case " + each.case_id, times});
  }
  void add(const std::string& point, const TimedCase& times) {
    add(outcome("doublify", point, Verdict::passed), &times);
  }
  std::string finish() {
    RunEnd end;
    end.seconds = 61;
    report_.finish(end);
    return out_.str();
  }

 private:
  std::ostringstream out_;
  BenchConsole report_;
};

std::string bench_text(const ConsoleStyle& style) {
  BenchTable table;
  table.suites = 1;
  table.cases = 9;
  table.name_width = 18;
  table.further_modes = {TimingMode::hot};
  table.bytes = table.flops = true;
  Writer writer(style, testing_results::bench_context(), table);
  writer.add("n=1048576", timed());
  Measurement spent = measurement();
  spent.series[0] = testing_results::series(TimingMode::cold, 2e-6, 0.2, 12);
  spent.series[0].stop = spent.series[1].stop = StopReason::budget;
  spent.series[1].seconds = testing_results::samples(1.5e-6, 0.5, 12);
  writer.add("n=2", timed(spent));
  Measurement few = measurement();
  few.series = {testing_results::series(TimingMode::cold, 1.5, 0.001, 1)};
  few.series[0].stop = StopReason::budget;
  few.series[0].latency_hidden = false;
  few.bytes.reset();
  few.flops.reset();
  writer.add("n=3", timed(few));
  Measurement throttled = measurement();
  throttled.after.throttle_reasons = {"sw_power_cap"};
  throttled.series.erase(throttled.series.begin());
  TimedCase only_hot = timed(throttled);
  only_hot.options.modes = {TimingMode::hot};
  writer.add("n=4", only_hot);
  writer.add(outcome("doublify", "n=5", Verdict::passed));
  Outcome skipped = outcome("doublify", "n=6", Verdict::skipped);
  skipped.reason = "needs 80 GiB, the device has 4 GiB";
  writer.add(skipped);
  writer.add(testing_results::wrong_outcome());
  writer.add(outcome("doublify", "n=7", Verdict::interrupted));
  writer.add(outcome("doublify", "n=8", Verdict::not_run));
  return writer.finish();
}

TEST(BenchConsole, Golden) {
  EXPECT_EQ(
      bench_text({}),
      "warpmark bench: 1 suite, 9 cases on NVIDIA H200 (sm_90, driver 13.0, NVRTC 13.0), seed 0\n"
      "device: using NVIDIA H200 (sm_90)\n"
      "\n"
      "copy 4100 GB/s, read 4400 GB/s, measured in this run\n"
      "\n"
      "case                     time         ±        hot     GB/s  of copy  GFLOP/s  samples\n"
      "doublify.n=1048576   4.000 ms  ±0.14 %    3.200 ms     4000   97.6 %    250.0       41\n"
      "doublify.n=2         2.000 µs    ±13 %!   1.500 µs  8000000  195122 %   500000       12  "
      "hot ±32 %!\n"
      "doublify.n=3          1.500 s         -          -        -        -        -        1  "
      "unstable, with launch latency\n"
      "doublify.n=4         3.200 ms  ±0.07 %           -     5000    122 %    312.5       41  "
      "hot, "
      "throttled: sw_power_cap\n"
      "doublify.n=5        not timed\n"
      "doublify.n=6          skipped\n"
      "doublify.n=16          failed\n"
      "\n"
      "! the time is not known as well as was asked for: see --budget-s\n"
      "\n"
      "FAILED doublify.n=16\n"
      "  suites/doublify.yaml:14:3: 2 of 16 elements of `z` are wrong\n"
      "  first: z[1, 2] = 0.5, expected 1, error 0.5, bound 0\n"
      "  reproduce: warpmark bench x.yaml --case doublify.n=16\n"
      "\n"
      "SKIPPED doublify.n=6: needs 80 GiB, the device has 4 GiB\n"
      "\n"
      "5 passed, 1 failed, 1 skipped, 1 interrupted, 1 not run in 1 min 01 s\n");
}

TEST(BenchConsole, GraphsAreColumnsAndTransfersLines) {
  BenchTable table;
  table.suites = table.cases = 1;
  table.name_width = 18;
  table.further_modes = {TimingMode::cold_graph};
  table.bytes = true;
  RunContext context = testing_results::bench_context();
  Writer writer({}, context, table);
  Measurement measured = measurement();
  measured.series[1].mode = TimingMode::cold_graph;
  for (const auto& [mode, seconds] : {std::pair{TimingMode::upload, 0.25e-3},
                                      {TimingMode::pageable_upload, 1e-3},
                                      {TimingMode::download, 0.5e-3},
                                      {TimingMode::pageable_download, 2e-3}}) {
    measured.series.push_back(testing_results::series(mode, seconds, 0.001, 12));
    measured.series.back().moved_bytes = 12 << 20;
  }
  TimedCase all = timed(measured);
  all.options.modes = {TimingMode::cold, TimingMode::cold_graph, TimingMode::hot_graph};
  writer.add("n=1048576", all);
  const std::string text = writer.finish();
  EXPECT_THAT(
      text,
      testing::HasSubstr(
          "case                     time         ±  cold graph     GB/s  of copy  samples\n"
          "doublify.n=1048576   4.000 ms  ±0.14 %     3.200 ms     4000   97.6 %       41  no time "
          "for hot graph\n"
          "  upload of 12 MiB: pinned 250.0 µs (50.33 GB/s), pageable 1.000 ms (12.58 GB/s)\n"
          "  download of 12 MiB: pinned 500.0 µs (25.17 GB/s), pageable 2.000 ms (6.291 GB/s)\n"));
}

TEST(BenchConsole, FlopsHaveAShareOfThePeak) {
  BenchTable table;
  table.suites = 1;
  table.cases = 2;
  table.name_width = 12;
  table.flops = table.peak = true;
  RunContext context = testing_results::bench_context();
  Writer writer({}, context, table);
  Measurement measured = measurement();
  measured.given_peak = 1e12;
  writer.add("n=1", timed(measured));
  writer.add("n=2", timed());
  EXPECT_THAT(writer.finish(),
              testing::HasSubstr("case               time         ±  GFLOP/s  of peak  samples\n"
                                 "doublify.n=1   4.000 ms  ±0.14 %     250.0   25.0 %       41\n"
                                 "doublify.n=2   4.000 ms  ±0.14 %     250.0        -       41\n"));
}

TEST(BenchConsole, AProfiledRunHasNoTimes) {
  BenchTable table;
  table.suites = table.cases = 1;
  table.name_width = 18;
  table.profile = true;
  Writer writer({}, testing_results::bench_context(), table);
  writer.add(outcome("doublify", "n=5", Verdict::passed));
  EXPECT_EQ(
      writer.finish(),
      "warpmark bench: 1 suite, 1 case on NVIDIA H200 (sm_90, driver 13.0, NVRTC 13.0), seed 0\n"
      "device: using NVIDIA H200 (sm_90)\n"
      "\n"
      "doublify.n=5              ran\n"
      "\n"
      "1 passed in 1 min 01 s\n");
}

TEST(BenchConsole, QuietGolden) {
  ConsoleStyle style;
  style.verbosity = Verbosity::quiet;
  const std::string text = bench_text(style);
  EXPECT_TRUE(text.starts_with("\nFAILED doublify.n=16\n")) << text;
  EXPECT_EQ(text.find("GB/s"), std::string::npos);
}

TEST(BenchConsole, CountedGolden) {
  BenchTable table;
  table.suites = table.cases = 1;
  table.name_width = 12;
  table.counted = table.bytes = true;
  RunContext context = testing_results::bench_context();
  context.bench->ceilings.reset();
  context.device.reason.clear();
  ConsoleStyle style;
  style.verbosity = Verbosity::verbose;
  Writer writer(style, context, table);
  Measurement counted;
  counted.series = {testing_results::series(TimingMode::hot, 1.25e-3, 0.2, 3)};  // an aside
  counted.series[0].stop = StopReason::samples;
  counted.bytes = 8192;
  counted.counters = {{"ptx_thread_instructions", 1234567},
                      {"global_load_bytes", 4096},
                      {"global_store_bytes", 4100},
                      {"shared_load_bytes", 64}};
  KernelFacts kernel = measurement().kernels[0];
  kernel.active_blocks = 0;
  kernel.local_bytes = 8;
  counted.kernels = {kernel};
  TimedCase times = *timed_case(testing_results::planned(), "", {}, {counted}, {});
  writer.add("n=1", times);
  EXPECT_EQ(
      writer.finish(),
      "warpmark bench: 1 suite, 1 case on NVIDIA H200 (sm_90, driver 13.0, NVRTC 13.0), seed 0\n"
      "\n"
      "case             instructions            bytes\n"
      "doublify.n=1        1,234,567            8,196\n"
      "  doublify: grid 8192 x 1 x 1, block 128 x 1 x 1, 18 registers, 1,024 bytes of shared "
      "memory, 8 local bytes\n"
      "  ptx_thread_instructions: 1,234,567\n"
      "  global_load_bytes: 4,096\n"
      "  global_store_bytes: 4,100\n"
      "  shared_load_bytes: 64\n"
      "\n"
      "1 passed in 1 min 01 s\n");
}

TEST(BenchConsole, ColoursAndProgressChangeNothingElse) {
  const std::string text = bench_text({true, true, 60});
  EXPECT_NE(text.find("[2/9] doublify.n=2"), std::string::npos);
  EXPECT_NE(text.find("\033[33m"), std::string::npos);
  std::string plain;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\r') {  // erased: back to the line's start
      plain.resize(plain.rfind('\n') + 1);
    } else if (text[at] == '\033') {
      at = text.find_first_of("mK", at);
    } else {
      plain += text[at];
    }
  }
  EXPECT_EQ(plain, bench_text({}));
}

TEST(FigureText, FourDigitsAndAUnitThatFits) {
  EXPECT_EQ(time_text(0), "0 ns");
  EXPECT_EQ(time_text(1.5e-10), "0.150 ns");
  EXPECT_EQ(time_text(9.9994e-7), "999.9 ns");
  EXPECT_EQ(time_text(9.99996e-7), "1.000 µs");
  EXPECT_EQ(time_text(2.0456e-6), "2.046 µs");
  EXPECT_EQ(time_text(1.5678e-5), "15.68 µs");
  EXPECT_EQ(time_text(0.99999), "1.000 s");
  EXPECT_EQ(time_text(12345.6), "12346 s");
  EXPECT_EQ(time_text(-1), "?");
  EXPECT_EQ(time_text(std::nan("")), "?");
  EXPECT_EQ(rate_text(0), "0.000");
  EXPECT_EQ(rate_text(9.9996), "10.00");
  EXPECT_EQ(rate_text(41.234), "41.23");
  EXPECT_EQ(rate_text(4123.4), "4123");
  EXPECT_EQ(share_text(1.0234), "102 %");
  EXPECT_EQ(share_text(0.9996), "100 %");
  EXPECT_EQ(share_text(0.0041), "0.41 %");
  EXPECT_EQ(half_width_text(0.00424), "±0.42 %");
  EXPECT_EQ(half_width_text(0.07), "±7.00 %");
  EXPECT_EQ(half_width_text(0.12), "±12 %");
  EXPECT_EQ(half_width_text(std::numeric_limits<double>::infinity()), "");
  EXPECT_EQ(whole_text(0), "0");
  EXPECT_EQ(whole_text(-1234567), "-1,234,567");
  EXPECT_EQ(whole_text(std::numeric_limits<int64_t>::min()), "-9,223,372,036,854,775,808");
}

}  // namespace
}  // namespace warpmark
