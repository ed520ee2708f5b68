// Decoding of mbarrier and of asynchronous copies.
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "program/decoder.hpp"
#include "program/memory_words.hpp"

namespace warpmark::cpu {
// Fences order what is in order already: threads execute one access after another, and copies come
// about where they are waited for. Fences between threads are kept for the check of races.
void Decoder::fence(const Statement& statement) {
  const InstructionFacts& facts = *statement.facts;
  const bool map = facts.has(Modifier::tensormap_generic) && facts.has(Modifier::acquire);
  expect_operands(statement, map ? 2 : 0, map ? 2 : 0);
  if (map) {
    Space space = Space::generic;
    Instruction unused;
    address(statement, operand(statement, 0), space, unused);
    check_line(statement);
  }
  emit_fence(statement);
}

void Decoder::emit_fence(const Statement& statement) {
  const InstructionFacts& facts = *statement.facts;
  Instruction instruction;
  instruction.opcode = Opcode::fence;
  // A fence that makes mbarriers known to other blocks makes them known to copies, too.
  std::int64_t memory = facts.has(Modifier::mbarrier_init) ? kProxyMbarrier : 0;
  if (facts.has(Modifier::async_generic)) memory = kProxyShared | kProxyMbarrier;
  if (facts.has(Modifier::async)) {
    const bool global = facts.has(Modifier::global);
    const bool shared = facts.has(Modifier::shared_cta) || facts.has(Modifier::shared_cluster);
    memory = (global ? 0 : kProxyShared | kProxyMbarrier) | (shared ? 0 : kProxyGlobal);
  }
  if (facts.has(Modifier::tensormap_generic))
    memory = facts.has(Modifier::acquire) ? kProxyMapAcquire : kProxyMapRelease;
  instruction.imm = memory;
  instruction.proxy = memory != 0;
  if (facts.has(Modifier::proxy)) {
    if (instruction.proxy) emit(statement, instruction);
    return;
  }
  if (!facts.has(Modifier::release)) instruction.order |= Instruction::kAcquire;
  if (!facts.has(Modifier::acquire)) instruction.order |= Instruction::kRelease;
  if (facts.has(Modifier::cta)) instruction.order |= Instruction::kBlockScope;
  instruction.cluster_scope = facts.has(Modifier::cluster);
  emit(statement, instruction);
}

// A 64-bit register with an address, its offset added.
std::uint32_t Decoder::address_value(const Statement& statement, const Operand& operand,
                                     Space space) {
  Instruction place;
  const bool generic = space == Space::generic;
  std::uint32_t slot = address(statement, operand, space, place);
  if (generic && space != Space::generic)  // of a variable's name
    place.imm += static_cast<std::int64_t>(window_of(space));
  if (place.address_narrow) {
    Instruction extend;
    extend.opcode = Opcode::cvt_u64_u32;
    extend.a = slot;
    extend.d = slot = allocate(true);
    emit(statement, extend);
  }
  if (place.imm == 0) return slot;
  Instruction add;
  add.opcode = Opcode::add_64;
  add.a = slot;
  add.b = constant(static_cast<std::uint64_t>(place.imm), true);
  add.d = allocate(true);
  emit(statement, add);
  return add.d;
}

std::uint32_t Decoder::barrier_address(const Statement& statement, std::size_t index, Space space) {
  const Operand& at = operand(statement, index);
  if (space_of_name(at).value_or(Space::shared) != Space::shared)
    invalid(statement, "a barrier lies in shared memory");
  return address_value(statement, at, space);
}

// A state, or the parity of a phase.
std::uint32_t Decoder::barrier_phase(const Statement& statement, std::size_t index, bool parity) {
  const Operand& phase = operand(statement, index);
  if (phase.kind == OperandKind::name) invalid(statement, "a name cannot stand here");
  if (parity && phase.kind == OperandKind::integer && phase.value >> 1 != 0)
    invalid(statement, "a parity is 0 or 1");
  if (statement.operands > index + 1)
    source(statement, index + 1, Type::u32);  // how long to suspend
  return source(statement, phase, parity ? Type::u32 : Type::u64);
}

std::uint32_t Decoder::barrier_arrivals(const Statement& statement, bool expects) {
  const Operand& count = operand(statement, 2);
  if (!expects && count.kind == OperandKind::integer && count.value <= 0)
    invalid(statement, "at least one thread arrives");
  return source(statement, count, Type::u32);
}

// {waitComplete | waitComplete|reportPredicate{, reportValue}}, [mbarrier], phase{, time}. Copies that
// report on an mbarrier need sm_100 and later, so that there is nothing to report here.
void Decoder::barrier_test(const Statement& statement, Instruction& instruction) {
  const InstructionFacts& facts = *statement.facts;
  const bool tries = facts.has(Modifier::try_wait);
  const Operand& result = operand(statement, 0);
  const bool reports = result.kind == OperandKind::pair;
  const bool value =
      reports && statement.operands > 1 && operand(statement, 1).kind != OperandKind::address;
  const std::size_t place = value ? 2 : 1;
  expect_operands(statement, place + 2, place + (tries ? 3 : 2));
  if (reports && !facts.has(Modifier::phase_primary))
    invalid(statement, "only .phase_type::primary reports");
  instruction.opcode = Opcode::mbarrier_test;
  instruction.parity = facts.has(Modifier::parity);
  instruction.early = !tries;
  if (reports) {
    comparison_result(statement, instruction);
    if (instruction.d == Instruction::kNone) invalid(statement, "who waits asks for the answer");
    if (instruction.predicate != Instruction::kNone)
      emit_plain(statement, Opcode::mov_pred, instruction.predicate, constant(0, false));
    instruction.predicate = Instruction::kNone;
    if (value)
      emit_plain(statement, Opcode::mov_b32, destination(statement, 1, Type::b8),
                 constant(0, false));
  } else {
    instruction.d = destination(statement, 0, Type::pred);
  }
  instruction.address = barrier_address(statement, place, instruction.space);
  instruction.b = barrier_phase(statement, place + 1, instruction.parity);
  if (!facts.has(Modifier::relaxed)) instruction.order = Instruction::kAcquire;
  polls_block_ = true;
}

// mbarrier.init{.layout} [mbarrier], arrivals; .expect_tx and .complete_tx with bytes; .inval
void Decoder::barrier_change(const Statement& statement, Modifier what, Instruction& instruction) {
  const std::size_t operands = what == Modifier::inval ? 1 : 2;
  expect_operands(statement, operands, operands);
  instruction.opcode = what == Modifier::init        ? Opcode::mbarrier_init
                       : what == Modifier::inval     ? Opcode::mbarrier_inval
                       : what == Modifier::expect_tx ? Opcode::mbarrier_expect
                                                     : Opcode::mbarrier_complete;
  instruction.address = barrier_address(statement, 0, instruction.space);
  if (operands == 2) instruction.a = source(statement, 1, Type::u32);
  const Operand& count = operand(statement, operands - 1);
  const bool has_layout = statement.facts->needs.version >= 93;  // ptxas looks closer then
  if (has_layout && count.kind == OperandKind::integer &&
      (count.value <= 0 || count.value >= 1 << 20))
    invalid(statement, "an mbarrier expects 1 to 1048575 arrivals");
  instruction.imm = statement.facts->has(Modifier::layout_v1) ? 1 : 0;
}

void Decoder::mbarrier(const Statement& statement) {
  const InstructionFacts& facts = *statement.facts;
  const Modifier what = facts.modifiers.front();
  const bool expects =
      (what == Modifier::arrive || what == Modifier::arrive_drop) && facts.has(Modifier::expect_tx);
  const bool cluster = facts.has(Modifier::shared_cluster);
  const Space space = space_of(facts);
  Instruction instruction;
  instruction.space = space;
  const auto state_result = [&] {
    if (operand(statement, 0).kind != OperandKind::sink)
      instruction.d = destination(statement, 0, Type::u64);
  };
  if (what == Modifier::init || what == Modifier::inval || what == Modifier::expect_tx ||
      what == Modifier::complete_tx) {
    barrier_change(statement, what, instruction);
  } else if (what == Modifier::arrive || what == Modifier::arrive_drop) {
    const bool drop = what == Modifier::arrive_drop;
    expect_operands(statement, expects || facts.has(Modifier::noComplete) ? 3 : 2, 3);
    if (cluster && operand(statement, 0).kind != OperandKind::sink)
      invalid(statement, "an arrival at another block's barrier gives no state");
    instruction.opcode =
        expects ? (drop ? Opcode::mbarrier_drop_expect : Opcode::mbarrier_arrive_expect)
        : drop  ? Opcode::mbarrier_drop
                : Opcode::mbarrier_arrive;
    state_result();
    instruction.address = barrier_address(statement, 1, space);
    if (statement.operands > 2) instruction.a = barrier_arrivals(statement, expects);
    if (!facts.has(Modifier::relaxed)) instruction.order = Instruction::kRelease;
  } else if (what == Modifier::test_wait || what == Modifier::try_wait) {
    barrier_test(statement, instruction);
  } else if (what == Modifier::check_layout) {
    expect_operands(statement, 2, 2);
    instruction.opcode = Opcode::mbarrier_layout;
    instruction.imm = facts.has(Modifier::layout_v1) ? 1 : 0;
    instruction.d = destination(statement, 0, Type::pred);
    instruction.address = barrier_address(statement, 1, space);
  } else {  // pending_count
    expect_operands(statement, 2, 2);
    instruction.opcode = Opcode::mbarrier_pending;
    instruction.d = destination(statement, 0, Type::u32);
    instruction.b = source(statement, 1, Type::u64);
  }
  if (facts.has(Modifier::cta)) instruction.order |= Instruction::kBlockScope;
  instruction.cluster_scope = facts.has(Modifier::cluster);
  instruction.site = program_.sites++;
  emit(statement, instruction);
}

void Decoder::async_copy(const Statement& statement) {
  const InstructionFacts& facts = *statement.facts;
  const bool bulk = facts.has(Modifier::bulk);
  Instruction instruction;
  if (facts.has(Modifier::commit_group) || facts.has(Modifier::wait_all)) {
    expect_operands(statement, 0, 0);
    instruction.opcode = facts.has(Modifier::wait_all) ? Opcode::wait_async_all
                         : bulk                        ? Opcode::commit_bulk
                                                       : Opcode::commit_async;
    emit(statement, instruction);
    return;
  }
  if (facts.has(Modifier::wait_group)) {
    expect_operands(statement, 1, 1);
    if (operand(statement, 0).kind != OperandKind::integer) invalid(statement, "needs a number");
    instruction.early = facts.has(Modifier::read);
    instruction.opcode = bulk ? Opcode::wait_bulk : Opcode::wait_async;
    instruction.a = source(statement, 0, Type::u32);
    emit(statement, instruction);
    return;
  }
  if (bulk) return bulk_copy(statement);
  instruction.site = program_.sites++;
  if (!facts.has(Modifier::mbarrier)) return plain_copy(statement, instruction);
  // cp.async.mbarrier.arrive{.noinc}{.shared}.b64
  expect_operands(statement, 1, 1);
  const Space space = space_of(facts);
  instruction.no_increment = facts.has(Modifier::noinc);
  instruction.opcode = Opcode::arrive_async;
  instruction.space = space;
  instruction.address = address_value(statement, operand(statement, 0), space);
  emit(statement, instruction);
}

// cp.async.{ca,cg}.shared{::cta}.global{…} [to], [from], bytes{, read | ignore}{, cache policy}
void Decoder::plain_copy(const Statement& statement, Instruction instruction) {
  const bool hint = statement.facts->has(Modifier::L2_cache_hint),
             whole = statement.facts->has(Modifier::cg);
  expect_operands(statement, hint ? 4 : 3, hint ? 5 : 4);
  const Operand& size = operand(statement, 2);
  if (size.kind != OperandKind::integer || (size.value != 4 && size.value != 8 && size.value != 16))
    invalid(statement, "an asynchronous copy has 4, 8 or 16 bytes");
  if (whole && size.value != 16) invalid(statement, "cp.async.cg copies 16 bytes");
  instruction.opcode = Opcode::copy_async;
  instruction.set_form(CopyForm{static_cast<std::uint8_t>(size.value)});
  instruction.address = address_value(statement, operand(statement, 0), Space::shared);
  instruction.a = address_value(statement, operand(statement, 1), Space::global);
  const std::size_t last = statement.operands - (hint ? 1u : 0u);
  if (hint) source(statement, last, Type::u64);
  if (last > 3) {
    const Operand& read = operand(statement, 3);
    if (read.kind == OperandKind::integer && (read.value < 0 || read.value > size.value))
      invalid(statement, "more bytes are read than are written");
    const bool ignore =
        read.kind == OperandKind::reg && function_.registers[read.index].type == Type::pred;
    if (ignore) {
      instruction.c = predicate(statement, read);
      instruction.negated = read.negated;
    } else {
      instruction.b = source(statement, 3, Type::u32);
    }
  }
  emit(statement, instruction);
}

}  // namespace warpmark::cpu
