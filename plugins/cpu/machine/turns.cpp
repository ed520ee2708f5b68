// Retirement of blocks in order.
#include "machine/turns.hpp"

#include <cstdint>
#include <utility>

namespace warpmark::cpu {

void Turns::wait(LaunchState& launch) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return retired_ == launch.index || launch.index > stopped_at_; });
  if (launch.index > stopped_at_) launch.stop = true;
  launch.in_turn = true;
}

bool Turns::wanted(std::uint64_t index) {
  const std::lock_guard lock(mutex_);
  return index <= stopped_at_;
}

std::uint64_t Turns::take() {
  const std::lock_guard lock(mutex_);
  return stopped_at_ != ~std::uint64_t{0} ? blocks_ : next_ < blocks_ ? next_++ : blocks_;
}

void Turns::retire(std::uint64_t index, BlockOutcome outcome) {
  const std::lock_guard lock(mutex_);
  ended_.emplace(index, std::move(outcome));
  for (auto first = ended_.begin();
       first != ended_.end() && first->first == retired_ && stopped_at_ == ~std::uint64_t{0};
       first = ended_.erase(first)) {
    merge(first->second);
    if (first->second.stop || over_budget || faults.full()) {
      stopped_at_ = retired_;
      last_block = first->second.coordinates;
    }
    ++retired_;
  }
  changed_.notify_all();
}

void Turns::merge(BlockOutcome& outcome) {
  executed += outcome.executed;
  warp_instructions += outcome.warp_instructions;
  add(counters, outcome.counters);
  profile.add(outcome.profile);
  printed.add(std::move(outcome.printed));
  asserted.add(std::move(outcome.asserted));
  timed_out = timed_out || outcome.timed_out;
  for (const Fault& fault : outcome.faults) faults.add(fault);
  const bool last = retired_ + 1 == blocks_ && !outcome.stop;
  over_budget = shape_.instruction_budget != 0 && executed >= shape_.instruction_budget && !last;
}

}  // namespace warpmark::cpu
