#include "cli/jobs/bench_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <sstream>

#include "bench/bench.hpp"
#include "cli/jobs/baseline_update.hpp"
#include "cli/jobs/bench_comparison_job.hpp"
#include "cli/jobs/device_threads.hpp"
#include "cli/jobs/session_timer.hpp"
#include "cli/request/job_setup.hpp"
#include "cli/request/output_files.hpp"
#include "cli/request/planned_work.hpp"
#include "cli/request/rank_job.hpp"
#include "cli/request/rivals.hpp"
#include "cli/request/shard_work.hpp"
#include "driver/choose.hpp"
#include "driver/driver.hpp"
#include "report/run/case_text.hpp"
#include "results/journal.hpp"
#include "results/measurement_fields.hpp"
#include "results/measurement_record.hpp"

namespace warpmark {

namespace {

std::vector<TimingMode> modes_of(CacheChoice cache, bool graph, bool transfers) {
  std::vector<TimingMode> modes;
  if (cache != CacheChoice::hot) modes.push_back(TimingMode::cold);
  if (cache != CacheChoice::cold) modes.push_back(TimingMode::hot);
  if (graph && cache != CacheChoice::hot) modes.push_back(TimingMode::cold_graph);
  if (graph && cache != CacheChoice::cold) modes.push_back(TimingMode::hot_graph);
  if (transfers) {
    modes.insert(modes.end(), {TimingMode::upload, TimingMode::pageable_upload,
                               TimingMode::download, TimingMode::pageable_download});
  }
  return modes;
}

// The command's options go before the suite's keys, and those before the defaults.
TimingOptions timing_of(const JobRequest& request, const Case& which) {
  const Bench& suite = which.suite->bench;
  TimingOptions timing;
  timing.modes = modes_of(request.cache.value_or(suite.cache.value_or(CacheChoice::cold)),
                          request.graph.value_or(suite.graph.value_or(false)),
                          request.transfers.value_or(suite.transfers.value_or(false)));
  timing.profile = request.profile;
  if (suite.budget_s) timing.budget_s = positive_number(*suite.budget_s, which.scope());
  if (request.budget_s) timing.budget_s = *request.budget_s;
  if (request.precision) timing.precision = *request.precision;
  if (request.max_samples) timing.max_samples = *request.max_samples;
  if (request.processes) timing.processes = *request.processes;
  timing.min_samples = std::min(timing.min_samples, timing.max_samples);
  return timing;
}

std::vector<BenchWork> bench_work(const JobRequest& request, std::vector<CaseWork> planned) {
  std::vector<BenchWork> all;
  all.reserve(planned.size());
  for (CaseWork& work : planned) {
    const Case& which = work.which;
    TimingOptions timing;
    std::string sources;
    try {
      if (!which.skip && !work.error) {
        timing = timing_of(request, which);
        sources = sources_hash(work.planned->plan, which.suite->folder);
      }
    } catch (const Error& error) {
      if (error.code() == ExitCode::internal) throw;
      work.error = error;
    }
    all.push_back({std::move(work), std::move(timing), std::move(sources)});
  }
  return all;
}

// Stands where no case comes to it.
class NoTimer : public CaseTimer {
 public:
  size_t measure(std::span<TimingJob> jobs) override {
    throw internal_error("nothing can run " + jobs.front().which->id);
  }
  void interrupt() noexcept override {}
};

std::vector<CaseWork> case_work(const std::vector<BenchWork>& work) {
  std::vector<CaseWork> cases;
  cases.reserve(work.size());
  for (const BenchWork& one : work) cases.push_back(one.work);
  return cases;
}

// Nothing could be loaded, which needs no device: the files that were asked for say so, and the
// standard error.
[[noreturn]] void measure_nothing(const std::vector<BenchWork>& work, const JobRequest& request,
                                  RunContext context, Output& out) {
  if (request.formats.any_file() || !request.journal.empty() || request.json) {
    context.bench.emplace();
    context.bench->host = this_host();
    BenchOptions options;
    set_run_options(request, out, options);
    const auto files = add_problem_files(request, context, options);
    NoTimer timer;
    std::ostringstream nobody;
    run_bench(work, timer, context, options, request.json ? std::cout : nobody);
  }
  refuse_all(case_work(work), request, out);
}

BenchContext bench_context(const JobRequest& request, GitQuery* git, Session& session) {
  BenchContext bench;
  bench.host = this_host();
  // Measuring them would put kernels of ours into a profile.
  if (!request.profile) bench.ceilings = session.ceilings();
  if (git != nullptr) bench.git = git->answer();
  bench.cuda_version = header_cuda_version();
  return bench;
}

void require_counters(const DeviceFacts& device) {
  if (device.has("counters")) return;
  throw environment_error(device.name + " counts nothing that a baseline could hold",
                          "the CPU device does: --device cpu");
}

}  // namespace

ExitCode bench(JobRequest request, Output& out) {
  begin_job(request, out);
  const bool compares = !request.baseline.empty();
  const bool turns = !request.against.empty();
  if (request.profile && (compares || turns || !request.google_benchmark.empty())) {
    throw usage_error(fmt::format("--profile takes no times, so that {} has nothing to go by",
                                  compares ? "--compare"
                                  : turns  ? "--against"
                                           : "--benchmark-out"));
  }
  if (compares && turns) {
    throw usage_error(
        "--compare and --against are two answers: what an earlier run measured, and what "
        "is measured by turns",
        {}, "compare the journals afterwards");
  }
  if (turns) return bench_against(request, out);
  if (request.update_baseline) return update_baseline(request, out);
  if (compares) return bench_and_compare(request, out);
  LazyPython python;
  return measure_cases(request, out, python);
}

ExitCode measure_cases(const JobRequest& request, Output& out, LazyPython& python) {
  CaseChoice choice = request.choice;
  choice.purpose = Purpose::bench;
  ChosenCases chosen = choose_cases(request.paths, choice, python.list_evaluator());
  const size_t unmeasured = chosen.unmeasured;
  RunContext context = make_context(request, chosen.deselected);
  if (unmeasured > 0) {
    context.notes.push_back("not measured: " + count_text(unmeasured, "suite") +
                            ", where a fault, a report or a compile error is expected");
  }
  std::vector<CaseWork> planned = plan_all(chosen, request.choice.axes);
  set_shard(keep_shard(planned, request), context);
  require_kept(output_files(request), request.paths, planned);
  require_ranks(planned, request);
  std::vector<BenchWork> work = bench_work(request, std::move(planned));
  std::optional<Rivals> rivals;  // a revision's files are needed as long as cases run
  if (!request.against.empty()) {
    rivals.emplace(request.against, request.choice.axes);
    for (BenchWork& one : work) {
      if (one.work.error || one.work.which.skip) continue;
      auto [rival, why] = rivals->find(one.work.which);
      one.rival = std::move(rival);
      one.no_rival = std::move(why);
    }
  }
  const auto has_error = [](const BenchWork& one) { return one.work.error.has_value(); };
  if (!work.empty() && std::ranges::all_of(work, has_error) && !context.shard)
    measure_nothing(work, request, context, out);

  SessionOptions session_options = request.session;
  if (!request.ranks) session_options.threads = device_threads(1);
  std::optional<GitQuery> git;  // beside the start of the device
  if (!work.empty()) git.emplace(work.front().work.which.suite->folder);
  session_options.times = true;
  auto session = std::make_unique<Session>(python.when_needed(), session_options);
  if (!work.empty() && work.front().work.planned) {
    const BenchWork& first = work.front();
    session->expect(first.work.which, first.work.planned,
                    request.profile ? 1 : first.timing.processes);
  }
  if (!find_device(*session, request, context, out)) return ExitCode::skipped;
  if (request.profile && session->require().has("counters")) {
    throw usage_error(
        "--profile is for the profilers of a GPU, and the device is " + session->require().name, {},
        "`warpmark profile` shows what its kernels do, line by line");
  }
  if (request.update_baseline) require_counters(context.device);
  context.bench = bench_context(request, git ? &*git : nullptr, *session);

  BenchOptions options;
  set_run_options(request, out, options);
  if (!request.google_benchmark.empty()) options.google_benchmark = request.google_benchmark;
  SessionTimer timer(std::move(session));
  const auto annotations = add_annotations(request, options);
  const auto files = add_problem_files(request, context, options);
  out.flush();  // the report goes to the same descriptor
  return run_bench(work, timer, context, options, std::cout);
}

MeasuredJob::MeasuredJob(const JobRequest& request, Output& out, LazyPython& python)
    : request_(request) {
  if (request_.journal.empty()) {
    folder_.emplace("warpmark-compare");
    request_.journal = folder_->path() / "run.jsonl";
  }
  // As `bench`, but without a device there is no journal of this run.
  const bool may_lack_device = std::exchange(request_.skip_without_device, false);
  try {
    code_ = measure_cases(request_, out, python);
  } catch (const NoDeviceError& error) {
    if (!may_lack_device) throw;
    if (!request_.json) out.print("skipped: {}\n", error.message());
  }
}

bool MeasuredJob::finished() const {
  // Where every case was skipped, the baseline's are lost.
  return code_ == ExitCode::success || code_ == ExitCode::verdict || code_ == ExitCode::skipped;
}

BenchResult MeasuredJob::result() const {
  BenchResult result = read_last_bench_result(request_.journal);
  if (folder_) result.file = "this run";
  return result;
}

void MeasuredJob::add_lines(const BenchResult& run, const std::vector<std::string>& ids) const {
  std::vector<nlohmann::ordered_json> records;
  for (const std::string& id : ids) {
    const BenchCase* one = run.find(id);
    if (one == nullptr || one->lines.empty()) continue;
    records.push_back(record_json(LinesRecord{id, one->folder, one->lines}));
  }
  add_records(request_.journal, records);
}

}  // namespace warpmark
