#include "cli/bench_comparison_job.hpp"

#include <unistd.h>

#include <cstdio>
#include <map>
#include <optional>
#include <utility>

#include "base/file.hpp"
#include "base/log_text.hpp"
#include "cli/output_files.hpp"
#include "cli/suites.hpp"
#include "driver/choose.hpp"
#include "report/comparison_report.hpp"
#include "report/junit.hpp"

namespace warpmark {

namespace {

namespace fs = std::filesystem;

void require_other_file(const JobRequest& request) {
  std::error_code code;
  if (request.journal.empty() || !fs::equivalent(request.journal, request.baseline, code)) return;
  throw usage_error("the journal would replace the baseline " + display_path(request.baseline), {},
                    "write it to another file, and let that take the place of the baseline when "
                    "its figures are the ones to hold");
}

// As `bench`, but without a device there is no journal of this run to compare.
std::optional<ExitCode> measure(JobRequest request, Output& out) {
  const bool may_lack_device = std::exchange(request.skip_without_device, false);
  try {
    return bench(request, out);
  } catch (const NoDeviceError& error) {
    if (!may_lack_device) throw;
    if (!request.json) out.print("skipped: {}\n", error.message());
    return std::nullopt;
  }
}

BenchResult read_baseline(const fs::path& file) {
  std::error_code ignored;
  if (fs::exists(file, ignored)) return read_bench_result(file);
  throw usage_error("there is no baseline " + display_path(file), {},
                    "a first one is the journal (--journal) of the same run without `compare`");
}

// The JUnit file of the cases, which are right, must not pass for that of a gate that did not hold
// them against anything.
BenchComparison compare_or_report(const BenchResult& baseline, const BenchResult& contender,
                                  const ComparisonOptions& options, const JobRequest& request) {
  try {
    return compare_benches(baseline, contender, options);
  } catch (const Error& error) {
    if (!request.junit.empty()) {
      write_file_atomically(request.junit, bench_junit(contender, error.what()));
    }
    throw;
  }
}

// Where the kernel of each suite is said.
std::map<std::string, Position> suite_places(const JobRequest& request) {
  std::map<std::string, Position> places;
  for (const fs::path& file : suite_files(request.paths).files) {
    try {
      const auto suite = load_suite(file);
      const Kernel& kernel = suite->kernel;
      places[suite->name] = kernel.entry ? kernel.entry->where : kernel.where;
    } catch (const Error&) {  // the bench reports it
    }
  }
  return places;
}

}  // namespace

ExitCode bench_and_compare(const JobRequest& request, Output& out) {
  require_other_file(request);
  require_kept(output_files(request), {request.baseline});
  const ComparisonOptions options = request.comparison.options();
  const BenchResult baseline = read_baseline(request.baseline);

  JobRequest measuring = request;
  measuring.baseline.clear();
  std::optional<TemporaryFolder> folder;
  if (measuring.journal.empty()) {
    folder.emplace("warpmark-compare");
    measuring.journal = folder->path() / "run.jsonl";
  }
  const std::optional<ExitCode> done = measure(measuring, out);
  if (!done) return ExitCode::skipped;
  const ExitCode measured = *done;
  // Where every case was skipped, the baseline's are lost.
  if (measured != ExitCode::success && measured != ExitCode::verdict &&
      measured != ExitCode::skipped) {
    return measured;
  }

  BenchResult contender = read_last_bench_result(measuring.journal);
  if (folder) contender.file = "this run";
  const BenchComparison comparison = compare_or_report(baseline, contender, options, request);
  const ComparedBenches compared = request.comparison.compared(baseline, contender, comparison);
  if (!request.junit.empty()) write_file_atomically(request.junit, comparison_junit(compared));
  ConsoleStyle style = console_style(request.json ? STDERR_FILENO : STDOUT_FILENO);
  style.verbosity = request.verbosity;
  const std::string text =
      comparison_text(compared, style, request.verbosity == Verbosity::verbose);
  if (request.json) {
    // The records stay alone on standard output.
    std::fputs((out.for_runner() ? without_commands(text) : text).c_str(), stderr);
  } else {
    out.print("\n{}", text);
  }
  if (wants_annotations(request.annotations, request.json)) {
    out.flush();
    annotate_changes(compared, suite_places(request));
  }
  return compared.exit_code() != 0 ? ExitCode::verdict : measured;
}

}  // namespace warpmark
