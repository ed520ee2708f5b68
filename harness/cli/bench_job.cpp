// Measuring cases: from paths to the exit code.
#include <algorithm>
#include <iostream>
#include <memory>

#include "bench/bench.hpp"
#include "cli/bench_comparison_job.hpp"
#include "cli/job_setup.hpp"
#include "cli/lazy_python.hpp"
#include "cli/output_files.hpp"
#include "cli/session_timer.hpp"
#include "driver/driver.hpp"
#include "report/case_text.hpp"
#include "results/measurement_record.hpp"

namespace warpmark {

namespace {

std::vector<CacheState> states_of(CacheChoice choice) {
  switch (choice) {
    case CacheChoice::cold:
      return {CacheState::cold};
    case CacheChoice::hot:
      return {CacheState::hot};
    case CacheChoice::both:
      break;
  }
  return {CacheState::cold, CacheState::hot};
}

// The command's options go before the suite's keys, and those before the defaults.
TimingOptions timing_of(const JobRequest& request, const Case& which) {
  const Bench& suite = which.suite->bench;
  TimingOptions timing;
  if (const auto cache = request.cache ? request.cache : suite.cache) {
    timing.caches = states_of(*cache);
  }
  if (suite.budget_s) timing.budget_s = positive_number(*suite.budget_s, which.scope());
  if (request.budget_s) timing.budget_s = *request.budget_s;
  if (request.precision) timing.precision = *request.precision;
  if (request.max_samples) timing.max_samples = *request.max_samples;
  timing.min_samples = std::min(timing.min_samples, timing.max_samples);
  return timing;
}

std::vector<BenchWork> bench_work(const JobRequest& request, std::vector<Case> cases) {
  std::vector<BenchWork> all;
  all.reserve(cases.size());
  std::vector<CaseWork> planned = plan_all(std::move(cases), request.choice.axes);
  require_kept(output_files(request), request.paths, planned);
  for (CaseWork& work : planned) {
    const Case& which = work.which;
    TimingOptions timing;
    std::string sources;
    if (!which.skip) {
      timing = timing_of(request, which);
      sources = sources_hash(work.planned.plan, which.suite->folder);
    }
    all.push_back({std::move(work), std::move(timing), std::move(sources)});
  }
  return all;
}

BenchContext bench_context(const std::vector<BenchWork>& work, Session& session) {
  BenchContext bench;
  bench.host = this_host();
  bench.git = git_state(work.front().work.which.suite->folder);
  bench.ceilings = session.ceilings();
  bench.cuda_version = header_cuda_version();
  return bench;
}

}  // namespace

ExitCode bench(const JobRequest& request, Output& out) {
  if (!request.baseline.empty()) return bench_and_compare(request, out);
  LazyPython python;
  CaseChoice choice = request.choice;
  choice.purpose = Purpose::bench;
  ChosenCases chosen = choose_cases(request.paths, choice, python.list_evaluator());
  const size_t unmeasured = chosen.unmeasured;
  RunContext context = make_context(request, chosen.deselected);
  if (unmeasured > 0) {
    context.notes.push_back("not measured: " + count_text(unmeasured, "suite") +
                            ", where a fault, a report or a compile error is expected");
  }
  const std::vector<BenchWork> work = bench_work(request, chosen.take_cases());

  auto session = std::make_unique<Session>(python.interpreter(), request.session);
  if (!find_device(*session, request, context, out)) return ExitCode::skipped;
  context.bench = bench_context(work, *session);

  BenchOptions options;
  set_run_options(request, out, options);
  if (!request.google_benchmark.empty()) options.google_benchmark = request.google_benchmark;
  SessionTimer timer(std::move(session));
  const auto annotations = add_annotations(request, options);
  out.flush();  // the report goes to the same descriptor
  return run_bench(work, timer, context, options, std::cout);
}

}  // namespace warpmark
