// Google Benchmark as a library: our selection, our sampling, our console, its JSON.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace warpmark {

/// What a benchmark reports.
struct BenchmarkReport {
  std::string skip;    ///< why it has no time; "" if it has one
  double seconds = 0;  ///< of one run; finite and not negative if there is one
  std::string label;   ///< a few words beside the figures
  /// By name; one that is not finite is left out, for JSON has no word for it.
  std::vector<std::pair<std::string, double>> counters;
};

struct RegisteredBenchmark {
  std::string name;
  std::function<BenchmarkReport()> body;
};

/// Runs all benchmarks in order, each body once, whatever BENCHMARK_* variables say, and prints
/// nothing. Returns Google Benchmark's JSON, strictly valid: what `context` returns after the last
/// one, and the benchmarks that have a time, under their own names. What a body throws is thrown at
/// the end.
///
/// Google Benchmark keeps its benchmarks and flags in globals: not to be called by two threads at a
/// time. Throws an internal error if somebody else has registered benchmarks.
std::string run_google_benchmark(const std::vector<RegisteredBenchmark>& benchmarks,
                                 const std::function<nlohmann::ordered_json()>& context);

}  // namespace warpmark
