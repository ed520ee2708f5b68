#include "bench/google_benchmark.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "base/error.hpp"
#include "bench/skipped_run.hpp"

namespace warpmark {
namespace {

using Json = nlohmann::ordered_json;
using testing::ElementsAre;

BenchmarkReport timed(double seconds) {
  BenchmarkReport report;
  report.seconds = seconds;
  return report;
}

// nlohmann-json refuses Infinity and NaN, as RFC 8259 does.
Json run(const std::vector<RegisteredBenchmark>& benchmarks) {
  return Json::parse(
      run_google_benchmark(benchmarks, [] { return Json{{"date", "2026-11-21"}}; }));
}

std::vector<std::string> names(const Json& result) {
  std::vector<std::string> all;
  for (const Json& each : result["benchmarks"]) all.push_back(each["name"]);
  return all;
}

TEST(GoogleBenchmark, NamesAndTimesAreOurs) {
  const Json result = run({{"b/dot.n=~1,m=2.5", [] { return timed(1.5e-6); }},
                           {"a/sum.n=16", [] { return timed(2); }}});
  EXPECT_THAT(names(result), ElementsAre("b/dot.n=~1,m=2.5", "a/sum.n=16"));
  const Json& first = result["benchmarks"][0];
  EXPECT_EQ(first["run_name"], "b/dot.n=~1,m=2.5");
  EXPECT_EQ(first["run_type"], "iteration");
  EXPECT_EQ(first["time_unit"], "ns");
  EXPECT_EQ(first["iterations"], 1);
  EXPECT_EQ(first["repetitions"], 1);
  EXPECT_DOUBLE_EQ(first["real_time"], 1500);
  EXPECT_TRUE(first.contains("cpu_time"));
  EXPECT_DOUBLE_EQ(result["benchmarks"][1]["real_time"], 2e9);
  EXPECT_EQ(result["context"], Json({{"date", "2026-11-21"}}));
}

TEST(GoogleBenchmark, LeavesOutWhatHasNoTime) {
  const auto odd = [](double seconds) { return [seconds] { return timed(seconds); }; };
  const Json result = run({{"failed",
                            [] {
                              BenchmarkReport report;
                              report.skip = "wrong \"quoted\"\n\x01";
                              return report;
                            }},
                           {"nan", odd(std::nan(""))},
                           {"inf", odd(std::numeric_limits<double>::infinity())},
                           {"zero", odd(0)}});
  EXPECT_THAT(names(result), ElementsAre("zero"));
  EXPECT_THAT(names(run({})), ElementsAre());
}

TEST(GoogleBenchmark, CountersAndLabel) {
  const Json result = run({{"a", [] {
                              BenchmarkReport report = timed(1e-3);
                              report.label = "cold, precise";
                              report.counters = {{"q1_s", 9e-4},
                                                 {"nan", std::nan("")},
                                                 {"inf", -std::numeric_limits<double>::infinity()},
                                                 {"samples", 41}};
                              return report;
                            }}});
  const Json& only = result["benchmarks"][0];
  EXPECT_DOUBLE_EQ(only["q1_s"], 9e-4);  // as it is, neither a rate nor an average
  EXPECT_DOUBLE_EQ(only["samples"], 41);
  EXPECT_FALSE(only.contains("nan"));
  EXPECT_FALSE(only.contains("inf"));
  EXPECT_EQ(only["label"], "cold, precise");
}

TEST(GoogleBenchmark, EachBodyRunsOnceAndInOrder) {
  std::string order;
  std::vector<RegisteredBenchmark> all;
  for (const char* name : {"z", "a", "m", "b"}) {
    all.push_back({name, [&order, name] {
                     order += name;
                     return timed(1e-9);  // far below Google Benchmark's least time
                   }});
  }
  run(all);
  EXPECT_EQ(order, "zamb");
  run(all);  // nothing of the first run is left
  EXPECT_EQ(order, "zambzamb");
}

TEST(GoogleBenchmark, HandsOnWhatABodyThrows) {
  int after = 0;
  EXPECT_THROW(run({{"a", []() -> BenchmarkReport { throw std::runtime_error("a mistake"); }},
                    {"b",
                     [&] {
                       ++after;
                       return timed(1);
                     }}}),
               std::runtime_error);
  EXPECT_EQ(after, 0);
  EXPECT_THAT(names(run({{"c", [] { return timed(1); }}})), ElementsAre("c"));
}

TEST(GoogleBenchmark, TwoOfOneNameAreRefused) {
  EXPECT_THROW(run({{"a", [] { return timed(1); }}, {"a", [] { return timed(1); }}}), Error);
}

// Debian 12 has 1.7, and 1.8 has renamed the member.
TEST(SkippedRun, IsKnownInEachVersion) {
  struct Old {
    bool error_occurred;
  };
  enum class Skipped { no, with_message, with_error };
  struct New {
    Skipped skipped;
  };
  EXPECT_TRUE(was_skipped(Old{true}));
  EXPECT_FALSE(was_skipped(Old{false}));
  EXPECT_FALSE(was_skipped(New{Skipped::no}));
  EXPECT_TRUE(was_skipped(New{Skipped::with_message}));
  EXPECT_TRUE(was_skipped(New{Skipped::with_error}));
}

}  // namespace
}  // namespace warpmark
