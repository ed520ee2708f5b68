#include "inspect/observer.hpp"

#include <bit>
#include <utility>

#include "inspect/races/block_races.hpp"
#include "inspect/races/product_registers.hpp"
#include "inspect/synchronization/sync_check.hpp"
#include "inspect/synchronization/warpgroup_check.hpp"
#include "inspect/values/block_values.hpp"
#include "memory/arena.hpp"

namespace warpmark::cpu {
namespace {

// Those of a block's scope say nothing of other blocks' accesses.
Footprint::Use use_of_atomic(const Instruction& i) {
  return (i.order & Instruction::kBlockScope) != 0 ? Footprint::Use::write : Footprint::Use::atomic;
}

// Notes the global memory that a block uses while other threads run other blocks.
class FootprintNotes final : public Check {
 public:
  explicit FootprintNotes(Footprint& footprint) : footprint_(footprint) {}
  void load(Lanes&, const Instruction&, Space space, std::uint32_t, std::uint64_t address,
            std::uint32_t bytes) override {
    note(Footprint::Use::read, space, address, bytes);
  }
  void store(Lanes&, const Instruction&, Space space, std::uint32_t, std::uint64_t address,
             std::uint32_t bytes, bool) override {
    note(Footprint::Use::write, space, address, bytes);
  }
  void atomic(Lanes&, const Instruction& i, Space space, std::uint32_t, std::uint64_t address,
              std::uint32_t bytes, bool) override {
    note(use_of_atomic(i), space, address, bytes);
  }
  void touch(Lanes&, const Instruction&, Space space, std::uint32_t, std::uint64_t address,
             std::uint32_t bytes, Touch what) override {
    note(what == Touch::load ? Footprint::Use::read : Footprint::Use::write, space, address, bytes);
  }
  std::uint32_t fetch(Lanes&, const Instruction&, std::uint32_t, std::uint64_t address,
                      std::uint32_t bytes) override {
    note(Footprint::Use::read, Space::global, address, bytes);
    return 0;
  }
  void depart(AsyncCopy& copy) override {
    const Flight& flight = *copy.flight;
    copy.each_part([&](const CopyPart& part) {
      note(Footprint::Use::write, flight.to.space, flight.to.address + part.to, part.bytes);
      if (copy.from != nullptr && part.source != 0)
        note(Footprint::Use::read, flight.from.space, flight.from.address + part.from, part.source);
    });
  }

 private:
  void note(Footprint::Use use, Space space, std::uint64_t address, std::uint64_t bytes) {
    if (space == Space::global) footprint_.note(use, address, bytes);
  }
  Footprint& footprint_;
};

}  // namespace

InspectionMemory::InspectionMemory(const Arena& arena)
    : races{RaceMemory(arena.global_begin(), 0, kMostRecords),
            RaceMemory(arena.global_begin(), 1, kMostRecords),
            RaceMemory(arena.global_begin(), 2, kMostRecords)} {}

InspectionMemory& InspectionMemory::of_worker(std::size_t worker, const Arena& arena) {
  if (worker == 0) return *this;
  while (others_.size() < worker) {
    others_.push_back(std::make_unique<InspectionMemory>(arena));
    others_.back()->further = further;
  }
  return *others_[worker - 1];
}

Speculation& InspectionMemory::speculation(Arena& arena) {
  if (speculation_ == nullptr) speculation_ = std::make_unique<Speculation>(arena);
  return *speculation_;
}

LaunchObserver::LaunchObserver(const Checks& wanted, InspectionMemory& the_memory,
                               const Program& program,
                               const std::function<const void*(const Object&)>& home)
    : checks(wanted), memory(the_memory) {
  if (checks.race) {
    races = std::make_unique<LaunchRaces>(memory, program);
    races->closely = checks.closely;
    races->strict_proxies = checks.strict_proxies;
    races->find_apart(program, home);
  }
  if (checks.init) values = std::make_unique<LaunchValues>(program);
}
LaunchObserver::LaunchObserver(LaunchObserver&&) noexcept = default;
LaunchObserver::~LaunchObserver() = default;

void LaunchObserver::run_beside_others(Footprint& own) {
  footprint = &own;
  if (values) values->shared = true;
}

std::vector<Fault> LaunchObserver::end() const {
  if (!races) return {};
  std::vector<Fault> faults = races->settled();
  Fault note;
  note.kind = FaultKind::incomplete;
  note.warning = true;
  note.count = 1;
  note.message = races->left_out();
  if (!note.message.empty()) faults.push_back(std::move(note));
  return faults;
}

// The one list of checks.
BlockObserver::BlockObserver(LaunchObserver& launch, ObservedBlock& block,
                             std::uint64_t shared_bytes, std::uint64_t local_bytes,
                             std::uint32_t warps)
    : launch_(launch), block_(block) {
  const auto add = [&](auto check) {
    auto* const added = check.get();
    checks_.push_back(std::move(check));
    return added;
  };
  if (launch.footprint != nullptr) add(std::make_unique<FootprintNotes>(*launch.footprint));
  if (launch.races)
    races_ = add(std::make_unique<BlockRaces>(*launch.races, block, shared_bytes, warps));
  if (launch.values)
    values_ =
        add(std::make_unique<BlockValues>(*launch.values, block, shared_bytes, local_bytes, warps));
  if (launch.checks.sync) add(std::make_unique<SyncCheck>(block, ahead));
  const bool multiplies = block.program().multiplies_in_groups;
  if (launch.checks.sync && multiplies) add(std::make_unique<WarpgroupCheck>(block, warps));
  // With -G values live in local memory, and ptxas makes each product wait for the one before.
  follows_products_ = launch.races && multiplies && !block.program().module->debug;
  if (follows_products_) add(std::make_unique<ProductRegisters>(block, warps));
  for (const auto& make : launch.memory.further) add(make(block));
}
BlockObserver::~BlockObserver() = default;

ValueShadow* BlockObserver::shadow() const {
  return values_;
}

void BlockObserver::load(Lanes& w, const Instruction& i, Space space, std::uint32_t lane,
                         std::uint64_t address, std::uint32_t bytes) {
  tell<&Check::load>(w, i, space, lane, address, bytes);
}

void BlockObserver::store(Lanes& w, const Instruction& i, Space space, std::uint32_t lane,
                          std::uint64_t address, std::uint32_t bytes, bool same) {
  tell<&Check::store>(w, i, space, lane, address, bytes, same);
}

void BlockObserver::touch(Lanes& w, const Instruction& i, Space space, std::uint32_t lane,
                          std::uint64_t address, std::uint32_t bytes, Touch what) {
  tell<&Check::touch>(w, i, space, lane, address, bytes, what);
}

void BlockObserver::atomics(Lanes& w, const Instruction& i, Space space, std::uint32_t mask,
                            const std::uint64_t* at, std::uint32_t bytes) {
  if (footprint() != nullptr && space == Space::global) {
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1)
      footprint()->note(use_of_atomic(i), at[std::countr_zero(rest)], bytes);
  }
  // Lanes at whose access somebody has to look.
  std::uint32_t closely = checks().closely ? mask : 0;
  if (values_ != nullptr) closely |= values_->undefined_lanes(w, i, space, mask, at, bytes);
  while (true) {
    const std::uint32_t before = mask & (closely - 1) & ~closely;  // those before the first
    const std::uint32_t left =
        races_ != nullptr ? races_->settle_atomics(w, i, space, before, at, bytes) : 0;
    mask &= ~before | left;
    if (mask == 0) return;
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(mask));
    tell<&Check::atomic>(w, i, space, lane, at[lane], bytes, i.d != Instruction::kNone);
    mask &= mask - 1;
    closely &= mask;
  }
}

std::uint32_t BlockObserver::fetch(Lanes& w, const Instruction& i, std::uint32_t lane,
                                   std::uint64_t address, std::uint32_t bytes) {
  std::uint32_t missing = 0;
  for (const std::unique_ptr<Check>& check : checks_)
    missing |= check->fetch(w, i, lane, address, bytes);
  return missing;
}

}  // namespace warpmark::cpu
