// Retirement of blocks in order.
#include "machine/turns.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace warpmark::cpu {

Turns::Turns(const LaunchShape& shape, std::uint64_t blocks, std::uint64_t blocks_each,
             std::size_t shares)
    : shape_(shape), blocks_(blocks), each_(blocks_each), turns_((blocks - 1) / each_ + 1) {
  printed.limit = asserted.limit = shape.printf_bytes;
  for (std::size_t k = 0; k < shares; ++k)
    shares_.push_back({turns_ * k / shares, turns_ * (k + 1) / shares});
}

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
  return std::any_of(shares_.begin(), shares_.end(),
                     [](const Share& share) { return share.next < share.end; });
}

Turns::Share* Turns::choose(std::size_t worker) {
  const auto left = [](const Share& share) { return share.end - share.next; };
  if (ended_bytes_ >= kMostBytes) {
    // Only the earliest of all, if nobody runs it yet: it is the first of its share.
    const auto earliest = std::find_if(shares_.begin(), shares_.end(), [&](const Share& share) {
      return share.next == retired_ && left(share) > 0;
    });
    return earliest == shares_.end() ? nullptr : &*earliest;
  }
  if (worker < shares_.size() && left(shares_[worker]) > 0) return &shares_[worker];
  Share& most = *std::max_element(
      shares_.begin(), shares_.end(),
      [&](const Share& one, const Share& other) { return left(one) < left(other); });
  return left(most) > 0 ? &most : nullptr;
}

Turns::Turn Turns::take(std::size_t worker) {
  std::unique_lock lock(mutex_);
  Share* share = nullptr;
  changed_.wait(lock, [&] {
    share = choose(worker);
    return share != nullptr || ended_bytes_ < kMostBytes || stopped_at_ != ~std::uint64_t{0};
  });
  if (stopped_at_ != ~std::uint64_t{0} || share == nullptr) return {};
  const std::uint64_t turn = share->next++, begin = turn * each_;
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
