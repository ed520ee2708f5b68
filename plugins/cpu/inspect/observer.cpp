#include "inspect/observer.hpp"

#include <bit>

#include "inspect/observed_block.hpp"
#include "memory/arena.hpp"
#include "memory/async_copy.hpp"

namespace warpmark::cpu {
namespace {

bool is_shared_by_threads(Space space) {
  return space == Space::global || space == Space::shared;
}

// Those of a block's scope say nothing of other blocks' accesses.
Footprint::Use use_of_atomic(const Instruction& i) {
  return (i.order & Instruction::kBlockScope) != 0 ? Footprint::Use::write : Footprint::Use::atomic;
}

}  // namespace

InspectionMemory::InspectionMemory(const Arena& arena)
    : races{RaceMemory(arena.global_begin(), 0, kMostRecords),
            RaceMemory(arena.global_begin(), 1, kMostRecords),
            RaceMemory(arena.global_begin(), 2, kMostRecords)} {}

InspectionMemory& InspectionMemory::of_worker(std::size_t worker, const Arena& arena) {
  if (worker == 0) return *this;
  while (others_.size() < worker) others_.push_back(std::make_unique<InspectionMemory>(arena));
  return *others_[worker - 1];
}

Speculation& InspectionMemory::speculation(Arena& arena) {
  if (speculation_ == nullptr) speculation_ = std::make_unique<Speculation>(arena);
  return *speculation_;
}

LaunchObserver::LaunchObserver(const Checks& wanted, InspectionMemory& memory,
                               const Program& program)
    : checks(wanted) {
  if (checks.race) races.emplace(memory, program).closely = checks.closely;
  if (checks.init) values.emplace(program);
}

void LaunchObserver::run_beside_others(Footprint& own) {
  footprint = &own;
  if (values) values->shared = true;
}

BlockObserver::BlockObserver(LaunchObserver& launch, ObservedBlock& block,
                             std::uint64_t shared_bytes, std::uint64_t local_bytes,
                             std::uint32_t warps)
    : launch_(launch), block_(block) {
  if (launch.races) races_.emplace(*launch.races, block, shared_bytes, warps);
  if (launch.values) values_.emplace(*launch.values, block, shared_bytes, local_bytes, warps);
}

void BlockObserver::start(std::uint64_t index) {
  if (races_) races_->begin(index);
  if (values_) values_->begin();
}

void BlockObserver::load(Lanes& w, const Instruction& i, Space space, std::uint32_t lane,
                         std::uint64_t address, std::uint32_t bytes) {
  note(Footprint::Use::read, space, address, bytes);
  if (races_ && is_shared_by_threads(space)) races_->load(w, i, space, lane, address, bytes);
  if (values_) values_->load(w, i, space, lane, address, bytes);
}

void BlockObserver::store(Lanes& w, const Instruction& i, Space space, std::uint32_t lane,
                          std::uint64_t address, std::uint32_t bytes, bool same) {
  note(Footprint::Use::write, space, address, bytes);
  if (races_ && is_shared_by_threads(space)) races_->store(w, i, space, lane, address, bytes, same);
  if (values_) values_->store(w, i, space, lane, address, bytes);
}

void BlockObserver::atomic(Lanes& w, const Instruction& i, Space space, std::uint32_t lane,
                           std::uint64_t address, std::uint32_t bytes, bool uses) {
  note(use_of_atomic(i), space, address, bytes);
  if (races_) races_->atomic(w, i, space, lane, address, bytes, uses);
  if (values_) values_->atomic(w, i, space, lane, address, bytes);
}

void BlockObserver::atomics(Lanes& w, const Instruction& i, Space space, std::uint32_t mask,
                            const std::uint64_t* at, std::uint32_t bytes) {
  for (std::uint32_t rest = footprint() != nullptr ? mask : 0; rest != 0; rest &= rest - 1)
    note(use_of_atomic(i), space, at[std::countr_zero(rest)], bytes);
  // Lanes at whose access somebody has to look.
  std::uint32_t closely = checks().closely ? mask : 0;
  if (values_) closely |= values_->undefined_lanes(w, i, space, mask, at, bytes);
  while (true) {
    const std::uint32_t before = mask & (closely - 1) & ~closely;  // those before the first
    const std::uint32_t left = races_ ? races_->settle_atomics(w, i, space, before, at, bytes) : 0;
    mask &= ~before | left;
    if (mask == 0) return;
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(mask));
    atomic(w, i, space, lane, at[lane], bytes, i.d != Instruction::kNone);
    mask &= mask - 1;
    closely &= mask;
  }
}

std::uint32_t BlockObserver::fetch(Lanes& w, const Instruction& i, std::uint32_t lane,
                                   std::uint64_t address, std::uint32_t bytes) {
  note(Footprint::Use::read, Space::global, address, bytes);
  if (races_) races_->fetch(w, i, lane, address, bytes);
  return values_ ? values_->fetch(w, i, lane, address, bytes) : 0;
}

void BlockObserver::touch(Lanes& w, const Instruction& i, Space space, std::uint32_t lane,
                          std::uint64_t address, std::uint32_t bytes, bool is_store) {
  note(is_store ? Footprint::Use::write : Footprint::Use::read, space, address, bytes);
  if (races_) races_->touch(w, i, space, lane, address, bytes, is_store);
}

void BlockObserver::use_mbarrier(Lanes& w, const Instruction& i, std::uint32_t lane,
                                 std::uint64_t address, MbarrierUse use) {
  if (races_) races_->use_mbarrier(w, i, lane, address, use);
  if (values_) values_->use_mbarrier(w, i, lane, address, use);
}

void BlockObserver::depart(AsyncCopy& copy) {
  if (footprint() != nullptr) {
    const Flight& flight = *copy.flight;
    copy.each_part([&](const CopyPart& part) {
      note(Footprint::Use::write, flight.to.space, flight.to.address + part.to, part.bytes);
      if (copy.from != nullptr && part.source != 0)
        note(Footprint::Use::read, flight.from.space, flight.from.address + part.from, part.source);
    });
  }
  if (races_) races_->depart(copy);
}

void BlockObserver::land(AsyncCopy& copy, const std::byte* barrier) {
  if (values_) values_->land(copy);
  if (races_) races_->land(copy, barrier);
}

}  // namespace warpmark::cpu
