// What the checks make of atomic operations, and of the writes that they must not hide.
#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>
#include <vector>

#include "inspect/observed_block.hpp"
#include "inspect/observer.hpp"
#include "inspect/partial_value.hpp"
#include "memory/init_bits.hpp"
#include "program/uses.hpp"

namespace warpmark::cpu {
namespace {

bool is_exchange(Opcode opcode) {
  return opcode == Opcode::atom_exch_16 || opcode == Opcode::atom_exch_32 ||
         opcode == Opcode::atom_exch_64 || opcode == Opcode::atom_exch_128;
}

}  // namespace

// The thread's plain reads of a place where it swaps now are settled. So are its warp's: who needs
// no swap does not swap. Of volatile ones it may be any atomic operation.
void BlockObserver::settle(const Lanes& w, Space space, std::uint32_t lane, std::uint64_t address,
                           std::uint32_t bytes, bool swaps) {
  const std::uint32_t thread = w.warp * 32 + lane;
  const Program& program = block_.program();
  if (swaps) {
    std::erase_if(launch_.unsettled, [&](const LaunchObserver::Unsettled& read) {
      return read.block == index_ && read.thread == thread && read.address == address;
    });
  }
  const std::uint32_t step = 1u << shift(space);
  for (std::uint64_t at = address; at < address + bytes; at += step) {
    const RaceCells cell = cell_at(space, at);
    if (!cell) return;
    for (std::uint64_t* read : {cell.read, cell.other}) {
      const Record record{*read};
      if (record.epoch() < launch_.clock.first() || record.in_flight() ||
          launch_.clock.block(record.epoch()) != index_)
        continue;
      const Statement* statement = program.statement(record.statement());
      if (record.warp() == w.warp && !record.strong() && record.epoch() >= barrier_ &&
          (swaps || (statement != nullptr && is_volatile(*statement))))
        launch_.before_swaps.insert(record.statement());
      if (swaps && record.thread() == thread) *read |= std::uint64_t{1} << Record::kStrongShift;
    }
  }
}

// An atomic access, whose record is `now`, to some cells: true, and they know of it, if whatever is
// newer than `oldest` is as strong, or of the block before its last barrier. What copies read that
// are under way is no less a danger.
bool BlockObserver::settle_strong(const RaceCells& cells, std::uint32_t count, bool returns,
                                  std::uint64_t now, std::uint64_t oldest) {
  constexpr std::uint64_t kStrong = std::uint64_t{1} << Record::kStrongShift;
  constexpr std::uint64_t kInFlight = std::uint64_t{Record::kLastEpoch + 1} << Record::kEpochShift;
  const auto danger = [oldest](std::uint64_t record) {
    return record >= oldest && ((record & kStrong) == 0 || record >= kInFlight);
  };
  FurtherWrites::Writes further;  // of the cell in question
  for (std::uint32_t i = 0; i < count; ++i) {
    if (danger(cells.write[i]) || danger(cells.read[i]) || danger(cells.other[i])) return false;
    further = {};
    if (cells.write[i] >= oldest) further = launch_.further.find(cells.write + i);
    if (further && further.records.front() < oldest) {
      launch_.further.forget_before(cells.write + i, oldest);
      further = launch_.further.find(cells.write + i);
    }
    if (!further.weak) continue;
    const bool settled =
        std::none_of(further.records.begin(), further.records.end(), [&](std::uint64_t record) {
          return danger(record) && !(owns({record}) && before_barrier({record}));
        });
    if (!settled) return false;
  }
  // keep_strong() has nothing to do, as with most of many threads that add to one place.
  const auto pairs = [&](const FurtherWrites::Writes& known, std::uint64_t before) {
    const bool own = (before ^ now) >> Record::kEpochShift == 0 || owns({before});
    const Record kept{known.records.back()};
    return own && !returns && !launch_.in_part && !known.weak &&
           kept.thread() != Record{now}.thread() && !before_barrier(kept) && !kept.in_flight();
  };
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t before = std::exchange(cells.write[i], now);
    if (before < oldest)
      launch_.further.forget(cells.write + i);
    else if ((before ^ now) >> Record::kThreadShift != 0 &&
             (count > 1 || !further || !pairs(further, before)))
      keep_strong(cells.write + i, Record{before}, Record{now}, returns);
  }
  return true;
}

void BlockObserver::put_write(const RaceCells& cell, const Access& access, std::uint64_t oldest,
                              bool raced) {
  const Record before{*cell.write};
  const Record& now = access.now;
  if (hides(before, now) || (raced && now.strong())) return;
  // Nor does a strong write make good what a copy under way does.
  const Flights& flights = launch_.flights;
  if (now.strong() && before.in_flight() && flights.holds(before.epoch()) &&
      !flights.reduces(before.epoch()))
    return;
  *cell.write = now.bits;
  FurtherWrites& further = launch_.further;
  if (!now.strong() || before.bits < oldest) return further.forget(cell.write);
  further.forget_before(cell.write, oldest);
  if (before.in_flight()) return;
  if (before.strong())
    keep_strong(cell.write, before, now, (access.instruction.order & Instruction::kReturns) != 0);
  else
    further.keep(cell.write, before.bits);
}

// A strong write follows a strong one of the launch.
void BlockObserver::keep_strong(const std::uint64_t* cell, const Record& before, const Record& now,
                                bool returns) {
  FurtherWrites& further = launch_.further;
  // Who sees what the others have made of it is in order with them, as far as this place goes.
  if (returns) return further.forget_strong(cell);
  const bool own = owns(before);
  if (own && before.thread() == now.thread()) return;
  const FurtherWrites::Writes known = further.find(cell);
  if (launch_.in_part || known.weak) return further.keep(cell, before.bits);
  // Two of different threads, of different blocks if there are, are enough.
  const Record kept{known ? known.records.back() : 0};
  if (!known || !own || (owns(kept) && (kept.thread() == now.thread() || before_barrier(kept))))
    further.keep_only(cell, before.bits);
}

void BlockObserver::atomics(Lanes& w, const Instruction& i, Space space, std::uint32_t mask,
                            const std::uint64_t* at, std::uint32_t bytes) {
  const Checks& checks = launch_.checks;
  const Warp& warp = warps_[w.warp];
  const bool plain = !checks.closely && launch_.of_block_scope.empty() && !is_swap(i.opcode) &&
                     !(launch_.looks && space == Space::shared) &&
                     (i.order & Instruction::kRelease) == 0;
  const std::uint64_t origin = space == Space::global ? w.sites[i.site].begin : 0;
  const std::uint8_t* values = !checks.init             ? nullptr
                               : space == Space::global ? w.sites[i.site].init
                                                        : shared_init_.data();
  const std::uint64_t oldest = threshold(space);
  const std::uint32_t count = bytes >> shift(space);
  const bool returns = (i.order & Instruction::kReturns) != 0;
  std::uint64_t record = Record::make(epoch_, w.warp * 32, true, i.statement).bits;
  for (; mask != 0; mask &= mask - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(mask));
    const std::uint64_t address = at[lane];
    bool good = plain && (values == nullptr || all_set_aligned(values, address - origin, bytes));
    if (good && checks.race) {
      const RaceCells place = cells(space, address, bytes);
      // Nothing is put in order, unless a thread has fenced.
      const bool acquires = i.d != Instruction::kNone && !launch_.synchronization.empty();
      good = !acquires && warp.fences[lane].epoch == 0 && place &&
             settle_strong(place, count, returns,
                           record + (std::uint64_t{lane} << Record::kThreadShift), oldest);
    }
    if (!good) {
      atomic(w, i, space, lane, address, bytes, i.d != Instruction::kNone);
      record = Record::make(epoch_, w.warp * 32, true, i.statement).bits;
    }
  }
}

// Bit-fields and sets of bits that share a word: what an operation on bits does not change of a
// word that has some values stays as it is.
bool BlockObserver::keep_bits(Lanes& w, const Instruction& i, Space space, std::uint32_t lane,
                              const Values& values) {
  const bool wide = i.opcode == Opcode::atom_and_64 || i.opcode == Opcode::atom_or_64 ||
                    i.opcode == Opcode::atom_xor_64;
  const bool sets = i.opcode == Opcode::atom_or_32 || i.opcode == Opcode::atom_or_64;
  const bool clears = i.opcode == Opcode::atom_and_32 || i.opcode == Opcode::atom_and_64;
  if (!wide && !sets && !clears && i.opcode != Opcode::atom_xor_32) return false;
  const std::uint32_t bytes = wide ? 8 : 4;
  const std::uint64_t old = undefined_bits(values, 0, bytes);
  if (old == low_bits(8 * bytes)) return false;
  std::uint64_t operand = 0;
  std::memcpy(&operand, w.registers + i.a + lane * bytes, bytes);
  const std::uint64_t decided = sets ? operand : clears ? ~operand : 0;
  put(values, 0, bytes, Definedness::make(old & ~decided, space, i.statement));
  if (i.d != Instruction::kNone)
    warps_[w.warp].definedness.set(i.d, lane, Definedness::make(old, space, i.statement));
  return true;
}

void BlockObserver::atomic(Lanes& w, const Instruction& i, Space space, std::uint32_t lane,
                           std::uint64_t address, std::uint32_t bytes, bool uses) {
  if (launch_.checks.race) {
    if (is_swap(i.opcode) || (launch_.looks && space == Space::shared))
      settle(w, space, lane, address, bytes, is_swap(i.opcode));
    if (uses) acquire(w, space, address);
    write_cells(w, i, space, lane, address, bytes, true, false);
    release(w, i, space, lane, address);
  }
  if (!launch_.checks.init) return;
  const Values values = values_at(w, i, space, lane, address);
  if (values.bits == nullptr || all_set(values.bits, values.from, bytes)) return;
  if (is_exchange(i.opcode)) {
    // What was there counts only if somebody uses it.
    const std::vector<std::uint32_t> slots = uses_of(block_.program(), i).writes;
    const auto part = bytes / static_cast<std::uint32_t>(slots.size());
    for (std::uint32_t k = 0; k < slots.size(); ++k) {
      const Definedness old =
          Definedness::make(undefined_bits(values, k * part, part), space, i.statement);
      if (slots[k] != Instruction::kNone) warps_[w.warp].definedness.set(slots[k], lane, old);
    }
    return set_bits(values.bits, values.from, bytes);
  }
  if (keep_bits(w, i, space, lane, values)) return;
  Fault fault;
  block_.describe_access(w, i, space, lane, address, bytes, false, fault);
  const std::uint64_t old = undefined_bits(values, 0, std::min(bytes, 8u));
  undefined(w, lane, i.statement, Definedness::make(old == 0 ? 1 : old, space, i.statement),
            "changed by an atomic operation", fault);
  set_bits(values.bits, values.from, bytes);
}

}  // namespace warpmark::cpu
