#include "results/measurement_record.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>

#include "base/error.hpp"
#include "base/file.hpp"
#include "results/measurement_fields.hpp"
#include "results/outcome_record.hpp"
#include "results/reproduce.hpp"
#include "unit/results/example_measurement.hpp"

namespace warpmark {
namespace {

using Json = nlohmann::ordered_json;
using namespace testing_results;  // NOLINT(google-build-using-namespace)

TEST(TimedCase, RatesAndSharesAreOfTheMedian) {
  const TimedCase one = timed();
  ASSERT_EQ(one.series.size(), 2U);
  EXPECT_DOUBLE_EQ(one.series[0].summary.median, 4e-3);
  EXPECT_DOUBLE_EQ(*one.series[0].bytes_per_s, 4e12);
  EXPECT_DOUBLE_EQ(*one.series[0].flops_per_s, 2.5e11);
  EXPECT_DOUBLE_EQ(*one.series[0].copy_share, 4.0 / 4.1);
  EXPECT_DOUBLE_EQ(*one.series[0].read_share, 4.0 / 4.4);
  EXPECT_DOUBLE_EQ(*one.series[1].bytes_per_s, 5e12);
  EXPECT_EQ(one.find_series(TimingMode::hot), &one.series[1]);
  EXPECT_FALSE(one.counter("ptx_thread_instructions"));
}

TEST(TimedCase, WhatIsUnknownStaysUnknown) {
  Measurement bare;
  bare.series = {series(TimingMode::hot, 0, 0, 3)};
  bare.bytes = 8;
  const TimedCase one = *timed_case(planned(), "", {}, {bare}, {});
  EXPECT_TRUE(std::isfinite(*one.series[0].bytes_per_s)) << "no time is 0";
  EXPECT_FALSE(one.series[0].flops_per_s);
  EXPECT_FALSE(one.series[0].copy_share);
  EXPECT_EQ(one.find_series(TimingMode::cold), nullptr);
}

TEST(TimedCase, NoSamplesAreNoTime) {
  Measurement empty;
  empty.series = {series(TimingMode::cold, 1, 0, 0), series(TimingMode::hot, 1, 0, 2)};
  EXPECT_EQ(timed_case(planned(), "", {}, {empty}, {})->series.size(), 1U);
  EXPECT_EQ(timed_case(planned(), "", {}, {empty}, {})->measurement.series.size(), 1U);
  empty.series.pop_back();
  EXPECT_FALSE(timed_case(planned(), "", {}, {empty}, {}));
  for (const double bad :
       {-1e-9, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    Measurement odd;
    odd.series = {series(TimingMode::cold, 1, 0, 2)};
    odd.series[0].seconds[1] = bad;
    EXPECT_THROW(timed_case(planned(), "", {}, {odd}, {}), Error) << bad;
  }
}

// An empty kernel that took 5 us, and 1.4 where one follows another: 3.6 are not the case's.
TEST(TimedCase, WhatAnEmptyKernelTakesMoreIsTakenOff) {
  Measurement first = measurement(), second = measurement();
  first.series = {series(TimingMode::cold, 10e-6, 0, 3), series(TimingMode::hot, 8e-6, 0, 3)};
  first.series[0].empty_seconds = {5.1e-6, 5e-6, 4.9e-6};
  first.series[1].batch = 20;
  first.series[1].empty_seconds = {1.5e-6};
  first.series[0].clock_mhz = 1980;
  second.series = {series(TimingMode::cold, 10.4e-6, 0, 2), series(TimingMode::hot, 8e-6, 0, 2)};
  second.series[0].empty_seconds = {5.2e-6};
  const TimedCase one = *timed_case(planned(), "", {}, {first, second}, ceilings());
  ASSERT_EQ(one.series.size(), 2U);
  const BenchSeries& cold = one.series[0];
  ASSERT_EQ(cold.processes.size(), 2U);
  EXPECT_NEAR(*cold.processes[0].overhead_s, 3.6e-6, 1e-12);
  EXPECT_NEAR(cold.processes[0].median_s, 6.4e-6, 1e-12);
  EXPECT_EQ(cold.processes[0].clock_mhz, 1980);
  EXPECT_NEAR(cold.processes[1].median_s, 6.6e-6, 1e-12);
  EXPECT_NEAR(cold.summary.median, 6.5e-6, 1e-12) << "the mean of the medians";
  // t of one degree of freedom, 12.7, times the standard error, 0.1 us.
  EXPECT_NEAR(cold.summary.interval.high, 6.5e-6 + 12.7062047e-7, 1e-12);
  EXPECT_EQ(cold.summary.count, 5U);
  EXPECT_EQ(cold.samples.size(), 5U);
  EXPECT_NEAR(*one.series[1].processes[0].overhead_s, 0.1e-6, 1e-12);
  EXPECT_FALSE(one.series[1].processes[1].overhead_s);
  EXPECT_EQ(one.measurement.seconds, 1.0) << "of both";
}

// A graph loses only its start: what launching takes within it stays.
TEST(TimedCase, AGraphLosesWhatItTakesToStart) {
  Measurement one = measurement();
  one.series = {series(TimingMode::cold_graph, 10e-6, 0, 3)};
  one.series[0].batch = 20;
  one.series[0].empty_seconds = {6.4e-6 / 20};  // 5 us to start it, and an empty kernel
  const TimedCase timed = *timed_case(planned(), "", {}, {one}, ceilings());
  EXPECT_NEAR(*timed.series[0].processes[0].overhead_s, 5e-6 / 20, 1e-12);
  EXPECT_NEAR(timed.series[0].summary.median, 9.75e-6, 1e-12);
  EXPECT_TRUE(timed.series[0].bytes_per_s && timed.series[0].copy_share);
}

TEST(TimedCase, ATransferHasTheRateOfWhatItMoves) {
  Measurement one = measurement();
  one.series.push_back(series(TimingMode::pageable_upload, 1e-3, 0, 3));
  one.series.back().moved_bytes = 1 << 20;
  const TimedCase timed = *timed_case(planned(), "", {}, {one}, ceilings());
  const BenchSeries& upload = *timed.find_series(TimingMode::pageable_upload);
  EXPECT_NEAR(*upload.bytes_per_s, (1 << 20) / 1e-3, 1);
  EXPECT_FALSE(upload.flops_per_s || upload.copy_share || upload.read_share);
  const Json record = record_json<CaseMeasurement>(timed)["series"].back();
  EXPECT_EQ(record["mode"], "pageable upload");
  EXPECT_EQ(record["moved_bytes"], 1 << 20);
}

TEST(TimedCase, FlopsAreHeldAgainstAPeak) {
  Ceilings best = ceilings();
  best.float32_flops_per_s = 5e13;
  Measurement one = measurement();  // 2.5e11 a second
  const auto record_with = [&] {
    return record_json<CaseMeasurement>(*timed_case(planned(), "", {}, {one}, best));
  };
  EXPECT_TRUE(record_with()["peak_flops_per_s"].is_null()) << "of no type";
  one.peak_dtype = "float32";
  Json record = record_with();
  EXPECT_EQ(record["peak_flops_per_s"], 5e13);
  EXPECT_EQ(record["peak_dtype"], "float32");
  EXPECT_DOUBLE_EQ(record["series"][0]["peak_share"], 2.5e11 / 5e13);
  one.given_peak = 1e12;
  record = record_with();
  EXPECT_EQ(record["peak_flops_per_s"], 1e12) << "what the suite gives goes before";
  EXPECT_TRUE(record["peak_dtype"].is_null());
  EXPECT_DOUBLE_EQ(record["series"][0]["peak_share"], 0.25);
  one.given_peak.reset();
  one.peak_dtype = "float16";
  EXPECT_TRUE(record_with()["series"][0]["peak_share"].is_null()) << "not measured";
}

TEST(MeasurementRecord, Golden) {
  Measurement small = measurement();
  small.series = {series(TimingMode::cold, 4e-3, 0.5, 3)};
  small.series[0].stop = StopReason::budget;
  small.series[0].late = 2;
  small.counters = {{"ptx_thread_instructions", 4096}};
  const Json expected = Json::parse(R"({
    "point": [{"name": "dtype", "value": "float32"}, {"name": "n", "value": 1048576}],
    "sources": ")" + std::string(64, 'a') +
                                    R"(",
    "budget_s": 5.0, "precision": 0.005, "restore": "batch", "bytes": 16000000000.0,
    "flops": 1000000000.0, "peak_flops_per_s": null, "peak_dtype": null,
    "series": [{"mode": "cold", "batch": 1, "stop": "budget", "latency_hidden": true, "late": 2,
                "count": 3, "median_s": 0.004, "low_s": 0.002, "high_s": 0.006,
                "confidence": 0.75, "q1_s": 0.003, "q3_s": 0.005, "min_s": 0.002, "max_s": 0.006,
                "bytes_per_s": 4000000000000.0, "flops_per_s": 250000000000.0,
                "copy_share": 0.9756097560975610, "read_share": 0.9090909090909091,
                "peak_share": null,
                "processes": [{"count": 3, "median_s": 0.004, "overhead_s": null,
                               "clock_mhz": null, "clock_change": null}],
                "samples_s": [0.002, 0.004, 0.006]}],
    "kernels": [{"entry": "doublify", "grid": [8192, 1, 1], "block": [128, 1, 1], "registers": 18,
                 "shared_bytes": 1024, "local_bytes": 0, "active_blocks": 16, "occupancy": 1.0}],
    "counters": [{"name": "ptx_thread_instructions", "value": 4096}],
    "before": {"sm_clock_mhz": 1980, "memory_clock_mhz": null, "max_sm_clock_mhz": 1980,
               "temperature_c": null, "power_w": 120.5, "ecc": true, "mig": null,
               "throttle_reasons": []},
    "after": {"sm_clock_mhz": 1980, "memory_clock_mhz": null, "max_sm_clock_mhz": 1980,
              "temperature_c": null, "power_w": 120.5, "ecc": true, "mig": null,
              "throttle_reasons": ["gpu_idle"]},
    "seconds": 0.5})");
  EXPECT_EQ(record_json<CaseMeasurement>(timed(small)).dump(2), expected.dump(2));
}

TEST(MeasurementRecord, OccupancyIsNullWhereItIsNotKnown) {
  Measurement unknown = measurement();
  unknown.kernels[0].active_blocks = 0;
  const Json kernel = record_json<CaseMeasurement>(timed(unknown))["kernels"][0];
  EXPECT_TRUE(kernel["active_blocks"].is_null());
  EXPECT_TRUE(kernel["occupancy"].is_null());
}

TEST(MeasurementRecord, IsTheMemberOfATimedCaseOnly) {
  const Outcome passed = outcome("doublify", "n=1", Verdict::passed);
  EXPECT_FALSE(outcome_record({passed, ""}).contains("measurement"));
  const TimedCase one = timed();
  EXPECT_TRUE(outcome_record({passed, "", &one}).contains("measurement"));
}

TEST(RunRecord, OfABench) {
  EXPECT_FALSE(run_record(context(), 1).contains("bench"));
  RunContext run = bench_context();
  const Json expected = Json::parse(R"({
    "host": {"system": "Linux 6.1.0", "processor": "A Processor", "processors": 16,
             "memory_bytes": 137438953472},
    "git": {"commit": ")" + std::string(40, 'b') +
                                    R"(", "dirty": true},
    "ceilings": {"copy_bytes_per_s": 4100000000000.0, "read_bytes_per_s": 4400000000000.0,
                 "array_bytes": 1073741824, "launch_s": 1.4e-06, "memory_bytes_per_s": 0.0,
                 "float64_flops_per_s": 0.0, "float32_flops_per_s": 0.0,
                 "float16_flops_per_s": 0.0, "clock_headroom": 0.0},
    "cuda_version": 13000})");
  EXPECT_EQ(run_record(run, 1)["bench"].dump(2), expected.dump(2));
  run.bench->git.reset();
  run.bench->ceilings.reset();
  EXPECT_TRUE(run_record(run, 1)["bench"]["git"].is_null());
  EXPECT_TRUE(run_record(run, 1)["bench"]["ceilings"].is_null());
}

TEST(Reproduce, RepeatsABenchByBench) {
  EXPECT_EQ(reproduce_command({"x.yaml", "x.n=1", {"n=1"}, {}}, bench_context()),
            "warpmark bench x.yaml --case x.n=1 -a n=1");
}

TEST(SourcesHash, ChangesWithPlanSourceAndHeaders) {
  const TemporaryFolder folder;
  const auto write = [&](const char* name, const char* text) {
    write_file_atomically(folder.path() / name, text);
  };
  write("k.cu", "#include \"sub/a.cuh\"\nkernel\n");
  write("sub/a.cuh", "one\n");
  Plan plan = planned().plan;
  plan.units.emplace_back();
  plan.units[0].file = "k.cu";
  const std::string first = sources_hash(plan, folder.path());
  EXPECT_EQ(first.size(), 64U);
  EXPECT_EQ(sources_hash(plan, folder.path()), first);
  write("sub/a.cuh", "two\n");
  const std::string header = sources_hash(plan, folder.path());
  EXPECT_NE(header, first);
  write("k.cu", "#include \"sub/a.cuh\"\nkernel \n");
  const std::string source = sources_hash(plan, folder.path());
  EXPECT_NE(source, header);
  plan.flops = int64_t{7};
  EXPECT_NE(sources_hash(plan, folder.path()), source);
  plan.units[0].file = "gone.cu";
  EXPECT_THROW(sources_hash(plan, folder.path()), Error);
}

TEST(Throttling, LeavesOutWhatIsNobodysTrouble) {
  Measurement one = measurement();
  EXPECT_TRUE(throttling(one).empty());
  one.before.throttle_reasons = {"gpu_idle", "sw_power_cap"};
  one.after.throttle_reasons = {"sw_power_cap", "hw_thermal_slowdown"};
  EXPECT_EQ(throttling(one), (std::vector<std::string>{"sw_power_cap", "hw_thermal_slowdown"}));
}

TEST(Host, SaysWhatItRunsOn) {
  const Host host = this_host();
  EXPECT_TRUE(host.system.starts_with("Linux ")) << host.system;
  EXPECT_FALSE(host.processor.empty());
  EXPECT_GE(host.processors, 1);
  EXPECT_GT(host.memory_bytes, 1 << 20);
}

TEST(GitState, OfARepositoryAndOfNone) {
  const TemporaryFolder folder;
  EXPECT_FALSE(GitQuery(folder.path()).answer());
  const std::string git = "git -C '" + folder.path().string() +
                          "' -c user.name=a -c user.email=a@b -c commit.gpgsign=false ";
  if (std::system((git + "init -q 2>/dev/null").c_str()) != 0) GTEST_SKIP() << "no git";
  EXPECT_FALSE(GitQuery(folder.path()).answer());  // no commit yet
  write_file_atomically(folder.path() / "a", "1");
  ASSERT_EQ(std::system((git + "add a && " + git + "commit -qm one").c_str()), 0);
  const auto clean = GitQuery(folder.path()).answer();
  ASSERT_TRUE(clean);
  EXPECT_EQ(clean->commit.size(), 40U);
  EXPECT_FALSE(clean->dirty);
  write_file_atomically(folder.path() / "a", "2");
  EXPECT_TRUE(GitQuery(folder.path()).answer()->dirty);
  const char* path = std::getenv("PATH");
  const std::string before = path != nullptr ? path : "";
  ::setenv("PATH", "/nonexistent", 1);
  EXPECT_FALSE(GitQuery(folder.path()).answer());
  ::setenv("PATH", before.c_str(), 1);
}

}  // namespace
}  // namespace warpmark
