// Decoding of operations that opcodes.def has a line for, by the form of their operands.
#include <cstdint>
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

// The place and the length of a field of bits: registers, or numbers of a byte.
void check_field(const Emitter& out, std::size_t first) {
  for (std::size_t i = first; i < first + 2; ++i) {
    const Operand& number = out.operand(i);
    if (number.kind == OperandKind::integer && (number.value < 0 || number.value > 255))
      out.invalid("a field's place and length are from 0 to 255");
  }
}

// Checks requirements of some instructions on their operands beyond types.
void check_arithmetic(const Emitter& out) {
  const Mnemonic mnemonic = out.facts().mnemonic;
  if (mnemonic == Mnemonic::lop3) check_table(out);
  if (mnemonic == Mnemonic::bfi) check_field(out, 3);
  if (mnemonic == Mnemonic::bfe) check_field(out, 2);
  if (mnemonic != Mnemonic::vabsdiff2 && mnemonic != Mnemonic::vabsdiff4) return;
  for (std::size_t i = 1; i < out.operands(); ++i) {
    out.check_is_register(i);
    if (out.operand(i).value != 0) out.invalid("a register takes no offset here");
  }
}

}  // namespace

void comparison_result(Emitter& out, Instruction& instruction) {
  const Operand& result = out.operand(0);
  if (result.kind == OperandKind::sink) {
    instruction.d = Instruction::kNone;
    return;
  }
  if (result.kind != OperandKind::pair) {
    instruction.d = out.destination(0, Type::pred);
    return;
  }
  const auto half = [&](std::uint32_t which) {
    const Operand& operand = out.part(result, which);
    if (operand.negated) out.invalid("the result must be a register");
    return operand.kind == OperandKind::sink ? Instruction::kNone : out.predicate(operand);
  };
  if (out.part(result, 0).kind == OperandKind::integer ||
      out.part(result, 1).kind == OperandKind::integer) {
    out.invalid("the result must be a register");
  }
  instruction.d = half(0);
  instruction.predicate = half(1);
}

void condition(Emitter& out, std::size_t index, Instruction& instruction) {
  instruction.c = out.predicate(out.operand(index));
  instruction.negated = out.operand(index).negated;
}

void comparison(Emitter& out, const OpcodeInfo& info, Combine combine) {
  const std::size_t operands = combine == kCombineNone ? 3 : 4;
  out.expect_operands(operands);
  if ((info.a == Type::f16 || info.a == Type::bf16) && out.operand(0).kind == OperandKind::pair)
    out.invalid("16-bit numbers have one result");
  Instruction instruction;
  instruction.opcode = info.opcode;
  comparison_result(out, instruction);
  instruction.a = out.source(1, info.a);
  instruction.b = out.source(2, info.b);
  instruction.imm = combine;
  if (combine != kCombineNone) condition(out, 3, instruction);
  out.emit(instruction);
}

void arithmetic(Emitter& out, const OpcodeInfo& info) {
  Instruction instruction;
  instruction.opcode = info.opcode;
  instruction.cost = flops_of(out.facts());
  if (instruction.cost != 0) instruction.counter = Counter::ptx_flops;
  if (!is_atomic(info.form)) out.expect_operands(operand_count(info.form));
  check_arithmetic(out);
  if (info.form == Form::quaternary) instruction.e = out.source(4, info.e);
  if (info.form == Form::carry2 || info.form == Form::carry3) {
    if (out.shared.carry == Instruction::kNone) out.shared.carry = out.allocate(false);
    if (info.e == Type::pred) instruction.e = out.shared.carry;
    if (out.facts().has(Modifier::cc)) instruction.predicate = out.shared.carry;
  }
  const auto read = [&](std::size_t index, Type type) {
    return out.source(index, operand_type(out.facts(), index, type));
  };
  instruction.d = out.destination(0, operand_type(out.facts(), 0, info.d));
  instruction.a = read(1, info.a);
  if (info.b != Type::none && out.operands() > 2) instruction.b = read(2, info.b);
  if (info.form == Form::select) {
    condition(out, 3, instruction);
  } else if (info.c != Type::none && out.operands() > 3) {
    instruction.c = read(3, info.c);
  }
  out.emit(instruction);
  out.finish_widening();
}

void decode_arithmetic(Emitter& out) {
  const OpcodeInfo* info = find_in_any_order(out.statement().opcode);
  if (info == nullptr) out.refuse_opcode();
  arithmetic(out, *info);
}

}  // namespace warpmark::cpu
