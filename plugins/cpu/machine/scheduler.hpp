// The order in which the warps of a block and the lanes of a warp take turns: the usual one, or that
// of a schedule's seed.
#pragma once

#include <cstdint>
#include <vector>

#include "machine/launch_state.hpp"
#include "machine/warp.hpp"

namespace warpmark::cpu {

class Scheduler {
 public:
  Scheduler(LaunchState& launch, std::vector<Warp>& warps) : launch_(launch), warps_(warps) {}

  /// Begins a block.
  void begin();
  /// Runs all warps in turn, by run(warp), which returns whether the warp did anything until it was
  /// blocked, done, or had had its share. Returns true if any has.
  template <typename Run>
  bool run_round(Run run) {
    if (launch_.schedule.interleaves()) shuffle_warps();
    bool progress = false;
    gets_on_ = false;
    for (const std::uint32_t number : order_) {
      Warp& warp = warps_[number];
      if (warp.fragments.empty()) continue;
      progress |= launch_.schedule.ranks() ? run_ranked(warp, run) : run(warp);
      if (launch_.over_time()) break;
    }
    return progress;
  }
  /// Returns whether the schedule holds some fragment back.
  [[nodiscard]] bool holds_any() const;
  /// Called after a round. If no other thread has made progress for long enough, releases one of
  /// the held fragments and returns true.
  bool outwait(bool progress);

  // --- of the warp that runs
  void begin_turn() { polled = gave_way = preempted = false; }
  /// The number of blocks of the graph that it may run before it gives way.
  [[nodiscard]] std::uint64_t share() const {
    return launch_.schedule.kind() == SeededSchedule::Kind::usual ? ~std::uint64_t{0}
                                                                  : draw_share();
  }
  /// Takes the runnable fragment of the lowest node, or with `rotate` the one that yielded longest
  /// ago: lanes that spin until another lane of their warp does something must not starve it.
  /// Returns false if none can run.
  bool take(Warp& warp, Fragment& fragment, bool rotate) const {
    if (warp.fragments.size() != 1) return take_one(warp, fragment, rotate);
    if (warp.fragments[0].wait != Fragment::Wait::none) return false;
    fragment = warp.fragments[0];
    warp.fragments.clear();
    return true;
  }
  /// Returns whether a fragment has to wait at its node, and marks it as held if so.
  bool hold_back(Fragment& fragment);
  /// Puts a fragment behind those that let others run before it.
  void yield(Fragment& fragment) { fragment.yielded = ++yields_; }
  bool polled = false;     ///< it polled for other threads
  bool gave_way = false;   ///< it could have continued
  bool preempted = false;  ///< … but for the schedule

 private:
  using Fragments = std::vector<Fragment>;

  void shuffle_warps();
  [[nodiscard]] std::uint64_t draw_share() const;
  /// take() where there are several fragments, or none.
  bool take_one(Warp& warp, Fragment& fragment, bool rotate) const;
  /// Runs a warp for as long as it can run. Returns true if it has done something.
  template <typename Run>
  bool run_ranked(Warp& warp, Run run) {
    bool progress = false;
    preempted = false;
    while (!warp.fragments.empty() && run(warp)) {
      progress = true;
      gets_on_ = gets_on_ || !polled;
      if (gave_way || launch_.over_time()) break;
    }
    if (preempted) --preemptions_;
    return progress;
  }
  /// The fragment that runs first by the seed, of those that can.
  [[nodiscard]] Fragments::iterator choose(Warp& warp, Fragments::iterator usual) const;

  LaunchState& launch_;
  std::vector<Warp>& warps_;
  std::vector<std::uint32_t> order_;           ///< of the warps in a round
  std::uint64_t yields_ = 0;                   ///< of fragments that looped for long
  bool gets_on_ = false;                       ///< in the last round some warp did more than poll
  std::uint32_t first_lane_ = 0;               ///< lanes are ranked by their number ^ this
  std::uint32_t preemptions_ = 0, holds_ = 0;  ///< numbers that are left
  std::uint32_t idle_ = 0;                     ///< rounds without progress
};

}  // namespace warpmark::cpu
