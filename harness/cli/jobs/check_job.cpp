// Checking cases: from paths to the exit code.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <set>
#include <sstream>

#include "base/places.hpp"
#include "base/text.hpp"
#include "check/check.hpp"
#include "cli/jobs/check_lanes.hpp"
#include "cli/jobs/coverage_report.hpp"
#include "cli/jobs/device_threads.hpp"
#include "cli/jobs/keep_report.hpp"
#include "cli/jobs/last_failed_report.hpp"
#include "cli/jobs/search_report.hpp"
#include "cli/jobs/session_runner.hpp"
#include "cli/jobs/shared_start.hpp"
#include "cli/jobs/suppression_report.hpp"
#include "cli/program/device_survey.hpp"
#include "cli/program/lazy_python.hpp"
#include "cli/request/job_setup.hpp"
#include "cli/request/output_files.hpp"
#include "cli/request/planned_work.hpp"
#include "cli/request/rank_job.hpp"
#include "cli/request/shard_work.hpp"
#include "compiler/cache.hpp"
#include "driver/driver.hpp"
#include "ranks/ranks.hpp"
#include "runtime/session.hpp"

namespace warpmark {

namespace {

// Under a sanitizer a kernel takes about this many times as long (racecheck has been seen at 18).
constexpr double kSanitizedTime = 20;

// Schedules are tried beside the usual one: all schedules if there are few cases, and a few for
// each of many, since the cases of a suite begin with different ones.
constexpr size_t kFewCases = 16;
constexpr uint64_t kSchedulesOfMany = 2;

SessionOptions session_options_of(const JobRequest& request, size_t cases) {
  SessionOptions options = request.session;
  if (cases > kFewCases && !request.given.contains("schedules"))
    options.schedules = kSchedulesOfMany;
  // Lines that are executed for the first time guide a search.
  if (request.search) options.coverage = true;
  if (!request.checks_given) options.checks = known_checks();
  // The page of failures draws them.
  const auto is_page = [](const ProblemOutput& one) { return one.format == ProblemFormat::html; };
  if (!options.counters.empty() && std::ranges::any_of(request.formats.outputs, is_page))
    options.counters.emplace_back("samples");
  if (!request.suppressions.empty()) options.suppressions = load_suppressions(request.suppressions);
  if (request.sanitize.empty()) return options;
  if (options.in_process) {
    throw usage_error("--sanitize runs workers, and --in-process wants none");
  }
  if (!request.timeout_given) options.timeout_s *= kSanitizedTime;
  if (const auto program = find_compute_sanitizer())
    options.sanitizer = Sanitizer{*program, request.sanitize};
  return options;
}

void require_sanitizer(const DeviceFacts& device, const SessionOptions& options) {
  if (device.has("reports")) {
    throw usage_error(
        fmt::format("--sanitize is for GPUs; {} finds mistakes itself", printable(device.name)), {},
        "--checks says which");
  }
  if (options.sanitizer) return;
  throw environment_error(
      "compute-sanitizer is neither in PATH nor below WARPMARK_CUDA_HOME or /usr/local/cuda",
      "it comes with the CUDA toolkit (Debian: nvidia-cuda-toolkit)");
}

void use_ranks(const JobRequest& request, SessionOptions& options) {
  if (!request.sanitize.empty()) {
    throw usage_error("--sanitize is for one process, and mpirun started several");
  }
  request.ranks->share_cpu_devices();
  options.ranks = request.ranks;
}

// `--device all` is every GPU, each with a process.
std::vector<std::string> devices_of(JobRequest& request) {
  if (request.session.device != "all") return {request.session.device};
  std::vector<std::string> devices = all_gpus();
  request.session.device = "gpu";
  if (!request.jobs_given) request.jobs = devices.size();
  return devices;
}

// A check that was asked for by name is not left out silently.
void require_checks(const DeviceFacts& device) {
  if (device.has("checks")) return;
  throw usage_error(
      fmt::format("{} cannot look for mistakes, and --checks asks for it", printable(device.name)),
      {}, "--device cpu can; on a GPU --sanitize does");
}

// A coverage that was asked for is not left out silently, nor is a gate passed by it.
void require_coverage(const DeviceFacts& device) {
  if (device.has("profile")) return;
  throw usage_error(fmt::format("{} cannot count which lines run, and --coverage asks for it",
                                printable(device.name)),
                    {}, "--device cpu can, which is the default with --coverage");
}

// Refuses a device that cannot do what was asked for, or notes that it does not.
void require_asked(const JobRequest& request, const SessionOptions& options, RunContext& context) {
  if (request.checks_given) require_checks(context.device);
  if (request.session.coverage) require_coverage(context.device);
  if (!request.sanitize.empty()) require_sanitizer(context.device, options);
  if (!request.session.counters.empty() && !context.device.has("profile")) {
    context.notes.push_back(context.device.name +
                            " does not count: `--counters` is for the CPU device (--device cpu)");
  }
}

// A runner for work of which no case reaches the runner.
class NoRunner : public CaseRunner {
 public:
  Outcome verify(const CaseWork& work, uint64_t) override {
    throw internal_error("nothing can run " + work.which.id);
  }
  void interrupt() noexcept override {}
};

// Functions of a suite are foreign code in this process: they, or a library that they load, may end
// it, and with it the run. Then another process evaluates them.
bool may_end_process(const std::vector<CaseWork>& work) {
  std::set<const Suite*> seen;
  return std::ranges::any_of(work, [&](const CaseWork& one) {
    if (one.error || !seen.insert(one.which.suite.get()).second) return false;
    return std::ranges::any_of(python_texts(*one.which.suite), [](const PythonText& text) {
      return text.function || text.text.find("__") != std::string::npos;
    });
  });
}

// The runner of the cases: this process with a worker, or other processes.
struct Runners {
  SharedStart* share = nullptr;  // null for a separate start
  std::unique_ptr<SessionRunner> alone;
  std::unique_ptr<CaseRunner> others;

  CaseRunner& chosen() const { return others ? *others : *alone; }

  // Starts the runner and waits for the device.
  DeviceFacts start(JobRequest& request, SessionOptions options, const std::vector<CaseWork>& work,
                    RunContext& context, LazyPython& python) {
    const std::vector<std::string> devices = devices_of(request);
    if (request.device_given) context.device_request = request.session.device;
    if (share != nullptr) {
      if (auto shared = share->start(request, context, python, options)) {
        others = std::move(shared->runner);
        return shared->device;
      }
    }
    if (!request.ranks) options.threads = device_threads(request.jobs);
    if (request.jobs > 1) require_lanes(request);
    if (request.jobs > 1 || (may_end_process(work) && can_have_lanes(request))) {
      auto lanes =
          std::make_unique<CheckLanes>(work, context, python, options, request.jobs, devices);
      DeviceFacts device = lanes->require();
      others = std::move(lanes);
      return device;
    }
    options.device = devices.front();
    auto session = std::make_unique<Session>(python.when_needed(), options);
    if (!work.empty() && work.front().planned)
      session->expect(work.front().which, work.front().planned);
    DeviceFacts device = session->require();
    alone = std::make_unique<SessionRunner>(std::move(session), !request.keep.empty());
    // This process waits while they compile, and so leaves them all processors.
    if (options.threads > 1) alone->compile_ahead(work, options, options.threads);
    return device;
  }
};

// Reports that nothing could be loaded, which needs no device: in the requested files, and on the
// standard error.
[[noreturn]] void check_nothing(const std::vector<CaseWork>& work, const JobRequest& request,
                                size_t deselected, Output& out) {
  if (request.formats.any_file() || !request.journal.empty() || request.json) {
    const RunContext context = make_context(request, deselected);
    RunOptions options;
    set_run_options(request, out, options);
    const auto files = add_problem_files(request, context, options);
    NoRunner runner;
    std::ostringstream nobody;
    run_check(work, runner, context, options, request.json ? std::cout : nobody);
  }
  refuse_all(work, request, out);
}

}  // namespace

ExitCode check(JobRequest request, Output& out) {
  begin_job(request, out);
  cover_by_environment(request);
  if (request.session.coverage && !request.device_given) request.session.device = "cpu";
  if (request.keep_all && request.keep.empty()) {
    throw usage_error("--keep-all needs --keep DIR", {}, "which says where to keep the files");
  }
  std::optional<SharedStart> share;
  if (!request.share.empty()) share.emplace(request);
  LazyPython python;
  ChosenCases chosen = choose_cases(request.paths, request.choice, python.list_evaluator());
  if (!request.touched.empty() && !keep_touched(chosen, request.touched)) {
    out.print("no chosen case is of these suites\n");
    return ExitCode::success;
  }
  const std::filesystem::path cache = cache_folder();
  const LastFailed memory(cache.empty() ? cache : cache / "last-failed");
  std::string last_failed_note;
  if (request.last_failed) last_failed_note = keep_last_failed(chosen, memory);
  const size_t deselected = chosen.deselected;
  LastFailedReport last_failed(memory, chosen.suites);
  std::optional<SearchReport> search;
  if (request.search) search.emplace(request, chosen);
  std::vector<CaseWork> work = list_work(chosen, request.choice.axes);
  // Plans are made when their cases start, unless the plans of all are needed at once.
  if (!request.step.empty() || launched_rank()) plan_all(work);
  if (!request.step.empty()) end_after_step(work, request.step);

  const auto shard = keep_shard(work, request);
  require_kept(output_files(request), request.paths, work);
  if (nothing_can_run(work) && !shard) check_nothing(work, request, deselected, out);

  require_ranks(work, request);
  SessionOptions session_options = session_options_of(request, work.size());
  const bool on_ranks = request.ranks && has_devices(work);
  if (on_ranks) use_ranks(request, session_options);
  RunContext context = make_context(request, deselected);
  set_shard(shard, context);
  if (!last_failed_note.empty()) context.notes.push_back(last_failed_note);
  if (on_ranks) {
    context.launcher = fmt::format("mpirun -n {}", request.ranks->size());
    context.notes.push_back(fmt::format("{} ranks, each with a device for cases with `devices`",
                                        request.ranks->size()));
  }
  Runners runners{share ? &*share : nullptr, {}, {}};
  const auto start = [&] { return runners.start(request, session_options, work, context, python); };
  if (!find_device(start, request, context, out)) return ExitCode::skipped;
  require_asked(request, session_options, context);
  RunOptions options;
  set_run_options(request, out, options);
  CaseRunner& runner = runners.chosen();
  if (search) {
    search->search(runner, work);
    options.reports.push_back(&*search);
  }
  options.reports.push_back(&last_failed);
  std::optional<KeepReport> keep;
  if (!request.keep.empty()) {
    keep.emplace(request.keep, request.keep_all, *runners.alone, python.interpreter());
    options.reports.push_back(&*keep);
  }
  SuppressionReport suppressions(session_options.suppressions, request.suppressions,
                                 request.gen_suppressions);
  options.reports.push_back(&suppressions);
  std::optional<CoverageReport> coverage;
  if (request.session.coverage) {
    coverage.emplace(request.coverage, request.coverage_min);
    options.reports.push_back(&*coverage);
  }
  const auto annotations = add_annotations(request, options);
  const auto files = add_problem_files(request, context, options);

  out.flush();  // the report goes to the same descriptor
  return run_check(work, runner, context, options, std::cout);
}

}  // namespace warpmark
