// Decoding of operations that opcodes.def has a line for, by the form of their operands.
#include <cstdint>
#include <string>
#include <utility>

#include "program/decoder.hpp"
#include "program/uses.hpp"

namespace warpmark::cpu {
namespace {

// Operands that ptxas takes as bits, where the operation has them as unsigned integers: those of
// other operations with .b32 or .b64 in their names, and counts, are integers to it.
struct BitOperands {
  Mnemonic mnemonic;
  std::uint8_t operands;  ///< a bit for each, the result's the lowest
};
constexpr BitOperands kBitOperands[] = {{Mnemonic::bfi, 0b00111},  {Mnemonic::brev, 0b11},
                                        {Mnemonic::clz, 0b10},     {Mnemonic::fns, 0b1111},
                                        {Mnemonic::lop3, 0b01111}, {Mnemonic::popc, 0b10},
                                        {Mnemonic::prmt, 0b01111}, {Mnemonic::shf, 0b00111}};

// The type of an operand, for the check of its register or number.
Type operand_type(const InstructionFacts& facts, std::size_t index, Type known) {
  if (known == Type::u32 && facts.is_packed())
    return Type::f16x2;  // two integers are as two numbers: bits, and no constant
  for (const BitOperands& row : kBitOperands) {
    if (facts.mnemonic == row.mnemonic && (row.operands >> index & 1) != 0)
      return known == Type::u64 ? Type::b64 : Type::b32;
  }
  return known;
}

}  // namespace

void Decoder::comparison_result(const Statement& statement, Instruction& instruction) {
  const Operand& result = operand(statement, 0);
  if (result.kind == OperandKind::sink) {
    instruction.d = Instruction::kNone;
    return;
  }
  if (result.kind != OperandKind::pair) {
    instruction.d = destination(statement, 0, Type::pred);
    return;
  }
  const auto half = [&](std::uint32_t which) {
    const Operand& operand = function_.operands[result.index + which];
    if (operand.negated) invalid(statement, "the result must be a register");
    return operand.kind == OperandKind::sink ? Instruction::kNone : predicate(statement, operand);
  };
  if (function_.operands[result.index].kind == OperandKind::integer ||
      function_.operands[result.index + 1].kind == OperandKind::integer) {
    invalid(statement, "the result must be a register");
  }
  instruction.d = half(0);
  instruction.predicate = half(1);
}

// The predicate {!}p that an operation reads beside its numbers.
void Decoder::condition(const Statement& statement, std::size_t index, Instruction& instruction) {
  instruction.c = predicate(statement, operand(statement, index));
  instruction.negated = operand(statement, index).negated;
}

// setp: p{|q}, a, b{, {!}c}.
void Decoder::comparison(const Statement& statement, const OpcodeInfo& info, Combine combine) {
  const std::size_t operands = combine == kCombineNone ? 3 : 4;
  expect_operands(statement, operands, operands);
  if ((info.a == Type::f16 || info.a == Type::bf16) &&
      operand(statement, 0).kind == OperandKind::pair)
    invalid(statement, "16-bit numbers have one result");
  Instruction instruction;
  instruction.opcode = info.opcode;
  comparison_result(statement, instruction);
  instruction.a = source(statement, 1, info.a);
  instruction.b = source(statement, 2, info.b);
  instruction.imm = combine;
  if (combine != kCombineNone) condition(statement, 3, instruction);
  emit(statement, instruction);
}

// Checks requirements of some instructions on their operands beyond types.
void Decoder::check_arithmetic(const Statement& statement) {
  const Mnemonic mnemonic = statement.facts->mnemonic;
  if (mnemonic == Mnemonic::lop3) check_table(statement);
  if (mnemonic == Mnemonic::bfi) check_field(statement, 3);
  if (mnemonic == Mnemonic::bfe) check_field(statement, 2);
  if (mnemonic != Mnemonic::vabsdiff2 && mnemonic != Mnemonic::vabsdiff4) return;
  for (std::size_t i = 1; i < statement.operands; ++i) {
    check_is_register(statement, i);
    if (operand(statement, i).value != 0) invalid(statement, "a register takes no offset here");
  }
}

void Decoder::arithmetic(const Statement& statement, const OpcodeInfo& info) {
  Instruction instruction;
  instruction.opcode = info.opcode;
  instruction.cost = flops_of(*statement.facts);
  if (instruction.cost != 0) instruction.counter = Counter::ptx_flops;
  if (!is_atomic(info.form))
    expect_operands(statement, operand_count(info.form), operand_count(info.form));
  check_arithmetic(statement);
  if (info.form == Form::quaternary) instruction.e = source(statement, 4, info.e);
  if (info.form == Form::carry2 || info.form == Form::carry3) {
    if (shared_.carry == Instruction::kNone) shared_.carry = allocate(false);
    if (info.e == Type::pred) instruction.e = shared_.carry;
    if (statement.facts->has(Modifier::cc)) instruction.predicate = shared_.carry;
  }
  const auto read = [&](std::size_t index, Type type) {
    return source(statement, index, operand_type(*statement.facts, index, type));
  };
  instruction.d = destination(statement, 0, operand_type(*statement.facts, 0, info.d));
  instruction.a = read(1, info.a);
  if (info.b != Type::none && statement.operands > 2) instruction.b = read(2, info.b);
  if (info.form == Form::select) {
    condition(statement, 3, instruction);
  } else if (info.c != Type::none && statement.operands > 3) {
    instruction.c = read(3, info.c);
  }
  emit(statement, instruction);
  finish_widening(statement);
}

// The place and the length of a field of bits: registers, or numbers of a byte.
void Decoder::check_field(const Statement& statement, std::size_t first) const {
  for (std::size_t i = first; i < first + 2; ++i) {
    const Operand& number = operand(statement, i);
    if (number.kind == OperandKind::integer && (number.value < 0 || number.value > 255))
      invalid(statement, "a field's place and length are from 0 to 255");
  }
}

void Decoder::check_is_register(const Statement& statement, std::size_t index) const {
  if (operand(statement, index).kind != OperandKind::reg)
    invalid(statement, "operand " + std::to_string(index + 1) + " is a register");
}

// Extends the result of a conversion whose register is wider than its type.
void Decoder::finish_widening(const Statement& statement) {
  if (widen_.wide == Instruction::kNone) return;
  Instruction extend;
  extend.opcode = widen_.sign ? Opcode::cvt_s64_s32 : Opcode::cvt_u64_u32;
  extend.d = std::exchange(widen_.wide, Instruction::kNone);
  extend.a = widen_.narrow;
  emit(statement, extend);
}

}  // namespace warpmark::cpu
