// Asynchronous copies: from their start until somebody has waited for them nobody may touch what
// they write, nor change what they read.
//
// PTX ISA, "Asynchronous copy": the writes of a copy are ordered by its completion alone, so that
// they are not even ordered with what the thread that started it does next.
#include <algorithm>

#include "inspect/observed_block.hpp"
#include "inspect/observer.hpp"
#include "memory/arena.hpp"
#include "memory/async_copy.hpp"
#include "memory/init_bits.hpp"

namespace warpmark::cpu {
namespace {
constexpr std::uint32_t kMbarrierBytes = 8;
}
// Whose an access was: copies told to an mbarrier count as another block's, since nothing in the
// block but the mbarrier is in order with them.
std::uint64_t BlockObserver::block_of(const Record& record) const {
  if (record.in_flight()) return launch_.flights.block(record.epoch());
  return launch_.clock.block(record.epoch()) & ~kEngine;
}

template <typename Body>
void BlockObserver::each_cell(const AsyncCopy& copy, bool written, Body body) {
  const Flight::Side& side = written ? copy.flight->to : copy.flight->from;
  const std::uint64_t step = std::uint64_t{1} << shift(side.space);
  copy.each_part([&](const CopyPart& part) {
    // Parts of boxes may begin anywhere.
    const std::uint64_t first = side.address + (written ? part.to : part.from);
    const std::uint64_t end = first + (written ? part.bytes : part.source);
    for (std::uint64_t at = first / step * step; at < end; at += step) {
      if (const RaceCells cell = cell_at(side.space, at)) body(cell);
    }
  });
}

// The accesses of its thread that stand for the copy's: of what it reads, or of what it writes.
void BlockObserver::access_cells(const AsyncCopy& copy, bool written) {
  const Flight& flight = *copy.flight;
  const Flight::Side& side = written ? flight.to : flight.from;
  const std::uint64_t step = std::uint64_t{1} << shift(side.space);
  copy.each_part([&](const CopyPart& part) {
    const std::uint64_t address = side.address + (written ? part.to : part.from);
    const std::uint64_t first = address / step * step;
    const std::uint64_t end = address + (written ? part.bytes : part.source);
    const auto bytes = static_cast<std::uint32_t>(end - first);
    if (written)
      write_cells(*flight.lanes, *flight.instruction, side.space, flight.lane, first, bytes,
                  copy.reduces, false);
    else if (part.source != 0)
      read_cells(*flight.lanes, *flight.instruction, side.space, flight.lane, first, bytes, false);
  });
}

void BlockObserver::depart(AsyncCopy& copy) {
  if (!launch_.checks.race) return;
  Flight& flight = *copy.flight;
  const Instruction& i = *flight.instruction;
  const std::uint32_t thread = flight.lanes->warp * 32 + flight.lane;
  const bool reads = copy.from != nullptr && copy.source != 0;
  if (reads) access_cells(copy, false);
  access_cells(copy, true);
  flight.mark = launch_.flights.depart(index_, copy.reduces);
  const std::uint64_t write = Record::make(flight.mark, thread, false, i.statement).bits;
  const std::uint64_t read = Record::make(flight.mark, thread, true, i.statement).bits;
  each_cell(copy, true, [&](const RaceCells& cell) { *cell.write = write; });
  if (!reads || flight.from.space != Space::shared) return;
  each_cell(copy, false, [&](const RaceCells& cell) {
    flight.kept.push_back(*cell.write);
    if (!Record{*cell.write}.in_flight()) *cell.write = read;
  });
}

void BlockObserver::has_read(AsyncCopy& copy) {
  Flight& flight = *copy.flight;
  if (flight.kept.empty()) return;
  std::size_t next = 0;
  each_cell(copy, false, [&](const RaceCells& cell) {
    const std::uint64_t kept = flight.kept[next++];
    if (Record{*cell.write}.epoch() == flight.mark) *cell.write = kept;
  });
  flight.kept.clear();
  // It has read until now, as its thread knows; of those that mbarriers are told of it does not.
  if (copy.completion == nullptr) access_cells(copy, false);
}

void BlockObserver::land(AsyncCopy& copy, const std::byte* barrier) {
  if (launch_.checks.init) carry_values(copy);
  if (!launch_.checks.race) return;
  Flight& flight = *copy.flight;
  const std::uint32_t thread = flight.lanes->warp * 32 + flight.lane;
  const std::uint32_t statement = flight.instruction->statement;
  has_read(copy);
  if (barrier == nullptr && copy.from != nullptr && flight.from.space == Space::global)
    access_cells(copy, false);
  if (barrier == nullptr && copy.reduces) access_cells(copy, true);
  Epoch epoch = epoch_;
  if (barrier != nullptr) {
    const std::uint64_t engine = index_ | kEngine;
    epoch = launch_.clock.take(engine);
    launch_.synchronization.release(mbarrier_object(barrier),
                                    {engine, thread, epoch, 0, false, nullptr}, {});
  }
  const bool strong = copy.reduces;
  const std::uint64_t landed = Record::make(epoch, thread, strong, statement).bits;
  if (!strong || barrier != nullptr) {
    each_cell(copy, true, [&](const RaceCells& cell) {
      const Record now{*cell.write};
      if (!now.in_flight() || now.epoch() == flight.mark) *cell.write = landed;
    });
  }
  launch_.flights.land(flight.mark);
}

void BlockObserver::abandon(AsyncCopy& copy, std::uint32_t statement, std::uint32_t warp,
                            std::uint32_t lane) {
  Flight& flight = *copy.flight;
  if (!launch_.checks.race || flight.mark == 0) return;
  const bool writes = flight.to.space == Space::shared;
  const Flight::Side& side = writes ? flight.to : flight.from;
  Fault fault;
  fault.kind = FaultKind::race;
  fault.hazard = writes ? "exit after write" : "exit after read";
  block_.describe_access(*flight.lanes, *flight.instruction, side.space, flight.lane, side.address,
                         copy.bytes, writes, fault);
  fault.statement = statement;
  fault.calls = block_.calls_to(statement, warp, lane);
  fault.thread = block_.thread(warp, lane);
  tell_other(fault, Record::make(flight.mark, flight.lanes->warp * 32 + flight.lane, false,
                                 flight.instruction->statement));
  block_.report(fault);
  has_read(copy);
  each_cell(copy, true, [&](const RaceCells& cell) {
    if (Record{*cell.write}.epoch() == flight.mark) *cell.write = 0;
  });
  launch_.flights.land(flight.mark);
  flight.mark = 0;
}

// What has no value at the source has none at the target, but for whole elements of an array, which
// are results: those are told of. So is what a reduction changes or takes that has no value.
void BlockObserver::carry_values(AsyncCopy& copy) {
  Flight& flight = *copy.flight;
  const Values to = side_values(flight.to);
  const bool reads = copy.from != nullptr && copy.source != 0;
  const Values from = reads ? side_values(flight.from) : Values{};
  copy.each_part([&](const CopyPart& part) {
    const Values source = moved(from, part.from), target = moved(to, part.to);
    const bool whole = from.bits == nullptr || all_set(source.bits, source.from, part.source);
    if (copy.reduces) {
      if (!whole) no_value(flight, flight.from, part.from, part.source, "added to memory");
      if (to.bits != nullptr && !all_set(to.bits, target.from, part.bytes)) {
        no_value(flight, flight.to, part.to, part.bytes, "changed by an atomic operation");
        set_bits(to.bits, target.from, part.bytes);
      }
      return;
    }
    if (to.bits != nullptr) set_bits(to.bits, target.from, part.bytes);
    if (whole) return;
    if (to.bits != nullptr) copy_values(target, source, part.source);
    if (to.origins != nullptr && from.origins == nullptr)
      tell_origin(target, part.source,
                  Definedness::make(1, Space::global, flight.instruction->statement));
    if (flight.to.space == Space::global) carry_results(flight, part, from.bits, to.bits);
  });
}

BlockObserver::Values BlockObserver::side_values(Flight::Side& side) {
  if (side.space == Space::shared) {
    side.first = side.address;
    BlockObserver& owner = home(side.first);
    return {owner.shared_init_.data(), side.first, shared_bytes_,
            &owner.shared_partial_,    side.first, &owner.shared_origins_};
  }
  Arena& arena = block_.arena();
  PartialBytes* partial = arena.contains(side.address) ? &arena.partial_bytes() : nullptr;
  return {side.init, side.first, ~std::uint64_t{0}, partial, side.address, nullptr};
}

void BlockObserver::tell_origin(const Values& values, std::uint64_t bytes,
                                const Definedness& defined) {
  for (std::uint64_t byte = 0; byte < bytes; ++byte) {
    if (!all_set(values.bits, values.from + byte, 1))
      values.origins->set(values.key + byte, defined.origin | Definedness::kKept);
  }
}

BlockObserver::Values BlockObserver::moved(Values values, std::uint64_t by) {
  values.from += by;
  values.key += by;
  return values;
}

void BlockObserver::no_value(const Flight& flight, const Flight::Side& side, std::uint64_t at,
                             std::uint32_t bytes, const char* what) {
  Lanes& w = *flight.lanes;
  const Instruction& i = *flight.instruction;
  Fault fault;
  block_.describe_access(w, i, side.space, flight.lane, side.address + at, bytes, false, fault);
  undefined(w, flight.lane, i.statement, Definedness::make(0xff, side.space, i.statement), what,
            fault);
}

// Elements of which no byte has a value.
void BlockObserver::carry_results(const Flight& flight, const CopyPart& part,
                                  const std::uint8_t* from, std::uint8_t* to) {
  Lanes& w = *flight.lanes;
  const Instruction& i = *flight.instruction;
  Fault fault;
  block_.describe_access(w, i, Space::global, flight.lane, flight.to.address + part.to, part.bytes,
                         true, fault);
  const std::uint64_t element = fault.allocation.element_bytes();
  if (element < 2) return;  // bytes may be those of anything
  for (std::uint64_t at = 0; at + element <= part.source; at += element) {
    bool any = false;
    for (std::uint64_t byte = 0; byte < element; ++byte)
      any = any || all_set(from, flight.from.first + part.from + at + byte, 1);
    if (any) continue;
    if (to != nullptr) set_bits(to, flight.to.first + part.to + at, element);
    fault.address = flight.to.address + part.to + at;
    fault.bytes = static_cast<std::uint32_t>(element);
    undefined(w, flight.lane, i.statement, Definedness::make(0xff, flight.from.space, i.statement),
              "stored", fault);
  }
}

SyncObject& BlockObserver::mbarrier_object(const std::byte* barrier) {
  return launch_.synchronization.at(
      std::uint64_t{1} << 62 |
      static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(barrier)));
}

// Who does not wait for an mbarrier to be made does so wherever he uses it: one place tells it all.
bool BlockObserver::raced_elsewhere(Lanes& w, const Instruction& i, std::uint32_t lane,
                                    std::uint64_t address) {
  const RaceCells cell = cell_at(Space::shared, address);
  if (!cell) return false;
  const Record now = Record::make(epoch_, w.warp * 32 + lane, true, i.statement);
  const Access access{now, i, Space::shared, address, warps_[w.warp]};
  Record made{*cell.write};
  if (made.strong() && !made.in_flight()) made = further_conflict(cell, access);
  if (made.strong() || made.in_flight() || !conflicts(made, access)) return false;
  return launch_.raced_mbarriers.try_emplace(made.statement(), i.statement).first->second !=
         i.statement;
}

// Threads may change and look at one at the same time, once it is made, and until it is taken back.
void BlockObserver::use_mbarrier(Lanes& w, const Instruction& i, std::uint32_t lane,
                                 std::uint64_t address, MbarrierUse use) {
  const bool whole = use == MbarrierUse::init || use == MbarrierUse::invalidate;
  const bool told = launch_.checks.race && !whole && raced_elsewhere(w, i, lane, address);
  if (launch_.checks.race && use == MbarrierUse::test && !told)
    read_cells(w, i, Space::shared, lane, address, kMbarrierBytes, true);
  else if (launch_.checks.race && !told)
    write_cells(w, i, Space::shared, lane, address, kMbarrierBytes, !whole, false);
  if (!launch_.checks.init) return;
  const Values values = values_at(w, i, Space::shared, lane, address);
  if (values.bits == nullptr) return;
  if (!whole && !all_set(values.bits, values.from, kMbarrierBytes)) {
    Fault fault;
    block_.describe_access(w, i, Space::shared, lane, address, kMbarrierBytes, true, fault);
    undefined(w, lane, i.statement,
              undefined_at(values, 0, kMbarrierBytes, Space::shared, i.statement),
              "used as an mbarrier", fault);
  }
  set_bits(values.bits, values.from, kMbarrierBytes);
  if (use == MbarrierUse::invalidate) clear_values(values, kMbarrierBytes);
}

void BlockObserver::meet(const Lanes& w, std::uint32_t lane, const std::byte* barrier,
                         bool arrives) {
  if (!launch_.checks.race) return;
  SyncObject& object = mbarrier_object(barrier);
  if (!arrives) {
    warps_[w.warp].seen.add(&object, object.releases());
    return;
  }
  const Epoch until = epoch_;
  epoch_ = launch_.clock.take(index_);
  launch_.synchronization.release(
      object, {index_, w.warp * 32 + lane, until, barrier_, false, warps_[w.warp].fenced},
      warps_[w.warp].seen);
}

}  // namespace warpmark::cpu
