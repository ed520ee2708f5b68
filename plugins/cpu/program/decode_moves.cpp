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

// The size of a move of bits, in bytes; 0 for other moves.
std::uint32_t bytes_of_move(const InstructionFacts& facts) {
  const Type type = facts.words.size() == 1 && !facts.types.empty() ? facts.types[0] : Type::none;
  const bool bits =
      type == Type::b16 || type == Type::b32 || type == Type::b64 || type == Type::b128;
  return bits ? bytes_of(type) : 0;
}

/// The state space of each window, by the words of cvta and isspacep.
struct WindowRow {
  Modifier name;
  Space space;
};
constexpr WindowRow kWindows[] = {
    {Modifier::shared, Space::shared},         {Modifier::shared_cta, Space::shared},
    {Modifier::shared_cluster, Space::shared}, {Modifier::local, Space::local},
    {Modifier::param, Space::param},           {Modifier::param_entry, Space::param},
    {Modifier::global, Space::global},         {Modifier::const_, Space::global}};

}  // namespace

// mov.bN of { … } on one side, and every mov.b128. A 128-bit register is two wide slots, one after
// the other, the lower half first.
bool Decoder::moves(const Statement& statement) {
  const std::uint32_t bytes = bytes_of_move(*statement.facts);
  if (bytes == 0 || statement.operands != 2) return false;
  const Operand& to = operand(statement, 0);
  const Operand& from = operand(statement, 1);
  const bool pack = from.kind == OperandKind::vector, unpack = to.kind == OperandKind::vector;
  if (!pack && !unpack && bytes != 16) return false;
  if (pack && unpack) invalid(statement, "one side must be a register");
  const Operand* parts = pack ? &from : unpack ? &to : nullptr;
  if (parts != nullptr && parts->count != 1) {
    move_parts(statement, *parts, bytes, pack);
  } else {  // mov.b32 {a}, b
    move_bits(statement, unpack ? function_.operands[to.index] : to,
              pack ? function_.operands[from.index] : from, bytes);
  }
  return true;
}

void Decoder::move_bits(const Statement& statement, const Operand& to, const Operand& from,
                        std::uint32_t bytes) {
  const Type type = bits_type(bytes);
  const Opcode move = bytes == 2 ? Opcode::mov_b16 : bytes == 4 ? Opcode::mov_b32 : Opcode::mov_b64;
  const std::uint32_t d = destination(statement, to, type), a = source(statement, from, type);
  emit_plain(statement, move, d, a);
  if (bytes == 16) emit_plain(statement, move, d + kWideSlot, a + kWideSlot);
}

// The slots of the elements of a pack or unpack, kNone for `_`.
std::array<std::uint32_t, 4> Decoder::part_slots(const Statement& statement, const Operand& parts,
                                                 std::uint32_t bytes, bool pack) {
  check_vector(statement, parts, bits_type(bytes));
  std::array<std::uint32_t, 4> slots{};
  slots.fill(Instruction::kNone);
  bool some = false;
  for (std::uint32_t i = 0; i < parts.count; ++i) {
    const Operand& element = function_.operands[parts.index + i];
    some = some || element.kind != OperandKind::sink;
    if (element.negated) invalid(statement, "only a predicate is negated");
    if (element.kind == OperandKind::name && pack && bytes >= 4 && element.text.starts_with('%')) {
      slots.at(i) = named(statement, element, bits_type(bytes));
    } else if (element.kind == OperandKind::reg && element.value == 0) {
      check_register(statement, element, bits_type(bytes), false);
      slots.at(i) = register_slot(element.index);
    } else if (element.kind == OperandKind::integer && pack) {
      slots.at(i) = constant(static_cast<std::uint64_t>(element.value), bytes == 8);
    } else if (element.kind == OperandKind::real && pack && bytes >= 4) {
      slots.at(i) = constant(real_bits(element, bytes), bytes == 8);
    } else if (element.kind != OperandKind::sink || pack) {
      invalid(statement, "an element must be a register");
    }
  }
  if (!some) invalid(statement, "an element must be a register");
  return slots;
}

// Elements to a register of `bytes`, or back.
void Decoder::move_parts(const Statement& statement, const Operand& parts, std::uint32_t bytes,
                         bool pack) {
  const std::uint32_t part_bytes = parts.count == 0 ? 0 : bytes / parts.count;
  if (part_bytes * parts.count != bytes || parts.count < 2 || parts.count > 4 ||
      part_bytes * 8 < bytes) {
    invalid(statement, "the elements do not fill the register");
  }
  const std::array<std::uint32_t, 4> elements = part_slots(statement, parts, part_bytes, pack);
  const std::uint32_t whole =
      pack ? destination(statement, 0, bits_type(bytes)) : source(statement, 1, bits_type(bytes));
  if (part_bytes == 8) {
    // An unpacked element may be no part of what is still to be read: registers are whole.
    for (std::uint32_t i = 0; i < 2; ++i) {
      if (elements.at(i) == Instruction::kNone) continue;
      const std::uint32_t half = whole + i * kWideSlot;
      emit_plain(statement, Opcode::mov_b64, pack ? half : elements.at(i),
                 pack ? elements.at(i) : half);
    }
    return;
  }
  const std::uint32_t steps = bytes == 16 ? 2 : 1, each = parts.count / steps;
  for (std::uint32_t step = 0; step < steps; ++step) {
    Instruction instruction;
    instruction.count = static_cast<std::uint8_t>(each);
    instruction.opcode = part_bytes == 4   ? (pack ? Opcode::pack_32 : Opcode::unpack_32)
                         : part_bytes == 2 ? (pack ? Opcode::pack_16 : Opcode::unpack_16)
                                           : (pack ? Opcode::pack_8 : Opcode::unpack_8);
    std::uint32_t* slots[5] = {&instruction.d, &instruction.a, &instruction.b, &instruction.c,
                               &instruction.e};
    *slots[pack ? 0 : 4] = whole + step * kWideSlot;
    for (std::uint32_t i = 0; i < each; ++i)
      *slots[i + (pack ? 1 : 0)] = elements.at(step * each + i);
    emit(statement, instruction);
  }
}

// mov.v2 and mov.v4 of registers and numbers; of v4, from %tid and its like, too.
void Decoder::move_vector(const Statement& statement) {
  expect_operands(statement, 2, 2);
  const Operand& to = operand(statement, 0);
  const Operand& from = operand(statement, 1);
  const Type type = statement.facts->types.back();
  const std::uint32_t elements = statement.facts->has(Modifier::v2) ? 2 : 4;
  if (to.kind != OperandKind::vector || to.count != elements)
    invalid(statement, "needs a vector of " + std::to_string(elements) + " registers");
  check_vector(statement, to, type);
  if (from.kind == OperandKind::name && elements == 4) return move_special_vector(statement, type);
  if (from.kind != OperandKind::vector || from.count != elements)
    invalid(statement, "needs a vector of " + std::to_string(elements) + " elements");
  check_vector(statement, from, type);
  const std::uint32_t bytes = bytes_of(type);
  const Opcode move = bytes == 8 ? Opcode::mov_b64 : bytes == 4 ? Opcode::mov_b32 : Opcode::mov_b16;
  std::array<std::uint32_t, 4> d{}, a{};
  for (std::uint32_t i = 0; i < elements; ++i) {
    d.at(i) = vector_element(statement, function_.operands[to.index + i], type);
    const Operand& element = function_.operands[from.index + i];
    const bool named = element.kind == OperandKind::name && !element.text.starts_with('%');
    if (element.kind == OperandKind::sink || named ||
        (element.kind == OperandKind::reg && element.value != 0))
      invalid(statement, "an element must be a register or a number");
    a.at(i) = source(statement, element, type);
  }
  if (std::count(d.begin(), d.begin() + elements, Instruction::kNone) == elements)
    invalid(statement, "an element must be a register");
  for (std::uint32_t i = 1; i < elements; ++i) {  // what an element before it overwrites
    if (std::find(d.begin(), d.begin() + i, a.at(i)) == d.begin() + i) continue;
    const std::uint32_t kept = allocate(bytes == 8);
    emit_plain(statement, move, kept, a.at(i));
    a.at(i) = kept;
  }
  for (std::uint32_t i = 0; i < elements; ++i) {
    if (d.at(i) != Instruction::kNone) emit_plain(statement, move, d.at(i), a.at(i));
  }
}

// The slot of an element of a result; kNone for `_`.
std::uint32_t Decoder::vector_element(const Statement& statement, const Operand& element,
                                      Type type) {
  if (element.kind == OperandKind::sink) return Instruction::kNone;
  if (element.kind != OperandKind::reg || element.value != 0 || element.negated)
    invalid(statement, "an element must be a register");
  check_register(statement, element, bits_type(bytes_of(type)), false);
  return register_slot(element.index);
}

// mov.v4.u32 {a, b, c, d}, %tid and its like.
void Decoder::move_special_vector(const Statement& statement, Type type) {
  const Operand& to = operand(statement, 0);
  const Operand& from = operand(statement, 1);
  if (from.negated || from.value != 0)
    invalid(statement, "a special register takes no sign and no offset");
  if (type == Type::f32) invalid(statement, "a special register is no floating-point number");
  for (std::uint32_t i = 0; i < 4; ++i) {
    const std::uint32_t d = vector_element(statement, function_.operands[to.index + i], type);
    const std::string name = std::string(from.text) + "." + "xyzw"[i];
    const SpecialRegister* const named = special_register(name);
    if (named == nullptr) invalid(statement, "'" + name + "' is not known");
    check_special(statement, name);
    if (d != Instruction::kNone)
      emit_plain(statement, Opcode::mov_b32, d, special_value(statement, *named, type));
  }
}

// The operand of cvta from a space: the address of a variable in it.
std::uint32_t Decoder::variable_in(const Statement& statement, const Operand& name, Space space,
                                   bool constants) {
  const std::string elsewhere = "'" + std::string(name.text) + "' lies in another state space";
  const auto distance = static_cast<std::uint64_t>(name.value);
  if (const auto placed = variables_.find(name.text); placed != variables_.end()) {
    const bool parameter = space == Space::param;
    if (placed->second.parameter != parameter || (!parameter && space != placed->second.space))
      invalid(statement, elsewhere);
    const std::uint64_t offset = placed->second.offset + distance;
    return placed->second.space == Space::local ? frame_address(statement, offset)
                                                : constant(offset, true);
  }
  const std::uint64_t variable = variable_address(statement, name.text);
  if (variable == 0) invalid(statement, "'" + std::string(name.text) + "' is not declared");
  if (space != Space::global || is_constant_variable(name.text) != constants)
    invalid(statement, elsewhere);
  return constant(variable + distance, true);
}

// Where the window of a space begins; a function's parameters lie in its frame.
std::uint64_t Decoder::window_of(Space space) const {
  const bool kernel = callee_ == Instruction::kNone;
  if (space == Space::shared) return placement_.shared_window;
  if (space == Space::param && kernel) return placement_.param_window;
  return space == Space::global ? 0 : placement_.local_window;
}

// cvta{.to}.SPACE.u64 and isspacep.SPACE.
void Decoder::conversions_of_addresses(const Statement& statement) {
  const InstructionFacts& facts = *statement.facts;
  const bool test = facts.mnemonic == Mnemonic::isspacep;
  if (!test && !facts.has(Type::u64)) invalid(statement, "an address needs 64 bits");
  const auto* const row =
      std::find_if(std::begin(kWindows), std::end(kWindows),
                   [&](const WindowRow& known) { return facts.has(known.name); });
  if (row == std::end(kWindows)) invalid(statement, "there is no such state space here");
  const bool constants = row->name == Modifier::const_;
  Instruction instruction;
  instruction.opcode = test                      ? Opcode::is_space
                       : facts.has(Modifier::to) ? Opcode::from_window
                                                 : Opcode::to_window;
  instruction.imm = static_cast<std::int64_t>(window_of(row->space));
  instruction.space = row->space;
  expect_operands(statement, 2, 2);
  instruction.d = destination(statement, 0, test ? Type::pred : Type::u64);
  const Operand& from = operand(statement, 1);
  if (from.negated) invalid(statement, "only a predicate is negated");
  if (from.kind != OperandKind::name) {
    instruction.a = source(statement, 1, Type::u64);
  } else if (instruction.opcode != Opcode::to_window) {
    invalid(statement, "a name cannot stand here");
  } else {
    instruction.a = variable_in(statement, from, row->space, constants);
  }
  if (test && constants) {  // constant variables lie in global memory, and look like it
    emit_plain(statement, Opcode::mov_pred, instruction.d, constant(0, false));
  } else if (!test && row->space == Space::global) {
    emit_plain(statement, Opcode::mov_b64, instruction.d, instruction.a);
  } else {
    emit(statement, instruction);
  }
}

// A clock, read to a register of its own.
std::uint32_t Decoder::clock_value(const Statement& statement, const SpecialRegister& named,
                                   Type type) {
  const bool wide = bytes_of(type) == 8, whole = named.bits == 64;
  const bool moves = statement.facts->mnemonic == Mnemonic::mov;
  if (moves && bytes_of(type) == 2) invalid(statement, "the special register has 32 bits");
  if (whole && !wide && statement.facts->mnemonic != Mnemonic::cvt)
    invalid(statement, "the special register has 64 bits");
  std::uint32_t value = allocate(true);
  emit_plain(statement, Opcode::read_clock, value, Instruction::kNone);
  if (wide) return value;
  if (named.value == Special::clock_high) {
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
  const InstructionFacts& facts = *statement.facts;
  if (facts.mnemonic != Mnemonic::mov || facts.words.size() != 1 || facts.types.empty())
    return false;
  const Type type = facts.types.front();
  if (!is_integer(type) || bytes_of(type) != 8) return false;
  if (statement.operands != 2 || operand(statement, 0).kind != OperandKind::reg) return false;
  const Operand& from = operand(statement, 1);
  if (from.kind != OperandKind::name || from.value != 0 || from.negated) return false;
  const SpecialRegister* const named = special_register(from.text);
  if (named == nullptr || named->value != Special::clock || named->bits != 64) return false;
  emit_plain(statement, Opcode::read_clock, destination(statement, 0, Type::u64),
             Instruction::kNone);
  return true;
}

// Instructions that steer caches, counters and the scheduler. Their operands are checked; there is
// nothing for them to do, and no access that could fail (a prefetch of a bad address does not), but
// for a discard, which is a write of no value (PTX ISA: "semantically … a weak write of an
// indeterminate value").
void Decoder::advice(const Statement& statement) {
  const InstructionFacts& facts = *statement.facts;
  const Mnemonic name = facts.mnemonic;
  if (name == Mnemonic::griddepcontrol) {
    expect_operands(statement, 0, 0);
  } else if (name == Mnemonic::nanosleep) {
    expect_operands(statement, 1, 1);
    source(statement, 0, Type::u32);
  } else if (name == Mnemonic::pmevent) {
    expect_operands(statement, 1, 1);
    const Operand& event = operand(statement, 0);
    if (event.kind != OperandKind::integer) invalid(statement, "needs a constant");
    if (event.value < 0 || event.value > (facts.has(Modifier::mask) ? 0xffff : 15))
      invalid(statement, "there are 16 events");
  } else {
    const bool of_line = name == Mnemonic::applypriority || name == Mnemonic::discard;
    expect_operands(statement, of_line ? 2 : 1, of_line ? 2 : 1);
    Space space = facts.has(Modifier::local)                                   ? Space::local
                  : facts.has(Modifier::param)                                 ? Space::param
                  : facts.has(Modifier::global) || facts.has(Modifier::const_) ? Space::global
                                                                               : Space::generic;
    if (name == Mnemonic::prefetchu &&
        space_of_name(operand(statement, 0)).value_or(Space::global) != Space::global)
      invalid(statement, "a variable of another state space has no generic address here");
    Instruction advised;
    advised.opcode = Opcode::prefetch;
    advised.address =
        address(statement, operand(statement, 0), space, advised, facts.has(Modifier::const_));
    const bool fetches = !of_line && (space == Space::global || space == Space::generic);
    if (name == Mnemonic::discard) {
      advised.opcode = Opcode::discard;
      advised.site = program_.sites++;
    }
    if (fetches || name == Mnemonic::discard) emit(statement, advised);
    if (of_line) check_line(statement);
  }
}

// The size of a line of the cache and of a tensor map.
void Decoder::check_line(const Statement& statement) const {
  const Operand& size = operand(statement, 1);
  if (size.kind != OperandKind::integer || size.value != 128) invalid(statement, "the size is 128");
}

// createpolicy.fractional.FIRST{.SECOND}.b64 d{, part}, .range{.global}.FIRST{.SECOND}.b64 d, [a],
// of the first, of all, and .cvt.L2.b64 d, a. A policy is a value that only advice takes.
void Decoder::policy(const Statement& statement) {
  const InstructionFacts& facts = *statement.facts;
  if (facts.has(Modifier::cvt)) {
    expect_operands(statement, 2, 2);
    source(statement, 1, Type::u64);
  } else if (facts.has(Modifier::range)) {
    expect_operands(statement, 4, 4);
    address_value(statement, operand(statement, 1),
                  facts.has(Modifier::global) ? Space::global : Space::generic);
    const Operand &first = operand(statement, 2), &all = operand(statement, 3);
    for (const std::size_t i : {2, 3}) {
      const Operand& size = operand(statement, i);
      if (size.kind == OperandKind::name || (size.kind == OperandKind::reg && size.value != 0))
        invalid(statement, "a size is a register or a number");
      source(statement, i, Type::u32);
    }
    if (first.kind == OperandKind::integer && all.kind == OperandKind::integer &&
        static_cast<std::uint32_t>(first.value) > static_cast<std::uint32_t>(all.value))
      invalid(statement, "the first part is no larger than the whole");
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
}

// elect.sync d|p, mask: the lowest lane of the mask.
void Decoder::elects(const Statement& statement) {
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
}

}  // namespace warpmark::cpu
