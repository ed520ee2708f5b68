// Runs the bench front with measurements from the command line instead of a device.
//
// Usage: bench_probe [--journal FILE] [--benchmark-out FILE] [--case ID]...
//                    [--maxfail N] [--json] [-v] [-q] [--counts] [--close-fails] [--l2 BYTES]
//                    SUITE=ACTIONS...
// Each letter of ACTIONS is what comes of one case of the file SUITE, in order:
//   p is timed   b spends its budget   u has 3 samples   l has the host's time in its samples
//   h is timed cold and hot   t is throttled   o has no sample   i has a time that is none
//   a fails after it was timed   f fails before
//   r takes half of the baseline's time   q twice of it   y has a baseline that failed
//   s, n, e, x, w, k as of each front: support/scripted_front.hpp
#include <iostream>
#include <limits>
#include <memory>

#include "bench/bench.hpp"
#include "cli/program/argument_parser.hpp"
#include "support/scripted_front.hpp"
#include "unit/results/example_measurement.hpp"

namespace {

using namespace warpmark;
using testing_results::series;

class ScriptedTimer : public CaseTimer {
 public:
  testing_front::Script script;
  bool counts = false;
  bool close_fails = false;

  size_t measure(std::span<TimingJob> jobs) override {
    TimingJob& job = jobs.front();
    const char letter = script.letter(*job.which);
    job.processes = {measurement_of(letter)};
    job.outcome = script.outcome(*job.which, letter == 'a' ? 'f' : letter);
    if (letter == 'r' || letter == 'q' || letter == 'y') job.baseline = baseline_of(letter, job);
    return 1;
  }

  void close() override {
    if (close_fails) throw environment_error("it does not end");
  }
  void interrupt() noexcept override { script.interrupt(); }

 private:
  static std::shared_ptr<TimedBaseline> baseline_of(char action, const TimingJob& job) {
    auto baseline = std::make_shared<TimedBaseline>();
    baseline->name = "its baseline";
    baseline->job.which = job.which;
    baseline->job.planned = &baseline->planned;
    if (action == 'y') {
      baseline->job.outcome.verdict = Verdict::failed;
      baseline->job.outcome.message = "z[0] is 1, and 2 is expected";
      return baseline;
    }
    baseline->job.processes = job.processes;
    Measurement& its = baseline->job.processes.front();
    for (double& seconds : its.series.front().seconds) seconds *= action == 'r' ? 2 : 0.5;
    baseline->rounds.assign(3, {job.processes.front().series, its.series});
    return baseline;
  }

  Measurement measurement_of(char action) const {
    Measurement result = testing_results::measurement();
    if (action == 'f') return {};
    if (action != 'h') result.series.pop_back();
    TimedSeries& first = result.series.front();
    if (action == 'b') {
      first = series(TimingMode::cold, 2e-6, 0.2, 12);
      first.stop = StopReason::budget;
    }
    if (action == 'u') {
      first = series(TimingMode::cold, 2, 0.001, 3);
      first.stop = StopReason::budget;
    }
    if (action == 'l') first.latency_hidden = false;
    if (action == 't') result.after.throttle_reasons = {"sw_power_cap"};
    if (action == 'o') first.seconds.clear();
    if (action == 'i') first.seconds[1] = std::numeric_limits<double>::quiet_NaN();
    if (counts) {
      first.mode = TimingMode::hot;
      result.counters = {{"ptx_thread_instructions", 1234567}, {"global_load_bytes", 4096}};
    }
    return result;
  }
};

int run(int argc, char** argv) {
  CommandLine app("", "bench_probe");
  BenchOptions options;
  std::vector<std::string> ids;
  std::vector<std::string> scripts;
  bool verbose = false, quiet = false;
  ScriptedTimer timer;
  app.add_option("--journal", options.journal);
  app.add_option("--benchmark-out", options.google_benchmark);
  app.add_option("--case", ids).one_value_each_time();
  app.add_option("--maxfail", options.max_failures);
  app.add_flag("--json", options.json);
  app.add_flag("-v", verbose);
  app.add_flag("-q", quiet);
  app.add_flag("--counts", timer.counts);
  app.add_flag("--close-fails", timer.close_fails);
  uint64_t l2_bytes = 0;  // as long as the cache is not known, no time is impossible
  app.add_option("--l2", l2_bytes);
  app.add_option("scripts", scripts);
  app.parse(argc, argv);
  if (verbose) options.style.verbosity = Verbosity::verbose;
  if (quiet) options.style.verbosity = Verbosity::quiet;

  RunContext context = testing_results::bench_context();
  if (l2_bytes > 0) context.device.attributes["l2_bytes"] = static_cast<int64_t>(l2_bytes);
  if (timer.counts) {
    context.device.capabilities = {"counters"};
    context.bench->ceilings.reset();
  }
  std::vector<BenchWork> work;
  for (Case& which : timer.script.read(scripts, ids, Purpose::bench)) {
    PlannedCase planned;
    planned.plan.bytes = int64_t{16};
    for (const PointValue& axis : which.point) {
      planned.plan.point.push_back({axis.name, axis.value});
    }
    TimingOptions timing;
    if (timer.script.letter(which) == 'h') timing.modes = {TimingMode::cold, TimingMode::hot};
    work.push_back(
        {{std::move(which), {}, {}, std::make_shared<const PlannedCase>(std::move(planned))},
         timing,
         std::string(64, 'a')});
  }
  return static_cast<int>(run_bench(work, timer, context, options, std::cout));
}

}  // namespace

int main(int argc, char** argv) {
  return testing_front::exit_code_of([&] { return run(argc, argv); });
}
