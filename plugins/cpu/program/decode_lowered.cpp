// Decoding of instructions that are made of others: set, testp, packed binary32, mixed precision …
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>

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

/// The words of setp or set: of two packed numbers `info` compares one.
struct Comparison {
  const OpcodeInfo* info = nullptr;
  Combine combine = kCombineNone;
  Type from = Type::none, to = Type::none;  ///< setp has no result type
  bool packed = false, flushes = false;

  [[nodiscard]] bool of_halves() const { return info->a == Type::f16 || info->a == Type::bf16; }
};

Opcode opcode_of(const Emitter& out, const std::string& name) {
  const OpcodeInfo* info = find_in_any_order(name);
  if (info == nullptr) out.refuse_opcode();
  return info->opcode;
}

// The low and high half of a 32-bit register in two of their own.
std::array<std::uint32_t, 2> halves(Emitter& out, std::uint32_t whole) {
  const std::array<std::uint32_t, 2> parts = {out.allocate(false), out.allocate(false)};
  Instruction instruction;
  instruction.opcode = Opcode::unpack_16;
  instruction.count = 2;
  instruction.e = whole;
  instruction.d = parts[0];
  instruction.a = parts[1];
  out.emit(instruction);
  return parts;
}

Comparison comparison_of(const InstructionFacts& facts) {
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
std::array<std::uint32_t, 2> compare(Emitter& out, const Comparison& comparison) {
  const std::size_t operands = comparison.combine == kCombineNone ? 3 : 4;
  out.expect_operands(operands);
  const Type whole = comparison.packed ? comparison.from : comparison.info->a;
  std::array<std::uint32_t, 2> a{out.source(1, whole)}, b{out.source(2, whole)};
  if (comparison.packed) {
    a = halves(out, a[0]);
    b = halves(out, b[0]);
  }
  std::array<std::uint32_t, 2> results{};
  for (std::size_t i = 0; i < (comparison.packed ? 2 : 1); ++i) {
    Instruction instruction;
    instruction.opcode = comparison.info->opcode;
    instruction.d = results[i] = out.allocate(false);
    instruction.a = a[i];
    instruction.b = b[i];
    instruction.imm = comparison.combine;
    if (comparison.combine != kCombineNone) condition(out, 3, instruction);
    out.emit(instruction);
  }
  return results;
}

// setp.CMP{.BOOL}{.ftz}.f16x2 p{|q}, a, b{, {!}c}; comparison() takes the other forms.
void packed_predicates(Emitter& out, const Comparison& comparison) {
  std::array<std::uint32_t, 2> wanted = {Instruction::kNone, Instruction::kNone};
  const Operand& pair = out.operand(0);
  const bool two = pair.kind == OperandKind::pair;  // one alone is that of the low numbers
  for (std::uint32_t i = 0; i < (two ? 2 : 1); ++i) {
    const Operand& one = two ? out.part(pair, i) : pair;
    if (one.kind == OperandKind::integer || one.negated)
      out.invalid("the result must be a register");
    if (one.kind != OperandKind::sink) wanted[i] = out.predicate(one);
  }
  const std::array<std::uint32_t, 2> results = compare(out, comparison);
  for (std::size_t i = 0; i < 2; ++i) {
    if (wanted[i] != Instruction::kNone) out.emit(Opcode::mov_pred, wanted[i], results[i]);
  }
}

// set.CMP{.BOOL}{.ftz}.D.A d, a, b{, {!}c}: a comparison to a predicate, and a selection by it.
void select_by_comparison(Emitter& out, const Comparison& comparison) {
  // The value of true: 1 in a real format, all ones in an integer format.
  constexpr std::pair<Type, std::uint64_t> rows[] = {
      {Type::u32, 0xffffffff}, {Type::s32, 0xffffffff}, {Type::f32, 0x3f800000},
      {Type::u16, 0xffff},     {Type::s16, 0xffff},     {Type::f16, 0x3c00},
      {Type::bf16, 0x3f80},    {Type::f16x2, 0x3c00},   {Type::bf16x2, 0x3f80}};
  const std::array<std::uint32_t, 2> results = compare(out, comparison);
  const Type to = comparison.to;
  const auto* row = std::ranges::find_if(rows, [&](const auto& one) { return one.first == to; });
  if (row == std::end(rows)) out.invalid("set has no such result");
  const bool integer = to == Type::u32 || to == Type::s32;
  const bool small = to == Type::u16 || to == Type::s16;
  if (comparison.packed ? !integer && to != comparison.from : is_pair(to))
    out.invalid("set has no such result");
  if (small && !comparison.of_halves()) out.invalid("a 16-bit result needs 16-bit numbers");
  if ((comparison.of_halves() && to == Type::f32) || (comparison.flushes && to == Type::bf16))
    out.invalid("set has no such result");
  const std::uint64_t yes = comparison.packed && integer ? 0xffff : row->second;
  const std::uint32_t d = out.destination(0, to);
  const std::uint32_t one = out.constant(yes, false), zero = out.constant(0, false);
  if (!comparison.packed) return out.emit(Opcode::selp_b32, d, one, zero, results[0]);
  Instruction pack;
  pack.opcode = Opcode::pack_16;
  pack.count = 2;
  pack.d = d;
  pack.a = out.allocate(false);
  pack.b = out.allocate(false);
  out.emit(Opcode::selp_b32, pack.a, one, zero, results[0]);
  out.emit(Opcode::selp_b32, pack.b, one, zero, results[1]);
  out.emit(pack);
}

}  // namespace

void decode_set(Emitter& out) {
  if (const OpcodeInfo* info = find_opcode(out.statement().opcode); info != nullptr)
    return comparison(out, *info, kCombineNone);
  const Comparison words = comparison_of(out.facts());
  if (words.info == nullptr) out.refuse_opcode();
  if (out.facts().mnemonic == Mnemonic::set) {
    select_by_comparison(out, words);
  } else if (words.packed) {
    packed_predicates(out, words);
  } else {
    comparison(out, *words.info, words.combine);
  }
}

// testp.KIND.TYPE p, a: a range of the magnitude's pattern.
void decode_test(Emitter& out) {
  const bool wide = out.facts().has(Type::f64);
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
    if (row.kind != Modifier::none && !out.facts().has(row.kind)) continue;
    out.expect_operands(2);
    const std::uint32_t d = out.destination(0, Type::pred);
    const std::uint32_t a = out.source(1, wide ? Type::f64 : Type::f32);
    const std::uint32_t magnitude = out.allocate(wide);
    out.emit(wide ? Opcode::and_64 : Opcode::and_32, magnitude, a, out.constant(all, wide));
    out.emit(wide ? Opcode::sub_64 : Opcode::sub_32, magnitude, magnitude,
             out.constant(row.first, wide));
    const bool normal = row.first == least;  // 0 is normal, too (PTX ISA, testp; so on an H200)
    const std::uint32_t zero = normal ? out.allocate(false) : 0;
    if (normal)
      out.emit(wide ? Opcode::setp_eq_u64 : Opcode::setp_eq_u32, zero, magnitude,
               out.constant((0 - least) & (all << 1 | 1), wide));
    out.emit(wide ? Opcode::setp_lt_u64 : Opcode::setp_lt_u32, d, magnitude,
             out.constant(row.count, wide));
    if (normal) out.emit(Opcode::or_pred, d, d, zero);
    return;
  }
  out.invalid("there is no such test");
}

// add, sub, mul and fma of two binary32 numbers in one register.
void decode_packed(Emitter& out) {
  const InstructionFacts& facts = out.facts();
  const Opcode opcode =
      opcode_of(out, name_with(facts.name, facts, [&](std::size_t i) {
                  return facts.modifiers[i] == Modifier::f32x2 ? "f32" : facts.words[i];
                }));
  const std::size_t sources = out.facts().mnemonic == Mnemonic::fma ? 3 : 2;
  out.expect_operands(sources + 1);
  for (std::size_t i = 0; i <= sources; ++i) {
    out.check_is_register(i);
    if (out.function.registers[out.operand(i).index].type != Type::b64)
      out.invalid("two numbers stand in a register of .b64");
  }
  std::uint32_t parts[2][3];
  for (std::size_t i = 0; i < sources; ++i) {
    Instruction unpack;
    unpack.opcode = Opcode::unpack_32;
    unpack.count = 2;
    unpack.e = out.source(i + 1, Type::b64);
    unpack.d = parts[0][i] = out.allocate(false);
    unpack.a = parts[1][i] = out.allocate(false);
    out.emit(unpack);
  }
  Instruction pack;
  pack.opcode = Opcode::pack_32;
  pack.count = 2;
  pack.d = out.destination(0, Type::b64);
  pack.a = parts[0][0];
  pack.b = parts[1][0];
  for (const auto& part : parts) {
    out.emit(opcode, part[0], part[0], part[1], sources == 3 ? part[2] : Instruction::kNone);
  }
  out.emit(pack);
}

// add, sub and fma.f32.f16 (or .bf16): the first operands, but for the last, are 16-bit numbers.
void decode_mixed(Emitter& out) {
  const InstructionFacts& facts = out.facts();
  const bool half = facts.types.back() == Type::f16;
  const Opcode opcode =
      opcode_of(out, name_with(facts.name, facts, [&](std::size_t i) {
                  return facts.words[i] == name_of(facts.types.back()) ? "" : facts.words[i];
                }));
  const std::size_t sources = out.facts().mnemonic == Mnemonic::fma ? 3 : 2;
  out.expect_operands(sources + 1);
  std::uint32_t slots[3] = {Instruction::kNone, Instruction::kNone, Instruction::kNone};
  for (std::size_t i = 0; i + 1 < sources; ++i) {
    // ptxas takes any 16 bits for a bfloat16 here, where it is no operand of its own.
    const std::uint32_t narrow = out.source(i + 1, half ? Type::f16 : Type::u16);
    slots[i] = out.allocate(false);
    out.emit(half ? Opcode::cvt_f32_f16 : Opcode::cvt_f32_bf16, slots[i], narrow);
  }
  slots[sources - 1] = out.source(sources, Type::f32);
  out.emit(opcode, out.destination(0, Type::f32), slots[0], slots[1], slots[2]);
}

// min and max of three binary32 numbers.
void decode_three_operands(Emitter& out) {
  const InstructionFacts& facts = out.facts();
  const bool magnitudes = facts.has(Modifier::abs);
  const Opcode opcode =
      opcode_of(out, name_with(facts.name, facts, [&](std::size_t i) {
                  return facts.modifiers[i] == Modifier::abs ? "" : facts.words[i];
                }));
  std::uint32_t slots[3];
  for (std::size_t i = 0; i < 3; ++i) {
    slots[i] = out.source(i + 1, Type::f32);
    if (!magnitudes) continue;
    const std::uint32_t positive = out.allocate(false);
    out.emit(Opcode::abs_f32, positive, slots[i]);
    slots[i] = positive;
  }
  const std::uint32_t first = out.allocate(false);
  out.emit(opcode, first, slots[0], slots[1]);
  out.emit(opcode, out.destination(0, Type::f32), first, slots[2]);
}

// lop3.BOOL.b32 d|p, a, b, c, table, q: p = (d != 0) BOOL q.
void decode_logic_with_predicate(Emitter& out) {
  const bool both = out.facts().has(Modifier::and_);
  out.expect_operands(6);
  const Operand& result = out.operand(0);
  if (result.kind != OperandKind::pair) out.invalid("needs d|p");
  const Operand& d = out.part(result, 0);
  const Operand& p = out.part(result, 1);
  Instruction logic;
  logic.opcode = Opcode::lop3;
  logic.d = out.result(d, Type::b32);
  logic.a = out.source(1, Type::b32);
  logic.b = out.source(2, Type::b32);
  logic.c = out.source(3, Type::b32);
  check_table(out);
  logic.e = out.source(4, Type::u32);
  Instruction compare;
  compare.opcode = Opcode::setp_ne_b32;
  compare.a = logic.d;
  compare.b = out.constant(0, false);
  condition(out, 5, compare);
  compare.imm = both ? kCombineAnd : kCombineOr;
  if (p.kind != OperandKind::reg || p.negated) out.invalid("the result must be a register");
  compare.d = out.predicate(p);
  out.emit(logic);
  out.emit(compare);
}

void check_table(const Emitter& out) {
  const Operand& table = out.operand(4);
  if (table.kind != OperandKind::integer) out.invalid("the table is a constant");
}

}  // namespace warpmark::cpu
