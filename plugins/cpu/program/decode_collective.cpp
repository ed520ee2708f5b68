// Decoding of atomics and of the instructions by which the lanes of a warp exchange values.
#include <algorithm>
#include <cstdint>
#include <iterator>

#include "program/decoder.hpp"
#include "program/memory_words.hpp"
#include "program/shuffle.hpp"

namespace warpmark::cpu {
namespace {

struct Collective {
  Mnemonic mnemonic;
  Modifier mode;
  Type type;
  Opcode opcode;
};

constexpr Collective kCollectives[] = {
    {Mnemonic::shfl, Modifier::up, Type::b32, Opcode::shfl_up},
    {Mnemonic::shfl, Modifier::down, Type::b32, Opcode::shfl_down},
    {Mnemonic::shfl, Modifier::bfly, Type::b32, Opcode::shfl_bfly},
    {Mnemonic::shfl, Modifier::idx, Type::b32, Opcode::shfl_idx},
    {Mnemonic::vote, Modifier::all, Type::pred, Opcode::vote_all},
    {Mnemonic::vote, Modifier::any, Type::pred, Opcode::vote_any},
    {Mnemonic::vote, Modifier::uni, Type::pred, Opcode::vote_uni},
    {Mnemonic::vote, Modifier::ballot, Type::b32, Opcode::vote_ballot},
    {Mnemonic::redux, Modifier::add, Type::u32, Opcode::redux_add},
    {Mnemonic::redux, Modifier::add, Type::s32, Opcode::redux_add},
    {Mnemonic::redux, Modifier::min, Type::u32, Opcode::redux_min_u},
    {Mnemonic::redux, Modifier::max, Type::u32, Opcode::redux_max_u},
    {Mnemonic::redux, Modifier::min, Type::s32, Opcode::redux_min_s},
    {Mnemonic::redux, Modifier::max, Type::s32, Opcode::redux_max_s},
    {Mnemonic::redux, Modifier::and_, Type::b32, Opcode::redux_and},
    {Mnemonic::redux, Modifier::or_, Type::b32, Opcode::redux_or},
    {Mnemonic::redux, Modifier::xor_, Type::b32, Opcode::redux_xor},
    {Mnemonic::redux, Modifier::min, Type::f32, Opcode::redux_real},
    {Mnemonic::redux, Modifier::max, Type::f32, Opcode::redux_real},
    {Mnemonic::match, Modifier::any, Type::b32, Opcode::match_any_32},
    {Mnemonic::match, Modifier::any, Type::b64, Opcode::match_any_64},
    {Mnemonic::match, Modifier::all, Type::b32, Opcode::match_all_32},
    {Mnemonic::match, Modifier::all, Type::b64, Opcode::match_all_64},
};

const Collective* find_collective(const InstructionFacts& facts) {
  const auto* const found = std::ranges::find_if(kCollectives, [&](const Collective& row) {
    return facts.mnemonic == row.mnemonic && facts.has(row.mode) && facts.has(row.type);
  });
  return found == std::end(kCollectives) ? nullptr : found;
}

constexpr std::uint32_t kLastWithoutSync = 63;  // PTX ISA: .version 6.3, for sm_70 and later

// The type of an atomic's values: that of its name, as one operation handles several types. The
// values of cas.b16 are bits; the types of vectors and packed numbers are those of the table.
Type atomic_type(const InstructionFacts& facts, Type known) {
  const Type named = facts.types.front();
  return bytes_of(named) == bytes_of(known) ? named : known;
}

// Instruction::order of an atomic operation.
std::uint8_t order_of(const InstructionFacts& facts) {
  std::uint8_t order = Instruction::kStrong;
  if (facts.has(Modifier::release) || facts.has(Modifier::acq_rel)) order |= Instruction::kRelease;
  if (facts.has(Modifier::acquire) || facts.has(Modifier::acq_rel)) order |= Instruction::kAcquire;
  if (facts.has(Modifier::cta)) order |= Instruction::kBlockScope;
  return order;
}

// The registers of one operand: as many as the vector has elements, or the two of 128 bits.
void atomic_registers(Emitter& out, const Operand& operand, Type type, std::uint32_t elements,
                      bool result, std::vector<std::uint32_t>& into) {
  const bool vector = operand.kind == OperandKind::vector;
  const bool unused = result && operand.kind == OperandKind::sink;
  if (!unused && (vector ? operand.count != elements || elements == 1 : elements != 1))
    out.invalid("the number of registers does not match the vector");
  for (std::uint32_t i = 0; i < elements; ++i) {
    const Operand& element = vector ? out.part(operand, i) : operand;
    const bool whole = type == Type::b128;
    std::uint32_t slot = Instruction::kNone;
    if (!result)
      slot = out.source(element, type);
    else if (element.kind != OperandKind::sink)
      slot = out.destination(element, type);
    into.push_back(slot);
    if (whole) into.push_back(slot == Instruction::kNone ? slot : slot + kWideSlot);
  }
}

// Lists all registers of d, a and b in Program::operands, for vectors and 128 bits. `first` is the
// index of the address operand.
void wide_atomic_operands(Emitter& out, std::size_t first, Type type, std::uint32_t elements,
                          bool swap, Instruction& instruction) {
  std::vector<std::uint32_t> slots;
  const auto add = [&](const Operand& of, bool result) {
    atomic_registers(out, of, type, elements, result, slots);
  };
  add(first == 0 ? Operand{} : out.operand(0), true);
  add(out.operand(first + 1), false);
  add(out.operand(first + (swap ? 2 : 1)), false);
  instruction.count = static_cast<std::uint8_t>(slots.size() / 3);
  instruction.more = out.more(slots);
  const auto end = slots.begin() + instruction.count;
  const auto used = std::find_if(slots.begin(), end,
                                 [](std::uint32_t slot) { return slot != Instruction::kNone; });
  if (used != end) instruction.d = *used;
}

}  // namespace

bool is_collective(const Statement& statement) {
  return statement.facts->family == Family::matrix ||
         statement.facts->family == Family::warpgroup ||
         (statement.facts->family == Family::collective && statement.facts->has(Modifier::sync));
}

std::uint32_t members(Emitter& out) {
  if (out.facts().family != Family::collective) return out.constant(0xffffffff, false);
  if (out.operands() == 0) out.invalid("needs the mask of its lanes");
  return out.source(out.operands() - 1u, Type::u32);
}

void decode_collective(Emitter& out) {
  if (out.facts().mnemonic == Mnemonic::activemask) {
    out.expect_operands(1);
    return out.emit(Opcode::active_mask, out.destination(0, Type::b32), Instruction::kNone);
  }
  // Without .sync the lanes that come there together are meant, and nobody is waited for.
  const bool waits = out.facts().has(Modifier::sync);
  const Collective* row = find_collective(out.facts());
  if (row == nullptr) out.refuse_opcode();
  if (!waits && out.module.version > kLastWithoutSync) out.invalid("needs .sync from PTX 6.4 on");
  const std::size_t masks = waits ? 1 : 0;
  Instruction instruction;
  instruction.opcode = row->opcode;
  const bool match = out.facts().mnemonic == Mnemonic::match;
  if (match || out.facts().mnemonic == Mnemonic::shfl) {
    match ? out.expect_operands(3) : out.expect_operands(4 + masks);
    const Type type = match ? Type::u32 : Type::b32;
    const Operand& result = out.operand(0);
    if (result.kind == OperandKind::pair) {
      const Operand& value = out.part(result, 0);
      const Operand& valid = out.part(result, 1);
      if (valid.kind == OperandKind::integer || valid.negated)
        out.invalid("the result must be a register");
      if (out.facts().has(Modifier::any)) out.invalid("only match.all has a predicate");
      instruction.d = match ? out.result(value, type) : out.destination(value, type);
      if (valid.kind != OperandKind::sink) instruction.predicate = out.predicate(valid);
    } else {
      instruction.d = out.destination(0, type);
    }
    const bool wide = row->type == Type::b64;
    instruction.a = out.source(1, wide ? Type::b64 : Type::b32);
    instruction.b = out.source(2, type);
    if (!match) instruction.c = out.source(3, Type::b32);
  } else if (out.facts().mnemonic == Mnemonic::vote) {
    out.expect_operands(2 + masks);
    instruction.d = out.destination(0, row->opcode == Opcode::vote_ballot ? Type::b32 : Type::pred);
    instruction.a = out.predicate(out.operand(1));
    instruction.negated = out.operand(1).negated;
    instruction.b = waits ? out.source(2, Type::u32) : out.constant(0xffffffff, false);
  } else {
    out.expect_operands(3);
    const bool real = row->opcode == Opcode::redux_real;
    if (real) {
      const InstructionFacts& facts = out.facts();
      instruction.set_form(RealReduction{facts.has(Modifier::max), facts.has(Modifier::abs),
                                         facts.has(Modifier::NaN)});
    }
    const Type type = real ? Type::f32 : Type::u32;
    instruction.d = out.destination(0, type);
    instruction.a = out.source(1, type);
    instruction.b = out.source(2, Type::u32);
  }
  out.emit(instruction);
}

void decode_atomic(Emitter& out) {
  const InstructionFacts& facts = out.facts();
  const bool reduce = facts.mnemonic == Mnemonic::red, hint = facts.has(Modifier::L2_cache_hint);
  const std::uint32_t elements = vector_elements(facts);
  const Space space = space_of(facts);
  const Modifier operation = atomic_operation(facts);
  // Sums of two's complement are the same with a sign and without.
  const Type given = facts.types.front();
  const bool sums_signed = facts.has(Modifier::async) && given == Type::s64;
  const OpcodeInfo* info = find_atomic(operation, sums_signed ? Type::u64 : given, elements > 1,
                                       facts.has(Modifier::noftz));
  if (info == nullptr) out.refuse_opcode();
  const bool wide = info->form == Form::wide_atomic;
  const std::uint32_t bytes = bytes_of(info->d);
  if (elements * bytes > 16) out.invalid("a vector has at most 16 bytes");
  const bool swap = operation == Modifier::cas, exchange = operation == Modifier::exch;
  out.polls = out.polls || swap || exchange;
  const std::size_t first = reduce ? 0 : 1;  // operand that is the address
  const std::size_t operands = first + (swap ? 3 : 2) + (hint ? 1 : 0);
  out.expect_operands(operands);
  if (hint) out.source(operands - 1, Type::u64);
  Instruction instruction;
  instruction.opcode = info->opcode;
  instruction.order = order_of(facts);
  instruction.cluster_scope = facts.has(Modifier::cluster);
  const Type type = atomic_type(facts, info->d);
  Space placed = space;
  instruction.address = address(out, out.operand(first), placed, instruction);
  instruction.space = placed;
  if (wide) {
    wide_atomic_operands(out, first, type, elements, swap, instruction);
  } else {
    if (!reduce && out.operand(0).kind != OperandKind::sink)
      instruction.d = out.destination(0, type);
    instruction.a = out.source(first + 1, type);
    instruction.b = swap ? out.source(first + 2, type) : instruction.a;
  }
  instruction.site = out.program.sites++;
  instruction.cost = static_cast<std::uint8_t>(bytes * elements);
  instruction.counter = bytes_counter(placed, Traffic::atomic);
  out.program.note_access(placed, bytes);
  // Sums and the like of integers come out the same in any order, if nobody looks at what was
  // there before. Results that are never read are as good as none.
  const bool returns =
      instruction.d != Instruction::kNone && (wide || out.reads_of(out.operand(0).index) > 0);
  const bool sums = info->opcode >= Opcode::atom_add_f32 || info->opcode == Opcode::atom_inc_32 ||
                    info->opcode == Opcode::atom_dec_32 || swap || exchange;
  if (returns) instruction.order |= Instruction::kReturns;
  if (placed != Space::shared && (returns || sums)) out.program.ordered = true;
  out.polls = out.polls || (placed != Space::shared && returns);
  out.emit(instruction);
}

}  // namespace warpmark::cpu
