// Registers with undefined values: what instructions make of them, and reports of their use.
#include <bit>
#include <cstring>

#include "inspect/observed_block.hpp"
#include "inspect/values/block_values.hpp"
#include "program/data_flow.hpp"
#include "program/uses.hpp"

namespace warpmark::cpu {
namespace {

bool is_matrix(Opcode opcode) {
  return opcode >= Opcode::matrix_multiply && opcode <= Opcode::matrix_transpose;
}

}  // namespace

const BlockValues::UndefinedLoad* BlockValues::load_of(const Warp& warp,
                                                       const Definedness& defined) {
  if (defined.space() == Space::param) return nullptr;
  const auto load = warp.undefined_loads.find(defined.statement());
  return load == warp.undefined_loads.end() ? nullptr : &load->second;
}

// Values go from thread to thread, so that it may be any warp's load.
const std::string& BlockValues::array_of(const Definedness& defined) {
  static const std::string kNone;
  if (defined.space() == Space::param) return kNone;
  const auto [known, fresh] = launch_.arrays.try_emplace(defined.statement());
  if (!fresh && !known->second.empty()) return known->second;
  for (const Warp& warp : warps_) {
    const UndefinedLoad* load = load_of(warp, defined);
    if (load != nullptr && known->second.empty())
      known->second = block_.array_at(*load->instruction, defined.space(), load->any);
  }
  return known->second;
}

void BlockValues::report(Lanes& w, std::uint32_t lane, std::uint32_t statement,
                         const Definedness& defined, const char* what, Fault fault) {
  fault.kind = FaultKind::uninitialised;
  fault.statement = statement;
  fault.hazard = what;
  fault.thread = block_.thread(w.warp, lane);
  fault.block = block_.coordinates();
  fault.calls = block_.calls_to(statement, w.warp, lane);
  fault.count = 1;
  fault.origin = defined.space();
  fault.source = array_of(defined);
  if (defined.space() != Space::param || defined.of_inactive_lane()) {
    fault.other.known = true;
    fault.other.statement = defined.statement();
    fault.other.thread = fault.thread;
    fault.other.block = fault.block;
    if (defined.statement() == statement) fault.other.calls = fault.calls;
  }
  block_.report(fault);
}

void BlockValues::report_access(Lanes& w, const Instruction& i, Space space, std::uint32_t lane,
                                std::uint64_t address, std::uint32_t bytes, bool store,
                                const Definedness& defined, const char* what, std::uint64_t part) {
  Fault fault;
  block_.describe_access(w, i, space, lane, address, bytes, store, fault);
  fault.address += part;
  report(w, lane, i.statement, defined, what, fault);
}

void BlockValues::decide(Lanes& w, std::uint32_t slot, std::uint32_t mask, std::uint32_t statement,
                         const char* what) {
  WarpDefinedness& definedness = warps_[w.warp].definedness;
  for (std::uint32_t rest = definedness.lanes(slot) & mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    report(w, lane, statement, definedness.get(slot, lane), what, {});
    definedness.set(slot, lane, {});
  }
}

bool BlockValues::concerns(std::uint32_t warp, std::uint32_t instruction) {
  if (!launch_.operands) {
    launch_.operands.emplace(block_.program());
    launch_.combinations.emplace(block_.program());
  }
  return launch_.operands->touch(warps_[warp].definedness, instruction);
}

// Textures, surfaces, matrices, asynchronous copies.
void BlockValues::follow_own(Lanes& w, const Instruction& i, std::uint32_t mask) {
  const Uses uses = uses_of(block_.program(), i);
  for (const std::uint32_t slot : uses.places)
    decide(w, slot, mask, i.statement, "used as an address");
  if (is_matrix(i.opcode)) return;  // what they make of values or store is followed
  const bool synchronizes =
      Opcode::mbarrier_init <= i.opcode && i.opcode <= Opcode::mbarrier_pending;
  const char* what = synchronizes ? "used by an mbarrier" : "stored";
  for (const std::uint32_t slot : uses.reads) decide(w, slot, mask, i.statement, what);
}

void BlockValues::execute(Lanes& w, const Instruction& i, std::uint32_t mask) {
  const auto number = static_cast<std::uint32_t>(&i - block_.program().code.data());
  // A shuffle of some lanes may read others, which have no value for it.
  const bool shuffles = i.opcode >= Opcode::shfl_up && i.opcode <= Opcode::shfl_idx;
  if ((warps_[w.warp].definedness.any() && concerns(w.warp, number)) ||
      (mask != 0xffffffff && shuffles))
    follow(w, i, mask);
}

void BlockValues::follow(Lanes& w, const Instruction& i, std::uint32_t mask) {
  WarpDefinedness& definedness = warps_[w.warp].definedness;
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
      for (const std::uint32_t slot : uses_of(block_.program(), i).reads)
        decide(w, slot, mask, i.statement, "used by an atomic operation");
      break;
    case Flow::reduce:
      decide(w, i.a, mask, i.statement, "handed to other lanes");
      break;
    case Flow::special:
      follow_own(w, i, mask);
      break;
    default:
      break;
  }
  propagate(definedness, block_.program(), *launch_.combinations, w, i, mask);
}

}  // namespace warpmark::cpu
