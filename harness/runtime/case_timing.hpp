// Timing cases that are right, in several processes by turns, and judging them once more.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "runtime/case_dialogue.hpp"
#include "runtime/case_launch.hpp"
#include "runtime/case_units.hpp"
#include "runtime/counted_work.hpp"
#include "runtime/session.hpp"
#include "runtime/timing_job.hpp"
#include "runtime/worker_link.hpp"

namespace warpmark {

class CaseTiming {
 public:
  /// A case that is being timed: right so far, with what it takes to say so once more.
  struct Ongoing {
    TimingJob& job;
    std::optional<ReadyCase> ready = {};
    Results results = {};  ///< right ones
    /// Their digest on the device, if it has one, and its copies of the initial values.
    protocol::Verified::OnDevice on_device = {};
    Results last = {};  ///< what the last timed run left
    /// The same with other inputs, and what its run left; nothing where they take too long to make,
    /// or are no others.
    std::optional<ReadyCase> other = {};
    Results other_results = {}, other_last = {};
    bool other_is_right = false;  ///< those of the other inputs were judged
    UncountedWork uncounted =
        {};  ///< with work of the matrix units no plain core's rate is its own
    /// The other side, which takes turns with it in every process, and the buffers that both use.
    std::unique_ptr<Ongoing> against = {};
    std::vector<std::string> shared = {};
    bool fetches = true;  ///< the results of the run that is asked for next

    uint64_t bytes() const;
  };
  /// Does steps of a case, as often as it takes a worker that lives; what they end in.
  using DoSteps =
      std::function<Outcome(const Case& which, const std::function<void(Outcome&)>& steps)>;

  /// `worker` and what serves it are those of the session, the first process that times.
  CaseTiming(const SessionOptions& options, WorkerLink& worker, CaseDialogue& dialogue,
             CaseUnits& units, CaseLaunch& launch)
      : options_(options),
        worker_(worker),
        dialogue_(dialogue),
        units_(units),
        launch_(launch),
        order_(options.seed) {}

  /// All workers end at the same time.
  ~CaseTiming();
  CaseTiming(const CaseTiming&) = delete;
  CaseTiming& operator=(const CaseTiming&) = delete;

  /// Makes a trial of a case ready and loads its units.
  using LoadTrial = std::function<ReadyCase(uint64_t trial, Outcome& outcome)>;
  /// Starts so many processes less one, whose devices take a while, before it is known whether this
  /// device needs them.
  void start_ahead(uint64_t processes);
  /// Ends them: the device needs none.
  void end_further();
  /// Waits for those that were started. Throws as WorkerLink::greet.
  void greet_further();
  /// Starts the processes that a job will need.
  void start_for(const TimingJob& job);
  /// The first verdict: ends the case (CaseEnded) if there is nothing to time.
  void begin(Ongoing& one, const LoadTrial& load, Outcome& outcome);
  /// Has the two take turns: both were right. A notice names inputs that are not the same.
  void hold_against(Ongoing& one, Ongoing against);
  /// How many processes time the job: one where the device counts.
  uint64_t processes_for(const TimingJob& job) const;
  /// Each process times all cases, in an order of its own: what lasts for a while, or for a process,
  /// falls on none of them alone. Each is judged once more. Puts measurements and outcomes into the
  /// jobs; one that did not pass has none.
  void time_by_turns(std::vector<Ongoing>& group, const DoSteps& do_steps);
  /// Ends the wait for a further process; for a signal's handler.
  void interrupt() noexcept;

 private:
  /// Another process that times, and what asks it.
  struct TimingWorker {
    explicit TimingWorker(const SessionOptions& options)
        : link(options), dialogue(link, options), units(options, link, dialogue) {}
    WorkerLink link;
    CaseDialogue dialogue;
    CaseUnits units;
  };

  void take_turn(Ongoing& one, uint64_t process, bool others_came_between, const DoSteps& do_steps);
  void start_further(uint64_t count);
  void add_other(Ongoing& one, const LoadTrial& load);
  void time_here(Ongoing& one, bool others_came_between, Outcome& outcome);
  static void prepare(Ongoing& one, CaseUnits& units, Outcome& outcome);
  void time(Ongoing& one, CaseDialogue& dialogue, Outcome& outcome);
  std::vector<Measurement> time_loading(Ongoing& one, CaseDialogue& dialogue,
                                        const TimingOptions& options, bool against_first,
                                        Outcome& outcome);
  std::vector<Measurement> ask(Ongoing& one, CaseDialogue& dialogue, const TimingOptions& options,
                               bool against_first, Outcome& outcome);
  protocol::TimedSide side_of(Ongoing& one, std::vector<int>& fds, const Ongoing* sharer) const;
  void judge_sides(Ongoing& one, Outcome& outcome);
  void judge_left(Ongoing& one, Outcome& outcome);

  const SessionOptions& options_;
  WorkerLink& worker_;
  CaseDialogue& dialogue_;
  CaseUnits& units_;
  CaseLaunch& launch_;
  std::vector<std::unique_ptr<TimingWorker>> further_;  ///< started when first needed
  std::atomic<bool> further_are_there_ = false;         ///< for a signal's handler
  std::mt19937_64 order_;                               ///< in which processes time cases
};

}  // namespace warpmark
