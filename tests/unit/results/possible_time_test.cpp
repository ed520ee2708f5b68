#include "results/possible_time.hpp"

#include <gtest/gtest.h>

#include "results/bench_result.hpp"
#include "unit/results/example_measurement.hpp"

namespace warpmark {
namespace {

using testing_results::planned;
using testing_results::series;
using Limit = ImpossibleTime::Limit;

constexpr uint64_t kCache = 60'000'000;

// 4.9 TB/s by clock and bus, and 60 Tflop/s of float32, twice as many of float16.
Ceilings ceilings() {
  Ceilings best = testing_results::ceilings();
  best.memory_bytes_per_s = 4.9e12;
  best.float64_flops_per_s = 3e13;
  best.float32_flops_per_s = 6e13;
  best.float16_flops_per_s = 1.2e14;
  best.clock_headroom = 1.1;
  return best;
}

struct Timed {
  TimingMode mode = TimingMode::cold;
  double seconds = 1e-3;
  double spread = 0;
  std::optional<double> bytes, flops, given_peak;
  std::string peak_dtype = "float32";
  Ceilings best = ceilings();
  uint64_t cache = kCache;
  size_t steps = 1;
  bool counts = false;

  std::optional<ImpossibleTime> look() const {
    Measurement measured;
    measured.series = {series(mode, seconds, spread, 21)};
    measured.bytes = bytes;
    measured.flops = flops;
    measured.given_peak = given_peak;
    measured.peak_dtype = peak_dtype;
    if (counts) measured.counters = {{"ptx_thread_instructions", 1}};
    return impossible_time(*timed_case(planned(), "", {}, {measured}, best), best, cache, steps);
  }
};

TEST(PossibleTime, OfMemory) {
  Timed timed;
  timed.bytes = 4.9e9 + kCache;  // a millisecond
  EXPECT_FALSE(timed.look());
  timed.seconds = 0.96e-3;
  EXPECT_FALSE(timed.look()) << "within the margin";
  timed.seconds = 0.95e-3;
  const auto found = timed.look();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->limit, Limit::memory);
  EXPECT_EQ(found->mode, TimingMode::cold);
  EXPECT_DOUBLE_EQ(found->seconds, 0.95e-3);
  EXPECT_DOUBLE_EQ(found->least_s, 1e-3);
  EXPECT_EQ(found->rate, 4.9e12);
  timed.mode = TimingMode::cold_graph;
  EXPECT_TRUE(timed.look());
  for (const TimingMode mode : {TimingMode::hot, TimingMode::hot_graph, TimingMode::upload}) {
    timed.mode = mode;
    EXPECT_FALSE(timed.look()) << "of a cache that has all of it";
  }
}

TEST(PossibleTime, OfMemoryIsNotSaidInDoubt) {
  Timed timed;
  timed.bytes = 4.9e9 + kCache;
  timed.seconds = 0.9e-3;
  ASSERT_TRUE(timed.look());
  timed.spread = 0.5;
  EXPECT_FALSE(timed.look()) << "its interval reaches what is possible";
  timed.spread = 0;
  timed.cache = 0;
  EXPECT_FALSE(timed.look()) << "how much may stay in the cache is not known";
  timed.cache = kCache;
  timed.steps = 5;
  EXPECT_FALSE(timed.look()) << "each step finds in the cache what the one before left";
  timed.steps = 1;
  timed.best.read_bytes_per_s = 5e12;
  EXPECT_FALSE(timed.look()) << "the driver's rate is too low: more was measured";
  timed.best = ceilings();
  timed.best.memory_bytes_per_s = 0;
  EXPECT_TRUE(timed.look()) << "1.1 times the read rate is 4.84e12";
  timed.counts = true;
  EXPECT_FALSE(timed.look());
  timed.counts = false;
  timed.bytes = kCache;
  timed.seconds = 1e-9;
  EXPECT_FALSE(timed.look());
  timed.bytes.reset();
  EXPECT_FALSE(timed.look());
}

TEST(PossibleTime, OfAMeasuredPeak) {
  Timed timed;
  timed.flops = 1.32e14 * 1e-3;  // the most of any type, at the greatest clock
  EXPECT_FALSE(timed.look());
  timed.seconds = 0.96e-3;
  EXPECT_FALSE(timed.look());
  timed.seconds = 0.95e-3;
  timed.mode = TimingMode::hot;
  const auto found = timed.look();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->limit, Limit::measured_peak);
  EXPECT_NEAR(found->least_s, 1e-3, 1e-9);
  timed.peak_dtype = "";
  EXPECT_FALSE(timed.look()) << "of matrix units, or of integers";
  timed.peak_dtype = "float32";
  timed.best.clock_headroom = 0;
  EXPECT_FALSE(timed.look()) << "the clock may have been low";
  timed.best = testing_results::ceilings();
  EXPECT_FALSE(timed.look()) << "nothing was measured";
}

TEST(PossibleTime, OfAGivenPeak) {
  Timed timed;
  timed.flops = 9.9e11;
  timed.given_peak = 9.9e14;
  timed.peak_dtype = "";
  EXPECT_FALSE(timed.look());
  timed.seconds = 0.9e-3;
  ASSERT_TRUE(timed.look());
  EXPECT_EQ(timed.look()->limit, Limit::given_peak);
  timed.given_peak = 2e15;
  EXPECT_FALSE(timed.look()) << "matrix units do more than others";
}

TEST(PossibleTime, WithoutCeilingsNothingIsKnown) {
  Measurement measured = testing_results::measurement();
  measured.series[0].seconds = {1e-9, 1e-9};
  EXPECT_FALSE(
      impossible_time(*timed_case(planned(), "", {}, {measured}, {}), std::nullopt, kCache, 1));
}

}  // namespace
}  // namespace warpmark
