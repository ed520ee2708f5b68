#include "cli/jobs/bench_comparison_job.hpp"

#include <unistd.h>
#include <iostream>

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>

#include "base/file.hpp"
#include "base/log_text.hpp"
#include "cli/jobs/bench_job.hpp"
#include "cli/jobs/line_counting.hpp"
#include "cli/request/output_files.hpp"
#include "cli/request/suites.hpp"
#include "report/comparison/comparison_junit.hpp"
#include "report/comparison/comparison_report.hpp"
#include "report/run/junit_part.hpp"
#include "results/counted_baseline.hpp"
#include "results/turns_comparison.hpp"

namespace warpmark {

namespace {

namespace fs = std::filesystem;

BenchResult read_existing(const fs::path& file) {
  std::error_code ignored;
  if (fs::exists(file, ignored)) return read_baseline(file);
  throw usage_error("there is no baseline " + display_path(file), {},
                    "--update-baseline writes one of a device that counts; one of times is the "
                    "journal (--journal) of the same run without `compare`");
}

void write_junit(const JobRequest& request, const JunitDocument& document) {
  if (request.formats.junit.empty()) return;
  write_file_atomically(
      request.formats.junit,
      junit_text(document, request.junit_part ? junit_part_comment(document, {}) : ""));
}

// The JUnit file of the cases, which are right, must not pass for that of a gate that did not hold
// them against anything.
BenchComparison compare_or_report(const BenchResult& baseline, const BenchResult& contender,
                                  const ComparisonOptions& options, const JobRequest& request) {
  try {
    return compare_benches(baseline, contender, options);
  } catch (const Error& error) {
    write_junit(request, bench_junit(contender, error.what()));
    throw;
  }
}

std::vector<std::string> grown_cases(const BenchComparison& comparison) {
  std::vector<std::string> ids;
  for (const ComparedPoint& point : comparison.points) {
    const bool grew = point.counted && (point.verdict == ChangeVerdict::slower ||
                                        point.verdict == ChangeVerdict::mixed);
    if (grew) ids.push_back(point.id);
  }
  return ids;
}

// The files of `--format` have what failed in the run so far.
void write_changes(const JobRequest& request, const ComparedBenches& compared,
                   std::vector<Problem> problems, const std::vector<Problem>& changes) {
  problems.insert(problems.end(), changes.begin(), changes.end());
  ProblemRun run = run_of(compared);
  run.verb = to_text(request.kind);
  write_outputs(request.formats, problems, run);
}

// Where the kernel of each suite is said.
std::map<std::string, Position> suite_places(const JobRequest& request) {
  std::map<std::string, Position> places;
  for (const fs::path& file : suite_files(request.paths).files) {
    try {
      const auto suite = load_suite(file);
      const Kernel& kernel = suite->kernel;
      places[suite->name] = kernel.entry ? kernel.entry->where() : kernel.where;
    } catch (const Error&) {  // the bench reports it
    }
  }
  return places;
}

// Reports in every form that the request asks for; returns whether it fails.
int report_comparison(const JobRequest& request, const BenchResult& baseline,
                      const BenchResult& contender, const BenchComparison& comparison,
                      Output& out) {
  ComparedBenches compared = request.comparison.compared(baseline, contender, comparison);
  compared.command = contender.command;
  compared.advises = request.against.empty();
  write_junit(request, comparison_junit(compared));
  print_comparison(compared, request, out);
  const std::map<std::string, Position> places = suite_places(request);
  const std::vector<Problem> changes = changes_as_problems(compared, places);
  if (wants_annotations(request.formats.annotations, request.json)) {
    out.flush();
    write_annotations(std::cerr, changes);
  }
  write_changes(request, compared, failures_as_problems(contender, places), changes);
  return compared.exit_code();
}

}  // namespace

void require_other_journal(const JobRequest& request) {
  std::error_code code;
  if (request.journal.empty() || !fs::equivalent(request.journal, request.baseline, code)) return;
  throw usage_error("the journal would replace the baseline " + display_path(request.baseline), {},
                    "write it to another file; --update-baseline writes the baseline");
}

void print_comparison(const ComparedBenches& compared, const JobRequest& request, Output& out) {
  ConsoleStyle style = console_style(request.json ? STDERR_FILENO : STDOUT_FILENO);
  style.verbosity = request.verbosity;
  print_beside("\n" + comparison_text(compared, style, request.verbosity == Verbosity::verbose),
               request, out);
}

void print_beside(const std::string& text, const JobRequest& request, Output& out) {
  if (!request.json) {
    out.write(text);
    return;
  }
  // The records stay alone on standard output.
  const std::string lines = text.substr(text.find_first_not_of('\n'));
  std::fputs((out.for_runner() ? without_commands(lines) : lines).c_str(), stderr);
}

ExitCode bench_and_compare(const JobRequest& request, Output& out) {
  require_other_journal(request);
  require_kept(output_files(request), {request.baseline});
  const ComparisonOptions options = request.comparison.options();
  const BenchResult baseline = read_existing(request.baseline);
  LazyPython python;
  const MeasuredJob job(request, out, python);
  if (!job.code()) return ExitCode::skipped;
  if (!job.finished()) return *job.code();
  BenchResult contender = job.result();
  BenchComparison comparison = compare_or_report(baseline, contender, options, request);
  // Lines take another run, which is for cases that have something to show.
  const std::vector<std::string> grown = grown_cases(comparison);
  const std::optional<ExitCode> interrupt = count_lines(request, python, grown, contender);
  if (!grown.empty()) comparison = compare_benches(baseline, contender, options);
  const int code = report_comparison(request, baseline, contender, comparison, out);
  job.add_lines(contender, grown);  // if the disk is full, the comparison is shown all the same
  if (interrupt) return *interrupt;
  return code != 0 ? ExitCode::verdict : *job.code();
}

ExitCode bench_against(const JobRequest& request, Output& out) {
  const ComparisonOptions options = request.comparison.options();
  LazyPython python;
  const MeasuredJob job(request, out, python);
  if (!job.code()) return ExitCode::skipped;
  if (!job.finished()) return *job.code();
  const BenchResult run = job.result();
  const bool is_held =
      std::ranges::any_of(run.cases, [](const BenchCase& one) { return !one.against.empty(); });
  if (!is_held && *job.code() != ExitCode::success) return *job.code();
  const int code =
      report_comparison(request, other_sides(run), run, compare_turns(run, options), out);
  return code != 0 ? ExitCode::verdict : *job.code();
}

}  // namespace warpmark
