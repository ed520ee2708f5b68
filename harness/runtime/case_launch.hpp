// Launching a case that is ready, and judging its results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "python/interpreter.hpp"
#include "runtime/case_dialogue.hpp"
#include "runtime/inputs.hpp"
#include "runtime/judge.hpp"
#include "runtime/outcome.hpp"
#include "runtime/rank_group.hpp"
#include "runtime/session.hpp"
#include "runtime/worker_link.hpp"
#include "worker/protocol.hpp"

namespace warpmark {

/// The contents of buffers after a run, by name.
using Results = std::map<std::string, Array>;

class CaseSchedules;

/// Every function ends the case (CaseEnded) if it cannot continue.
class CaseLaunch {
 public:
  CaseLaunch(Interpreter& python, const SessionOptions& options, WorkerLink& worker,
             CaseDialogue& dialogue, RankGroup* ranks = nullptr)
      : python_(python), options_(options), worker_(worker), dialogue_(dialogue), ranks_(ranks) {}

  /// Memory for the results of a case.
  static Results make_results(const ReadyCase& ready);

  /// Launches, and judges the results; launches twice if the first poison leaves a doubt.
  void check_results(const ReadyCase& ready, const Results& results, Outcome& outcome);
  /// Judges results that a worker fetched after a run that was no launch() of ours, over outputs
  /// that held no poison. Results that equal `right`, unless it is null, are right.
  void judge_fetched(const ReadyCase& ready, const Results& results, const Results* right,
                     Outcome& outcome);
  /// check_results() under the sanitizer of the options. Its findings are known when its worker has ended;
  /// as on a device that finds mistakes itself, they are reported before any results that the
  /// mistakes may have spoilt.
  void check_sanitized(const ReadyCase& ready, const Results& results, Outcome& outcome);
  /// Runs the case once.
  void launch(const ReadyCase& ready, const Results& results, std::byte poison, Outcome& outcome);

  /// The counters of the device in the last launch.
  const std::vector<nlohmann::ordered_json>& counters() const { return launch_counters_; }
  /// True if samples are among the counters that were asked for.
  bool asks_samples() const;
  /// The device's own look at large buffers in the last run; empty while grading.
  const protocol::Verified::OnDevice& on_device() const { return on_device_; }
  /// The results of that run: inputs that were not fetched, as they did not change, are the inputs.
  Results seen(const ReadyCase& ready, const Results& results) const;

  /// The coverage of launches since the last call; gives `next` back at the following one.
  Coverage exchange_coverage(Coverage next) { return std::exchange(coverage_, std::move(next)); }

  /// The request for a run, with the limits of case and session.
  protocol::Run run_with_limits(const ReadyCase& ready) const;
  /// True if the device itself ends a launch that takes too long.
  bool keeps_limits() const;

 private:
  std::vector<nlohmann::ordered_json> sanitizer_reports(
      const std::vector<protocol::BufferPlace>& places);
  static bool judge_reports(const PlannedCase& planned, Outcome& outcome);
  static EarlierResults outputs_of(const ReadyCase& ready, const Results& results,
                                   std::byte poison);
  std::vector<std::string> checks_for(const Plan& plan) const;
  static void collect(const ReadyCase& ready, const Results& results, std::byte poison,
                      Outcome& outcome);
  protocol::Reply ask_for_launch(const ReadyCase& ready, protocol::Verify& request,
                                 const Results& results, Outcome& outcome);
  protocol::Verified launch_once(const ReadyCase& ready, protocol::Verify& request,
                                 const Results& results, Outcome& outcome);
  protocol::Verified launch_on_ranks(const ReadyCase& ready, const protocol::Verify& request,
                                     const Results& results, Outcome& outcome);
  void add_coverage(const std::vector<nlohmann::ordered_json>& texts);
  static void end_changed(const ReadyCase& ready, const protocol::ChangedInput& changed,
                          Outcome& outcome);
  [[noreturn]] static void end_failed(const ReadyCase& ready, const protocol::Failure& failure,
                                      Outcome& outcome);
  bool is_counted(const ReadyCase& ready) const;
  bool judge(const ReadyCase& ready, const Results& results, std::byte poison,
             const EarlierResults& earlier, Outcome& outcome);

  friend class CaseSchedules;

  Interpreter& python_;
  const SessionOptions& options_;
  WorkerLink& worker_;
  CaseDialogue& dialogue_;
  RankGroup* ranks_;        ///< the devices of a case that has several, or null
  uint64_t schedule_ = 0;   ///< schedule of the next launches; 0 is the usual one
  uint64_t schedules_ = 0;  ///< protocol::Verified::schedules of the last launch
  std::vector<nlohmann::ordered_json> launch_counters_;
  protocol::Verified::OnDevice on_device_;
  Coverage coverage_;
  std::vector<protocol::BufferPlace> places_;  ///< places in the last run
  bool finished_ = false;                      ///< the sanitizer's log was read
};

/// The schedules in which a case is checked: the usual one, whose counters count. If it is right,
/// and the order of threads may decide a result, further ones follow: as many as the device has, up
/// to the options' limit.
class CaseSchedules {
 public:
  /// Further schedules start at `first`.
  CaseSchedules(CaseLaunch& launch, const ReadyCase& ready, uint64_t first, Outcome& outcome)
      : launch_(launch), plan_(ready.planned.plan), first_(first), outcome_(outcome) {}
  ~CaseSchedules() { end(); }
  CaseSchedules(const CaseSchedules&) = delete;
  CaseSchedules& operator=(const CaseSchedules&) = delete;

  /// Sets the next schedule for launches, until the next call; false if there is none.
  bool next();

 private:
  void end();

  CaseLaunch& launch_;
  const Plan& plan_;
  uint64_t first_;
  Outcome& outcome_;
  bool started_ = false;
  uint64_t tried_ = 0;                            ///< number of further schedules
  uint64_t most_ = 0;                             ///< the most of them
  std::optional<Outcome> usual_;                  ///< outcome of the usual schedule, which is right
  std::vector<nlohmann::ordered_json> counters_;  ///< counters of that
};

}  // namespace warpmark
