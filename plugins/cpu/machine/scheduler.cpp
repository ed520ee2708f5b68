#include "machine/scheduler.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

namespace warpmark::cpu {
namespace {

// Blocks of the graph that a warp runs through before it gives way, at most: where all go on at one
// pace; and where it loses its rank, as a power of two.
constexpr std::uint32_t kPace = 64, kLongestLead = 12;
// How often warps of a block lose their rank, and how often it holds somebody back.
constexpr std::uint32_t kPreemptions = 4, kHolds = 64;
// A thread that is held back waits for kLooks rounds in which the other threads only poll. Where
// blocks take turns, it waits for kTurns turns of its block in which no thread can go on.
constexpr std::uint32_t kLooks = 3, kTurns = 4;

}  // namespace

void Scheduler::begin() {
  order_.resize(warps_.size());
  std::iota(order_.begin(), order_.end(), 0u);
  preemptions_ = kPreemptions;
  holds_ = kHolds;
  idle_ = 0;
  if (!launch_.schedule.ranks()) return;
  shuffle_warps();
  first_lane_ = launch_.random(32);
}

void Scheduler::shuffle_warps() {
  for (auto i = static_cast<std::uint32_t>(order_.size()); i > 1; --i)
    std::swap(order_[i - 1], order_[launch_.random(i)]);
}

std::uint64_t Scheduler::draw_share() const {
  if (launch_.schedule.interleaves()) return 1 + launch_.random(kPace);
  if (!launch_.schedule.ranks() || preemptions_ == 0) return ~std::uint64_t{0};
  return std::uint64_t{1} << launch_.random(kLongestLead + 1);
}

bool Scheduler::take_one(Warp& warp, Fragment& fragment, bool rotate) const {
  auto best = warp.fragments.end();
  for (auto i = warp.fragments.begin(); i != warp.fragments.end(); ++i) {
    if (i->wait != Fragment::Wait::none) continue;
    if (best == warp.fragments.end() ||
        (rotate ? i->yielded < best->yielded : i->node < best->node))
      best = i;
  }
  if (best == warp.fragments.end()) return false;
  const bool seeded = launch_.schedule.kind() != SeededSchedule::Kind::usual;
  if (seeded && warp.fragments.size() > 1 && (!rotate || launch_.schedule.interleaves()))
    best = choose(warp, best);
  fragment = *best;
  warp.remove(best);
  return true;
}

Scheduler::Fragments::iterator Scheduler::choose(Warp& warp, Fragments::iterator usual) const {
  if (launch_.schedule.interleaves()) {
    const auto count = static_cast<std::uint32_t>(warp.fragments.size());
    const std::uint32_t first = launch_.random(count);
    for (std::uint32_t i = 0; i < count; ++i) {  // the first that can run, from any place on
      usual = warp.fragments.begin() + (first + i) % count;
      if (usual->wait == Fragment::Wait::none) break;
    }
    return usual;
  }
  const auto rank = [this](const Fragment& fragment) {
    std::uint32_t least = 32;
    for (std::uint32_t mask = fragment.mask; mask != 0; mask &= mask - 1)
      least = std::min(least, static_cast<std::uint32_t>(std::countr_zero(mask)) ^ first_lane_);
    return least;
  };
  for (auto i = warp.fragments.begin(); i != warp.fragments.end(); ++i) {
    if (i->wait == Fragment::Wait::none && rank(*i) < rank(*usual)) usual = i;
  }
  return usual;
}

bool Scheduler::hold_back(Fragment& fragment) {
  if (!launch_.schedule.holds(fragment.node) || fragment.released || holds_ == 0) return false;
  --holds_;
  fragment.wait = Fragment::Wait::held;
  return true;
}

bool Scheduler::holds_any() const {
  return std::any_of(warps_.begin(), warps_.end(), [](const Warp& warp) {
    return std::any_of(warp.fragments.begin(), warp.fragments.end(),
                       [](const Fragment& one) { return one.wait == Fragment::Wait::held; });
  });
}

bool Scheduler::outwait(bool progress) {
  if (progress && gets_on_) {
    idle_ = 0;
    return false;
  }
  if (idle_++ < (progress ? kLooks : launch_.rotates ? kTurns : 0)) return false;
  idle_ = 0;
  std::uint32_t held = 0;
  Fragment* chosen = nullptr;
  for (Warp& warp : warps_) {
    for (Fragment& fragment : warp.fragments) {
      if (fragment.wait == Fragment::Wait::held && launch_.random(++held) == 0) chosen = &fragment;
    }
  }
  if (chosen == nullptr) return false;
  chosen->wait = Fragment::Wait::none;
  chosen->released = true;
  return true;
}

}  // namespace warpmark::cpu
