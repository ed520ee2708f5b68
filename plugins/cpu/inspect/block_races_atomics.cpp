// Atomic operations, and the writes that they must not hide.
#include <algorithm>
#include <bit>
#include <utility>

#include "inspect/block_races.hpp"
#include "inspect/observed_block.hpp"
#include "inspect/observer.hpp"
#include "program/uses.hpp"

namespace warpmark::cpu {

// The thread's plain reads of a place where it swaps now are settled. So are its warp's: who needs
// no swap does not swap. Of volatile ones it may be any atomic operation.
void BlockRaces::settle(const Lanes& w, Space space, std::uint32_t lane, std::uint64_t address,
                        std::uint32_t bytes, bool swaps) {
  const std::uint32_t thread = w.warp * 32 + lane;
  const Program& program = block_.program();
  if (swaps) {
    std::erase_if(launch_.unsettled, [&](const LaunchRaces::Unsettled& read) {
      return read.block == order_.index() && read.thread == thread && read.address == address;
    });
  }
  const std::uint32_t step = 1u << shift(space);
  for (std::uint64_t at = address; at < address + bytes; at += step) {
    const RaceCells cell = cell_at(space, at);
    if (!cell) return;
    for (std::uint64_t* read : {cell.read, cell.other}) {
      const Record record{*read};
      if (record.epoch() < launch_.order.clock.first() || !order_.owns(record)) continue;
      const Statement* statement = program.statement(record.statement());
      if (record.warp() == w.warp && !record.strong() && !order_.before_barrier(record) &&
          (swaps || (statement != nullptr && statement->facts->has(Modifier::volatile_))))
        launch_.before_swaps.insert(record.statement());
      if (swaps && record.thread() == thread) *read |= std::uint64_t{1} << Record::kStrongShift;
    }
  }
}

// An atomic access, whose record is `now`, to some cells: true, and they know of it, if whatever is
// newer than `oldest` is as strong, or of the block before its last barrier. What copies read that
// are under way is no less a danger.
bool BlockRaces::settle_strong(const RaceCells& cells, std::uint32_t count, bool returns,
                               std::uint64_t now, std::uint64_t oldest) {
  constexpr std::uint64_t kStrong = std::uint64_t{1} << Record::kStrongShift;
  constexpr std::uint64_t kInFlight = std::uint64_t{Record::kLastEpoch + 1} << Record::kEpochShift;
  const auto danger = [oldest](std::uint64_t record) {
    return record >= oldest && ((record & kStrong) == 0 || record >= kInFlight);
  };
  FurtherRecords::Writes further;  // of the cell in question
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
          return danger(record) && !(order_.owns({record}) && order_.before_barrier({record}));
        });
    if (!settled) return false;
  }
  // keep_strong() has nothing to do, as with most of many threads that add to one place.
  const auto pairs = [&](const FurtherRecords::Writes& known, std::uint64_t before) {
    const bool own = (before ^ now) >> Record::kEpochShift == 0 || order_.owns({before});
    const Record kept{known.records.back()};
    return own && !returns && !launch_.order.in_part && !known.weak &&
           kept.thread() != Record{now}.thread() && !order_.before_barrier(kept) &&
           !kept.in_flight();
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

void BlockRaces::put_write(const RaceCells& cell, const Access& access, std::uint64_t oldest,
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
  FurtherRecords& further = launch_.further;
  if (!now.strong() || before.bits < oldest) return further.forget(cell.write);
  further.forget_before(cell.write, oldest);
  if (before.in_flight()) return;
  if (before.strong())
    keep_strong(cell.write, before, now, (access.instruction.order & Instruction::kReturns) != 0);
  else
    further.keep(cell.write, before.bits);
}

// A strong write follows a strong one of the launch.
void BlockRaces::keep_strong(const std::uint64_t* cell, const Record& before, const Record& now,
                             bool returns) {
  FurtherRecords& further = launch_.further;
  // Who sees what the others have made of it is in order with them, as far as this place goes.
  if (returns) return further.forget_strong(cell);
  const bool own = order_.owns(before);
  if (own && before.thread() == now.thread()) return;
  const FurtherRecords::Writes known = further.find(cell);
  if (launch_.order.in_part || known.weak) return further.keep(cell, before.bits);
  // Two of different threads, of different blocks if there are, are enough.
  const Record kept{known ? known.records.back() : 0};
  if (!known || !own ||
      (order_.owns(kept) && (kept.thread() == now.thread() || order_.before_barrier(kept))))
    further.keep_only(cell, before.bits);
}

std::uint32_t BlockRaces::settle_atomics(const Lanes& w, const Instruction& i, Space space,
                                         std::uint32_t mask, const std::uint64_t* at,
                                         std::uint32_t bytes) {
  const bool orders = !launch_.of_block_scope.empty() || is_swap(i.opcode) ||
                      (launch_.looks && space == Space::shared) ||
                      (i.order & Instruction::kRelease) != 0;
  // Nothing is put in order, unless a thread has fenced.
  const bool acquires = i.d != Instruction::kNone && order_.synchronizes();
  if (orders || acquires) return mask;
  const std::uint64_t oldest = oldest_danger(space);
  const std::uint32_t count = bytes >> shift(space);
  const bool returns = (i.order & Instruction::kReturns) != 0;
  const std::uint64_t first = Record::make(order_.epoch(), w.warp * 32, true, i.statement).bits;
  for (; mask != 0; mask &= mask - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(mask));
    const RaceCells place = cells(space, at[lane], bytes, true);
    if (order_.fenced(w.warp, lane) != 0 || !place) return mask;
    const std::uint64_t record = first + (std::uint64_t{lane} << Record::kThreadShift);
    if (!settle_strong(place, count, returns, record, oldest)) return mask;
  }
  return 0;
}

void BlockRaces::atomic(Lanes& w, const Instruction& i, Space space, std::uint32_t lane,
                        std::uint64_t address, std::uint32_t bytes, bool uses) {
  if (is_swap(i.opcode) || (launch_.looks && space == Space::shared))
    settle(w, space, lane, address, bytes, is_swap(i.opcode));
  write_cells(w, i, space, lane, address, bytes, true, false);
  // Not before: what it reads here says nothing of when it might have come.
  if (uses) strong_read(w, i, lane, space, address);
  order_.release(w.warp, lane, i, key(space, address));
  if (!is_grid_barrier(space, address)) return;
  const std::array<std::uint32_t, 3>& grid = block_.grid();
  order_.arrive_at_grid(address, std::uint64_t{grid[0]} * grid[1] * grid[2]);
}

}  // namespace warpmark::cpu
