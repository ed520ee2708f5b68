// The values that asynchronous copies carry.
#include <bit>

#include "inspect/observed_block.hpp"
#include "inspect/values/block_values.hpp"
#include "memory/async_copy.hpp"
#include "memory/init_bits.hpp"

namespace warpmark::cpu {

ByteValues BlockValues::of_side(const Flight::Side& side) {
  if (side.space == Space::shared) return in_shared(side.address);
  return in_global(side.init, side.first, ~std::uint64_t{0}, side.address);
}

// Bytes that are undefined at the source become undefined at the target. Whole undefined elements
// of an array are results, and are reported. So are undefined operands of a reduction.
void BlockValues::land(AsyncCopy& copy) {
  Flight& flight = *copy.flight;
  const ByteValues to = of_side(flight.to);
  const bool reads = copy.from != nullptr && copy.source != 0;
  const ByteValues from = reads ? of_side(flight.from) : ByteValues{};
  copy.each_part([&](const CopyPart& part) {
    const ByteValues source = from.behind(part.from), target = to.behind(part.to);
    if (copy.unsaid && part.source == 0) return target.undefine(part.bytes);
    const bool whole = source.defined(part.source);
    if (!whole || (copy.reduces && !target.defined(part.bytes))) block_.serialize();
    if (copy.reduces) {
      if (!whole) no_value(flight, flight.from, part.from, part.source, "added to memory");
      if (!target.defined(part.bytes)) {
        no_value(flight, flight.to, part.to, part.bytes, "changed by an atomic operation");
        target.define(part.bytes);
      }
      return;
    }
    target.define(part.bytes);
    if (whole) return;
    if (to.bits != nullptr) target.copy(source, part.source);
    if (to.origins != nullptr && from.origins == nullptr)
      target.set_origin(part.source,
                        Definedness::make(1, Space::global, flight.instruction->statement));
    if (flight.to.space == Space::global) carry_results(flight, part, source, target);
  });
}

void BlockValues::no_value(const Flight& flight, const Flight::Side& side, std::uint64_t at,
                           std::uint32_t bytes, const char* what) {
  const Instruction& i = *flight.instruction;
  report_access(*flight.lanes, i, side.space, flight.lane, side.address + at, bytes, false,
                Definedness::make(0xff, side.space, i.statement), what);
}

void BlockValues::multiply_nothing(Lanes& w, const Instruction& i, std::uint64_t offset,
                                   const char* what) {
  const auto lane = static_cast<std::uint32_t>(std::countr_zero(w.mask));
  report_access(w, i, Space::shared, lane, offset, 16, false,
                Definedness::make(0xff, Space::shared, i.statement), what);
}

// Reports elements that have no defined byte.
void BlockValues::carry_results(const Flight& flight, const CopyPart& part, const ByteValues& from,
                                const ByteValues& to) {
  Lanes& w = *flight.lanes;
  const Instruction& i = *flight.instruction;
  Fault fault;
  block_.describe_access(w, i, Space::global, flight.lane, flight.to.address + part.to, part.bytes,
                         true, fault);
  const std::uint64_t element = fault.allocation.element_bytes();
  if (element < 2) return;  // bytes may belong to objects of any type
  for (std::uint64_t at = 0; at + element <= part.source; at += element) {
    bool any = false;
    for (std::uint64_t byte = 0; byte < element; ++byte)
      any = any || from.behind(at + byte).defined(1);
    if (any) continue;
    to.behind(at).define(element);
    fault.address = flight.to.address + part.to + at;
    fault.bytes = static_cast<std::uint32_t>(element);
    report(w, flight.lane, i.statement, Definedness::make(0xff, flight.from.space, i.statement),
           "stored", fault);
  }
}

}  // namespace warpmark::cpu
