// The process that runs cases for several tests of one ctest; see shared_start.hpp.
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/own_program.hpp"
#include "base/places.hpp"
#include "check/check.hpp"
#include "cli/jobs/last_failed_report.hpp"
#include "cli/jobs/session_runner.hpp"
#include "cli/program/lazy_python.hpp"
#include "cli/request/job_setup.hpp"
#include "cli/request/output_files.hpp"
#include "cli/request/planned_work.hpp"
#include "cli/request/shared_results.hpp"
#include "cli/request/shared_start.hpp"
#include "compiler/cache.hpp"
#include "report/run/annotations.hpp"
#include "report/run/console.hpp"

namespace warpmark {

namespace {

namespace fs = std::filesystem;

// The seconds after which no further case is started. A start takes 0.4 s, so that it is at most a
// sixth of what tests of long cases take together; and a test that waits for this gets its result
// soon enough for any timeout of ctest that it may have.
constexpr double kBatchS = 2;
// Granularity of file times: they are those of the last tick of the kernel's clock, at most 10 ms
// ago.
constexpr int64_t kTickNs = 20'000'000;

int64_t wall_clock_ns() {
  timespec now = {};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// Stamps of the files that the cases are made of, as they were when this process started; nothing
// if one changed since, and may have been read before or after.
std::vector<FileStamp> stamps_since(int64_t start_ns, const std::vector<CaseWork>& work) {
  std::vector<fs::path> files = input_files(work);
  // The running file is stamped, even if its path leads to another one by now; a reader of the
  // stamp does the same.
  files.emplace_back(own_program().file);
  files.emplace_back(own_program().worker);
  for (const fs::path& folder : library_search_path()) {  // plugins and devices
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
      if (entry->path().extension() == ".so") files.push_back(entry->path());
    }
  }
  std::vector<FileStamp> stamps;
  for (const fs::path& file : files) {
    const auto stamp = FileStamp::of(file);
    if (!stamp) continue;  // the name of a plugin, or a file that its own case reports as missing
    if (std::max(stamp->modified_ns, stamp->changed_ns) > start_ns - kTickNs) return {};
    stamps.push_back(*stamp);
  }
  return stamps;
}

// Reads the output of this process and its worker on the standard error, which is a file.
class BatchLog {
 public:
  std::string rest() {
    struct stat now = {};
    if (::fstat(STDERR_FILENO, &now) != 0 || now.st_size <= read_) return "";
    std::string text(static_cast<size_t>(now.st_size - read_), '\0');
    const ssize_t count = ::pread(STDERR_FILENO, text.data(), text.size(), read_);
    text.resize(count > 0 ? static_cast<size_t>(count) : 0);
    read_ += static_cast<off_t>(text.size());
    return text;
  }

 private:
  off_t read_ = 0;
};

// Runs the first case, and those of the others that it can claim in time.
class BatchRunner : public CaseRunner {
 public:
  BatchRunner(SessionRunner& runner, const SharedResults& results, std::string own)
      : runner_(runner), results_(results), own_(std::move(own)) {}

  Outcome verify(const CaseWork& work, uint64_t trial) override {
    const std::string& id = work.which.id;
    if (id == own_ || claims(id)) return runner_.verify(work, trial);
    Outcome outcome;
    outcome.verdict = Verdict::not_run;
    outcome.reason = "left to its own test";
    return outcome;
  }
  void close() override { runner_.close(); }
  void interrupt() noexcept override { runner_.interrupt(); }

  void release(const std::string& id) { claims_.erase(id); }

 private:
  bool claims(const std::string& id) {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start_;
    if (passed.count() > kBatchS) return false;
    std::optional<UniqueFd> claim = results_.claim(id);
    if (claim) claims_.emplace(id, std::move(*claim));
    return claims_.count(id) > 0;
  }

  SessionRunner& runner_;
  const SharedResults& results_;
  std::string own_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::map<std::string, UniqueFd> claims_;
};

// Leaves for each case the output of `check` for it alone.
class BatchReport : public RunReport {
 public:
  BatchReport(const SharedResults& results, BatchRunner& runner, const RunContext& context,
              const RunOptions& options, bool annotated, std::vector<FileStamp> inputs)
      : results_(results),
        runner_(runner),
        context_(context),
        style_(options.style),
        annotated_(annotated),
        inputs_(std::move(inputs)) {}

  void end_case(const EndedCase& ended) override {
    const Outcome& outcome = ended.outcome;
    // The case's own test reports everything else better: no plan, an interrupt.
    const bool judged =
        outcome.verdict == Verdict::passed || outcome.verdict == Verdict::skipped ||
        (outcome.verdict == Verdict::failed && outcome.failure != FailureKind::load);
    if (judged) put(ended);
    runner_.release(outcome.case_id);
  }

 private:
  void put(const EndedCase& ended) {
    const Outcome& outcome = ended.outcome;
    RunEnd end;
    end.totals.add(outcome.verdict);
    end.seconds = outcome.seconds;
    const ExitCode code = outcome.verdict == Verdict::passed    ? ExitCode::success
                          : outcome.verdict == Verdict::skipped ? ExitCode::skipped
                                                                : ExitCode::verdict;
    end.exit_code = static_cast<int>(code);
    std::ostringstream out, err;
    std::optional<Annotations> annotations;
    if (annotated_) annotations.emplace(err);
    err << log_.rest();
    RunContext context = context_;
    context.asked_ids = {outcome.case_id};
    ConsoleReport console(out, style_, {{outcome.suite, 1}}, context);
    console.start_case(outcome.case_id);
    console.end_case(ended);
    console.finish(end);
    if (annotations) {
      annotations->end_case(ended);
      annotations->finish(end);
    }
    results_.put(outcome.case_id, {end.exit_code, out.str(), err.str()}, inputs_);
  }

  const SharedResults& results_;
  BatchRunner& runner_;
  const RunContext& context_;
  ConsoleStyle style_;
  bool annotated_;
  std::vector<FileStamp> inputs_;
  BatchLog log_;
};

}  // namespace

ExitCode check_batch(const JobRequest& request, Output& out) {
  // This process ends with the test that started it, which a timeout may kill.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int64_t start_ns = wall_clock_ns();
  const std::string own = request.choice.ids.at(0);
  CaseChoice choice = request.choice;
  choice.ids.clear();
  LazyPython python;
  ChosenCases chosen = choose_cases(request.paths, choice, python.list_evaluator());
  const fs::path cache = CompileCache::default_folder();
  LastFailedReport last_failed(LastFailed(cache.empty() ? cache : cache / "last-failed"),
                               chosen.suites);
  std::vector<CaseWork> work = plan_all(chosen, request.choice.axes);
  const auto is_own = [&own](const CaseWork& one) { return one.which.id == own; };
  std::stable_partition(work.begin(), work.end(), is_own);
  std::vector<FileStamp> inputs = stamps_since(start_ns, work);
  if (work.empty() || !is_own(work.front()) || work.front().error || inputs.empty()) {
    return ExitCode::success;  // without a result, so that the test runs it by itself
  }

  SessionOptions session_options = request.session;
  session_options.checks = known_checks();
  auto session = std::make_unique<Session>(python.interpreter(), session_options);
  RunContext context = make_context(request, 0);
  if (!find_device(*session, request, context, out)) return ExitCode::skipped;
  RunOptions options;
  set_run_options(request, out, options);
  SessionRunner runner(std::move(session), false);
  const SharedResults results(request.share_batch);
  BatchRunner batch(runner, results, own);
  BatchReport report(results, batch, context, options,
                     wants_annotations(request.annotations, request.json), std::move(inputs));
  options.reports = {&last_failed, &report};
  std::ostringstream nobody;
  return run_check(work, batch, context, options, nobody);
}

}  // namespace warpmark
