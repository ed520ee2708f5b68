// Retirement of blocks in order.
#include "machine/turns.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace warpmark::cpu {

void Turns::wait(LaunchState& launch) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return retired_ == launch.turn || launch.turn > stopped_at_; });
  if (launch.turn > stopped_at_) launch.stop = true;
  launch.in_turn = true;
}

bool Turns::wanted(std::uint64_t turn) {
  const std::lock_guard lock(mutex_);
  return turn <= stopped_at_;
}

bool Turns::remain() {
  const std::lock_guard lock(mutex_);
  return next_ < turns_;
}

Turns::Turn Turns::take() {
  constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 20;
  std::unique_lock lock(mutex_);
  // Somebody runs the earliest of all and does not come here before it is retired.
  changed_.wait(lock,
                [&] { return ended_bytes_ < kMostBytes || stopped_at_ != ~std::uint64_t{0}; });
  if (stopped_at_ != ~std::uint64_t{0} || next_ == turns_) return {};
  const std::uint64_t turn = next_++, begin = turn * each_;
  return {turn, begin, begin + std::min(each_, blocks_ - begin)};
}

void Turns::retire(std::uint64_t turn, Outcome outcome) {
  const std::lock_guard lock(mutex_);
  ended_bytes_ += outcome.printed.bytes() + outcome.asserted.bytes();
  ended_.emplace(turn, std::move(outcome));
  for (auto first = ended_.begin();
       first != ended_.end() && first->first == retired_ && stopped_at_ == ~std::uint64_t{0};
       first = ended_.erase(first)) {
    ended_bytes_ -= first->second.printed.bytes() + first->second.asserted.bytes();
    merge(first->second);
    if (first->second.stop || over_budget || faults.full()) {
      stopped_at_ = retired_;
      last_block = first->second.coordinates;
    }
    ++retired_;
  }
  changed_.notify_all();
}

void Turns::merge(Outcome& outcome) {
  executed += outcome.executed;
  warp_instructions += outcome.warp_instructions;
  add(counters, outcome.counters);
  profile.add(outcome.profile);
  printed.add(std::move(outcome.printed));
  asserted.add(std::move(outcome.asserted));
  std::move(outcome.launches.begin(), outcome.launches.end(), std::back_inserter(launches));
  timed_out = timed_out || outcome.timed_out;
  faults.add(outcome.faults);
  const bool last = retired_ + 1 == turns_ && !outcome.stop;
  over_budget = shape_.instruction_budget != 0 && executed >= shape_.instruction_budget && !last;
}

}  // namespace warpmark::cpu
