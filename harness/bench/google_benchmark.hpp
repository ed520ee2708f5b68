// Google Benchmark as a library: our selection, our sampling, our console, its JSON.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace warpmark {

/// The report of a benchmark.
struct BenchmarkReport {
  std::string skip;    ///< why it has no time; "" if it has one
  double seconds = 0;  ///< time of one run; finite and not negative if it has one
  std::string label;   ///< a few words beside the figures
  /// Counters by name; a value that is not finite is left out, since JSON cannot represent it.
  std::vector<std::pair<std::string, double>> counters;
};

struct RegisteredBenchmark {
  std::string name;
  std::function<BenchmarkReport()> body;
};

/// Runs all benchmarks in order, each body once, whatever BENCHMARK_* variables say, and prints
/// nothing. Returns Google Benchmark's JSON, strictly valid: the value of `context` after the last
/// one, and the benchmarks that have a time, under their own names. An exception of a body is
/// thrown at the end.
///
/// Google Benchmark keeps its benchmarks and flags in globals: only one thread may call this at a
/// time. Throws an internal error if other code has registered benchmarks.
std::string run_google_benchmark(const std::vector<RegisteredBenchmark>& benchmarks,
                                 const std::function<nlohmann::ordered_json()>& context);

}  // namespace warpmark
