#include "cli/jobs/baseline_update.hpp"

#include <algorithm>
#include <optional>

#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/jobs/bench_comparison_job.hpp"
#include "cli/jobs/bench_job.hpp"
#include "cli/jobs/line_counting.hpp"
#include "report/comparison/comparison_report.hpp"
#include "results/counted_baseline.hpp"

namespace warpmark {

namespace {

namespace fs = std::filesystem;

// Reads the baseline to replace. A file of another kind may have been named by mistake.
std::optional<BenchResult> read_old(const fs::path& file) {
  std::error_code ignored;
  // A device or a pipe has no text to keep.
  const fs::file_status status = fs::status(file, ignored);
  if (!fs::is_regular_file(status) && !fs::is_directory(status)) return std::nullopt;
  try {
    BenchResult old = read_baseline(file);
    if (old.counted()) return old;
    throw usage_error(display_path(file) + " holds times and no counters, and is not replaced", {},
                      "name another file for the counters");
  } catch (const Error& error) {
    if (!error.where().known())
      throw;  // it is of another kind, such as a folder or the journal of a check
    const std::string hint = "delete it, and --update-baseline writes a new one";
    throw usage_error(error.message(), error.where(),
                      error.hint().empty() ? hint : error.hint() + "; or " + hint);
  }
}

void require_same_device(const BenchResult& old, const BenchResult& run,
                         const JobRequest& request) {
  if (old.device_name == run.device_name || request.comparison.across_devices) return;
  throw usage_error(fmt::format("the devices differ: {} is of {}, and this is {}",
                                display_path(old.file), old.device_name, run.device_name),
                    {}, "--across-devices replaces it all the same");
}

bool any_in_common(const BenchResult& old, const BenchResult& run) {
  return std::ranges::any_of(old.cases,
                             [&](const BenchCase& one) { return run.find(one.id) != nullptr; });
}

void print_changes(const BenchResult& old, const BenchResult& run, const JobRequest& request,
                   Output& out) {
  ComparisonOptions options = request.comparison.options();
  options.across_devices = options.across_versions = true;
  const BenchComparison comparison = compare_benches(old, run, options);
  ComparedBenches compared{old,
                           run,
                           comparison,
                           options,
                           request.comparison.failing(),
                           request.comparison.allow_missing};
  compared.advises = false;
  print_comparison(compared, request, out);
}

std::string sum_text(const BaselineUpdate& update) {
  const size_t all = update.changed + update.added + update.same;
  std::vector<std::string> parts;
  for (const auto& [count, word] : {std::pair(update.changed, "changed"),
                                    {update.added, "added"},
                                    {update.removed, "removed"}}) {
    if (count > 0) parts.push_back(fmt::format("{} {}", count, word));
  }
  return counted(all, "case") + ": " +
         (parts.empty() ? "the counts are as before" : join(parts, ", "));
}

}  // namespace

ExitCode update_baseline(const JobRequest& request, Output& out) {
  if (request.baseline.empty()) {
    throw usage_error("--update-baseline does not know which baseline", {},
                      "--compare FILE names it, or `compare:` in a run configuration");
  }
  require_other_journal(request);
  const std::optional<BenchResult> old = read_old(request.baseline);
  if (!old) require_writable(request.baseline);
  LazyPython python;
  const MeasuredJob job(request, out, python);
  if (!job.code()) return ExitCode::skipped;
  const std::string file = display_path(request.baseline);
  if (*job.code() != ExitCode::success) {
    print_beside(fmt::format("\n{} {}: {}\n", file, old ? "stays as it was" : "is not written",
                             *job.code() == ExitCode::skipped ? "every case was skipped"
                             : job.finished()                 ? "not every case is right"
                                                              : "the run was interrupted"),
                 request, out);
    return *job.code();
  }
  BenchResult run = job.result();
  BenchResult nothing;
  if (old) require_same_device(*old, run, request);
  std::vector<std::string> ids;
  for (const BenchCase& one : run.cases) {
    if (!one.counters.empty()) ids.push_back(one.id);
  }
  if (const auto interrupt = count_lines(request, python, ids, run)) return *interrupt;
  BaselineUpdate update = updated_baseline(old ? *old : nothing, run);
  update.result.pinned = request.pin_version || (old && old->pinned);
  if (old && any_in_common(*old, run)) print_changes(*old, run, request, out);
  const bool equal = !write_baseline(request.baseline, update.result);
  print_beside(equal ? fmt::format("\n{} is up to date, {}\n", file,
                                   counted(update.result.cases.size(), "case"))
                     : fmt::format("\nwrote {}, {}\n", file, sum_text(update)),
               request, out);
  return *job.code();
}

}  // namespace warpmark
