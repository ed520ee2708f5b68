// What a job that runs cases is asked to do, by options or by a run configuration.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "cli/case_choice.hpp"
#include "cli/compare_request.hpp"
#include "cli/output.hpp"
#include "ranks/shard.hpp"
#include "report/annotations.hpp"
#include "report/case_run.hpp"
#include "report/style.hpp"
#include "runtime/session.hpp"

namespace warpmark {

enum class JobKind : uint8_t { check, bench };
/// The command, and the section of a run configuration.
std::string_view to_text(JobKind kind);

struct JobRequest {
  JobKind kind = JobKind::check;
  std::map<std::string, std::string> given;  ///< options as they were given, by their keys
  FailOn fail_on;
  std::vector<std::filesystem::path> paths;  ///< as suite_files takes them
  std::filesystem::path config;              ///< the run configuration it is from; "" for none
  CaseChoice choice;
  /// If not empty, only suites of these files, whatever else is chosen; choosing none is no mistake.
  std::vector<std::filesystem::path> touched;
  size_t max_failures = 0;  ///< 0 for no limit
  SessionOptions session;
  std::filesystem::path journal;      ///< "" for none
  std::filesystem::path junit;        ///< "" for none
  bool junit_part = false;            ///< of the report of several jobs
  std::optional<size_t> durations;    ///< how many of the slowest cases are listed; 0 for all
  std::shared_ptr<Ranks> ranks;       ///< that mpirun started, if this is one; else null
  std::optional<Error> no_ranks;      ///< why it cannot be one, though mpirun started it
  std::optional<Shard> shard;         ///< of the cases; nothing for all
  std::filesystem::path shard_times;  ///< a journal: how long cases take; "" for none
  bool append_journal = false;        ///< after the runs of other jobs, which are in it
  bool json = false;                  ///< JSON lines instead of the console's report
  Verbosity verbosity = Verbosity::normal;
  bool skip_without_device = false;  ///< ExitCode::skipped where the device is not there
  bool device_given = false;         ///< for the command that repeats a case
  bool seed_given = false;
  bool timeout_given = false;
  bool checks_given = false;  ///< SessionOptions::checks; else `check` looks for all that it can
  AnnotationMode annotations = AnnotationMode::automatic;

  // Of `check` only.
  size_t jobs = 1;  ///< processes that run cases at the same time
  bool jobs_given = false;
  std::string step;  ///< after which each case ends; "" for the last
  uint64_t first_trial = 0;
  std::string sanitize;               ///< a tool of compute-sanitizer; "" for none
  uint64_t trials = 1;                ///< of each case, from `first_trial` on
  std::filesystem::path share;        ///< see shared_start.hpp; "" for a start of its own
  std::filesystem::path share_batch;  ///< the folder of SharedResults, in the process of a batch
  std::filesystem::path keep;         ///< folder for the files of failures; "" for none
  bool last_failed = false;           ///< only those that failed last time, if any did
  bool trials_given = false;
  bool keep_all = false;  ///< of passes, too

  // Of `bench` only; nothing leaves the suite's own value, or that of TimingOptions.
  std::optional<CacheChoice> cache;
  std::optional<bool> graph, transfers;
  bool profile = false;          ///< each case runs once, for a profiler
  bool pin_version = false;      ///< no other version of Warpmark may compare with it
  bool update_baseline = false;  ///< writes it, instead of failing where it differs
  std::optional<double> budget_s;
  std::optional<double> precision;  ///< a share: 0.005 for "± 0.5 %"
  std::optional<uint64_t> max_samples;
  std::optional<uint64_t> processes;
  std::filesystem::path google_benchmark;  ///< its JSON; "" for none
  std::filesystem::path baseline;          ///< to compare with; "" for none
  CompareRequest comparison;
};

/// Does what a request asks. Throws a usage error for what cannot be loaded or selected, before any
/// case runs. Failures are annotated, but not what it throws.
ExitCode run_job(const JobRequest& request, Output& out);

// What run_job calls, one of each kind.
ExitCode check(const JobRequest& request, Output& out);
ExitCode bench(const JobRequest& request, Output& out);

}  // namespace warpmark
