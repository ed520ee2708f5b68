#include "inspect/races/proxy_fences.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "inspect/races/block_order.hpp"

namespace warpmark::cpu {

void ProxyFences::Warp::forget(std::size_t count) {
  if (count == 0) return;
  forgotten = fences[count - 1].epoch;
  fences.erase(fences.begin(), fences.begin() + static_cast<std::ptrdiff_t>(count));
}

void ProxyFences::add(std::uint32_t warp, ProxyFence&& fence) {
  if (warps_.size() <= warp) warps_.resize(warp + 1);
  std::vector<ProxyFence>& fences = warps_[warp].fences;
  if (fences.size() == kMost) warps_[warp].forget(kMost / 2);
  fences.push_back(std::move(fence));
}

void ProxyFences::end() {
  for (Warp& warp : warps_) {
    warp.forget(warp.fences.size() - std::min(warp.fences.size(), kAtEnd));
    warp.fences.shrink_to_fit();
  }
}

void BlockOrder::proxy_fence(std::uint32_t number, std::uint32_t mask, std::uint8_t memory) {
  if (proxy_fences_ == nullptr)
    proxy_fences_ = launch_.proxy_fences[index_] = std::make_shared<ProxyFences>();
  const Warp& warp = warps_[number];
  ProxyFence fence{epoch_, barrier_, mask, memory, warp.syncs, nullptr};
  Seen merged;
  const Seen& seen = seen_by(warp, mask, merged);
  if (!seen.empty()) fence.seen = std::make_shared<const Seen>(seen);
  proxy_fences_->add(number, std::move(fence));
  epoch_ = launch_.clock.take(index_);
}

namespace {

// Calls `body` for each lane of a mask until it returns true, and returns whether it did.
template <typename Body>
bool any_lane(std::uint32_t mask, Body body) {
  for (; mask != 0; mask &= mask - 1)
    if (body(static_cast<std::uint32_t>(std::countr_zero(mask)))) return true;
  return false;
}

}  // namespace

// Returns whether a fence of one of this block's threads, or of those of `block`, which `fences`
// are of, lies between a write and what `thread` does now.
bool BlockOrder::lies_between(const ProxyFences& fences, std::uint64_t block, const Record& before,
                              std::uint64_t writer, std::uint32_t thread, std::uint8_t memory) {
  const auto behind_write = [&](const ProxyFence& fence, std::uint32_t warp, std::uint32_t lane) {
    if (block == writer) {
      if (before.thread() == warp * 32 + lane) return before.epoch() <= fence.epoch;
      if (before.epoch() < fence.barrier) return true;
      if (before.warp() == warp &&
          warp_ordered(fence.syncs, before.epoch(), before.lane(), 1u << lane))
        return true;
    }
    return fence.seen != nullptr && launch_.synchronization.covers(*fence.seen, before, writer);
  };
  const auto before_now = [&](const ProxyFence& fence, std::uint32_t warp, std::uint32_t lane) {
    const Record record = Record::make(fence.epoch, warp * 32 + lane, false, 0);
    if (block == index_) {
      if (record.thread() == thread || before_barrier(record)) return true;
      if (warp == thread / 32 && is_ordered_by_warp(record, thread % 32)) return true;
    }
    return covers(thread / 32, thread % 32, record, block);
  };
  // A thread's first fence behind the write is the one that most comes after.
  const auto by = [&](std::uint32_t warp, std::uint32_t lanes) {
    if (warp >= fences.warps()) return false;
    for (const ProxyFence& fence : fences.of(warp)) {
      if ((fence.memory & memory) == 0 || fence.epoch < before.epoch()) continue;
      if (any_lane(fence.lanes & lanes, [&](std::uint32_t lane) {
            if (!behind_write(fence, warp, lane)) return false;
            lanes &= ~(1u << lane);
            return before_now(fence, warp, lane);
          }))
        return true;
    }
    return false;
  };
  if (block == writer && (fences.has_forgotten(before.warp(), before.epoch()) ||
                          by(before.warp(), 1u << before.lane())))
    return true;
  if (block == index_ && by(thread / 32, 1u << thread % 32)) return true;
  for (std::uint32_t warp = 0; warp < fences.warps(); ++warp)
    if (by(warp, ~std::uint32_t{0})) return true;
  return false;
}

bool BlockOrder::proxied(const Record& before, std::uint64_t writer, std::uint32_t thread,
                         std::uint8_t memory) {
  const auto fences = launch_.proxy_fences.find(writer);
  if (fences != launch_.proxy_fences.end() &&
      lies_between(*fences->second, writer, before, writer, thread, memory))
    return true;
  return writer != index_ && proxy_fences_ != nullptr &&
         lies_between(*proxy_fences_, index_, before, writer, thread, memory);
}

}  // namespace warpmark::cpu
