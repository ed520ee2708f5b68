// Decoding of cvt: which conversions there are, and those that no opcode of its own does.
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "program/convert.hpp"
#include "program/decoder.hpp"

namespace warpmark::cpu {
namespace {

struct FormatRow {
  Modifier name;
  Format format;
  Type type;  ///< of the register
  std::uint8_t elements = 1;
};

constexpr FormatRow kFormats[] = {{Modifier::u8, Format::u8, Type::u8},
                                  {Modifier::s8, Format::s8, Type::s8},
                                  {Modifier::u16, Format::u16, Type::u16},
                                  {Modifier::s16, Format::s16, Type::s16},
                                  {Modifier::u32, Format::u32, Type::u32},
                                  {Modifier::s32, Format::s32, Type::s32},
                                  {Modifier::u64, Format::u64, Type::u64},
                                  {Modifier::s64, Format::s64, Type::s64},
                                  {Modifier::f16, Format::f16, Type::f16},
                                  {Modifier::bf16, Format::bf16, Type::bf16},
                                  {Modifier::tf32, Format::tf32, Type::b32},
                                  {Modifier::f32, Format::f32, Type::f32},
                                  {Modifier::f64, Format::f64, Type::f64},
                                  {Modifier::f16x2, Format::f16, Type::f16x2, 2},
                                  {Modifier::bf16x2, Format::bf16, Type::bf16x2, 2},
                                  {Modifier::e4m3x2, Format::e4m3, Type::b16, 2},
                                  {Modifier::e5m2x2, Format::e5m2, Type::b16, 2},
                                  {Modifier::e2m1x2, Format::e2m1, Type::b8, 2},
                                  {Modifier::e2m3x2, Format::e2m3, Type::b16, 2},
                                  {Modifier::e3m2x2, Format::e3m2, Type::b16, 2},
                                  {Modifier::ue8m0x2, Format::ue8m0, Type::b16, 2}};

const FormatRow* row_of(Modifier name) {
  return std::ranges::find(kFormats, name, &FormatRow::name);
}

struct Words {
  std::vector<FormatRow> formats;
  Modifier rounding = Modifier::none;  ///< rn, rz, rm, rp, rna, rs, or an integral one: rni …
  bool flush = false, saturate = false, finite = false, relu = false;

  [[nodiscard]] bool integral() const {
    return rounding == Modifier::rni || rounding == Modifier::rzi || rounding == Modifier::rmi ||
           rounding == Modifier::rpi;
  }
};

Words words_of(const InstructionFacts& facts) {
  Words words;
  constexpr std::array kModes = {Modifier::rs,  Modifier::rn,  Modifier::rz,  Modifier::rm,
                                 Modifier::rp,  Modifier::rna, Modifier::rni, Modifier::rzi,
                                 Modifier::rmi, Modifier::rpi};
  for (const Modifier word : facts.modifiers) {
    const FormatRow* const row = row_of(word);
    if (row != std::end(kFormats)) words.formats.push_back(*row);
    if (std::ranges::find(kModes, word) != kModes.end()) words.rounding = word;
  }
  words.flush = facts.has(Modifier::ftz);
  words.saturate = facts.has(Modifier::sat);
  words.finite = facts.has(Modifier::satfinite);
  words.relu = facts.has(Modifier::relu);
  return words;
}

Rounding rounding_of(Modifier word) {
  return word == Modifier::rz || word == Modifier::rzi   ? Rounding::zero
         : word == Modifier::rm || word == Modifier::rmi ? Rounding::down
         : word == Modifier::rp || word == Modifier::rpi ? Rounding::up
         : word == Modifier::rna                         ? Rounding::away
         : word == Modifier::rs                          ? Rounding::random
                                                         : Rounding::nearest;
}

bool is_tiny(Format format) {
  return format >= Format::e4m3;
}

// Registers of the small formats, of tf32 and of two bfloat16 are bits of exactly their size, and
// what becomes one of them is no part of a wider register.
void check_small_formats(const Emitter& out, Modifier to_name, Modifier from_name) {
  const FormatRow& to = *row_of(to_name);
  const FormatRow& from = *row_of(from_name);
  const auto have = [&](std::size_t index) {
    const Operand& one = out.operand(index);
    return index < out.operands() && one.kind == OperandKind::reg ? out.type_of(one) : Type::none;
  };
  const auto exact = [&](std::size_t index, Type type) {
    if (have(index) != Type::none && have(index) != type)
      out.invalid("operand " + std::to_string(index + 1) + " needs another register type");
  };
  if (from.format == Format::bf16 && bytes_of(have(0)) > bytes_of(to.type)) exact(0, to.type);
  const bool small = is_tiny(to.format) || to.format == Format::tf32 || to.format == Format::bf16;
  if (is_tiny(to.format) || to.format == Format::tf32) exact(0, to.type);
  if (is_tiny(from.format)) {
    out.check_is_register(1);
    exact(1, from.type);
    if (bytes_of(have(0)) > bytes_of(to.type)) exact(0, to.type);
  }
  for (std::size_t i = 1; i < out.operands() && small; ++i) {
    if (bytes_of(have(i)) > bytes_of(from.type)) exact(i, from.type);
    const Operand& one = out.operand(i);
    if (to.format == Format::tf32 && one.kind == OperandKind::real && !one.single)
      out.invalid("the floating-point constant has another size");
  }
  if (to.format == Format::bf16 && to.elements == 2 && have(0) != Type::b32) exact(0, Type::b32);
}

// cvt.pack.sat.TYPE.s32 d, a, b; and cvt.pack.sat.TYPE.s32.b32 d, a, b, c.
void packing(Emitter& out) {
  struct Row {
    Modifier to;
    std::uint8_t width;
    bool sign;
  };
  constexpr Row rows[] = {{Modifier::u16, 16, false}, {Modifier::s16, 16, true},
                          {Modifier::u8, 8, false},   {Modifier::s8, 8, true},
                          {Modifier::u4, 4, false},   {Modifier::s4, 4, true},
                          {Modifier::u2, 2, false},   {Modifier::s2, 2, true}};
  for (const Row& row : rows) {
    if (!out.facts().has(row.to)) continue;
    const bool third = row.width < 16;
    out.expect_operands(third ? 4 : 3);
    Instruction instruction;
    instruction.opcode = Opcode::convert_pack;
    instruction.set_form(PackForm{row.width, row.sign});
    instruction.d = out.destination(0, Type::u32);
    instruction.a = out.source(1, Type::s32);
    instruction.b = out.source(2, Type::s32);
    if (third) instruction.c = out.source(3, Type::b32);
    out.emit(instruction);
    out.finish_widening();
    return;
  }
}

}  // namespace

void decode_conversion(Emitter& out) {
  if (out.facts().has(Modifier::pack)) return packing(out);
  const Words words = words_of(out.facts());
  const FormatRow& to = words.formats[0];
  const FormatRow& from = words.formats[1];
  const bool packed = to.elements != 1 || from.elements != 1 || words.relu || words.finite ||
                      to.format == Format::tf32 || from.format == Format::tf32;
  check_small_formats(out, to.name, from.name);

  // The opcode of the plain name, less what makes no difference.
  std::string plain = "cvt";
  const auto add = [&](bool wanted, std::string_view word) {
    if (!wanted) return;
    plain += '.';
    plain += word;
  };
  const bool exact = !packed && from.format == Format::bf16 && !is_integer(to.format) &&
                     to.format != Format::f16 && to.format != Format::bf16;
  const bool default_mode = !packed && words.rounding == Modifier::none &&
                            ((to.format == Format::bf16 && from.format == Format::f16) ||
                             (to.format == Format::f16 && from.format == Format::bf16));
  add(default_mode, "rn");
  add(words.rounding != Modifier::none && !exact, name_of(words.rounding));
  add(words.finite, "satfinite");
  add(words.relu, "relu");
  add(words.flush && !(is_integer(from.format) && !packed), "ftz");
  add(words.saturate && (!is_integer(to.format) || is_integer(from.format)), "sat");
  add(true, name_of(to.name));
  add(true, name_of(from.name));
  if (const OpcodeInfo* info = find_opcode(plain); info != nullptr) {
    arithmetic(out, *info);
    return;
  }
  ConvertForm form;
  form.to = to.format;
  form.from = from.format;
  form.rounding = rounding_of(words.rounding);
  form.elements = std::max(to.elements, from.elements);
  form.apart = to.elements > from.elements;
  form.integral = words.integral();
  form.flush = words.flush;
  form.clamp = words.saturate;
  form.finite = words.finite;
  form.positive = words.relu;
  // The bits that a number of binary32 loses: PTX ISA, cvt, figures of the random bits.
  if (form.rounding == Rounding::random) form.random = form.to == Format::f16 ? 13 : 16;
  const std::size_t sources = form.apart ? 2 : 1;
  const std::size_t operands = 1 + sources + (form.random != 0 ? 1 : 0);
  out.expect_operands(operands);
  Instruction instruction;
  instruction.opcode = Opcode::convert_any;
  instruction.set_form(form);
  instruction.d = out.destination(0, to.type);
  std::vector<std::uint32_t> slots;
  for (std::size_t i = 0; i < sources; ++i) slots.push_back(out.source(i + 1, from.type));
  if (form.random != 0) slots.push_back(out.source(operands - 1, Type::u32));
  instruction.more = out.more(slots);
  out.emit(instruction);
  out.finish_widening();
}

}  // namespace warpmark::cpu
