// Atomic operations, and the writes that they must not hide.
#include <algorithm>
#include <bit>
#include <utility>

#include "inspect/observed_block.hpp"
#include "inspect/observer.hpp"
#include "inspect/races/block_races.hpp"
#include "program/uses.hpp"

namespace warpmark::cpu {

// Settles a thread's plain reads of a place where it now swaps. Its warp's reads are settled, too:
// a lane that needs no swap does not swap. Volatile reads are settled by any atomic operation.
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

// Returns whether keep_strong() has nothing to do, as for most of the threads that add to one place:
// the further writes of its cell, `known`, stand for the last one, `before`, as well.
inline bool BlockRaces::suffices(const FurtherRecords::Writes& known, std::uint64_t before,
                                 std::uint64_t now) const {
  const bool own = (before ^ now) >> Record::kEpochShift == 0 || order_.owns({before});
  const Record kept{known.records.back()};
  return own && !launch_.order.in_part && launch_.deciding.empty() && !known.weak &&
         kept.thread() != Record{now}.thread() && !order_.before_barrier(kept) && !kept.in_flight();
}

// Records an atomic access, with the record `now`, in some cells, and returns true, if every record
// newer than `oldest` is as strong, or of the block before its last barrier. Reads of copies under
// way are dangerous as well.
//
// `pairs`: there is one cell of the block's own, and no thread is ordered with some others alone.
bool BlockRaces::settle_strong(const RaceCells& cells, std::uint32_t count, bool returns,
                               bool pairs, std::uint64_t now, std::uint64_t oldest) {
  constexpr std::uint64_t kStrong = std::uint64_t{1} << Record::kStrongShift;
  constexpr std::uint64_t kInFlight = std::uint64_t{Record::kLastEpoch + 1} << Record::kEpochShift;
  const auto danger = [oldest](std::uint64_t record) {
    return record >= oldest && ((record & kStrong) == 0 || record >= kInFlight);
  };
  FurtherRecords::Writes further;  // of the cell in question
  for (std::uint32_t i = 0; i < count; ++i) {
    if (danger(cells.write[i]) || danger(cells.read[i]) || danger(cells.other[i])) return false;
    if (has_further_reads(cells.read + i, oldest)) return false;
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
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t before = std::exchange(cells.write[i], now);
    if (before < oldest) launch_.further.forget(cells.write + i);
    if (before < oldest) continue;
    if ((before ^ now) >> Record::kThreadShift == 0) {
      if (returns) launch_.further.forget_strong(cells.write + i);
      continue;
    }
    const bool kept = count == 1 && !returns && further && suffices(further, before, now);
    if (!kept) keep_strong(cells.write + i, Record{before}, Record{now}, returns);
    // Without others before, keep_strong() has kept the write before this one.
    if (pairs && (kept || (!further && (before ^ now) >> Record::kEpochShift == 0)))
      paired(cells.write) = {cells.write, kept ? further.records.back() : before};
  }
  return true;
}

void BlockRaces::put_write(const RaceCells& cell, const Access& access, std::uint64_t oldest,
                           bool raced) {
  const Record before{*cell.write};
  const Record& now = access.now;
  paired(cell.write) = {};
  // The plain write says more, but of two strong ones whose order decides a value both stay.
  if (raced && now.strong() && !before.strong()) return;
  // A strong write must not replace the record of a copy under way, either.
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

// Writes of a statement by two threads are enough to find that its order with others decides a
// value, or that it races with a plain access, by whichever thread.
void BlockRaces::keep_two_of_statement(const std::uint64_t* cell, const Record& record) {
  FurtherRecords& further = launch_.further;
  int others = 0;
  for (const std::uint64_t bits : further.find(cell).records) {
    const Record known{bits};
    if (known.in_flight() || known.statement() != record.statement()) continue;
    if (order_.owns(known) && order_.before_barrier(known)) continue;
    if (known.thread() == record.thread() && order_.block_of(known) == order_.block_of(record))
      return;
    if (++others == 2) return;
  }
  further.keep(cell, record.bits);
}

// Handles a strong write that follows a strong one of the launch.
void BlockRaces::keep_strong(const std::uint64_t* cell, const Record& before, const Record& now,
                             bool returns) {
  paired(cell) = {};
  FurtherRecords& further = launch_.further;
  // An operation that returns the old value is ordered with the earlier ones, as far as this place
  // is concerned.
  if (returns) return further.forget_strong(cell);
  if (!launch_.deciding.empty() && before.statement() != now.statement() &&
      launch_.deciding.contains(before.statement()))
    return keep_two_of_statement(cell, before);
  const bool own = order_.owns(before);
  if (own && before.thread() == now.thread()) return;
  const FurtherRecords::Writes known = further.find(cell);
  if (launch_.order.in_part || known.weak) return further.keep(cell, before.bits);
  // Two records of different threads, preferably of different blocks, are enough.
  const Record kept{known ? known.records.back() : 0};
  if (!known || !own ||
      (order_.owns(kept) && (kept.thread() == now.thread() || order_.before_barrier(kept))))
    further.keep_only(cell, before.bits);
}

std::uint32_t BlockRaces::add_to_pairs(std::uint32_t mask, const std::uint64_t* at,
                                       std::uint64_t first) {
  see_barrier();
  // Copies, since a store of a record might change the members as far as the compiler knows.
  const SharedRange plainly = used_plainly_;
  const Paired* const pairs = paired_.data();
  std::uint64_t* const cells = shared_cells_.write;
  const std::uint64_t end = reserved_;
  const int shift = launch_.shared_shift;
  std::uint32_t left = 0;
  for (; mask != 0; mask &= mask - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(mask));
    std::uint64_t* const write = cells + (at[lane] >> shift);
    const Paired known = pairs[place_of(write)];
    const std::uint64_t now = first + (std::uint64_t{lane} << Record::kThreadShift);
    const std::uint64_t apart = known.kept ^ now;
    if (known.cell == write && apart >> Record::kEpochShift == 0 &&
        apart >> Record::kThreadShift != 0 && at[lane] < end &&
        !plainly.meets(at[lane], at[lane] + 1))
      *write = now;
    else
      left |= 1u << lane;
  }
  return left;
}

bool BlockRaces::defer_atomics(const Lanes& w, const Instruction& i, std::uint32_t mask,
                               const std::uint64_t* at, std::uint64_t first) {
  if (i.space != Space::shared || launch_.copies || mask == 0) return false;
  const Region& region = w.objects[i.object];
  const std::uint64_t begin = region.begin, end = begin + region.size;
  see_barrier();
  if (end > reserved_ || used_.meets(begin, end) || reads_.range().meets(begin, end) ||
      atomics_.refuses())
    return false;
  atomics_.add(first, mask, at, begin, end);
  return true;
}

// Each settles, because only such operations have happened there since the barrier.
void BlockRaces::record_atomics() {
  const std::uint64_t oldest = oldest_danger(Space::shared);
  const std::uint32_t bytes = 1u << launch_.shared_shift;
  atomics_.take([&](std::uint64_t first, std::uint32_t mask, const std::uint64_t* at) {
    for (mask = add_to_pairs(mask, at, first); mask != 0; mask &= mask - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(mask));
      const std::uint64_t record = first + (std::uint64_t{lane} << Record::kThreadShift);
      settle_strong(shared_cells(at[lane], bytes, true), 1, false, true, record, oldest);
    }
  });
}

std::uint32_t BlockRaces::settle_atomics(const Lanes& w, const Instruction& i, Space space,
                                         std::uint32_t mask, const std::uint64_t* at,
                                         std::uint32_t bytes) {
  const bool orders = !launch_.of_block_scope.empty() || is_swap(i.opcode) ||
                      (launch_.looks && space == Space::shared) || is_deciding(i) ||
                      (i.order & Instruction::kRelease) != 0;
  // The operations order nothing unless a thread has fenced.
  const bool acquires = i.d != Instruction::kNone && order_.synchronizes();
  if (orders || acquires) return mask;
  const std::uint64_t oldest = oldest_danger(space);
  const std::uint32_t count = bytes >> shift(space);
  const bool returns = (i.order & Instruction::kReturns) != 0;
  const bool pairs = space == Space::shared && count == 1 && !returns && !in_cluster_ &&
                     !launch_.order.in_part && launch_.deciding.empty();
  const std::uint64_t first = Record::make(order_.epoch(), w.warp * 32, true, i.statement).bits;
  if (pairs && defer_atomics(w, i, mask, at, first)) return 0;
  if (pairs) mask = add_to_pairs(mask, at, first);
  for (; mask != 0; mask &= mask - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(mask));
    const std::uint64_t record = first + (std::uint64_t{lane} << Record::kThreadShift);
    const RaceCells place = pairs && at[lane] < reserved_ ? shared_cells(at[lane], bytes, true)
                                                          : cells(space, at[lane], bytes);
    if (!place || (!pairs && order_.fenced(w.warp, lane) != 0)) return mask;
    if (!settle_strong(place, count, returns, pairs, record, oldest)) return mask;
  }
  return 0;
}

void BlockRaces::atomic(Lanes& w, const Instruction& i, Space space, std::uint32_t lane,
                        std::uint64_t address, std::uint32_t bytes, bool uses) {
  if (is_swap(i.opcode) || (launch_.looks && space == Space::shared))
    settle(w, space, lane, address, bytes, is_swap(i.opcode));
  write_cells(w, i, space, lane, address, bytes, true, false);
  // This must come after the check: a value read here does not order the access itself.
  if (uses) strong_read(w, i, lane, space, address);
  order_.release(w.warp, lane, i, key(space, address));
  if (!is_grid_barrier(space, address)) return;
  const std::array<std::uint32_t, 3>& grid = block_.grid();
  order_.arrive_at_grid(address, std::uint64_t{grid[0]} * grid[1] * grid[2]);
}

}  // namespace warpmark::cpu
