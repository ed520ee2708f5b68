// Decoding of mbarrier and of asynchronous copies.
#include <cstdint>
#include <utility>

#include "program/async_forms.hpp"
#include "program/decoder.hpp"
#include "program/memory_words.hpp"

namespace warpmark::cpu {
namespace {

void emit_fence(Emitter& out) {
  const InstructionFacts& facts = out.facts();
  Instruction instruction;
  instruction.opcode = Opcode::fence;
  // A fence that makes mbarriers known to other blocks makes them known to copies, too.
  std::int64_t memory = facts.has(Modifier::mbarrier_init) ? kProxyMbarrier : 0;
  if (facts.has(Modifier::async_generic)) memory = kProxyShared | kProxyMbarrier;
  if (facts.has(Modifier::shared_cluster_read)) memory = kProxyReads;
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
    if (instruction.proxy) out.emit(instruction);
    return;
  }
  if (!facts.has(Modifier::release)) instruction.order |= Instruction::kAcquire;
  if (!facts.has(Modifier::acquire)) instruction.order |= Instruction::kRelease;
  if (facts.has(Modifier::cta)) instruction.order |= Instruction::kBlockScope;
  instruction.cluster_scope = facts.has(Modifier::cluster);
  out.emit(instruction);
}

std::uint32_t barrier_address(Emitter& out, std::size_t index, Space space) {
  const Operand& at = out.operand(index);
  if (space_of_name(out, at).value_or(Space::shared) != Space::shared)
    out.invalid("a barrier lies in shared memory");
  return address_value(out, at, space);
}

// A state, or the parity of a phase.
std::uint32_t barrier_phase(Emitter& out, std::size_t index, bool parity) {
  const Operand& phase = out.operand(index);
  if (phase.kind == OperandKind::name) out.invalid("a name cannot stand here");
  if (parity && phase.kind == OperandKind::integer && phase.value >> 1 != 0)
    out.invalid("a parity is 0 or 1");
  if (out.operands() > index + 1) out.source(index + 1, Type::u32);  // how long to suspend
  return out.source(phase, parity ? Type::u32 : Type::u64);
}

std::uint32_t barrier_arrivals(Emitter& out, bool expects) {
  const Operand& count = out.operand(2);
  if (!expects && count.kind == OperandKind::integer && count.value <= 0)
    out.invalid("at least one thread arrives");
  return out.source(count, Type::u32);
}

// {waitComplete | waitComplete|reportPredicate{, reportValue}}, [mbarrier], phase{, time}. Copies that
// report on an mbarrier need sm_100 and later, so that there is nothing to report here.
void barrier_test(Emitter& out, Instruction& instruction) {
  const InstructionFacts& facts = out.facts();
  const bool tries = facts.has(Modifier::try_wait);
  const Operand& result = out.operand(0);
  const bool reports = result.kind == OperandKind::pair;
  const bool value = reports && out.operands() > 1 && out.operand(1).kind != OperandKind::address;
  const std::size_t place = value ? 2 : 1;
  out.expect_operands(place + 2, place + (tries ? 3 : 2));
  if (reports && !facts.has(Modifier::phase_primary))
    out.invalid("only .phase_type::primary reports");
  instruction.opcode = Opcode::mbarrier_test;
  instruction.parity = facts.has(Modifier::parity);
  instruction.early = !tries;
  if (reports) {
    comparison_result(out, instruction);
    if (instruction.d == Instruction::kNone) out.invalid("who waits asks for the answer");
    if (instruction.predicate != Instruction::kNone)
      out.emit(Opcode::mov_pred, instruction.predicate, out.constant(0, false));
    instruction.predicate = Instruction::kNone;
    if (value) out.emit(Opcode::mov_b32, out.destination(1, Type::b8), out.constant(0, false));
  } else {
    instruction.d = out.destination(0, Type::pred);
  }
  instruction.address = barrier_address(out, place, instruction.space);
  instruction.b = barrier_phase(out, place + 1, instruction.parity);
  if (!facts.has(Modifier::relaxed)) instruction.order = Instruction::kAcquire;
  out.polls_block = true;
}

// mbarrier.init{.layout} [mbarrier], arrivals; .expect_tx and .complete_tx with bytes; .inval
void barrier_change(Emitter& out, Modifier what, Instruction& instruction) {
  const std::size_t operands = what == Modifier::inval ? 1 : 2;
  out.expect_operands(operands);
  instruction.opcode = what == Modifier::init        ? Opcode::mbarrier_init
                       : what == Modifier::inval     ? Opcode::mbarrier_inval
                       : what == Modifier::expect_tx ? Opcode::mbarrier_expect
                                                     : Opcode::mbarrier_complete;
  instruction.address = barrier_address(out, 0, instruction.space);
  if (operands == 2) instruction.a = out.source(1, Type::u32);
  const Operand& count = out.operand(operands - 1);
  const bool has_layout = out.facts().needs.version >= 93;  // ptxas looks closer then
  if (has_layout && count.kind == OperandKind::integer &&
      (count.value <= 0 || count.value >= 1 << 20))
    out.invalid("an mbarrier expects 1 to 1048575 arrivals");
  instruction.imm = out.facts().has(Modifier::layout_v1) ? 1 : 0;
}

// cp.async.{ca,cg}.shared{::cta}.global{…} [to], [from], bytes{, read | ignore}{, cache policy}
void plain_copy(Emitter& out, Instruction instruction) {
  const bool hint = out.facts().has(Modifier::L2_cache_hint), whole = out.facts().has(Modifier::cg);
  out.expect_operands(hint ? 4 : 3, hint ? 5 : 4);
  const Operand& size = out.operand(2);
  if (size.kind != OperandKind::integer || (size.value != 4 && size.value != 8 && size.value != 16))
    out.invalid("an asynchronous copy has 4, 8 or 16 bytes");
  if (whole && size.value != 16) out.invalid("cp.async.cg copies 16 bytes");
  instruction.opcode = Opcode::copy_async;
  instruction.set_form(CopyForm{static_cast<std::uint8_t>(size.value)});
  instruction.address = address_value(out, out.operand(0), Space::shared);
  instruction.a = address_value(out, out.operand(1), Space::global);
  const std::size_t last = out.operands() - (hint ? 1u : 0u);
  if (hint) out.source(last, Type::u64);
  if (last > 3) {
    const Operand& read = out.operand(3);
    if (read.kind == OperandKind::integer && (read.value < 0 || read.value > size.value))
      out.invalid("more bytes are read than are written");
    const bool ignore = read.kind == OperandKind::reg && out.type_of(read) == Type::pred;
    if (ignore) {
      instruction.c = out.predicate(read);
      instruction.negated = read.negated;
    } else {
      instruction.b = out.source(3, Type::u32);
    }
  }
  out.emit(instruction);
}

}  // namespace

// Fences order what is in order already: threads execute one access after another, and copies come
// about where they are waited for. Fences between threads are kept for the check of races.
void decode_fence(Emitter& out) {
  const InstructionFacts& facts = out.facts();
  const bool map = facts.has(Modifier::tensormap_generic) && facts.has(Modifier::acquire);
  out.expect_operands(map ? 2 : 0);
  if (map) {
    Space space = Space::generic;
    Instruction unused;
    address(out, out.operand(0), space, unused);
    check_line(out);
  }
  emit_fence(out);
}

std::uint32_t address_value(Emitter& out, const Operand& operand, Space space) {
  Instruction place;
  const bool generic = space == Space::generic;
  std::uint32_t slot = address(out, operand, space, place);
  if (generic && space != Space::generic)  // of a variable's name
    place.imm += static_cast<std::int64_t>(out.window_of(space));
  if (place.address_narrow) {
    const std::uint32_t narrow = slot;
    slot = out.allocate(true);
    out.emit(Opcode::cvt_u64_u32, slot, narrow);
  }
  if (place.imm == 0) return slot;
  const std::uint32_t offset = out.constant(static_cast<std::uint64_t>(place.imm), true);
  const std::uint32_t sum = out.allocate(true);
  out.emit(Opcode::add_64, sum, slot, offset);
  return sum;
}

void decode_mbarrier(Emitter& out) {
  const InstructionFacts& facts = out.facts();
  const Modifier what = facts.modifiers.front();
  const bool expects =
      (what == Modifier::arrive || what == Modifier::arrive_drop) && facts.has(Modifier::expect_tx);
  const bool cluster = facts.has(Modifier::shared_cluster);
  const Space space = space_of(facts);
  Instruction instruction;
  instruction.space = space;
  const auto state_result = [&] {
    if (out.operand(0).kind != OperandKind::sink) instruction.d = out.destination(0, Type::u64);
  };
  if (what == Modifier::init || what == Modifier::inval || what == Modifier::expect_tx ||
      what == Modifier::complete_tx) {
    barrier_change(out, what, instruction);
  } else if (what == Modifier::arrive || what == Modifier::arrive_drop) {
    const bool drop = what == Modifier::arrive_drop;
    out.expect_operands(expects || facts.has(Modifier::noComplete) ? 3 : 2, 3);
    if (cluster && out.operand(0).kind != OperandKind::sink)
      out.invalid("an arrival at another block's barrier gives no state");
    instruction.opcode =
        expects ? (drop ? Opcode::mbarrier_drop_expect : Opcode::mbarrier_arrive_expect)
        : drop  ? Opcode::mbarrier_drop
                : Opcode::mbarrier_arrive;
    state_result();
    instruction.address = barrier_address(out, 1, space);
    if (out.operands() > 2) instruction.a = barrier_arrivals(out, expects);
    if (!facts.has(Modifier::relaxed)) instruction.order = Instruction::kRelease;
  } else if (what == Modifier::test_wait || what == Modifier::try_wait) {
    barrier_test(out, instruction);
  } else if (what == Modifier::check_layout) {
    out.expect_operands(2);
    instruction.opcode = Opcode::mbarrier_layout;
    instruction.imm = facts.has(Modifier::layout_v1) ? 1 : 0;
    instruction.d = out.destination(0, Type::pred);
    instruction.address = barrier_address(out, 1, space);
  } else {  // pending_count
    out.expect_operands(2);
    instruction.opcode = Opcode::mbarrier_pending;
    instruction.d = out.destination(0, Type::u32);
    instruction.b = out.source(1, Type::u64);
  }
  if (facts.has(Modifier::cta)) instruction.order |= Instruction::kBlockScope;
  instruction.cluster_scope = facts.has(Modifier::cluster);
  instruction.site = out.program.sites++;
  out.emit(instruction);
}

void decode_async_copy(Emitter& out) {
  const InstructionFacts& facts = out.facts();
  const bool bulk = facts.has(Modifier::bulk);
  Instruction instruction;
  if (facts.has(Modifier::commit_group) || facts.has(Modifier::wait_all)) {
    out.expect_operands(0);
    instruction.opcode = facts.has(Modifier::wait_all) ? Opcode::wait_async_all
                         : bulk                        ? Opcode::commit_bulk
                                                       : Opcode::commit_async;
    out.emit(instruction);
    return;
  }
  if (facts.has(Modifier::wait_group)) {
    out.expect_operands(1);
    if (out.operand(0).kind != OperandKind::integer) out.invalid("needs a number");
    instruction.early = facts.has(Modifier::read);
    instruction.opcode = bulk ? Opcode::wait_bulk : Opcode::wait_async;
    instruction.a = out.source(0, Type::u32);
    out.emit(instruction);
    return;
  }
  if (bulk) return decode_bulk_copy(out);
  instruction.site = out.program.sites++;
  if (!facts.has(Modifier::mbarrier)) return plain_copy(out, instruction);
  // cp.async.mbarrier.arrive{.noinc}{.shared}.b64
  out.expect_operands(1);
  const Space space = space_of(facts);
  instruction.no_increment = facts.has(Modifier::noinc);
  instruction.opcode = Opcode::arrive_async;
  instruction.space = space;
  instruction.address = address_value(out, out.operand(0), space);
  out.emit(instruction);
}

}  // namespace warpmark::cpu
