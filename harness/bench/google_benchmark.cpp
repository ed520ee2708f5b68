#include "bench/google_benchmark.hpp"

#include <benchmark/benchmark.h>

#include <cmath>
#include <exception>
#include <map>
#include <sstream>

#include "base/error.hpp"
#include "base/json_text.hpp"
#include "base/log_text.hpp"
#include "bench/library_version.hpp"

namespace warpmark {
namespace {

// Keeps what has a time, under the name that was registered: Google Benchmark adds
// "/iterations:1/manual_time" to it.
class Collector : public benchmark::BenchmarkReporter {
 public:
  Collector() {
    SetOutputStream(&nowhere_);
    SetErrorStream(&nowhere_);
  }

  bool ReportContext(const Context&) override { return true; }

  void ReportRuns(const std::vector<Run>& reports) override {
    for (const Run& report : reports) {
      if (was_skipped(report) || report.run_type != Run::RT_Iteration) continue;
      if (!std::isfinite(report.real_accumulated_time)) continue;
      Run run = report;
      run.run_name = {};
      run.run_name.function_name = report.run_name.function_name;
      std::erase_if(run.counters,
                    [](const auto& counter) { return !std::isfinite(counter.second.value); });
      runs_.push_back(std::move(run));
    }
  }

  const std::vector<Run>& runs() const { return runs_; }

 private:
  std::ostringstream nowhere_;
  std::vector<Run> runs_;
};

// Warpmark decides what runs and how often: a filter or a number of repetitions from somebody's
// environment would leave cases out, or time them twice. The flags are globals that are read from
// the environment before main(), and only a command line sets them again. It may name flags that
// this version does not know.
void neutralise() {
  std::vector<std::string> words = {"warpmark",
                                    "--benchmark_list_tests=false",
                                    "--benchmark_filter=.",
                                    least_time<benchmark::BenchmarkReporter::Run>(),
                                    "--benchmark_min_warmup_time=0",
                                    "--benchmark_repetitions=1",
                                    "--benchmark_dry_run=false",
                                    "--benchmark_enable_random_interleaving=false",
                                    "--benchmark_report_aggregates_only=false",
                                    "--benchmark_display_aggregates_only=false",
                                    "--benchmark_format=console",
                                    "--benchmark_out=",
                                    "--benchmark_out_format=json",
                                    "--benchmark_color=false",
                                    "--benchmark_counters_tabular=false",
                                    "--benchmark_perf_counters=",
                                    "--benchmark_context=",
                                    "--benchmark_time_unit=ns",
                                    "--v=0"};
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  int count = static_cast<int>(words.size());
  benchmark::Initialize(&count, arguments.data());
}

// The library's own writer for the runs, ours for what is around them: its context has the
// machine's name, and its custom context is a global of texts.
std::string json_of(const std::vector<benchmark::BenchmarkReporter::Run>& runs,
                    const nlohmann::ordered_json& context) {
  std::ostringstream text;
  text << "{\n\"context\": " << json_page(context) << ",\n\"benchmarks\": [\n";
  benchmark::JSONReporter writer;
  writer.SetOutputStream(&text);
  writer.ReportRuns(runs);
  writer.Finalize();
  return json_without_commands(text.str());
}

// Benchmarks hold references into the caller's frame.
struct RegistryCleared {
  RegistryCleared() = default;
  RegistryCleared(const RegistryCleared&) = delete;
  RegistryCleared& operator=(const RegistryCleared&) = delete;
  ~RegistryCleared() { benchmark::ClearRegisteredBenchmarks(); }
};

class Runner {
 public:
  void operator()(benchmark::State& state, const RegisteredBenchmark& benchmark) noexcept {
    BenchmarkReport report;
    if (error_ == nullptr) {
      try {
        if (ran_[benchmark.name]++ > 0) {
          throw internal_error("Google Benchmark ran " + benchmark.name + " twice");
        }
        report = benchmark.body();
      } catch (...) {  // it would end the process inside Google Benchmark
        error_ = std::current_exception();
      }
    }
    if (error_ != nullptr) report.skip = "the run has ended";
    if (!report.skip.empty()) {
      state.SkipWithError(report.skip.c_str());
      return;
    }
    for (auto iteration : state) {
      (void)iteration;
      state.SetIterationTime(report.seconds);
    }
    for (const auto& [name, value] : report.counters) state.counters[name] = value;
    if (!report.label.empty()) state.SetLabel(report.label.c_str());
  }

  void rethrow() const {
    if (error_ != nullptr) std::rethrow_exception(error_);
  }

 private:
  std::map<std::string, int> ran_;
  std::exception_ptr error_;
};

}  // namespace

std::string run_google_benchmark(const std::vector<RegisteredBenchmark>& benchmarks,
                                 const std::function<nlohmann::ordered_json()>& context) {
  neutralise();
  Collector collector;
  Runner runner;
  if (!benchmarks.empty()) {
    const RegistryCleared cleared;
    for (const RegisteredBenchmark& each : benchmarks) {
      benchmark::RegisterBenchmark(
          each.name.c_str(), [&runner, &each](benchmark::State& state) { runner(state, each); })
          ->Iterations(1)
          ->UseManualTime();
    }
    const size_t count = benchmark::RunSpecifiedBenchmarks(&collector, ".");
    if (count != benchmarks.size()) {
      throw internal_error("Google Benchmark has benchmarks that are not Warpmark's");
    }
  }
  runner.rethrow();
  return json_of(collector.runs(), context());
}

}  // namespace warpmark
