#include "results/bench_result.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "results/measurement_fields.hpp"

namespace warpmark {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

const fs::path kResults = fs::path(WARPMARK_SOURCE_DIR) / "tests/results";

TEST(BenchResult, ReadsARun) {
  const BenchResult result = read_bench_result(kResults / "h200.jsonl");
  EXPECT_EQ(result.device_name, "NVIDIA H200");
  EXPECT_EQ(result.device_kind, "gpu");
  EXPECT_EQ(result.driver_version, 13000);
  EXPECT_EQ(result.nvrtc_version, "13.0");
  EXPECT_EQ(result.processor, "Intel Xeon Platinum 8480C");
  ASSERT_TRUE(result.commit);
  EXPECT_EQ(result.commit->size(), 40U);
  EXPECT_FALSE(result.dirty);
  ASSERT_TRUE(result.ceilings);
  EXPECT_EQ(result.ceilings->copy_bytes_per_s, 4.23e12);
  EXPECT_TRUE(result.complete);
  EXPECT_EQ(result.error, "");
  EXPECT_FALSE(result.counted());
  EXPECT_EQ(result.cases.size(), 10U);
}

// A measurement that was read is written as it was, to the order of its members.
TEST(BenchResult, MeasurementsAreWrittenAsTheyWereRead) {
  size_t count = 0;
  for (const char* name : {"h200.jsonl", "cpu.jsonl", "sweep.jsonl", "peaks.jsonl"}) {
    for (const std::string& line : split(read_file(kResults / name), '\n')) {
      Json json = line.empty() ? Json() : Json::parse(line).value("measurement", Json());
      if (json.is_null()) continue;
      CaseMeasurement measurement;
      const Position where{name, 0, 0};
      read_record(RecordField(json, where), measurement);
      // Records of before 2026-12 have another name for the mode, and lack some members.
      Json written = record_json(measurement);
      for (const char* added : {"peak_flops_per_s", "peak_dtype"})
        if (!json.contains(added)) written.erase(added);
      for (size_t i = 0; i < json["series"].size(); ++i) {
        Json& series = written["series"][i];
        if (json["series"][i].contains("cache")) {
          Json renamed = Json::object();
          for (const auto& [member, value] : series.items())
            renamed[member == "mode" ? "cache" : member] = value;
          series = renamed;
        }
        if (!json["series"][i].contains("peak_share")) series.erase("peak_share");
        if (!json["series"][i].contains("processes")) series.erase("processes");
        for (Json& process : series.contains("processes") ? series["processes"] : series["none"])
          if (process["clock_change"].is_null()) process.erase("clock_change");
        series.erase("none");
      }
      // Whole numbers of a fixture are without a point.
      // The order of members may be another.
      EXPECT_EQ(nlohmann::json::parse(written.dump()), nlohmann::json::parse(json.dump())) << name;
      ++count;
    }
  }
  EXPECT_GT(count, 20U);
}

// A journal from before there were several processes: its times include what the events around them
// took.
TEST(BenchResult, ReadsAnOlderJournal) {
  const BenchResult result = read_bench_result(kResults / "h200_one_process.jsonl");
  EXPECT_EQ(result.ceilings->launch_s, 0);
  const BenchSeries& series = result.cases.at(0).series.at(0);
  EXPECT_TRUE(series.processes.empty());
  EXPECT_EQ(series.summary.median, summarize(series.samples).median);
}

TEST(BenchResult, ReadsACase) {
  const BenchResult result = read_bench_result(kResults / "h200.jsonl");
  const BenchCase* one = result.find("copy.dtype=float32,n=16777216");
  ASSERT_NE(one, nullptr);
  EXPECT_EQ(result.find("copy.dtype=float32"), nullptr);
  EXPECT_TRUE(one->measured());
  EXPECT_EQ(one->suite, "copy");
  EXPECT_EQ(one->point, (std::vector<std::pair<std::string, std::string>>{{"dtype", "float32"},
                                                                          {"n", "16777216"}}));
  EXPECT_EQ(one->sources.size(), 64U);
  ASSERT_EQ(one->series.size(), 2U);
  const BenchSeries* hot = one->find_series(TimingMode::hot);
  ASSERT_NE(hot, nullptr);
  EXPECT_EQ(hot->batch, 20U);
  EXPECT_EQ(hot->samples.size(), 25U);
  // The record's own figures are those of its processes.
  ASSERT_EQ(hot->processes.size(), 5U);
  std::vector<double> medians;
  for (const BenchProcess& process : hot->processes) medians.push_back(process.median_s);
  EXPECT_NEAR(hot->summary.median, mean_of(medians).value, 1e-12);
  EXPECT_NEAR(hot->summary.interval.low, mean_of(medians).interval().low, 1e-12);
  EXPECT_EQ(hot->summary.interval.confidence, 0.95);
  EXPECT_EQ(hot->processes[0].count, 5U);
  EXPECT_EQ(hot->processes[0].overhead_s, 1.8e-6);
  EXPECT_EQ(hot->processes[0].clock_mhz, 1980);
  EXPECT_EQ(result.ceilings->launch_s, 1.38e-6);
  EXPECT_NEAR(*hot->copy_share, *one->bytes / hot->summary.median / 4.23e12, 1e-9);
  EXPECT_FALSE(hot->flops_per_s);
  ASSERT_EQ(one->kernels.size(), 1U);
  EXPECT_EQ(one->kernels[0].registers, 32);
  EXPECT_EQ(one->kernels[0].block, (std::array<int64_t, 3>{256, 1, 1}));
  EXPECT_EQ(one->after.sm_clock_mhz, 1980);
  EXPECT_EQ(one->after.ecc, true);
}

TEST(BenchResult, ReadsCounters) {
  const BenchResult result = read_bench_result(kResults / "cpu.jsonl");
  EXPECT_TRUE(result.counted());
  EXPECT_FALSE(result.ceilings);
  const BenchCase& one = result.cases.at(1);
  EXPECT_EQ(one.counter("ptx_thread_instructions"), 11 * 257);
  EXPECT_FALSE(one.counter("ptx_thread_instruction"));
  EXPECT_EQ(one.find_series(TimingMode::cold), nullptr);
  EXPECT_FALSE(one.before.sm_clock_mhz);
}

TEST(BenchResult, ReadsFailures) {
  const BenchResult result = read_bench_result(kResults / "h200_failures.jsonl");
  EXPECT_TRUE(result.complete);
  const BenchCase* failed = result.find("copy.dtype=float32,n=1048576");
  ASSERT_NE(failed, nullptr);
  EXPECT_FALSE(failed->measured());
  EXPECT_EQ(failed->verdict, Verdict::failed);
  EXPECT_EQ(failed->reason, "3 of 1048576 elements of `out` are wrong");
  EXPECT_EQ(result.cases.at(4).after.throttle_reasons, std::vector<std::string>{"sw_power_cap"});
}

TEST(BenchResult, ReadsATornRunAsFarAsItCame) {
  const BenchResult result = read_bench_result(kResults / "h200_torn.jsonl");
  EXPECT_FALSE(result.complete);
  EXPECT_EQ(result.cases.size(), 5U);
}

TEST(BenchResult, RefusesACheck) {
  try {
    (void)read_bench_result(kResults / "check.jsonl");
    FAIL() << "it was read";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_NE(error.message().find("check.jsonl is the journal of a check"), std::string::npos);
    EXPECT_NE(error.hint().find("warpmark bench"), std::string::npos);
  }
}

/// The H200's journal with one thing changed.
class Changed : public testing::Test {
 protected:
  TemporaryFolder folder_;
  std::vector<Json> records_;

  void SetUp() override {
    for (const std::string& line : split(read_file(kResults / "h200.jsonl"), '\n')) {
      if (!line.empty()) records_.push_back(Json::parse(line));
    }
  }
  BenchResult read() const {
    const fs::path file = folder_.path() / "run.jsonl";
    std::ofstream out(file);
    for (const Json& record : records_) out << record.dump() << "\n";
    out.close();
    return read_bench_result(file);
  }
  /// "LINE: MESSAGE" of what reading throws.
  std::string error() const {
    try {
      (void)read();
    } catch (const Error& failure) {
      EXPECT_EQ(failure.code(), ExitCode::usage);
      return std::to_string(failure.where().line) + ": " + failure.message();
    }
    return "no error";
  }
  Json& at(size_t line, const std::string& pointer) {
    return records_[line - 1][Json::json_pointer(pointer)];
  }
};

TEST_F(Changed, SaysWhereAndWhatIsWrong) {
  struct Change {
    size_t line;
    const char* pointer;
    Json value;
    const char* message;
  };
  const std::vector<Change> changes = {
      {1, "/device/name", 5, "1: `device/name` must be a text, not a number"},
      {1, "/bench/host", Json::array(), "1: `bench/host` must be an object, not a list"},
      {1, "/bench/git/dirty", "no", "1: `bench/git/dirty` must be true or false, not a text"},
      {1, "/device/driver_version", 13.5,
       "1: `device/driver_version` must be an integer, not 13.5"},
      {1, "/device/driver_version", 18446744073709551615U,
       "1: `device/driver_version` must be an integer, not 18446744073709551615"},
      {2, "/suite", nullptr, "2: `suite` must be a text, not null"},
      {3, "/verdict", "fine",
       "3: `verdict` must be one of passed, failed, skipped, interrupted, not_run, not `fine`"},
      {4, "/measurement/bytes", "8", "4: `measurement/bytes` must be a number, not a text"},
      {4, "/measurement/series/1/cache", "warm",
       "4: `measurement/series/1/cache` must be one of cold, hot, cold graph, hot graph, "
       "upload, pageable upload, download, pageable download, not `warm`"},
      {4, "/measurement/series/1/cache", "cold",
       "4: `measurement/series/1` is a second series of mode `cold`"},
      {4, "/measurement/series/0/median_s", 0,
       "4: `measurement/series/0/median_s` must be more than 0"},
      {4, "/measurement/series/0/median_s", 1.5,
       "4: `measurement/series/0/median_s` lies outside its interval"},
      {4, "/measurement/series/0/min_s", -1,
       "4: `measurement/series/0/min_s` must not be negative"},
      {4, "/measurement/series/0/count", 0, "4: `measurement/series/0/count` must be 1 or more"},
      {4, "/measurement/series/0/count", 23,
       "4: `measurement/series/0/samples_s` has 25 samples, but `count` says 23"},
      {4, "/measurement/series/0/processes/1/count", 6,
       "4: `measurement/series/0/processes` does not have the 25 samples that there are"},
      {4, "/measurement/series/0/processes/1/count", 0,
       "4: `measurement/series/0/processes/1/count` must be 1 or more"},
      {4, "/measurement/series/0/samples_s/3", "inf",
       "4: `measurement/series/0/samples_s/3` must be a number, not a text"},
      {4, "/measurement/kernels/0/grid", Json::array({1, 2}),
       "4: `measurement/kernels/0/grid` must have 3 elements"},
      {5, "/case", "copy.dtype=float32,n=65536",
       "5: a second record of the case copy.dtype=float32,n=65536"},
  };
  for (const Change& change : changes) {
    const Json before = at(change.line, change.pointer);
    at(change.line, change.pointer) = change.value;
    EXPECT_EQ(error(), change.message);
    at(change.line, change.pointer) = before;
  }
  EXPECT_EQ(error(), "no error");
}

TEST_F(Changed, SaysWhatIsMissing) {
  at(4, "/measurement/series/0").erase("stop");
  EXPECT_EQ(error(), "4: the record has no `measurement/series/0/stop`");
}

TEST_F(Changed, KnowsNothingOfWhatIsNull) {
  for (const char* name : {"registers", "occupancy", "active_blocks"}) {
    at(4, std::string("/measurement/kernels/0/") + name) = nullptr;
  }
  at(1, "/bench/git") = nullptr;
  at(1, "/bench/ceilings") = nullptr;
  const BenchResult result = read();
  EXPECT_FALSE(result.commit);
  EXPECT_FALSE(result.ceilings);
  EXPECT_EQ(result.cases.at(2).kernels.at(0).registers, 0);
}

TEST_F(Changed, AnInterruptedRunIsNotComplete) {
  Json& end = records_.back();
  end["interrupted"] = 2;
  EXPECT_FALSE(read().complete);
  EXPECT_EQ(read().error, "interrupted");
  end["error"] = "the device is gone";
  EXPECT_EQ(read().error, "the device is gone");
}

}  // namespace
}  // namespace warpmark
