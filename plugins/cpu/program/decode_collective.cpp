// Decoding of atomics and of the instructions by which the lanes of a warp exchange values.
#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <string>

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
  const auto* const found =
      std::find_if(std::begin(kCollectives), std::end(kCollectives), [&](const Collective& row) {
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

}  // namespace

bool Decoder::is_collective(const Statement& statement) {
  return statement.facts->family == Family::matrix ||
         statement.facts->family == Family::warpgroup ||
         (statement.facts->family == Family::collective && statement.facts->has(Modifier::sync));
}

// The lanes that a collective waits for: its last operand, of a matrix instruction all.
std::uint32_t Decoder::members(const Statement& statement) {
  if (statement.facts->family != Family::collective) return constant(0xffffffff, false);
  if (statement.operands == 0) invalid(statement, "needs the mask of its lanes");
  return source(statement, statement.operands - 1u, Type::u32);
}

void Decoder::collective(const Statement& statement) {
  Instruction instruction;
  if (statement.facts->mnemonic == Mnemonic::activemask) {
    expect_operands(statement, 1, 1);
    instruction.opcode = Opcode::active_mask;
    instruction.d = destination(statement, 0, Type::b32);
    emit(statement, instruction);
    return;
  }
  // Without .sync the lanes that come there together are meant, and nobody is waited for.
  const bool waits = statement.facts->has(Modifier::sync);
  const Collective* row = find_collective(*statement.facts);
  if (row == nullptr) refuse_opcode(statement);
  if (!waits && module_.version > kLastWithoutSync)
    invalid(statement, "needs .sync from PTX 6.4 on");
  const std::size_t masks = waits ? 1 : 0;
  instruction.opcode = row->opcode;
  const bool match = statement.facts->mnemonic == Mnemonic::match;
  if (match || statement.facts->mnemonic == Mnemonic::shfl) {
    match ? expect_operands(statement, 3, 3) : expect_operands(statement, 4 + masks, 4 + masks);
    const Type type = match ? Type::u32 : Type::b32;
    const Operand& result = operand(statement, 0);
    if (result.kind == OperandKind::pair) {
      const Operand& value = function_.operands[result.index];
      const Operand& valid = function_.operands[result.index + 1];
      const bool unused = match && value.kind == OperandKind::sink;
      if ((value.kind != OperandKind::reg && !unused) || value.negated || value.value != 0 ||
          valid.kind == OperandKind::integer || valid.negated)
        invalid(statement, "the result must be a register");
      if (statement.facts->has(Modifier::any)) invalid(statement, "only match.all has a predicate");
      if (value.kind == OperandKind::reg) check_register(statement, value, type, false);
      instruction.d = value.kind == OperandKind::reg ? register_slot(value.index) : allocate(false);
      if (valid.kind != OperandKind::sink) instruction.predicate = predicate(statement, valid);
    } else {
      instruction.d = destination(statement, 0, type);
    }
    const bool wide = row->type == Type::b64;
    instruction.a = source(statement, 1, wide ? Type::b64 : Type::b32);
    instruction.b = source(statement, 2, type);
    if (!match) instruction.c = source(statement, 3, Type::b32);
  } else if (statement.facts->mnemonic == Mnemonic::vote) {
    expect_operands(statement, 2 + masks, 2 + masks);
    instruction.d =
        destination(statement, 0, row->opcode == Opcode::vote_ballot ? Type::b32 : Type::pred);
    instruction.a = predicate(statement, operand(statement, 1));
    instruction.negated = operand(statement, 1).negated;
    instruction.b = waits ? source(statement, 2, Type::u32) : constant(0xffffffff, false);
  } else {
    expect_operands(statement, 3, 3);
    const bool real = row->opcode == Opcode::redux_real;
    if (real) {
      const InstructionFacts& facts = *statement.facts;
      instruction.set_form(RealReduction{facts.has(Modifier::max), facts.has(Modifier::abs),
                                         facts.has(Modifier::NaN)});
    }
    const Type type = real ? Type::f32 : Type::u32;
    instruction.d = destination(statement, 0, type);
    instruction.a = source(statement, 1, type);
    instruction.b = source(statement, 2, Type::u32);
  }
  emit(statement, instruction);
}

// The registers of one operand: as many as the vector has elements, or the two of 128 bits.
void Decoder::atomic_registers(const Statement& statement, const Operand& operand, Type type,
                               std::uint32_t elements, bool result,
                               std::vector<std::uint32_t>& into) {
  const bool vector = operand.kind == OperandKind::vector;
  const bool unused = result && operand.kind == OperandKind::sink;
  if (!unused && (vector ? operand.count != elements || elements == 1 : elements != 1))
    invalid(statement, "the number of registers does not match the vector");
  for (std::uint32_t i = 0; i < elements; ++i) {
    const Operand& element = vector ? function_.operands[operand.index + i] : operand;
    const bool whole = type == Type::b128;
    std::uint32_t slot = Instruction::kNone;
    if (!result)
      slot = source(statement, element, type);
    else if (element.kind != OperandKind::sink)
      slot = destination(statement, element, type);
    into.push_back(slot);
    if (whole) into.push_back(slot == Instruction::kNone ? slot : slot + kWideSlot);
  }
}

// Lists all registers of d, a and b in Program::operands, for vectors and 128 bits. `first` is the
// index of the address operand.
void Decoder::wide_atomic_operands(const Statement& statement, std::size_t first, Type type,
                                   std::uint32_t elements, bool swap, Instruction& instruction) {
  std::vector<std::uint32_t> slots;
  const auto add = [&](const Operand& of, bool result) {
    atomic_registers(statement, of, type, elements, result, slots);
  };
  add(first == 0 ? Operand{} : operand(statement, 0), true);
  add(operand(statement, first + 1), false);
  add(operand(statement, first + (swap ? 2 : 1)), false);
  instruction.count = static_cast<std::uint8_t>(slots.size() / 3);
  instruction.more = more(slots);
  const auto end = slots.begin() + instruction.count;
  const auto used = std::find_if(slots.begin(), end,
                                 [](std::uint32_t slot) { return slot != Instruction::kNone; });
  if (used != end) instruction.d = *used;
}

namespace {

// Instruction::order of an atomic operation.
std::uint8_t order_of(const InstructionFacts& facts) {
  std::uint8_t order = Instruction::kStrong;
  if (facts.has(Modifier::release) || facts.has(Modifier::acq_rel)) order |= Instruction::kRelease;
  if (facts.has(Modifier::acquire) || facts.has(Modifier::acq_rel)) order |= Instruction::kAcquire;
  if (facts.has(Modifier::cta)) order |= Instruction::kBlockScope;
  return order;
}

}  // namespace

void Decoder::atomic(const Statement& statement) {
  const InstructionFacts& facts = *statement.facts;
  const bool reduce = facts.mnemonic == Mnemonic::red, hint = facts.has(Modifier::L2_cache_hint);
  const std::uint32_t elements = vector_elements(facts);
  const Space space = space_of(facts);
  const Modifier operation = atomic_operation(facts);
  // Sums of two's complement are the same with a sign and without.
  const Type given = facts.types.front();
  const bool sums_signed = facts.has(Modifier::async) && given == Type::s64;
  const OpcodeInfo* info = find_atomic(operation, sums_signed ? Type::u64 : given, elements > 1,
                                       facts.has(Modifier::noftz));
  if (info == nullptr) refuse_opcode(statement);
  const bool wide = info->form == Form::wide_atomic;
  const std::uint32_t bytes = bytes_of(info->d);
  if (elements * bytes > 16) invalid(statement, "a vector has at most 16 bytes");
  const bool swap = operation == Modifier::cas, exchange = operation == Modifier::exch;
  polls_ = polls_ || swap || exchange;
  const std::size_t first = reduce ? 0 : 1;  // operand that is the address
  const std::size_t operands = first + (swap ? 3 : 2) + (hint ? 1 : 0);
  expect_operands(statement, operands, operands);
  if (hint) source(statement, operands - 1, Type::u64);
  Instruction instruction;
  instruction.opcode = info->opcode;
  instruction.order = order_of(facts);
  instruction.cluster_scope = facts.has(Modifier::cluster);
  const Type type = atomic_type(facts, info->d);
  Space placed = space;
  instruction.address = address(statement, operand(statement, first), placed, instruction);
  instruction.space = placed;
  if (wide) {
    wide_atomic_operands(statement, first, type, elements, swap, instruction);
  } else {
    if (!reduce && operand(statement, 0).kind != OperandKind::sink)
      instruction.d = destination(statement, 0, type);
    instruction.a = source(statement, first + 1, type);
    instruction.b = swap ? source(statement, first + 2, type) : instruction.a;
  }
  instruction.site = program_.sites++;
  instruction.cost = static_cast<std::uint8_t>(bytes * elements);
  instruction.counter = bytes_counter(placed, Traffic::atomic);
  program_.note_access(placed, bytes);
  // Sums and the like of integers come out the same in any order, if nobody looks at what was
  // there before. Results that are never read are as good as none.
  const bool returns =
      instruction.d != Instruction::kNone && (wide || reads_of(operand(statement, 0).index) > 0);
  const bool sums = info->opcode >= Opcode::atom_add_f32 || info->opcode == Opcode::atom_inc_32 ||
                    info->opcode == Opcode::atom_dec_32 || swap || exchange;
  if (returns) instruction.order |= Instruction::kReturns;
  if (placed != Space::shared && (returns || sums)) program_.ordered = true;
  polls_ = polls_ || (placed != Space::shared && returns);
  emit(statement, instruction);
}

}  // namespace warpmark::cpu
