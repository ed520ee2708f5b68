// The request to a job that runs cases, from options or a run configuration.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/words.hpp"
#include "check/search_limits.hpp"
#include "cli/program/output.hpp"
#include "cli/request/case_choice.hpp"
#include "cli/request/compare_request.hpp"
#include "cli/request/problem_formats.hpp"
#include "jobs/shard.hpp"
#include "report/page/style.hpp"
#include "report/run/case_run.hpp"
#include "runtime/session.hpp"

namespace warpmark {

enum class JobKind : uint8_t { check, bench };
/// The command, and the section of a run configuration.
constexpr auto words(JobKind) {
  return words_are("check", "bench");
}

struct JobRequest {
  JobKind kind = JobKind::check;
  std::map<std::string, std::string> given;  ///< texts of the given options, by their keys
  FailOn fail_on;
  std::vector<std::filesystem::path> paths;  ///< paths for suite_files()
  std::filesystem::path config;              ///< the run configuration of the request; "" for none
  CaseChoice choice;
  /// If not empty, only suites of these files, whatever else is chosen; choosing none is no mistake.
  std::vector<std::filesystem::path> touched;
  size_t max_failures = 0;  ///< 0 for no limit
  SessionOptions session;
  std::filesystem::path journal;      ///< "" for none
  bool junit_part = false;            ///< the JUnit file is a part of the report of several jobs
  std::optional<size_t> durations;    ///< number of the slowest cases to list; 0 for all
  size_t shown = 1;                   ///< texts of cases that failed in one way; 0 for all
  std::shared_ptr<Ranks> ranks;       ///< ranks that mpirun started, if this process is one; else
                                      ///< null
  std::optional<Error> no_ranks;      ///< why it cannot be a rank, though mpirun started it
  std::optional<Shard> shard;         ///< shard of the cases; nothing for all
  std::filesystem::path shard_times;  ///< a journal with the times of cases; "" for none
  bool append_journal = false;        ///< appends to a journal with runs of other jobs
  bool json = false;                  ///< JSON lines instead of the console's report
  Verbosity verbosity = Verbosity::normal;
  bool skip_without_device = false;  ///< ExitCode::skipped if the device is missing
  bool device_given = false;         ///< for the command that repeats a case
  bool seed_given = false;
  bool timeout_given = false;
  bool checks_given = false;  ///< SessionOptions::checks was given; else `check` looks for every
                              ///< kind of mistake that it can
  ProblemFormats formats;     ///< JUnit XML, annotations and other forms of failures

  // These are for `check` only.
  size_t jobs = 1;  ///< processes that run cases at the same time
  bool jobs_given = false;
  std::filesystem::path coverage;      ///< a tracefile of executed lines; "" for none
  std::optional<double> coverage_min;  ///< percent of lines below which the run fails
  std::optional<SearchLimits> search;  ///< looks for failing cases beyond those of the suites
  std::string step;                    ///< the step after which each case ends; "" for the last
  uint64_t first_trial = 0;
  std::string sanitize;         ///< a tool of compute-sanitizer; "" for none
  uint64_t trials = 1;          ///< trials of each case, from `first_trial` on
  std::filesystem::path share;  ///< folder of SharedResults; "" for a separate start
  std::filesystem::path keep;   ///< folder for the files of failures; "" for none
  bool last_failed = false;     ///< only cases that failed last time, if any did
  bool trials_given = false;
  std::filesystem::path suppressions, gen_suppressions;  ///< files; "" for none
  bool keep_all = false;                                 ///< keeps files of passes, too

  // These are for `bench` only; nothing leaves the suite's own value, or that of TimingOptions.
  std::optional<CacheChoice> cache;
  std::optional<bool> graph, transfers;
  bool profile = false;          ///< each case runs once, for a profiler
  bool pin_version = false;      ///< no other version of Warpmark may compare with it
  bool update_baseline = false;  ///< writes the baseline, instead of failing if it differs
  std::optional<double> budget_s;
  std::optional<double> precision;  ///< a share: 0.005 for "± 0.5 %"
  std::optional<uint64_t> max_samples;
  std::optional<uint64_t> processes;
  std::filesystem::path google_benchmark;  ///< a file for its JSON; "" for none
  std::filesystem::path baseline;          ///< the baseline to compare with; "" for none
  std::string against;                     ///< what cases take turns with (Rivals); "" for nothing
  CompareRequest comparison;
};

/// Carries out a request for a job of this kind. Throws a usage error for suites or cases that
/// cannot be loaded or selected, before any case runs. Failures are annotated; thrown errors are
/// not.
ExitCode check(JobRequest request, Output& out);
ExitCode bench(JobRequest request, Output& out);

inline ExitCode run_job(JobRequest request, Output& out) {
  return request.kind == JobKind::check ? check(std::move(request), out)
                                        : bench(std::move(request), out);
}

}  // namespace warpmark
