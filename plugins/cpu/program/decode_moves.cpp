// Decoding of moves: packing and unpacking, 128 bits, addresses of spaces, clocks, and instructions
// that advise a cache and change no result.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>

#include "program/decoder.hpp"

namespace warpmark::cpu {
namespace {

std::uint32_t type_bytes_of_move(std::string_view opcode) {
  constexpr std::pair<std::string_view, std::uint32_t> rows[] = {
      {"mov.b16", 2}, {"mov.b32", 4}, {"mov.b64", 8}, {"mov.b128", 16}};
  for (const auto& [name, bytes] : rows) {
    if (name == opcode) return bytes;
  }
  return 0;
}

}  // namespace

// mov.bN of { … } on one side, and every mov.b128. A 128-bit register is two wide slots, one after
// the other, the lower half first.
bool Decoder::moves(const Statement& statement) {
  const std::uint32_t bytes = type_bytes_of_move(statement.opcode);
  if (statement.opcode.starts_with("mov.v4.")) return move_special_vector(statement);
  if (bytes == 0 || statement.operands != 2) return false;
  const Operand& to = operand(statement, 0);
  const Operand& from = operand(statement, 1);
  const bool pack = from.kind == OperandKind::vector, unpack = to.kind == OperandKind::vector;
  const auto is_one = [](const Operand& of) {
    return of.kind == OperandKind::vector && of.count == 1;
  };
  if (!pack && !unpack && bytes != 16) return false;
  if (pack && unpack) invalid(statement, "one side must be a register");
  if (is_one(to) || is_one(from)) {  // mov.b32 {a}, b
    const Operand& d = unpack ? function_.operands[to.index] : to;
    const Operand& a = pack ? function_.operands[from.index] : from;
    const Type type = bits_type(bytes);
    const Opcode move = bytes == 2   ? Opcode::mov_b16
                        : bytes == 4 ? Opcode::mov_b32
                                     : Opcode::mov_b64;
    const std::uint32_t whole = destination(statement, d, type), value = source(statement, a, type);
    emit_plain(statement, move, whole, value);
    if (bytes == 16) emit_plain(statement, move, whole + kWideSlot, value + kWideSlot);
    return true;
  }
  if (!pack && !unpack) {
    const std::uint32_t d = destination(statement, 0, Type::b128);
    const std::uint32_t a = source(statement, 1, Type::b128);
    for (const std::uint32_t half : {0u, kWideSlot})
      emit_plain(statement, Opcode::mov_b64, d + half, a + half);
    return true;
  }
  const Operand& parts = pack ? from : to;
  const std::uint32_t part_bytes = parts.count == 0 ? 0 : bytes / parts.count;
  if (part_bytes * parts.count != bytes || parts.count < 2 || parts.count > 4 ||
      part_bytes * 8 < bytes) {
    invalid(statement, "the elements do not fill the register");
  }
  check_vector(statement, parts, bits_type(part_bytes));
  bool some = false;
  std::uint32_t elements[4] = {Instruction::kNone, Instruction::kNone, Instruction::kNone,
                               Instruction::kNone};
  for (std::uint32_t i = 0; i < parts.count; ++i) {
    const Operand& element = function_.operands[parts.index + i];
    some = some || element.kind != OperandKind::sink;
    if (element.negated) invalid(statement, "only a predicate is negated");
    if (element.kind == OperandKind::name && pack && part_bytes >= 4 &&
        element.text.starts_with('%')) {
      elements[i] = named(statement, element, bits_type(part_bytes));
    } else if (element.kind == OperandKind::reg && element.value == 0) {
      check_register(statement, element, bits_type(part_bytes), false);
      elements[i] = register_slot(element.index);
    } else if (element.kind == OperandKind::integer && pack) {
      elements[i] = constant(static_cast<std::uint64_t>(element.value), part_bytes == 8);
    } else if (element.kind == OperandKind::real && pack && part_bytes >= 4) {
      elements[i] = constant(real_bits(element, part_bytes), part_bytes == 8);
    } else if (element.kind != OperandKind::sink || !unpack) {
      invalid(statement, "an element must be a register");
    }
  }
  if (!some) invalid(statement, "an element must be a register");
  const std::uint32_t whole =
      pack ? destination(statement, 0, bits_type(bytes)) : source(statement, 1, bits_type(bytes));
  if (part_bytes == 8) {
    // An unpacked element may be no part of what is still to be read: registers are whole.
    for (std::uint32_t i = 0; i < 2; ++i) {
      if (elements[i] == Instruction::kNone) continue;
      const std::uint32_t half = whole + i * kWideSlot;
      emit_plain(statement, Opcode::mov_b64, pack ? half : elements[i], pack ? elements[i] : half);
    }
    return true;
  }
  const std::uint32_t steps = bytes == 16 ? 2 : 1, each = parts.count / steps;
  for (std::uint32_t step = 0; step < steps; ++step) {
    Instruction instruction;
    instruction.count = static_cast<std::uint8_t>(each);
    instruction.address_narrow = bytes < 8;
    instruction.opcode = part_bytes == 4   ? (pack ? Opcode::pack_32 : Opcode::unpack_32)
                         : part_bytes == 2 ? (pack ? Opcode::pack_16 : Opcode::unpack_16)
                                           : (pack ? Opcode::pack_8 : Opcode::unpack_8);
    instruction.address = whole + step * kWideSlot;
    std::uint32_t* slots[4] = {&instruction.d, &instruction.a, &instruction.b, &instruction.c};
    for (std::uint32_t i = 0; i < each; ++i) *slots[i] = elements[step * each + i];
    emit(statement, instruction);
  }
  return true;
}

// mov.v4.u32 {a, b, c, d}, %tid and its like.
bool Decoder::move_special_vector(const Statement& statement) {
  expect_operands(statement, 2, 2);
  const Operand& to = operand(statement, 0);
  const Operand& from = operand(statement, 1);
  if (from.negated || from.value != 0) invalid(statement, "a special register stands alone");
  const std::string_view word = statement.opcode.substr(7);
  const Type type = word == "u32" || word == "s32" || word == "b32" ? Type::b32
                    : word == "u16"                                 ? Type::u16
                                                                    : Type::none;
  if (type == Type::none || to.kind != OperandKind::vector || to.count != 4 ||
      from.kind != OperandKind::name)
    invalid(statement, "needs four registers and a special register");
  check_vector(statement, to, type == Type::b32 ? Type::u32 : type);
  for (std::uint32_t i = 0; i < 4; ++i) {
    const Operand& element = function_.operands[to.index + i];
    if (element.kind == OperandKind::sink) continue;
    if (element.kind != OperandKind::reg) invalid(statement, "an element must be a register");
    check_register(statement, element, type, false);
    const std::string name = std::string(from.text) + "." + "xyzw"[i];
    const std::uint32_t value = special_named(name, false);
    if (value == Instruction::kNone) invalid(statement, "'" + name + "' is not known");
    emit_plain(statement, Opcode::mov_b32, register_slot(element.index), value);
  }
  return true;
}

bool Decoder::conversions_of_addresses(const Statement& statement) {
  std::string_view name = statement.opcode;
  Instruction instruction;
  if (name.starts_with("cvta.to.")) {
    instruction.opcode = Opcode::from_window;
    name.remove_prefix(8);
  } else if (name.starts_with("cvta.")) {
    instruction.opcode = Opcode::to_window;
    name.remove_prefix(5);
  } else if (name.starts_with("isspacep.")) {
    instruction.opcode = Opcode::is_space;
    name.remove_prefix(9);
  } else {
    return false;
  }
  const bool test = instruction.opcode == Opcode::is_space;
  if (!test) {
    if (name.starts_with("u64."))
      name.remove_prefix(4);
    else if (name.ends_with(".u64"))
      name.remove_suffix(4);
    else
      invalid(statement, "an address needs 64 bits");
  }
  if (name == "shared" || name == "shared::cta" || name == "shared::cluster") {
    instruction.imm = static_cast<std::int64_t>(placement_.shared_window);
    instruction.count = static_cast<std::uint8_t>(Space::shared);
  } else if (name == "local") {
    instruction.imm = static_cast<std::int64_t>(placement_.local_window);
    instruction.count = static_cast<std::uint8_t>(Space::local);
  } else if (name == "param" || name == "param::entry") {
    // A function's parameters lie in its frame.
    const bool kernel = callee_ == Instruction::kNone;
    instruction.imm =
        static_cast<std::int64_t>(kernel ? placement_.param_window : placement_.local_window);
    instruction.count = static_cast<std::uint8_t>(Space::param);
  } else if (name == "global" || name == "const") {
    instruction.count = static_cast<std::uint8_t>(Space::global);
  } else {
    invalid(statement, "there is no such state space here");
  }
  expect_operands(statement, 2, 2);
  instruction.d = destination(statement, 0, test ? Type::pred : Type::u64);
  const Operand& from = operand(statement, 1);
  if (from.negated) invalid(statement, "only a predicate is negated");
  if (from.kind != OperandKind::name) {
    instruction.a = source(statement, 1, Type::u64);
  } else if (instruction.opcode != Opcode::to_window) {
    invalid(statement, "a name cannot stand here");
  } else if (const auto placed = variables_.find(from.text); placed != variables_.end()) {
    const bool parameter = name.starts_with("param");
    if (placed->second.parameter != parameter ||
        (!parameter && static_cast<Space>(instruction.count) != placed->second.space))
      invalid(statement, "'" + std::string(from.text) + "' lies in another state space");
    const std::uint64_t offset = placed->second.offset + static_cast<std::uint64_t>(from.value);
    instruction.a = placed->second.space == Space::local ? frame_address(statement, offset)
                                                         : constant(offset, true);
  } else {
    const std::uint64_t variable = variable_address(statement, from.text);
    if (variable == 0) invalid(statement, "'" + std::string(from.text) + "' is not declared");
    if ((name != "const" && name != "global") ||
        is_constant_variable(from.text) != (name == "const"))
      invalid(statement, "'" + std::string(from.text) + "' lies in another state space");
    instruction.a = constant(variable + static_cast<std::uint64_t>(from.value), true);
  }
  if (test && name == "const") {  // constant variables lie in global memory, and look like it
    emit_plain(statement, Opcode::mov_pred, instruction.d, constant(0, false));
    return true;
  }
  if (!test && instruction.count == static_cast<std::uint8_t>(Space::global)) {
    emit_plain(statement, Opcode::mov_b64, instruction.d, instruction.a);
    return true;
  }
  emit(statement, instruction);
  return true;
}

// A clock, read to a register of its own; kNone if `name` is none.
std::uint32_t Decoder::clock_value(const Statement& statement, std::string_view name, bool wide) {
  const bool whole = name == "%clock64" || name == "%globaltimer";
  const bool high = name == "%clock_hi" || name == "%globaltimer_hi";
  if (!whole && !high && name != "%clock" && name != "%globaltimer_lo") return Instruction::kNone;
  const bool narrow = statement.opcode.starts_with("mov.") && statement.opcode.ends_with("16");
  if ((wide && !whole) || narrow) invalid(statement, "the special register has 32 bits");
  if (whole && !wide && !statement.opcode.starts_with("cvt."))
    invalid(statement, "the special register has 64 bits");
  std::uint32_t value = allocate(true);
  emit_plain(statement, Opcode::read_clock, value, Instruction::kNone);
  if (wide) return value;
  if (high) {
    const std::uint32_t upper = allocate(true);
    emit_plain(statement, Opcode::shr_u64, upper, value, constant(32, false));
    value = upper;
  }
  const std::uint32_t half = allocate(false);
  emit_plain(statement, Opcode::cvt_u32_u64, half, value);
  return half;
}

// mov.u64 d, %clock64, without a second move.
bool Decoder::clock(const Statement& statement) {
  const std::string_view name = statement.opcode;
  if (name != "mov.u64" && name != "mov.s64" && name != "mov.b64") return false;
  if (statement.operands != 2 || operand(statement, 0).kind != OperandKind::reg) return false;
  const Operand& from = operand(statement, 1);
  if (from.kind != OperandKind::name || from.value != 0 || from.negated ||
      (from.text != "%clock64" && from.text != "%globaltimer"))
    return false;
  emit_plain(statement, Opcode::read_clock, destination(statement, 0, Type::u64),
             Instruction::kNone);
  return true;
}

// Instructions that steer caches, counters and the scheduler. Their operands are checked; there is
// nothing for them to do, and no access that could fail (a prefetch of a bad address does not).
bool Decoder::advice(const Statement& statement) {
  const InstructionFacts& facts = *statement.facts;
  const std::string_view name = facts.mnemonic;
  if (name == "griddepcontrol") {
    expect_operands(statement, 0, 0);
  } else if (name == "nanosleep") {
    expect_operands(statement, 1, 1);
    source(statement, 0, Type::u32);
  } else if (name == "pmevent") {
    expect_operands(statement, 1, 1);
    const Operand& event = operand(statement, 0);
    if (event.kind != OperandKind::integer) invalid(statement, "needs a constant");
    if (event.value < 0 || (!facts.has("mask") && event.value > 15))
      invalid(statement, "an event's number is from 0 to 15");
  } else {
    const bool of_line = name == "applypriority" || name == "discard";
    expect_operands(statement, of_line ? 2 : 1, of_line ? 2 : 1);
    Space space = facts.has("local")                          ? Space::local
                  : facts.has("param")                        ? Space::param
                  : facts.has("global") || facts.has("const") ? Space::global
                                                              : Space::generic;
    Instruction advised;
    advised.opcode = Opcode::prefetch;
    advised.address = address(statement, operand(statement, 0), space, advised, facts.has("const"));
    const bool fetches = !of_line && (space == Space::global || space == Space::generic);
    if (fetches) emit(statement, advised);
    if (of_line &&
        (operand(statement, 1).kind != OperandKind::integer || operand(statement, 1).value != 128))
      invalid(statement, "the size is 128");
  }
  return true;
}

// createpolicy.fractional.FIRST{.SECOND}.b64 d{, part}, .range{.global}.FIRST{.SECOND}.b64 d, [a],
// of the first, of all, and .cvt.L2.b64 d, a. A policy is a value that only advice takes.
bool Decoder::policy(const Statement& statement) {
  const InstructionFacts& facts = *statement.facts;
  if (facts.has("cvt")) {
    expect_operands(statement, 2, 2);
    source(statement, 1, Type::b64);
  } else if (facts.has("range")) {
    expect_operands(statement, 4, 4);
    if (operand(statement, 1).kind != OperandKind::address)
      invalid(statement, "expected an address in [ ]");
    source(statement, 2, Type::u32);
    source(statement, 3, Type::u32);
  } else {
    expect_operands(statement, 1, 2);
    if (statement.operands == 2) {
      const Operand& fraction = operand(statement, 1);
      source(statement, 1, Type::f32);
      const float value =
          fraction.kind != OperandKind::real
              ? 1.0f
              : std::bit_cast<float>(static_cast<std::uint32_t>(real_bits(fraction, 4)));
      if (!(value > 0 && value <= 1)) invalid(statement, "a part is above 0 and at most 1");
    }
  }
  emit_plain(statement, Opcode::mov_b64, destination(statement, 0, Type::u64), constant(0, true));
  return true;
}

// elect.sync d|p, mask: the lowest lane of the mask.
bool Decoder::elects(const Statement& statement) {
  expect_operands(statement, 2, 2);
  const Operand& result = operand(statement, 0);
  if (result.kind != OperandKind::pair) invalid(statement, "needs d|p");
  const Operand& d = function_.operands[result.index];
  const Operand& p = function_.operands[result.index + 1];
  if ((d.kind != OperandKind::reg && d.kind != OperandKind::sink) || p.kind != OperandKind::reg ||
      d.negated || d.value != 0 || p.negated)
    invalid(statement, "the result must be a register");
  if (d.kind == OperandKind::reg) check_register(statement, d, Type::u32, false);
  const std::uint32_t lane = d.kind == OperandKind::reg ? register_slot(d.index) : allocate(false);
  const std::uint32_t reversed = allocate(false);
  emit_plain(statement, Opcode::brev_32, reversed, source(statement, 1, Type::u32));
  emit_plain(statement, Opcode::clz_32, lane, reversed);
  emit_plain(statement, Opcode::setp_eq_b32, predicate(statement, p), lane,
             special(Special::laneid));
  return true;
}

}  // namespace warpmark::cpu
