#include "bench/bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/file.hpp"
#include "bench/benchmark_context.hpp"
#include "bench/google_benchmark.hpp"
#include "report/bench/bench_console.hpp"
#include "report/bench/impossible_text.hpp"
#include "report/page/figure_text.hpp"
#include "results/measurement_record.hpp"
#include "results/possible_time.hpp"
#include "runtime/judge.hpp"

namespace warpmark {
namespace {

// Before the arrays are there: types that kernels' parameters give may be floating ones.
bool may_have_peak(const Plan& plan, const RunContext& context) {
  if (!plan.flops || !context.bench) return false;
  if (plan.peak_flops_per_s) return true;
  const auto& ceilings = context.bench->ceilings;
  return ceilings && ceilings->float32_flops_per_s > 0 &&
         std::ranges::any_of(plan.buffers, [](const Buffer& buffer) {
           return !buffer.dtype || buffer.dtype->kind == DTypeKind::floating;
         });
}

BenchTable table_of(const std::vector<BenchWork>& work, const RunContext& context) {
  BenchTable table;
  table.cases = work.size();
  std::set<std::string> suites;
  std::set<TimingMode> further;
  const std::vector<std::string>& device = context.device.capabilities;
  table.counted = std::ranges::find(device, "counters") != device.end();
  for (const BenchWork& item : work) {
    suites.insert(item.work.which.suite->name);
    table.name_width = std::max(table.name_width, item.work.which.id.size());
    table.profile = table.profile || item.timing.profile;
    for (size_t i = 1; i < item.timing.modes.size() && !table.counted; ++i) {
      const TimingMode mode = item.timing.modes[i];
      if (!is_transfer(mode)) further.insert(mode);
    }
    if (!item.work.planned) continue;
    const Plan& plan = item.work.planned->plan;
    table.bytes = table.bytes || plan.bytes;
    table.flops = table.flops || plan.flops;
    table.peak = table.peak || may_have_peak(plan, context);
  }
  table.suites = suites.size();
  table.further_modes.assign(further.begin(), further.end());
  return table;
}

SweepSettings sweep_settings(const Bench& bench) {
  SweepSettings sweep;
  for (const Located& axis : bench.sweep) sweep.axes.push_back(axis.text);
  for (const AxisChoice& choice : bench.relative_to) {
    sweep.relative_to.emplace_back(choice.axis, choice.label.text);
  }
  return sweep;
}

// Hands out the cases in their order, and measures some ahead: those that the timer takes together.
class Measurements {
 public:
  Measurements(const std::vector<BenchWork>& work, CaseTimer& timer, const RunContext& context)
      : work_(work), timer_(timer), context_(context) {}

  CaseRun::Attempt of(const BenchWork& item) {
    if (next_ == jobs_.size() || jobs_[next_].which != &item.work.which) measure_from(item);
    TimingJob job = std::move(jobs_[next_++]);
    CaseRun::Attempt attempt;
    attempt.outcome = std::move(job.outcome);
    // A measurement counts only if the case was right.
    if (attempt.outcome.verdict != Verdict::passed) return attempt;
    attempt.timed = timed_case(*item.work.planned, item.sources, item.timing,
                               std::move(job.processes), ceilings());
    if (attempt.timed) attempt.timed->sweep = sweep_settings(item.work.which.suite->bench);
    if (!attempt.timed && !item.timing.profile)
      attempt.outcome.notices.emplace_back("not timed: there is no sample");
    if (attempt.timed) refuse_impossible(item.work, attempt);
    if (attempt.timed) hold_against(job, item, attempt);
    return attempt;
  }

 private:
  std::optional<Ceilings> ceilings() const {
    return context_.bench ? context_.bench->ceilings : std::nullopt;
  }

  std::optional<ImpossibleTime> impossible(const TimedCase& timed,
                                           const PlannedCase& planned) const {
    const auto& attributes = context_.device.attributes;
    const auto cache = attributes.find("l2_bytes");
    return impossible_time(
        timed, ceilings(),
        cache == attributes.end() ? 0 : static_cast<uint64_t>(std::max<int64_t>(0, cache->second)),
        planned.plan.steps.size());
  }

  // Adds the ratios. A case without a time of its baseline keeps its own time and says why there is no
  // ratio, unless there must be one.
  void hold_against(const TimingJob& own, const BenchWork& item, CaseRun::Attempt& attempt) const {
    TimedCase& timed = *attempt.timed;
    timed.not_held = item.no_rival;
    if (own.rival && !own.baseline) timed.not_held = "work of several devices takes no turns";
    if (!own.baseline && !timed.not_held.empty())
      attempt.outcome.notices.push_back("not held against anything: " + timed.not_held);
    if (!own.baseline) return;
    TimedBaseline& baseline = *own.baseline;
    const TimingJob& job = baseline.job;
    warpmark::hold_against(timed, baseline, ceilings());
    const std::optional<TimedCase> its =
        timed_case(baseline.planned, "", job.options, job.processes, ceilings());
    if (job.outcome.verdict != Verdict::passed) {
      timed.not_held = job.outcome.message.empty() ? job.outcome.reason : job.outcome.message;
    } else if (const auto found = its ? impossible(*its, baseline.planned) : std::nullopt) {
      timed.not_held = impossible_text(*found, "");
    } else if (!timed.series.front().relative && timed.against_counters.empty()) {
      timed.not_held = "there is no sample of both";
    }
    const bool is_held = timed.not_held.empty();
    const std::string no_ratio =
        fmt::format("{} could not be timed: {}", timed.against, timed.not_held);
    if (!is_held) {
      for (BenchSeries& series : timed.series) series.relative.reset();
      attempt.outcome.notices.push_back(no_ratio);
    }
    const auto& against = item.work.which.suite->bench.against_baseline;
    if (!against || !against->most || own.rival) return;
    const double most = positive_number(*against->most, item.work.which.scope());
    if (is_held && timed.series.front().relative->low <= most) return;
    if (!is_held) attempt.outcome.notices.pop_back();
    fail(attempt.outcome, FailureKind::slower,
         verdict_error(is_held ? slower_text(timed, most) : no_ratio, against->where));
    attempt.timed.reset();
  }

  // A time that cannot be is no result.
  void refuse_impossible(const CaseWork& work, CaseRun::Attempt& attempt) const {
    const auto found = impossible(*attempt.timed, *work.planned);
    if (!found) return;
    const char* blamed = found->limit == ImpossibleTime::Limit::memory ? "/bytes" : "/flops";
    fail(attempt.outcome, FailureKind::impossible,
         verdict_error(impossible_text(*found, point_text(work.which.suite->name, work.which.id)),
                       work.planned->positions.find(blamed)));
    attempt.timed.reset();
  }

  void measure_from(const BenchWork& first) {
    jobs_.clear();
    next_ = 0;
    for (auto item = work_.begin() + (&first - work_.data());
         item != work_.end() && !item->work.error; ++item) {
      TimingJob& job = jobs_.emplace_back();
      job.which = &item->work.which;
      job.planned = item->work.planned.get();
      job.options = item->timing;
      job.rival = item->rival;
    }
    jobs_.resize(timer_.measure(jobs_));
  }

  const std::vector<BenchWork>& work_;
  CaseTimer& timer_;
  const RunContext& context_;
  std::vector<TimingJob> jobs_;  ///< measured together
  size_t next_ = 0;              ///< of them
};

BenchmarkReport report_of(const CaseRun::Result& result) {
  BenchmarkReport report;
  if (!result.timed) {
    const std::string& why = result.failure.empty() ? result.skip : result.failure;
    report.skip = why.empty() ? "not timed" : why;
    return report;
  }
  const TimedCase& timed = *result.timed;
  const BenchSeries& series = timed.series.front();
  const Summary& summary = series.summary;
  report.seconds = summary.median;
  report.label = std::string(to_text(series.mode)) + ", " + std::string(to_text(series.stop));
  const auto add = [&](const std::string& name, const std::optional<double>& value) {
    if (value) report.counters.emplace_back(name, *value);
  };
  add("q1_s", summary.q1);
  add("q3_s", summary.q3);
  add("low_s", summary.interval.low);
  add("high_s", summary.interval.high);
  add("samples", static_cast<double>(summary.count));
  add("batch", static_cast<double>(series.batch));
  add("stop", static_cast<double>(series.stop));
  add("bytes_per_second", series.bytes_per_s);
  add("flops_per_second", series.flops_per_s);
  add("copy_share", series.copy_share);
  add("read_share", series.read_share);
  add("peak_share", series.peak_share);
  for (const BenchSeries& further : timed.series) {
    if (&further == &series) continue;
    std::string name = std::string(to_text(further.mode)) + " median s";
    std::ranges::replace(name, ' ', '_');
    add(name, further.summary.median);
  }
  for (const auto& [name, value] : timed.measurement.counters) {
    add(name, static_cast<double>(value));
  }
  return report;
}

CaseRun::Result measure(const BenchWork& item, Measurements& measurements, CaseRun& run) {
  std::optional<CaseRun::Attempt> ran;
  try {
    if (run.begin(item.work)) ran = measurements.of(item);
  } catch (...) {
    run.stop(std::current_exception());
  }
  return run.end(std::move(ran));
}

}  // namespace

ExitCode run_bench(const std::vector<BenchWork>& work, CaseTimer& timer, const RunContext& context,
                   const BenchOptions& options, std::ostream& out) {
  if (work.empty()) {
    throw usage_error("there is no case to measure", {}, "`warpmark list --bench` shows the cases");
  }
  if (options.google_benchmark) require_writable(*options.google_benchmark);
  nlohmann::ordered_json facts = benchmark_context(context, work);
  const auto make_console = [&] {
    return std::make_unique<BenchConsole>(out, options.style, table_of(work, context), context);
  };
  CaseRun run([&timer] { timer.interrupt(); }, work.size(), context, options, make_console, out);
  Measurements measurements(work, timer, context);
  std::vector<RegisteredBenchmark> benchmarks;
  benchmarks.reserve(work.size());
  for (const BenchWork& item : work) {
    benchmarks.push_back({item.work.which.id, [&] {
                            const CaseRun::Result result = measure(item, measurements, run);
                            if (result.timed) {
                              add_clocks(facts, result.timed->measurement.before);
                            }
                            return report_of(result);
                          }});
  }
  const std::string json = run_google_benchmark(benchmarks, [&] { return strict_json(facts); });
  CaseRun::FrontEnd front;
  front.close = [&timer] { timer.close(); };
  if (options.google_benchmark) {
    // It has no place for an error: cases without a time are those that it does not name.
    front.publish = [&] { write_file_atomically(*options.google_benchmark, json); };
  }
  const ExitCode code = run.finish(front);
  run.rethrow();
  return code;
}

}  // namespace warpmark
