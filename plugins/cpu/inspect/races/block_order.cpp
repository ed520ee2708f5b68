#include "inspect/races/block_order.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <utility>

#include "inspect/observed_block.hpp"

namespace warpmark::cpu {
namespace {

// Returns whether a program can order some threads by other means than a barrier of the whole
// block.
bool orders_in_part(const Program& program) {
  constexpr std::uint8_t kOrders =
      Instruction::kRelease | Instruction::kAcquire | Instruction::kBlockScope;
  return program.multiplies_in_groups ||
         std::any_of(
             program.code.begin(), program.code.end(),
             [](const Instruction& i) {
               return (i.order & kOrders) != 0 || i.opcode == Opcode::fence ||
                      (i.opcode >= Opcode::mbarrier_init && i.opcode <= Opcode::mbarrier_pending);
             }) ||
         std::any_of(program.blocks.begin(), program.blocks.end(), [](const BasicBlock& block) {
           return block.exit == Exit::warp || block.exit == Exit::cluster_arrive ||
                  (block.exit == Exit::barrier && block.threads != Instruction::kNone);
         });
}

bool splits_cluster_barriers(const Program& program) {
  return std::any_of(program.blocks.begin(), program.blocks.end(), [&](const BasicBlock& block) {
    if (block.exit != Exit::cluster_arrive) return false;
    if (block.relaxed) return true;
    const BasicBlock& next = program.blocks[block.next];
    return next.begin != next.end || next.exit != Exit::cluster_wait;
  });
}

// Keys of Synchronization for mbarriers and clusters, which are not addresses.
std::uint64_t mbarrier_key(const std::byte* barrier) {
  return std::uint64_t{1} << 62 |
         static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(barrier));
}
Scope scope_of(const Instruction& i) {
  if ((i.order & Instruction::kBlockScope) != 0) return Scope::block;
  return i.cluster_scope ? Scope::cluster : Scope::device;
}
std::uint64_t cluster_key(std::uint64_t cluster) {
  return std::uint64_t{1} << 61 | cluster;
}

}  // namespace

LaunchOrder::LaunchOrder(Clock& the_clock, const Program& program)
    : clock(the_clock),
      in_part(orders_in_part(program)),
      splits_cluster_barrier(splits_cluster_barriers(program)) {}

void BlockOrder::begin(std::uint64_t index, const BlockOrder& first) {
  index_ = index;
  epoch_ = barrier_ = start_ = launch_.clock.take(index);
  start_ = first.start_;
  launch_.synchronization.join_cluster(index, first.index_);
  cluster_releases_ = 0;
  for (Warp& warp : warps_) {
    forget_syncs(warp);
    warp.seen.clear();
    warp.seen_by_lanes.clear();
    warp.seen_by_lane = nullptr;
    warp.observed.clear();
    warp.by_barrier.clear();
    if (std::exchange(warp.remembers, false)) {  // most warps do not, and it is long
      warp.covered.fill(0);
      warp.uncovered.fill(0);
      warp.covered_for.fill(0);
      warp.uncovered_for.fill(0);
      warp.fences.fill({});
    }
    warp.fenced = nullptr;
    warp.fenced_anew = false;
  }
  fenced_ = {};
  if (proxy_fences_ != nullptr) proxy_fences_->end();
  proxy_fences_ = nullptr;
}

bool BlockOrder::covers(std::uint32_t number, std::uint32_t lane, const Record& before,
                        std::uint64_t block) {
  Warp& warp = warps_[number];
  const Synchronization& all = launch_.synchronization;
  warp.remembers = true;
  // Both answers can be cached: a warp does not forget what it has seen, and sees no more until it
  // sees another release.
  const auto ask = [&](std::uint64_t& covered, std::uint64_t& uncovered, std::uint64_t key,
                       auto seen) {
    if (covered == key) return true;
    if (uncovered == key && !all.full()) return false;
    const bool covers = all.covers(seen(), before, block);
    (covers ? covered : uncovered) = key;
    return covers;
  };
  // Records of the lanes and warps of one product differ in few bits.
  const auto slot = [](std::uint64_t key) { return key * 0x9e3779b97f4a7c15 >> 58; };
  const std::uint64_t record = before.bits >> Record::kThreadShift;
  if (ask(warp.covered.at(slot(record)), warp.uncovered.at(slot(record)), record,
          [&]() -> const Seen& { return warp.seen; }))
    return true;
  if (!lanes_differ(warp)) return false;
  const std::uint64_t own = record << 5 | lane;
  Seen merged;
  return ask(warp.covered_for.at(slot(own)), warp.uncovered_for.at(slot(own)), own,
             [&]() -> const Seen& { return seen_by(warp, 1u << lane, merged); });
}

std::uint32_t BlockOrder::live_lanes(std::uint32_t warp) const {
  return block_ == nullptr ? kAllLanes : block_->live_lanes(warp);
}

const Seen& BlockOrder::seen_by(const Warp& warp, std::uint32_t lanes, Seen& merged) {
  if (!lanes_differ(warp)) return warp.seen;
  Seen& all = merged = warp.seen;
  for (const SeenByLanes& seen : warp.seen_by_lanes) {
    if ((seen.lanes & lanes) != 0) all.add(seen.part);
  }
  for (; warp.seen_by_lane != nullptr && lanes != 0; lanes &= lanes - 1)
    all.merge(warp.seen_by_lane->at(static_cast<std::size_t>(std::countr_zero(lanes))));
  return all;
}

void BlockOrder::see(std::uint32_t number, std::uint32_t lanes, const SeenPart& part) {
  Warp& warp = warps_[number];
  if ((live_lanes(number) & ~lanes) != 0) {
    add_for_lanes(number, {part, lanes});
  } else if (warp.seen.add(part)) {
    warp.uncovered.fill(0);
    warp.uncovered_for.fill(0);
  }
}

void BlockOrder::add_for_lanes(std::uint32_t number, const SeenByLanes& seen) {
  constexpr std::size_t kMost = 64;
  Warp& warp = warps_[number];
  SeenByLanes added = seen;
  std::vector<SeenByLanes>& known = warp.seen_by_lanes;
  for (std::size_t k = 0; k < known.size(); ++k) {
    SeenByLanes& one = known[k];
    const SeenPart& part = one.part;
    if (part.object != added.part.object || part.scope != added.part.scope) continue;
    if (part.releases >= added.part.releases && (added.lanes & ~one.lanes) == 0) return;
    if (part.releases <= added.part.releases) {
      if (part.releases == added.part.releases)
        added.lanes |= one.lanes;
      else
        one.lanes &= ~added.lanes;
      if ((one.lanes & ~added.lanes) != 0) continue;
      known[k--] = known.back();
      known.pop_back();
    }
  }
  warp.uncovered_for.fill(0);
  if ((live_lanes(number) & ~added.lanes) == 0) {
    if (warp.seen.add(added.part)) warp.uncovered.fill(0);
    return;
  }
  known.push_back(added);
  if (known.size() <= kMost) return;
  if (warp.seen_by_lane == nullptr) warp.seen_by_lane = std::make_unique<std::array<Seen, 32>>();
  for (const SeenByLanes& one : known) {
    for (std::uint32_t lanes = one.lanes; lanes != 0; lanes &= lanes - 1)
      warp.seen_by_lane->at(static_cast<std::size_t>(std::countr_zero(lanes))).add(one.part);
  }
  known.clear();
}

void BlockOrder::meet(std::uint32_t number, std::uint32_t lanes) {
  Warp& warp = warps_[number];
  for (Observation& read : warp.observed) {
    if (((read.lanes | read.met) & lanes) != 0) read.met |= lanes;
  }
  if (!lanes_differ(warp)) return;
  warp.uncovered_for.fill(0);
  const std::uint32_t live = live_lanes(number);
  std::erase_if(warp.seen_by_lanes, [&](SeenByLanes& one) {
    if ((one.lanes & lanes) != 0) one.lanes |= lanes;
    if ((live & ~one.lanes) != 0) return false;
    if (warp.seen.add(one.part)) warp.uncovered.fill(0);
    return true;
  });
  if (warp.seen_by_lane == nullptr) return;
  Seen all;
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1)
    all.merge(warp.seen_by_lane->at(static_cast<std::size_t>(std::countr_zero(rest))));
  if ((live & ~lanes) == 0) {
    warp.seen.merge(all);
    warp.uncovered.fill(0);
    warp.seen_by_lane = nullptr;
    return;
  }
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1)
    warp.seen_by_lane->at(static_cast<std::size_t>(std::countr_zero(rest))) = all;
}

void BlockOrder::note(Warp& warp, const Observation& seen) {
  std::vector<Observation>& observed = warp.observed;
  const auto at = std::lower_bound(observed.begin(), observed.end(), seen.object,
                                   [](const Observation& one, const SyncObject* object) {
                                     return std::less<>()(one.object, object);
                                   });
  if (at == observed.end() || at->object != seen.object) {
    if (observed.size() < Seen::kMost)
      observed.insert(at, seen);
    else
      warp.seen.give_up();
    return;
  }
  at->releases = std::max(at->releases, seen.releases);
  at->lanes |= seen.lanes;
  at->met |= seen.met;
  if (seen.lanes != 0) at->statement = seen.statement;
}

void BlockOrder::observe(std::uint32_t number, const Observation& read, const Instruction& i) {
  Warp& warp = warps_[number];
  if (read.releases == 0) return;
  Scope scope = scope_of(i);
  const bool acquires = (i.order & Instruction::kAcquire) != 0;
  // A wait without a scope has the block's scope, but CUTLASS uses such waits for other blocks.
  if (acquires && i.opcode == Opcode::mbarrier_test && scope == Scope::device) {
    scope = Scope::block;
    warp.by_barrier.add({read.object, read.releases, Scope::cluster, index_});
  }
  if (acquires) see(number, read.lanes, {read.object, read.releases, scope, index_});
  if (!acquires || scope != Scope::device) note(warp, read);
}

bool BlockOrder::covers_at(std::uint64_t key, std::uint32_t number, std::uint32_t lane,
                           const Record& before, std::uint64_t block) const {
  const Synchronization& all = launch_.synchronization;
  const SyncObject* own = all.find(key);
  if (own == nullptr) return false;
  const Warp& warp = warps_[number];
  Seen merged;
  return all.covers(seen_by(warp, 1u << lane, merged), before, block, own) ||
         std::any_of(warp.observed.begin(), warp.observed.end(), [&](const Observation& read) {
           return read.object == own &&
                  all.is_release({own, read.releases, Scope::device, index_}, before, block);
         });
}

BlockOrder::Lack BlockOrder::lack(std::uint32_t number, std::uint32_t lane, const Record& before,
                                  std::uint64_t block) const {
  const Warp& warp = warps_[number];
  const Synchronization& all = launch_.synchronization;
  for (const Observation& read : warp.observed) {
    if (((read.lanes | read.met) >> lane & 1) == 0) continue;
    Seen seen;
    seen.add({read.object, read.releases, Scope::device, index_});
    if (!all.covers(seen, before, block)) continue;
    const bool fenced = all.covers(warp.by_barrier, before, block);
    return {fenced ? Lack::What::order : Lack::What::acquire, read.statement};
  }
  return {};
}

std::uint32_t BlockOrder::released_in_step(std::uint32_t number, std::uint32_t lane,
                                           const Record& before, std::uint64_t block) const {
  std::uint32_t statement = Instruction::kNone;
  Seen merged;
  const Seen& seen = seen_by(warps_[number], 1u << lane, merged);
  const bool covers = launch_.synchronization.covers(seen, before, block, nullptr, &statement);
  return covers ? statement : Instruction::kNone;
}

bool BlockOrder::is_seen(const Record& before, std::uint64_t block, std::uint32_t* in_step) const {
  return std::any_of(warps_.begin(), warps_.end(), [&](const Warp& warp) {
    Seen merged, all = seen_by(warp, kAllLanes, merged);
    for (const Observation& read : warp.observed)
      all.add({read.object, read.releases, Scope::device, index_});
    return launch_.synchronization.covers(all, before, block, nullptr, in_step);
  });
}

void BlockOrder::fence(std::uint32_t number, std::uint32_t mask, const Instruction& i) {
  const Scope scope = scope_of(i);
  Warp& warp = warps_[number];
  if (fenced_.of[0].empty()) {
    for (std::vector<Epoch>& fenced : fenced_.of) fenced.resize(warps_.size() * 32);
  }
  fenced_.narrow = fenced_.narrow || scope != Scope::device;
  for (std::uint32_t lanes = mask; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(lanes));
    warp.remembers = true;
    warp.fences.at(lane) = {epoch_, barrier_, scope,
                            view_of(number, std::uint32_t{1} << lane, i.statement)};
    for (std::size_t s = 0; s <= static_cast<std::size_t>(scope); ++s)
      fenced_.of.at(s)[number * 32 + lane] = epoch_;
  }
  warp.fenced_anew = true;
  epoch_ = launch_.clock.take(index_);
  if ((i.order & Instruction::kAcquire) == 0) return;
  for (const Observation& read : warp.observed) {
    const SeenPart part{read.object, read.releases, scope, index_};
    if ((read.lanes & mask) != 0) see(number, read.lanes & mask, part);
    if ((read.met & mask & ~read.lanes) != 0) warp.by_barrier.add(part);
  }
  if (scope != Scope::device) return;
  std::erase_if(warp.observed, [&](Observation& read) {
    read.lanes &= ~mask;
    return (read.lanes | read.met) == 0;
  });
}

bool BlockOrder::release(std::uint32_t warp, std::uint32_t lane, const Instruction& i,
                         std::uint64_t key) {
  const Epoch access = epoch_;
  Fence now;
  const Fence* fence = &warps_[warp].fences.at(lane);
  if ((i.order & Instruction::kRelease) != 0) {
    now = {epoch_, barrier_, scope_of(i), view_of(warp, 1u << lane, i.statement)};
    fence = &now;
    epoch_ = launch_.clock.take(index_);
  }
  if (fence->epoch == 0) return false;
  Seen merged;
  launch_.synchronization.release(launch_.synchronization.at(key),
                                  {index_, warp * 32 + lane, fence->epoch, fence->barrier,
                                   fence->scope, fence->warp, warps_[warp].fenced, access},
                                  seen_by(warps_[warp], 1u << lane, merged));
  return true;
}

void BlockOrder::read(std::uint32_t warp, std::uint32_t lane, const Instruction& i,
                      std::uint64_t key) {
  const SyncObject* object = launch_.synchronization.find(key);
  if (object != nullptr) observe(warp, {object, object->releases(), 1u << lane, 0, i.statement}, i);
}

void BlockOrder::arrive_at_grid(std::uint64_t key, std::uint64_t blocks) {
  if (++launch_.grid_arrivals % blocks == 0) launch_.synchronization.at(key).complete_phase();
}

void BlockOrder::see_grid(std::uint32_t warp, std::uint32_t lane, const Instruction& i,
                          std::uint64_t key) {
  const SyncObject* object = launch_.synchronization.find(key);
  if (object != nullptr)
    observe(warp, {object, object->completed(), 1u << lane, 0, i.statement}, i);
}

void BlockOrder::complete_phase(const std::byte* barrier) {
  launch_.synchronization.at(mbarrier_key(barrier)).complete_phase();
}

void BlockOrder::see_phase(const std::byte* barrier, std::uint32_t warp, std::uint32_t lane,
                           const Instruction& i) {
  const SyncObject& object = launch_.synchronization.at(mbarrier_key(barrier));
  observe(warp, {&object, object.completed(), 1u << lane, 0, i.statement}, i);
}

void BlockOrder::see_copies(const std::byte* barrier, std::uint32_t warp) {
  const SyncObject& object = launch_.synchronization.at(mbarrier_key(barrier));
  see(warp, kAllLanes, {&object, object.releases(), Scope::device, index_});
}

void BlockOrder::arrive_at(const std::byte* barrier, std::uint32_t warp, std::uint32_t lane,
                           const Instruction& i) {
  // Later waits have nothing to do with what it was before, as in earlier blocks.
  if (i.opcode == Opcode::mbarrier_init)
    return launch_.synchronization.begin_anew(mbarrier_key(barrier));
  release(warp, lane, i, mbarrier_key(barrier));
}

Epoch BlockOrder::copy_arrives(const std::byte* barrier, std::uint32_t thread) {
  const std::uint64_t engine = index_ | kEngine;
  const Epoch epoch = launch_.clock.take(engine);
  launch_.synchronization.release(launch_.synchronization.at(mbarrier_key(barrier)),
                                  {engine, thread, epoch, 0, Scope::device, {1u << thread % 32}},
                                  {});
  return epoch;
}

// Threads that meet share their fences: a thread that releases for all of them after a barrier need
// not fence again.
void BlockOrder::share_fences() {
  const bool anew =
      std::any_of(warps_.begin(), warps_.end(), [](const Warp& warp) { return warp.fenced_anew; });
  if (!anew) return;
  const auto shared = std::make_shared<const Fenced>(fenced_);
  for (Warp& warp : warps_) {
    warp.fenced = shared;
    warp.fenced_anew = false;
  }
}

void BlockOrder::share_fences(std::uint32_t number, std::uint32_t mask) {
  Warp& warp = warps_[number];
  if (!warp.fenced_anew) return;
  auto shared = std::make_shared<Fenced>();
  if (warp.fenced != nullptr) *shared = *warp.fenced;
  shared->narrow = fenced_.narrow;
  for (std::size_t s = 0; s < fenced_.of.size(); ++s) {
    std::vector<Epoch>& fenced = shared->of.at(s);
    fenced.resize(fenced_.of.at(s).size());
    for (std::uint32_t lanes = mask; lanes != 0; lanes &= lanes - 1) {
      const std::size_t thread = number * 32 + static_cast<std::size_t>(std::countr_zero(lanes));
      fenced[thread] = fenced_.of.at(s)[thread];
    }
  }
  warp.fenced = std::move(shared);
}

// These keys lie beyond the shared memory that a block can have.
std::uint64_t BlockOrder::barrier_key(std::uint32_t number) const {
  return shared_key(index_, 0xffff0 + number);
}

// Releases all accesses that some lanes of a warp have made until now.
void BlockOrder::release_warp(SyncObject& object, std::uint32_t warp, std::uint32_t lanes,
                              std::uint32_t statement) {
  Seen merged;
  // This epoch is later than the accesses of all lanes, so that the release covers them.
  const Epoch until = launch_.clock.take(index_);
  launch_.synchronization.release(object,
                                  {index_, warp * 32, until, barrier_, Scope::device,
                                   view_of(warp, lanes, statement), warps_[warp].fenced},
                                  seen_by(warps_[warp], lanes, merged));
  epoch_ = launch_.clock.take(index_);  // the release does not cover later accesses
}

void BlockOrder::arrive(std::uint32_t warp, std::uint32_t mask, std::uint32_t number,
                        std::uint32_t statement) {
  release_warp(launch_.synchronization.at(barrier_key(number)), warp, mask, statement);
}

void BlockOrder::barrier_complete(std::uint32_t number, bool everybody, std::uint32_t warps) {
  if (!everybody) {
    share_observations(warps);
    for (; warps != 0; warps &= warps - 1)
      see_all(static_cast<std::uint32_t>(std::countr_zero(warps)), barrier_key(number),
              Scope::device);
    return;
  }
  share_observations(~std::uint32_t{0});
  epoch_ = barrier_ = launch_.clock.take(index_);
  share_fences();
  Seen all;
  for (Warp& warp : warps_) {
    forget_syncs(warp);
    Seen merged;
    all.merge(seen_by(warp, kAllLanes, merged));
  }
  if (all.empty()) return;
  for (Warp& warp : warps_) {
    warp.seen = all;
    warp.seen_by_lanes.clear();
    warp.seen_by_lane = nullptr;
    warp.uncovered.fill(0);
    warp.uncovered_for.fill(0);
  }
}

void BlockOrder::see_all(std::uint32_t warp, std::uint64_t key, Scope scope) {
  const SyncObject* object = launch_.synchronization.find(key);
  if (object != nullptr) see(warp, kAllLanes, {object, object->releases(), scope, index_});
}

void BlockOrder::share_observations(std::uint32_t to) {
  if (std::all_of(warps_.begin(), warps_.end(),
                  [](const Warp& warp) { return warp.observed.empty(); }))
    return;
  Warp all;
  for (const Warp& warp : warps_) {
    for (Observation read : warp.observed) {
      read.lanes = 0;
      read.met = kAllLanes;
      note(all, read);
    }
  }
  for (std::size_t warp = 0; warp < warps_.size(); ++warp) {
    if ((to >> warp & 1) == 0) continue;
    for (const Observation& read : all.observed) note(warps_[warp], read);
  }
}

void BlockOrder::warp_complete(std::uint32_t warp, std::uint32_t mask) {
  if (std::popcount(mask) < 2) return;
  epoch_ = launch_.clock.take(index_);
  share_fences(warp, mask);
  meet(warp, mask);
  put_sync(warps_[warp], {epoch_, mask});
}

void BlockOrder::part(std::uint32_t warp, std::uint32_t mask) {
  epoch_ = launch_.clock.take(index_);
  put_sync(warps_[warp], {epoch_, mask, true});
}

void BlockOrder::put_sync(Warp& warp, const WarpSync& sync) {
  WarpSyncs& syncs = warp.syncs;
  // An earlier synchronization of the same lanes, or fewer, adds no order to this one.
  const auto repeated = [&](const WarpSync& before) {
    return (before.mask & ~sync.mask) == 0 && (before.in_step || !sync.in_step);
  };
  while (!syncs.empty() && repeated(syncs.back())) syncs.pop_back();
  syncs.push_back(sync);
  warp.kept_syncs = nullptr;
}

void BlockOrder::forget_syncs(Warp& warp) {
  warp.syncs.clear();
  warp.kept_syncs = nullptr;
}

WarpView BlockOrder::view_of(std::uint32_t number, std::uint32_t lanes, std::uint32_t statement) {
  Warp& warp = warps_[number];
  if (warp.kept_syncs == nullptr && !warp.syncs.empty())
    warp.kept_syncs = std::make_shared<const WarpSyncs>(warp.syncs);
  const std::uint32_t beside = block_ == nullptr ? lanes : block_->lanes_together(number);
  return {lanes, beside, statement, warp.kept_syncs};
}

void BlockOrder::cluster_release(std::uint64_t key) {
  Seen all;
  for (const Warp& warp : warps_) {
    Seen merged;
    all.merge(seen_by(warp, kAllLanes, merged));
  }
  barrier_ = launch_.clock.take(index_);
  launch_.synchronization.release(launch_.synchronization.at(cluster_key(key)),
                                  {index_, 0, barrier_, barrier_, Scope::device}, all);
}

void BlockOrder::cluster_acquire(std::uint64_t key) {
  epoch_ = barrier_ = launch_.clock.take(index_);
  for (std::uint32_t warp = 0; warp < warps_.size(); ++warp) {
    forget_syncs(warps_[warp]);
    see_all(warp, cluster_key(key), Scope::device);
  }
}

// A relaxed arrival releases the accesses that its thread made before a fence.
void BlockOrder::cluster_arrive(std::uint32_t warp, std::uint32_t mask, std::uint64_t key,
                                bool relaxed) {
  SyncObject& object = launch_.synchronization.at(cluster_key(key));
  if (!relaxed) return release_warp(object, warp, kAllLanes, 0);
  Instruction arrival;
  for (; mask != 0; mask &= mask - 1)
    release(warp, static_cast<std::uint32_t>(std::countr_zero(mask)), arrival, cluster_key(key));
}

void BlockOrder::cluster_complete(std::uint64_t key) {
  const SyncObject* object = launch_.synchronization.find(cluster_key(key));
  cluster_releases_ = object == nullptr ? 0 : object->releases();
}

void BlockOrder::cluster_wait(std::uint32_t warp, std::uint64_t key) {
  const SyncObject* object = launch_.synchronization.find(cluster_key(key));
  if (object != nullptr) see(warp, kAllLanes, {object, cluster_releases_, Scope::device, index_});
}

}  // namespace warpmark::cpu
