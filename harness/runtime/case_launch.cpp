#include "runtime/case_launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/parallel.hpp"
#include "runtime/accepted_findings.hpp"
#include "runtime/case_fit.hpp"
#include "runtime/output_checks.hpp"
#include "runtime/requests.hpp"
#include "runtime/sanitizer_log.hpp"
#include "runtime/step_names.hpp"

namespace warpmark {

namespace {

// The factor by which a launch may take longer in a schedule that holds threads back while others
// poll.
constexpr unsigned kSlower = 4;

}  // namespace

void CaseLaunch::check_sanitized(const ReadyCase& ready, const Results& results, Outcome& outcome) {
  places_.clear();
  bool ended = false;
  try {
    check_results(ready, results, outcome);
  } catch (const CaseEnded&) {
    ended = true;  // the end is reported after the findings
  }
  if (outcome.verdict == Verdict::interrupted) {
    worker_.end();
  } else if (!finished_) {
    outcome.findings = sanitizer_reports(places_);
  }
  finished_ = false;
  if (ended) throw CaseEnded{};
  judge_reports(ready.planned, outcome);
}

// Returns the reports of the sanitizer. A tool that saw no kernel finds nothing in any. If the
// worker was ended during the case, the tool was, too, and its summary is missing.
std::vector<nlohmann::ordered_json> CaseLaunch::sanitizer_reports(
    const std::vector<protocol::BufferPlace>& places) {
  const bool must_be_whole = worker_.runs();
  const std::string log = worker_.finish();
  if (const std::string why = why_nothing_was_checked(log); must_be_whole && !why.empty()) {
    throw environment_error(
        "compute-sanitizer did not check the kernel: " + why,
        fmt::format("`{} --tool {} PROGRAM` shows whether it works here; where only a part of "
                    "the CUDA toolkit is installed, it may lack its libraries",
                    options_.sanitizer->program, options_.sanitizer->tool));
  }
  return read_sanitizer_log(log, places);
}

bool CaseLaunch::judge_reports(const PlannedCase& planned, Outcome& outcome) {
  if (!planned.plan.report) return judge_clean(planned, outcome);
  // An expected report may come from a step that was left out.
  if (!planned.cut.empty() && outcome.findings.empty()) return true;
  return judge_findings(planned, outcome);
}

void CaseLaunch::check_results(const ReadyCase& ready, const Results& results, Outcome& outcome) {
  launch(ready, results, kFirstPoison, outcome);
  const bool doubtful = !judge(ready, results, kFirstPoison, {}, outcome);
  if (doubtful) {
    const EarlierResults earlier = outputs_of(ready, results, kFirstPoison);
    launch(ready, results, kSecondPoison, outcome);
    judge(ready, results, kSecondPoison, earlier, outcome);
  }
  if (outcome.verdict == Verdict::passed && worker_.facts().has("profile") && schedule_ == 0) {
    judge_counters(ready.planned, launch_counters_, outcome);
  }
}

Results CaseLaunch::seen(const ReadyCase& ready, const Results& results) const {
  Results whole = results;
  for (const std::string& name : on_device_.unchanged) {
    const auto input = ready.inputs.arrays.find(name);
    if (input != ready.inputs.arrays.end()) whole.insert_or_assign(name, input->second);
  }
  return whole;
}

void CaseLaunch::judge_fetched(const ReadyCase& ready, const Results& results, const Results* right,
                               Outcome& outcome) {
  on_device_ = {};  // all of the results were fetched
  collect(ready, results, kFirstPoison, outcome);
  const protocol::Run run = run_request(ready);
  const auto is_right = [&](const protocol::BufferBytes& buffer) {
    const bool is_nobodys = !buffer.judged && !buffer.has_initial;
    if (is_nobodys) return true;
    return same_bytes(right->at(buffer.name).bytes(), results.at(buffer.name).bytes());
  };
  if (right != nullptr && std::ranges::all_of(run.buffers, is_right)) return;
  judge(ready, results, kFirstPoison, {}, outcome);
}

bool CaseLaunch::asks_samples() const {
  return std::ranges::find(options_.counters, "samples") != options_.counters.end();
}

// True if the device counts the events that are judged.
bool CaseLaunch::is_counted(const ReadyCase& ready) const {
  const Plan& plan = ready.planned.plan;
  return (!plan.counters.empty() || plan.composites.any() || ready.planned.compares_counters) &&
         worker_.facts().has("profile");
}

bool CaseSchedules::next() {
  const SessionOptions& options = launch_.options_;
  if (!started_) {
    started_ = true;
    launch_.schedule_ = options.schedule.value_or(0);
    return true;
  }
  end();
  const bool is_only = options.schedule || plan_.report || plan_.fault;
  if (!is_only && !usual_) {
    usual_ = outcome_;
    most_ = std::min(launch_.schedules_, options.schedules);
    counters_ = launch_.launch_counters_;
  }
  if (!is_only && outcome_.verdict == Verdict::passed) {
    outcome_ = *usual_;
    if (tried_ < most_) {
      launch_.schedule_ = first_ + tried_++;
      return true;
    }
  }
  if (usual_) launch_.launch_counters_ = std::move(counters_);
  return false;
}

// Adds the schedule to the message of a failure, if it was not the usual one.
void CaseSchedules::end() {
  const uint64_t schedule = std::exchange(launch_.schedule_, 0);
  if (schedule == 0 || outcome_.verdict != Verdict::failed) return;
  outcome_.schedule = schedule;
  outcome_.message += fmt::format(
      "\nthis is in schedule {}: what the kernel computes depends on which of its threads come "
      "first",
      schedule);
}

EarlierResults CaseLaunch::outputs_of(const ReadyCase& ready, const Results& results,
                                      std::byte poison) {
  EarlierResults earlier{poison, {}};
  const auto keep = [&](const std::string& output) {
    const auto bytes = results.at(output).bytes();
    earlier.outputs.emplace(output, std::vector<std::byte>(bytes.begin(), bytes.end()));
  };
  for (const Expected& expected : ready.planned.plan.expected) keep(expected.output);
  for (const Buffer* output : checked_outputs(ready.planned.plan)) keep(output->name);
  return earlier;
}

std::map<std::string, Array> CaseLaunch::make_results(const ReadyCase& ready) {
  std::map<std::string, Array> results;
  for (const Buffer& buffer : ready.planned.plan.buffers) {
    results.emplace(buffer.name,
                    Array(ready.inputs.dtypes.at(buffer.name), buffer_shape(buffer, ready.inputs)));
  }
  return results;
}

protocol::Run CaseLaunch::run_with_limits(const ReadyCase& ready) const {
  protocol::Run run = run_request(ready);
  run.confined = options_.confinement.has_value();
  // A device that can stop its own launch does so: its report shows where the kernel was.
  run.wall_limit_s = ready.planned.plan.limits.timeout_s.value_or(options_.timeout_s);
  run.schedule = schedule_;
  run.threads = options_.threads;
  if (schedule_ != 0) {
    run.wall_limit_s *= kSlower;
    run.instructions *= kSlower;
  }
  return run;
}

bool CaseLaunch::keeps_limits() const {
  return worker_.facts().has("reports");
}

// The checks of a run: an expected report needs the check that finds it.
std::vector<std::string> CaseLaunch::checks_for(const Plan& plan) const {
  static const std::map<std::string, std::string> kFinders = {
#define CHECK(name, kind, word, places) {#kind, #name},
#include "warpmark/checks.def"
  };
  std::vector<std::string> checks = options_.checks;
  for (const std::string& kind : plan.report ? plan.report->kinds : std::vector<std::string>()) {
    const auto finder = kFinders.find(kind);
    if (finder == kFinders.end()) continue;
    if (checks.empty()) checks = {"memory"};
    if (std::ranges::find(checks, finder->second) == checks.end()) {
      checks.push_back(finder->second);
    }
  }
  return checks;
}

void CaseLaunch::launch(const ReadyCase& ready, const Results& results, std::byte poison,
                        Outcome& outcome) {
  const Plan& plan = ready.planned.plan;
  protocol::Verify request{run_with_limits(ready), std::to_integer<uint8_t>(poison)};
  request.run.checks = checks_for(plan);
  request.run.counters = options_.counters;
  if (is_counted(ready)) {  // samples explain a counter that is too high
    if (options_.counters.empty()) request.run.counters = {"traffic"};
    if (!asks_samples()) request.run.counters.emplace_back("samples");
  }
  if (options_.coverage) request.run.counters.emplace_back(kCoverageCounters);
  if (options_.confinement) {
    request.run.guard = ready.guards_front ? protocol::Guard::front : protocol::Guard::back;
  }
  for (const auto& placed : ready.placed) placed.second.spread(poison);
  const bool on_ranks = ranks_ != nullptr && request.run.devices > 1;
  protocol::Verified verified = on_ranks ? launch_on_ranks(ready, request, results, outcome)
                                         : launch_once(ready, request, results, outcome);
  name_launches(plan, verified.counters);
  places_ = verified.places;
  outcome.findings = std::move(verified.reports);
  launch_counters_ = verified.counters;
  // A worker that runs a submission is not trusted.
  on_device_ =
      options_.confinement ? protocol::Verified::OnDevice{} : std::move(verified.on_device);
  schedules_ = verified.schedules;
  if (!options_.counters.empty()) outcome.counters = verified.counters;
  if (!verified.trespasses.empty()) {
    end_case(outcome, FailureKind::fault,
             verdict_error(fmt::format("the kernel wrote outside `{}`, next to it in memory",
                                       verified.trespasses.front())));
  }
  end_misfit(ready.planned, verified.misfit, outcome);
  if (verified.changed_input) end_changed(ready, *verified.changed_input, outcome);
  collect(ready, results, poison, outcome);
  if (plan.fault && ready.planned.cut.empty()) {
    judge_missing_fault(ready.planned, outcome);
    throw CaseEnded{};
  }
  if (options_.sanitizer) return;  // judged once its log is read
  if (!judge_reports(ready.planned, outcome)) throw CaseEnded{};
}

protocol::Verified CaseLaunch::launch_once(const ReadyCase& ready, protocol::Verify& request,
                                           const Results& results, Outcome& outcome) {
  protocol::Reply reply = ask_for_launch(ready, request, results, outcome);
  if (auto* failure = std::get_if<protocol::Failure>(&reply)) {
    failure->reports = without_allowed(ready.planned.plan, options_.suppressions,
                                       std::move(failure->reports), outcome);
    outcome.step = name_steps(ready.planned.plan, *failure);
    add_coverage(failure->coverage);
    if (options_.sanitizer) {
      failure->reports = sanitizer_reports(failure->places);
      finished_ = true;
    } else {
      dialogue_.end_spoilt_worker(*failure);
    }
    end_failed(ready, *failure, outcome);
  }
  if (!std::holds_alternative<protocol::Verified>(reply)) dialogue_.end_garbled(outcome);
  auto& verified = std::get<protocol::Verified>(reply);
  verified.reports = without_allowed(ready.planned.plan, options_.suppressions,
                                     std::move(verified.reports), outcome);
  outcome.step = name_steps(ready.planned.plan, verified.reports);
  add_coverage(verified.coverage);
  return std::move(verified);
}

void CaseLaunch::add_coverage(const std::vector<nlohmann::ordered_json>& texts) {
  for (const nlohmann::ordered_json& text : texts) coverage_.add(text);
}

// The device reports the step, but not the elements: later steps may have restored them.
void CaseLaunch::end_changed(const ReadyCase& ready, const protocol::ChangedInput& changed,
                             Outcome& outcome) {
  const Plan& plan = ready.planned.plan;
  const Buffer* buffer = plan.find_buffer(changed.buffer);
  const auto* launch = changed.step < plan.steps.size()
                           ? std::get_if<LaunchStep>(&plan.steps[changed.step])
                           : nullptr;
  if (buffer == nullptr || launch == nullptr) return;  // the report does not match the request
  end_case(outcome, FailureKind::input_changed,
           verdict_error(fmt::format("step {}, `{}`: the kernel changed its input `{}`",
                                     changed.step + 1, step_name(*launch), buffer->name),
                         ready.planned.positions.find(buffer->at),
                         "an array that a kernel may write is an `inout`"));
}

void CaseLaunch::end_failed(const ReadyCase& ready, const protocol::Failure& failure,
                            Outcome& outcome) {
  end_small_variable(ready.planned, ready.inputs, failure.variable, outcome);
  judge_fault(ready.planned, failure, outcome);
  throw CaseEnded{};
}

namespace {

// Warnings are left to the caller that judges the whole.
void end_unclean(const PlannedCase& planned, const std::vector<nlohmann::ordered_json>& reports,
                 Outcome& outcome) {
  Outcome alone;
  alone.findings = reports;
  if (judge_clean(planned, alone)) return;
  outcome.findings = reports;
  end_case(outcome, alone.failure, alone.error.value());
}

}  // namespace

// The first rank with an objection decides, and is named.
protocol::Verified CaseLaunch::launch_on_ranks(const ReadyCase& ready,
                                               const protocol::Verify& request,
                                               const Results& results, Outcome& outcome) {
  const Plan& plan = ready.planned.plan;
  const std::optional<double> limit_s = plan.limits.timeout_s;
  const auto run_own = [&](const nlohmann::json& part, const std::vector<int>& fds, Outcome& into) {
    protocol::Reply reply = dialogue_.ask(part, fds, into, limit_s, 0, keeps_limits());
    if (const auto* failure = std::get_if<protocol::Failure>(&reply)) {
      dialogue_.end_spoilt_worker(*failure);
    }
    return reply;
  };
  std::vector<RankAnswer> answers =
      ranks_->run(request, buffer_arrays(request.run, ready, &results), limit_s, run_own, outcome);
  protocol::Verified whole;
  size_t rank = 0;
  try {
    for (; rank < answers.size(); ++rank) {
      end_with_rank(answers[rank], outcome);
      protocol::Reply& reply = *answers[rank].reply;
      if (auto* failure = std::get_if<protocol::Failure>(&reply)) {
        outcome.step = name_steps(plan, *failure);
        add_coverage(failure->coverage);
        end_failed(ready, *failure, outcome);
      }
      auto& verified = std::get<protocol::Verified>(reply);
      add_coverage(verified.coverage);
      verified.reports =
          without_allowed(plan, options_.suppressions, std::move(verified.reports), outcome);
      const std::string step = name_steps(plan, verified.reports);
      if (outcome.step.empty()) outcome.step = step;
      end_misfit(ready.planned, verified.misfit, outcome);
      if (!plan.report) end_unclean(ready.planned, verified.reports, outcome);
      if (rank == 0) whole.places = std::move(verified.places);
      std::ranges::move(verified.reports, std::back_inserter(whole.reports));
      std::ranges::move(verified.counters, std::back_inserter(whole.counters));
    }
  } catch (const CaseEnded&) {
    judge_silence(ready.planned, outcome);
    blame_rank(outcome, rank);
    throw;
  }
  return whole;
}

// Bytes between rows and before arrays are no elements.
void CaseLaunch::collect(const ReadyCase& ready, const Results& results, std::byte poison,
                         Outcome& outcome) {
  for (const auto& [name, placed] : ready.placed) {
    if (placed.collect(poison, results.at(name))) continue;
    const Buffer& buffer = *ready.planned.plan.find_buffer(name);
    end_case(outcome, FailureKind::fault,
             verdict_error(fmt::format("the kernel wrote {} `{}`, where no elements are",
                                       buffer.pitch ? "between the rows of" : "in front of", name),
                           ready.planned.positions.find(buffer.at)));
  }
}

protocol::Reply CaseLaunch::ask_for_launch(const ReadyCase& ready, protocol::Verify& request,
                                           const Results& results, Outcome& outcome) {
  const std::vector<int> fds =
      descriptors(request.run, buffer_arrays(request.run, ready, &results));
  try {
    return dialogue_.ask(protocol::to_json(request), fds, outcome,
                         ready.planned.plan.limits.timeout_s,
                         request.run.schedule != 0 ? request.run.wall_limit_s : 0, keeps_limits());
  } catch (const CaseEnded&) {
    // If the device cannot end a launch, the end of the worker means that the limit was met.
    judge_silence(ready.planned, outcome);
    throw;
  }
}

// Returns false if only a run with another poison can tell.
bool CaseLaunch::judge(const ReadyCase& ready, const Results& results, std::byte poison,
                       const EarlierResults& earlier, Outcome& outcome) {
  try {
    return judge_results(python_, ready.planned, ready.inputs, seen(ready, results), poison,
                         earlier, outcome);
  } catch (const Error& error) {
    if (error.code() != ExitCode::verdict) throw;
    fail(outcome, FailureKind::reference, error);
    return true;
  }
}

}  // namespace warpmark
