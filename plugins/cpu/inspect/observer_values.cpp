// Undefined values: which bytes have none, and what is done with registers that hold them.
#include <algorithm>
#include <bit>
#include <cstring>

#include "inspect/init_bits.hpp"
#include "inspect/observer.hpp"
#include "inspect/uses.hpp"
#include "machine/arena.hpp"
#include "machine/block.hpp"

namespace warpmark::cpu {

std::uint8_t* BlockObserver::init_bits(Lanes& w, const Instruction& i, Space space,
                                       std::uint32_t lane, std::uint64_t address,
                                       std::uint64_t& from, std::uint64_t& size) {
  from = address;
  switch (space) {
    case Space::shared: {
      BlockObserver& owner = home(from);
      size = shared_bytes_;
      return from < shared_bytes_ ? owner.shared_init_.data() : nullptr;
    }
    case Space::local:
      size = local_bytes_;
      return local_init_.data() + (local_bytes_ / 8 + 1) * (w.warp * 32 + lane);
    case Space::global: {
      const Region& region = w.sites[i.site];
      from = address - region.begin;
      size = region.size;
      return region.init;
    }
    default:
      return nullptr;
  }
}

void BlockObserver::fill_local(std::uint32_t warp, std::uint32_t lane, std::uint64_t offset,
                               std::uint64_t bytes) {
  if (!launch_.checks.init || offset + bytes > local_bytes_) return;
  set_bits(local_init_.data() + (local_bytes_ / 8 + 1) * (warp * 32 + lane), offset, bytes);
}

void BlockObserver::fill_shared(std::uint64_t offset, std::uint64_t bytes) {
  if (!launch_.checks.init || offset + bytes > shared_bytes_) return;
  set_bits(shared_init_.data(), offset, bytes);
}

void BlockObserver::fill(const std::byte* to, std::uint64_t bytes) {
  const Region& shared = block_.shared();
  const auto offset = static_cast<std::uint64_t>(to - shared.host);
  if (offset >= shared.size) return;
  fill_shared(offset, bytes);
}

void BlockObserver::enter_frame(std::uint32_t warp, std::uint32_t lane, std::uint32_t callee,
                                std::uint64_t frame) {
  if (!launch_.checks.init) return;
  std::uint8_t* bits = local_init_.data() + (local_bytes_ / 8 + 1) * (warp * 32 + lane);
  set_bits<false>(bits, frame, block_.launch().program.callees[callee].frame_bytes);
  for (const Callee::Value& value : launch_.call_spaces[callee])
    set_bits(bits, frame + value.offset, value.bytes);
}

// What a pointer to a local variable finds there now is nobody's.
void BlockObserver::leave_frame(std::uint32_t warp, std::uint32_t lane, std::uint32_t callee,
                                std::uint64_t frame) {
  if (!launch_.checks.init) return;
  std::uint8_t* bits = local_init_.data() + (local_bytes_ / 8 + 1) * (warp * 32 + lane);
  set_bits<false>(bits, frame, block_.launch().program.callees[callee].frame_bytes);
}

void BlockObserver::copy_local(std::uint32_t warp, std::uint32_t lane, std::uint64_t from,
                               std::uint64_t to, std::uint64_t bytes) {
  if (!launch_.checks.init) return;
  std::uint8_t* bits = local_init_.data() + (local_bytes_ / 8 + 1) * (warp * 32 + lane);
  const bool whole = all_set(bits, from, bytes);
  set_bits(bits, to, bytes);
  for (std::uint64_t i = 0; !whole && i < bytes; ++i) {
    if (!all_set(bits, from + i, 1)) set_bits<false>(bits, to + i, 1);
  }
}

void BlockObserver::undefined(Lanes& w, std::uint32_t lane, std::uint32_t statement, Taint taint,
                              const char* what, Fault fault) {
  fault.kind = FaultKind::uninitialised;
  fault.statement = statement;
  fault.hazard = what;
  fault.thread = block_.thread(w.warp, lane);
  fault.block = block_.coordinates();
  fault.calls = block_.calls_to(statement, w.warp, lane);
  fault.count = 1;
  fault.origin = taint.space();
  if (taint.space() != Space::param || taint.of_absent_lane()) {
    fault.other.known = true;
    fault.other.statement = taint.statement();
    fault.other.thread = fault.thread;
    fault.other.block = fault.block;
  }
  block_.launch().faults.add(fault);
}

void BlockObserver::decide(Lanes& w, std::uint32_t slot, std::uint32_t mask,
                           std::uint32_t statement, const char* what) {
  WarpTaints& taints = warps_[w.warp].taints;
  for (std::uint32_t rest = taints.lanes(slot, mask); rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    undefined(w, lane, statement, taints.get(slot, lane), what, {});
    taints.set(slot, lane, {});
  }
}

// A lane may hand out what nobody looks at; the one that reads it uses it.
void BlockObserver::shuffle(Lanes& w, const Instruction& i, std::uint32_t mask) {
  const auto word = [&](std::uint32_t slot, std::uint32_t lane) {
    std::uint32_t value;
    std::memcpy(&value, w.registers + slot + lane * 4, 4);
    return value;
  };
  std::uint32_t used = 0;
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    const std::uint32_t from = source_lane(i.opcode, lane, word(i.b, lane), word(i.c, lane));
    const bool read = from != lane && (mask >> from & 1) != 0;
    const Taint taint = warps_[w.warp].taints.get(i.a, from);
    // Structs are shuffled word by word, with their padding. And sums of half a warp hand on what
    // lanes beyond it have, down to where nobody looks at it.
    const bool padding =
        !taint.computed() && ((taint.bytes() & 0xf) != 0xf || taint.space() == Space::local ||
                              taint.space() == Space::param);
    if (read && !padding && !taint.of_absent_lane()) used |= 1u << from;
  }
  decide(w, i.a, used, i.statement, "handed to other lanes");
}

// Textures, surfaces, matrices, asynchronous copies.
void BlockObserver::follow_own(Lanes& w, const Instruction& i, std::uint32_t mask) {
  const Uses uses = uses_of(block_.launch().program, i);
  for (const std::uint32_t slot : uses.places)
    decide(w, slot, mask, i.statement, "used as an address");
  const bool matrix = i.opcode == Opcode::matrix_multiply || i.opcode == Opcode::matrix_transpose;
  if (matrix) return;  // their results are followed
  for (const std::uint32_t slot : uses.reads) decide(w, slot, mask, i.statement, "stored");
}

void BlockObserver::follow(Lanes& w, const Instruction& i, std::uint32_t mask) {
  WarpTaints& taints = warps_[w.warp].taints;
  if (i.guard != Instruction::kNone) {
    decide(w, i.guard, mask, i.statement, "used to decide whether to execute this");
    std::uint32_t guard;
    std::memcpy(&guard, w.registers + i.guard, 4);
    mask &= i.guard_negated ? ~guard : guard;
    if (mask == 0) return;
  }
  switch (flow_of(i.opcode)) {
    case Flow::load:
    case Flow::store:
      decide(w, i.address, mask, i.statement, "used as an address");
      break;
    case Flow::atomic:
      decide(w, i.address, mask, i.statement, "used as an address");
      for (const std::uint32_t slot : uses_of(block_.launch().program, i).reads)
        decide(w, slot, mask, i.statement, "used by an atomic operation");
      break;
    case Flow::shuffle:
      shuffle(w, i, mask);
      break;
    case Flow::reduce:
      decide(w, i.a, mask, i.statement, "handed to other lanes");
      break;
    case Flow::none:
      follow_own(w, i, mask);
      break;
    default:
      break;
  }
  propagate(taints, block_.launch().program, w, i, mask);
}

}  // namespace warpmark::cpu
