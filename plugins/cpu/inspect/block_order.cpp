#include "inspect/block_order.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace warpmark::cpu {
namespace {

// Whether a program can put some threads in order that do not meet at a barrier of the whole block.
bool orders_in_part(const Program& program) {
  constexpr std::uint8_t kOrders = Instruction::kRelease | Instruction::kBlockScope;
  return std::any_of(
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
    const BasicBlock& next = program.blocks[block.next];
    return next.begin != next.end || next.exit != Exit::cluster_wait;
  });
}

// Keys of Synchronization that are no addresses: of mbarriers and clusters.
std::uint64_t mbarrier_key(const std::byte* barrier) {
  return std::uint64_t{1} << 62 |
         static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(barrier));
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
  cluster_releases_ = 0;
  for (Warp& warp : warps_) {
    warp.syncs.clear();
    warp.seen.clear();
    warp.covered.fill(0);
    warp.uncovered.fill(0);
    warp.fences.fill({});
    warp.fenced = nullptr;
    warp.fenced_anew = false;
  }
  fenced_ = {};
}

bool BlockOrder::covers(std::uint32_t warp, const Record& before, std::uint64_t block) {
  // What a warp has seen once it has seen for good.
  const std::uint64_t record = before.bits >> Record::kThreadShift;
  std::uint64_t& covered = warps_[warp].covered.at(record % 64);
  if (covered == record) return true;
  // A warp sees no more of what was released until it sees another release: the answer stays.
  std::uint64_t& uncovered = warps_[warp].uncovered.at(record % 64);
  if (uncovered == record && !launch_.synchronization.full()) return false;
  const bool covers = launch_.synchronization.covers(warps_[warp].seen, before, block, index_);
  (covers ? covered : uncovered) = record;
  return covers;
}

void BlockOrder::see(Warp& warp, const SyncObject& object, std::uint32_t releases) {
  if (warp.seen.add(&object, releases)) warp.uncovered.fill(0);
}

bool BlockOrder::covers_at(std::uint64_t key, std::uint32_t warp, const Record& before,
                           std::uint64_t block) const {
  const SyncObject* own = launch_.synchronization.find(key);
  return own != nullptr &&
         launch_.synchronization.covers(warps_[warp].seen, before, block, index_, own);
}

bool BlockOrder::is_seen(const Record& before, std::uint64_t block) const {
  return std::any_of(warps_.begin(), warps_.end(), [&](const Warp& warp) {
    return launch_.synchronization.covers(warp.seen, before, block, index_);
  });
}

void BlockOrder::fence(std::uint32_t warp, std::uint32_t mask, bool block_only) {
  if (fenced_.block.empty()) {
    fenced_.block.resize(warps_.size() * 32);
    fenced_.device.resize(warps_.size() * 32);
  }
  for (; mask != 0; mask &= mask - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(mask));
    warps_[warp].fences.at(lane) = {epoch_, barrier_, block_only};
    fenced_.block[warp * 32 + lane] = epoch_;
    if (!block_only) fenced_.device[warp * 32 + lane] = epoch_;
  }
  warps_[warp].fenced_anew = true;
  epoch_ = launch_.clock.take(index_);
}

bool BlockOrder::release(std::uint32_t warp, std::uint32_t lane, std::uint8_t order,
                         std::uint64_t key) {
  const Epoch access = epoch_;
  Fence fence = warps_[warp].fences.at(lane);
  if ((order & Instruction::kRelease) != 0) {
    fence = {epoch_, barrier_, (order & Instruction::kBlockScope) != 0};
    epoch_ = launch_.clock.take(index_);
  }
  if (fence.epoch == 0) return false;
  launch_.synchronization.release(launch_.synchronization.at(key),
                                  {index_, warp * 32 + lane, fence.epoch, fence.barrier,
                                   fence.block_only, warps_[warp].fenced, access},
                                  warps_[warp].seen);
  return true;
}

void BlockOrder::acquire(std::uint32_t warp, std::uint64_t key) {
  const SyncObject* object = launch_.synchronization.find(key);
  if (object != nullptr) see(warps_[warp], *object, object->releases());
}

void BlockOrder::arrive_at_grid(std::uint64_t key, std::uint64_t blocks) {
  if (++launch_.grid_arrivals % blocks == 0) launch_.synchronization.at(key).complete_phase();
}

void BlockOrder::see_grid(std::uint64_t key, std::uint32_t warp) {
  const SyncObject* object = launch_.synchronization.find(key);
  if (object != nullptr) see(warps_[warp], *object, object->completed());
}

void BlockOrder::complete_phase(const std::byte* barrier) {
  launch_.synchronization.at(mbarrier_key(barrier)).complete_phase();
}

void BlockOrder::see_phase(const std::byte* barrier, std::uint32_t warp) {
  const SyncObject& object = launch_.synchronization.at(mbarrier_key(barrier));
  see(warps_[warp], object, object.completed());
}

void BlockOrder::see_copies(const std::byte* barrier, std::uint32_t warp) {
  const SyncObject& object = launch_.synchronization.at(mbarrier_key(barrier));
  see(warps_[warp], object, object.releases());
}

void BlockOrder::arrive_at(const std::byte* barrier, std::uint32_t warp, std::uint32_t lane) {
  const Epoch until = epoch_;
  epoch_ = launch_.clock.take(index_);
  launch_.synchronization.release(
      launch_.synchronization.at(mbarrier_key(barrier)),
      {index_, warp * 32 + lane, until, barrier_, false, warps_[warp].fenced}, warps_[warp].seen);
}

Epoch BlockOrder::copy_arrives(const std::byte* barrier, std::uint32_t thread) {
  const std::uint64_t engine = index_ | kEngine;
  const Epoch epoch = launch_.clock.take(engine);
  launch_.synchronization.release(launch_.synchronization.at(mbarrier_key(barrier)),
                                  {engine, thread, epoch, 0, false, nullptr}, {});
  return epoch;
}

// Threads that meet know of each other's fences: who releases for all of them after a barrier need
// not fence once more.
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
  shared->block.resize(fenced_.block.size());
  shared->device.resize(fenced_.device.size());
  for (; mask != 0; mask &= mask - 1) {
    const std::size_t thread = number * 32 + static_cast<std::size_t>(std::countr_zero(mask));
    shared->block[thread] = fenced_.block[thread];
    shared->device[thread] = fenced_.device[thread];
  }
  warp.fenced = std::move(shared);
}

// Beyond the shared memory that a block can have.
std::uint64_t BlockOrder::barrier_key(std::uint32_t number) const {
  return shared_key(index_, 0xffff0 + number);
}

// All lanes of a warp release what they have done until now.
void BlockOrder::release_warp(SyncObject& object, std::uint32_t warp) {
  // Later than the accesses of all lanes, so that it covers them.
  const Epoch until = launch_.clock.take(index_);
  launch_.synchronization.release(
      object, {index_, warp * 32, until, barrier_, false, warps_[warp].fenced}, warps_[warp].seen);
  epoch_ = launch_.clock.take(index_);  // what comes now is not covered
}

void BlockOrder::arrive(std::uint32_t warp, std::uint32_t number) {
  release_warp(launch_.synchronization.at(barrier_key(number)), warp);
}

void BlockOrder::barrier_complete(std::uint32_t number, bool everybody, std::uint32_t warps) {
  if (!everybody) {
    for (; warps != 0; warps &= warps - 1)
      acquire(static_cast<std::uint32_t>(std::countr_zero(warps)), barrier_key(number));
    return;
  }
  epoch_ = barrier_ = launch_.clock.take(index_);
  share_fences();
  Seen all;
  for (Warp& warp : warps_) {
    warp.syncs.clear();
    all.merge(warp.seen);
  }
  if (all.empty()) return;
  for (Warp& warp : warps_) {
    warp.seen = all;
    warp.uncovered.fill(0);
  }
}

void BlockOrder::warp_complete(std::uint32_t warp, std::uint32_t mask) {
  if (std::popcount(mask) < 2) return;
  epoch_ = launch_.clock.take(index_);
  share_fences(warp, mask);
  std::vector<WarpSync>& syncs = warps_[warp].syncs;
  // Two in a row by all the same lanes order no more than the later one alone.
  while (!syncs.empty() && (syncs.back().mask & ~mask) == 0) syncs.pop_back();
  syncs.push_back({epoch_, mask});
}

void BlockOrder::cluster_release(std::uint64_t key) {
  barrier_ = launch_.clock.take(index_);
  launch_.synchronization.release(launch_.synchronization.at(cluster_key(key)),
                                  {index_, 0, barrier_, barrier_, false, nullptr}, {});
}

void BlockOrder::cluster_acquire(std::uint64_t key) {
  epoch_ = barrier_ = launch_.clock.take(index_);
  for (std::uint32_t warp = 0; warp < warps_.size(); ++warp) {
    warps_[warp].syncs.clear();
    acquire(warp, cluster_key(key));
  }
}

void BlockOrder::cluster_arrive(std::uint32_t warp, std::uint64_t key) {
  release_warp(launch_.synchronization.at(cluster_key(key)), warp);
}

void BlockOrder::cluster_complete(std::uint64_t key) {
  const SyncObject* object = launch_.synchronization.find(cluster_key(key));
  cluster_releases_ = object == nullptr ? 0 : object->releases();
}

void BlockOrder::cluster_wait(std::uint32_t warp, std::uint64_t key) {
  const SyncObject* object = launch_.synchronization.find(cluster_key(key));
  if (object != nullptr) see(warps_[warp], *object, cluster_releases_);
}

}  // namespace warpmark::cpu
