// Decoding of instructions that are made of others: set, testp, packed binary32, mixed precision …
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "program/decoder.hpp"

namespace warpmark::cpu {
namespace {

// The name of an opcode with words of its own for some modifiers; "" leaves a word out.
// `word_for(i)` gives that of the i-th. find_in_any_order() does not mind their order.
template <typename WordFor>
std::string name_with(std::string_view first, const InstructionFacts& facts, WordFor word_for) {
  std::string name(first);
  for (std::size_t i = 0; i < facts.words.size(); ++i) {
    const std::string_view word = word_for(i);
    if (!word.empty()) (name += '.') += word;
  }
  return name;
}

bool is_pair(Type type) {
  return type == Type::f16x2 || type == Type::bf16x2;
}

}  // namespace

// An instruction of the same guard and place, whose slots are known.
void Decoder::emit_plain(const Statement& statement, Opcode opcode, std::uint32_t d,
                         std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  Instruction instruction;
  instruction.opcode = opcode;
  instruction.d = d;
  instruction.a = a;
  instruction.b = b;
  instruction.c = c;
  emit(statement, instruction);
}

Opcode Decoder::opcode_of(const Statement& statement, const std::string& name) const {
  const OpcodeInfo* info = find_in_any_order(name);
  if (info == nullptr) refuse_opcode(statement);
  return info->opcode;
}

// The low and high half of a 32-bit register in two of their own.
std::array<std::uint32_t, 2> Decoder::halves(const Statement& statement, std::uint32_t whole) {
  const std::array<std::uint32_t, 2> parts = {allocate(false), allocate(false)};
  Instruction instruction;
  instruction.opcode = Opcode::unpack_16;
  instruction.count = 2;
  instruction.e = whole;
  instruction.d = parts[0];
  instruction.a = parts[1];
  emit(statement, instruction);
  return parts;
}

/// The words of setp or set: of two packed numbers `info` compares one.
struct Decoder::Comparison {
  const OpcodeInfo* info = nullptr;
  Combine combine = kCombineNone;
  Type from = Type::none, to = Type::none;  ///< setp has no result type
  bool packed = false, flushes = false;

  [[nodiscard]] bool of_halves() const { return info->a == Type::f16 || info->a == Type::bf16; }
};

Decoder::Comparison Decoder::comparison_of(const Statement& statement) {
  const InstructionFacts& facts = *statement.facts;
  Comparison comparison;
  comparison.from = facts.types.back();
  comparison.packed = is_pair(comparison.from);
  comparison.flushes = facts.has(Modifier::ftz);
  constexpr std::pair<Modifier, Combine> kWords[] = {
      {Modifier::and_, kCombineAnd}, {Modifier::or_, kCombineOr}, {Modifier::xor_, kCombineXor}};
  for (const auto& [word, value] : kWords) {
    if (facts.has(word)) comparison.combine = value;
  }
  if (facts.mnemonic == Mnemonic::set) comparison.to = facts.types.front();
  bool has_result = comparison.to == Type::none;
  const std::string name = name_with("setp", facts, [&](std::size_t i) -> std::string_view {
    const Modifier word = facts.modifiers[i];
    if (word == Modifier::and_ || word == Modifier::or_ || word == Modifier::xor_) return "";
    if (!has_result && facts.words[i] == name_of(comparison.to)) return has_result = true, "";
    if (word == Modifier::f16x2) return "f16";
    return word == Modifier::bf16x2 ? "bf16" : facts.words[i];
  });
  const OpcodeInfo* info = find_in_any_order(name);
  if (info != nullptr && info->form == Form::compare) comparison.info = info;
  return comparison;
}

// One predicate for each number, in registers of their own.
std::array<std::uint32_t, 2> Decoder::compare(const Statement& statement,
                                              const Comparison& comparison) {
  const std::size_t operands = comparison.combine == kCombineNone ? 3 : 4;
  expect_operands(statement, operands, operands);
  const Type whole = comparison.packed ? comparison.from : comparison.info->a;
  std::array<std::uint32_t, 2> a{source(statement, 1, whole)}, b{source(statement, 2, whole)};
  if (comparison.packed) {
    a = halves(statement, a[0]);
    b = halves(statement, b[0]);
  }
  std::array<std::uint32_t, 2> results{};
  for (std::size_t i = 0; i < (comparison.packed ? 2 : 1); ++i) {
    Instruction instruction;
    instruction.opcode = comparison.info->opcode;
    instruction.d = results[i] = allocate(false);
    instruction.a = a[i];
    instruction.b = b[i];
    instruction.imm = comparison.combine;
    if (comparison.combine != kCombineNone) condition(statement, 3, instruction);
    emit(statement, instruction);
  }
  return results;
}

// setp.CMP{.BOOL}{.ftz}.f16x2 p{|q}, a, b{, {!}c}; comparison() takes the other forms.
void Decoder::packed_predicates(const Statement& statement, const Comparison& comparison) {
  std::array<std::uint32_t, 2> wanted = {Instruction::kNone, Instruction::kNone};
  const Operand& pair = operand(statement, 0);
  const bool two = pair.kind == OperandKind::pair;  // one alone is that of the low numbers
  for (std::uint32_t i = 0; i < (two ? 2 : 1); ++i) {
    const Operand& one = two ? function_.operands[pair.index + i] : pair;
    if (one.kind == OperandKind::integer || one.negated)
      invalid(statement, "the result must be a register");
    if (one.kind != OperandKind::sink) wanted[i] = predicate(statement, one);
  }
  const std::array<std::uint32_t, 2> results = compare(statement, comparison);
  for (std::size_t i = 0; i < 2; ++i) {
    if (wanted[i] != Instruction::kNone)
      emit_plain(statement, Opcode::mov_pred, wanted[i], results[i]);
  }
}

// set.CMP{.BOOL}{.ftz}.D.A d, a, b{, {!}c}: a comparison to a predicate, and a selection by it.
void Decoder::select_by_comparison(const Statement& statement, const Comparison& comparison) {
  // The value of true: 1 in a real format, all ones in an integer format.
  constexpr std::pair<Type, std::uint64_t> rows[] = {
      {Type::u32, 0xffffffff}, {Type::s32, 0xffffffff}, {Type::f32, 0x3f800000},
      {Type::u16, 0xffff},     {Type::s16, 0xffff},     {Type::f16, 0x3c00},
      {Type::bf16, 0x3f80},    {Type::f16x2, 0x3c00},   {Type::bf16x2, 0x3f80}};
  const std::array<std::uint32_t, 2> results = compare(statement, comparison);
  const Type to = comparison.to;
  const auto* row = std::find_if(std::begin(rows), std::end(rows),
                                 [&](const auto& one) { return one.first == to; });
  if (row == std::end(rows)) invalid(statement, "set has no such result");
  const bool integer = to == Type::u32 || to == Type::s32;
  const bool small = to == Type::u16 || to == Type::s16;
  if (comparison.packed ? !integer && to != comparison.from : is_pair(to))
    invalid(statement, "set has no such result");
  if (small && !comparison.of_halves()) invalid(statement, "a 16-bit result needs 16-bit numbers");
  if ((comparison.of_halves() && to == Type::f32) || (comparison.flushes && to == Type::bf16))
    invalid(statement, "set has no such result");
  const std::uint64_t yes = comparison.packed && integer ? 0xffff : row->second;
  const std::uint32_t d = destination(statement, 0, to);
  const std::uint32_t one = constant(yes, false), zero = constant(0, false);
  if (!comparison.packed) return emit_plain(statement, Opcode::selp_b32, d, one, zero, results[0]);
  Instruction pack;
  pack.opcode = Opcode::pack_16;
  pack.count = 2;
  pack.d = d;
  pack.a = allocate(false);
  pack.b = allocate(false);
  emit_plain(statement, Opcode::selp_b32, pack.a, one, zero, results[0]);
  emit_plain(statement, Opcode::selp_b32, pack.b, one, zero, results[1]);
  emit(statement, pack);
}

void Decoder::set(const Statement& statement) {
  if (const OpcodeInfo* info = find_opcode(statement.opcode); info != nullptr)
    return comparison(statement, *info, kCombineNone);
  const Comparison words = comparison_of(statement);
  if (words.info == nullptr) refuse_opcode(statement);
  if (statement.facts->mnemonic == Mnemonic::set) {
    select_by_comparison(statement, words);
  } else if (words.packed) {
    packed_predicates(statement, words);
  } else {
    comparison(statement, *words.info, words.combine);
  }
}

// testp.KIND.TYPE p, a: a range of the magnitude's pattern.
void Decoder::test_kind(const Statement& statement) {
  const bool wide = statement.facts->has(Type::f64);
  const std::uint64_t infinity = wide ? 0x7ff0000000000000 : 0x7f800000;
  const std::uint64_t least = wide ? 0x0010000000000000 : 0x00800000;  // normal number
  struct Row {
    Modifier kind;
    std::uint64_t first, count;  // magnitudes
  };
  const std::uint64_t all = wide ? ~std::uint64_t{0} >> 1 : 0x7fffffff;
  const Row rows[] = {{Modifier::finite, 0, infinity},
                      {Modifier::infinite, infinity, 1},
                      {Modifier::number, 0, infinity + 1},
                      {Modifier::notanumber, infinity + 1, all - infinity},
                      {Modifier::normal, least, infinity - least},
                      {Modifier::subnormal, 1, least - 1},
                      {Modifier::none, 0, 0}};  // without a kind nothing is of it: seen on an H200
  for (const Row& row : rows) {
    if (row.kind != Modifier::none && !statement.facts->has(row.kind)) continue;
    expect_operands(statement, 2, 2);
    const std::uint32_t d = destination(statement, 0, Type::pred);
    const std::uint32_t a = source(statement, 1, wide ? Type::f64 : Type::f32);
    const std::uint32_t magnitude = allocate(wide);
    emit_plain(statement, wide ? Opcode::and_64 : Opcode::and_32, magnitude, a,
               constant(all, wide));
    emit_plain(statement, wide ? Opcode::sub_64 : Opcode::sub_32, magnitude, magnitude,
               constant(row.first, wide));
    const bool normal = row.first == least;  // 0 is normal, too (PTX ISA, testp; so on an H200)
    const std::uint32_t zero = normal ? allocate(false) : 0;
    if (normal)
      emit_plain(statement, wide ? Opcode::setp_eq_u64 : Opcode::setp_eq_u32, zero, magnitude,
                 constant((0 - least) & (all << 1 | 1), wide));
    emit_plain(statement, wide ? Opcode::setp_lt_u64 : Opcode::setp_lt_u32, d, magnitude,
               constant(row.count, wide));
    if (normal) emit_plain(statement, Opcode::or_pred, d, d, zero);
    return;
  }
  invalid(statement, "there is no such test");
}

// add, sub, mul and fma of two binary32 numbers in one register.
void Decoder::packed_real(const Statement& statement) {
  const InstructionFacts& facts = *statement.facts;
  const Opcode opcode =
      opcode_of(statement, name_with(facts.name, facts, [&](std::size_t i) {
                  return facts.modifiers[i] == Modifier::f32x2 ? "f32" : facts.words[i];
                }));
  const std::size_t sources = statement.facts->mnemonic == Mnemonic::fma ? 3 : 2;
  expect_operands(statement, sources + 1, sources + 1);
  for (std::size_t i = 0; i <= sources; ++i) {
    check_is_register(statement, i);
    if (function_.registers[operand(statement, i).index].type != Type::b64)
      invalid(statement, "two numbers stand in a register of .b64");
  }
  std::uint32_t parts[2][3];
  for (std::size_t i = 0; i < sources; ++i) {
    Instruction unpack;
    unpack.opcode = Opcode::unpack_32;
    unpack.count = 2;
    unpack.e = source(statement, i + 1, Type::b64);
    unpack.d = parts[0][i] = allocate(false);
    unpack.a = parts[1][i] = allocate(false);
    emit(statement, unpack);
  }
  Instruction pack;
  pack.opcode = Opcode::pack_32;
  pack.count = 2;
  pack.d = destination(statement, 0, Type::b64);
  pack.a = parts[0][0];
  pack.b = parts[1][0];
  for (const auto& part : parts) {
    emit_plain(statement, opcode, part[0], part[0], part[1],
               sources == 3 ? part[2] : Instruction::kNone);
  }
  emit(statement, pack);
}

// add, sub and fma.f32.f16 (or .bf16): the first operands, but for the last, are 16-bit numbers.
void Decoder::mixed_real(const Statement& statement) {
  const InstructionFacts& facts = *statement.facts;
  const bool half = facts.types.back() == Type::f16;
  const Opcode opcode =
      opcode_of(statement, name_with(facts.name, facts, [&](std::size_t i) {
                  return facts.words[i] == name_of(facts.types.back()) ? "" : facts.words[i];
                }));
  const std::size_t sources = statement.facts->mnemonic == Mnemonic::fma ? 3 : 2;
  expect_operands(statement, sources + 1, sources + 1);
  std::uint32_t slots[3] = {Instruction::kNone, Instruction::kNone, Instruction::kNone};
  for (std::size_t i = 0; i + 1 < sources; ++i) {
    // ptxas takes any 16 bits for a bfloat16 here, where it is no operand of its own.
    const std::uint32_t narrow = source(statement, i + 1, half ? Type::f16 : Type::u16);
    slots[i] = allocate(false);
    emit_plain(statement, half ? Opcode::cvt_f32_f16 : Opcode::cvt_f32_bf16, slots[i], narrow);
  }
  slots[sources - 1] = source(statement, sources, Type::f32);
  emit_plain(statement, opcode, destination(statement, 0, Type::f32), slots[0], slots[1], slots[2]);
}

// min and max of three binary32 numbers.
void Decoder::three_operands(const Statement& statement) {
  const InstructionFacts& facts = *statement.facts;
  const bool magnitudes = facts.has(Modifier::abs);
  const Opcode opcode =
      opcode_of(statement, name_with(facts.name, facts, [&](std::size_t i) {
                  return facts.modifiers[i] == Modifier::abs ? "" : facts.words[i];
                }));
  std::uint32_t slots[3];
  for (std::size_t i = 0; i < 3; ++i) {
    slots[i] = source(statement, i + 1, Type::f32);
    if (!magnitudes) continue;
    const std::uint32_t positive = allocate(false);
    emit_plain(statement, Opcode::abs_f32, positive, slots[i]);
    slots[i] = positive;
  }
  const std::uint32_t first = allocate(false);
  emit_plain(statement, opcode, first, slots[0], slots[1]);
  emit_plain(statement, opcode, destination(statement, 0, Type::f32), first, slots[2]);
}

// lop3.BOOL.b32 d|p, a, b, c, table, q: p = (d != 0) BOOL q.
void Decoder::logic_with_predicate(const Statement& statement) {
  const bool both = statement.facts->has(Modifier::and_);
  expect_operands(statement, 6, 6);
  const Operand& result = operand(statement, 0);
  if (result.kind != OperandKind::pair) invalid(statement, "needs d|p");
  const Operand& d = function_.operands[result.index];
  const Operand& p = function_.operands[result.index + 1];
  Instruction logic;
  logic.opcode = Opcode::lop3;
  if (d.kind == OperandKind::sink) {
    logic.d = allocate(false);
  } else {
    if (d.kind != OperandKind::reg || d.negated || d.value != 0)
      invalid(statement, "the result must be a register");
    check_register(statement, d, Type::b32, false);
    logic.d = register_slot(d.index);
  }
  logic.a = source(statement, 1, Type::b32);
  logic.b = source(statement, 2, Type::b32);
  logic.c = source(statement, 3, Type::b32);
  check_table(statement);
  logic.e = source(statement, 4, Type::u32);
  Instruction compare;
  compare.opcode = Opcode::setp_ne_b32;
  compare.a = logic.d;
  compare.b = constant(0, false);
  condition(statement, 5, compare);
  compare.imm = both ? kCombineAnd : kCombineOr;
  if (p.kind != OperandKind::reg || p.negated) invalid(statement, "the result must be a register");
  compare.d = predicate(statement, p);
  emit(statement, logic);
  emit(statement, compare);
}

void Decoder::check_table(const Statement& statement) {
  const Operand& table = operand(statement, 4);
  if (table.kind != OperandKind::integer) invalid(statement, "the table is a constant");
}

}  // namespace warpmark::cpu
