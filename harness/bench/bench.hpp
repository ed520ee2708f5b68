// The bench front: one Google Benchmark benchmark for each case, and its reports.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "report/run/case_run.hpp"
#include "results/run_context.hpp"
#include "runtime/timing_job.hpp"
#include "worker/measurement.hpp"

namespace warpmark {

/// The object that measures the cases: a Session, or a stub in tests.
class CaseTimer {
 public:
  virtual ~CaseTimer() = default;
  /// Verifies, times and verifies again some of the jobs, from the first one on, and returns how
  /// many: at least one. An exception ends the run.
  virtual size_t measure(std::span<TimingJob> jobs) = 0;
  /// Called after the last case: ends the processes that run cases, so that none prints after that.
  virtual void close() {}
  /// Ends a `measure` that runs with Verdict::interrupted. Called in a signal handler.
  virtual void interrupt() noexcept = 0;
};

struct BenchWork {
  CaseWork work;
  TimingOptions timing;
  std::string sources;                      ///< sources_hash()
  std::shared_ptr<const Rival> rival = {};  ///< what it is held against, if that is asked for
  std::string no_rival = {};  ///< why it is held against nothing, though it is asked for
};

struct BenchOptions : RunOptions {
  std::optional<std::filesystem::path> google_benchmark;  ///< its JSON, replaced at the end
};

/// Measures every case, suite by suite, each as a Google Benchmark benchmark whose name is the case
/// id, and reports to `out`, the journal and the Google Benchmark file. A case that does not pass
/// before or after has no time in any report. The first SIGINT, SIGTERM or SIGHUP marks unfinished
/// cases as interrupted and finishes the reports; the second kills.
///
/// Google Benchmark's flags and environment variables have no effect. Returns success, verdict,
/// skipped or interrupted. Throws the exception of `timer` or the journal after the reports are
/// finished, with the cases that did not run marked interrupted; an environment error before any
/// case for files that cannot be written; a usage error if there is no work. `context` must have
/// its `bench`.
ExitCode run_bench(const std::vector<BenchWork>& work, CaseTimer& timer, const RunContext& context,
                   const BenchOptions& options, std::ostream& out);

}  // namespace warpmark
