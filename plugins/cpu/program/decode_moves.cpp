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

void move_bits(Emitter& out, const Operand& to, const Operand& from, std::uint32_t bytes) {
  const Type type = bits_type(bytes);
  const Opcode move = bytes == 2 ? Opcode::mov_b16 : bytes == 4 ? Opcode::mov_b32 : Opcode::mov_b64;
  const std::uint32_t d = out.destination(to, type), a = out.source(from, type);
  out.emit(move, d, a);
  if (bytes == 16) out.emit(move, d + kWideSlot, a + kWideSlot);
}

// The slots of the elements of a pack or unpack, kNone for `_`.
std::array<std::uint32_t, 4> part_slots(Emitter& out, const Operand& parts, std::uint32_t bytes,
                                        bool pack) {
  out.check_vector(parts, bits_type(bytes));
  std::array<std::uint32_t, 4> slots{};
  slots.fill(Instruction::kNone);
  bool some = false;
  for (std::uint32_t i = 0; i < parts.count; ++i) {
    const Operand& element = out.part(parts, i);
    some = some || element.kind != OperandKind::sink;
    if (element.negated) out.invalid("only a predicate is negated");
    if (element.kind == OperandKind::name && pack && bytes >= 4 && element.text.starts_with('%')) {
      slots.at(i) = out.named(element, bits_type(bytes));
    } else if (element.kind == OperandKind::reg && element.value == 0) {
      out.check_register(element, bits_type(bytes), false);
      slots.at(i) = out.register_slot(element.index);
    } else if (element.kind == OperandKind::integer && pack) {
      slots.at(i) = out.constant(static_cast<std::uint64_t>(element.value), bytes == 8);
    } else if (element.kind == OperandKind::real && pack && bytes >= 4) {
      slots.at(i) = out.constant(real_bits(element, bytes), bytes == 8);
    } else if (element.kind != OperandKind::sink || pack) {
      out.invalid("an element must be a register");
    }
  }
  if (!some) out.invalid("an element must be a register");
  return slots;
}

// Elements to a register of `bytes`, or back.
void move_parts(Emitter& out, const Operand& parts, std::uint32_t bytes, bool pack) {
  const std::uint32_t part_bytes = parts.count == 0 ? 0 : bytes / parts.count;
  if (part_bytes * parts.count != bytes || parts.count < 2 || parts.count > 4 ||
      part_bytes * 8 < bytes) {
    out.invalid("the elements do not fill the register");
  }
  const std::array<std::uint32_t, 4> elements = part_slots(out, parts, part_bytes, pack);
  const std::uint32_t whole =
      pack ? out.destination(0, bits_type(bytes)) : out.source(1, bits_type(bytes));
  if (part_bytes == 8) {
    // An unpacked element may be no part of what is still to be read: registers are whole.
    for (std::uint32_t i = 0; i < 2; ++i) {
      if (elements.at(i) == Instruction::kNone) continue;
      const std::uint32_t half = whole + i * kWideSlot;
      out.emit(Opcode::mov_b64, pack ? half : elements.at(i), pack ? elements.at(i) : half);
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
    out.emit(instruction);
  }
}

// mov.bN of { … } on one side, and every mov.b128. A 128-bit register is two wide slots, one after
// the other, the lower half first.
bool moves(Emitter& out) {
  const std::uint32_t bytes = bytes_of_move(out.facts());
  if (bytes == 0 || out.operands() != 2) return false;
  const Operand& to = out.operand(0);
  const Operand& from = out.operand(1);
  const bool pack = from.kind == OperandKind::vector, unpack = to.kind == OperandKind::vector;
  if (!pack && !unpack && bytes != 16) return false;
  if (pack && unpack) out.invalid("one side must be a register");
  const Operand* parts = pack ? &from : unpack ? &to : nullptr;
  if (parts != nullptr && parts->count != 1) {
    move_parts(out, *parts, bytes, pack);
  } else {  // mov.b32 {a}, b
    move_bits(out, unpack ? out.part(to, 0) : to, pack ? out.part(from, 0) : from, bytes);
  }
  return true;
}

// The slot of an element of a result; kNone for `_`.
std::uint32_t vector_element(Emitter& out, const Operand& element, Type type) {
  if (element.kind == OperandKind::sink) return Instruction::kNone;
  if (element.kind != OperandKind::reg || element.value != 0 || element.negated)
    out.invalid("an element must be a register");
  out.check_register(element, bits_type(bytes_of(type)), false);
  return out.register_slot(element.index);
}

// mov.v4.u32 {a, b, c, d}, %tid and its like.
void move_special_vector(Emitter& out, Type type) {
  const Operand& to = out.operand(0);
  const Operand& from = out.operand(1);
  if (from.negated || from.value != 0)
    out.invalid("a special register takes no sign and no offset");
  if (type == Type::f32) out.invalid("a special register is no floating-point number");
  for (std::uint32_t i = 0; i < 4; ++i) {
    const std::uint32_t d = vector_element(out, out.part(to, i), type);
    const std::string name = std::string(from.text) + "." + "xyzw"[i];
    const SpecialRegister* const named = special_register(name);
    if (named == nullptr) out.invalid("'" + name + "' is not known");
    out.check_special(name);
    if (d != Instruction::kNone) out.emit(Opcode::mov_b32, d, out.special_value(*named, type));
  }
}

// mov.v2 and mov.v4 of registers and numbers; of v4, from %tid and its like, too.
void move_vector(Emitter& out) {
  out.expect_operands(2);
  const Operand& to = out.operand(0);
  const Operand& from = out.operand(1);
  const Type type = out.facts().types.back();
  const std::uint32_t elements = out.facts().has(Modifier::v2) ? 2 : 4;
  if (to.kind != OperandKind::vector || to.count != elements)
    out.invalid("needs a vector of " + std::to_string(elements) + " registers");
  out.check_vector(to, type);
  if (from.kind == OperandKind::name && elements == 4) return move_special_vector(out, type);
  if (from.kind != OperandKind::vector || from.count != elements)
    out.invalid("needs a vector of " + std::to_string(elements) + " elements");
  out.check_vector(from, type);
  const std::uint32_t bytes = bytes_of(type);
  const Opcode move = bytes == 8 ? Opcode::mov_b64 : bytes == 4 ? Opcode::mov_b32 : Opcode::mov_b16;
  std::array<std::uint32_t, 4> d{}, a{};
  for (std::uint32_t i = 0; i < elements; ++i) {
    d.at(i) = vector_element(out, out.part(to, i), type);
    const Operand& element = out.part(from, i);
    const bool named = element.kind == OperandKind::name && !element.text.starts_with('%');
    if (element.kind == OperandKind::sink || named ||
        (element.kind == OperandKind::reg && element.value != 0))
      out.invalid("an element must be a register or a number");
    a.at(i) = out.source(element, type);
  }
  if (std::count(d.begin(), d.begin() + elements, Instruction::kNone) == elements)
    out.invalid("an element must be a register");
  for (std::uint32_t i = 1; i < elements; ++i) {  // what an element before it overwrites
    if (std::find(d.begin(), d.begin() + i, a.at(i)) == d.begin() + i) continue;
    const std::uint32_t kept = out.allocate(bytes == 8);
    out.emit(move, kept, a.at(i));
    a.at(i) = kept;
  }
  for (std::uint32_t i = 0; i < elements; ++i) {
    if (d.at(i) != Instruction::kNone) out.emit(move, d.at(i), a.at(i));
  }
}

// The operand of cvta from a space: the address of a variable in it.
std::uint32_t variable_in(Emitter& out, const Operand& name, Space space, bool constants) {
  const std::string elsewhere = "'" + std::string(name.text) + "' lies in another state space";
  const auto distance = static_cast<std::uint64_t>(name.value);
  if (const auto placed = out.variables.find(name.text); placed != out.variables.end()) {
    const bool parameter = space == Space::param;
    if (placed->second.parameter != parameter || (!parameter && space != placed->second.space))
      out.invalid(elsewhere);
    const std::uint64_t offset = placed->second.offset + distance;
    return placed->second.space == Space::local ? out.frame_address(offset)
                                                : out.constant(offset, true);
  }
  const std::uint64_t variable = out.variable_address(name.text);
  if (variable == 0) out.invalid("'" + std::string(name.text) + "' is not declared");
  if (space != Space::global || is_constant_variable(out, name.text) != constants)
    out.invalid(elsewhere);
  return out.constant(variable + distance, true);
}

// mov.u64 d, %clock64, without a second move.
bool clock(Emitter& out) {
  const InstructionFacts& facts = out.facts();
  if (facts.mnemonic != Mnemonic::mov || facts.words.size() != 1 || facts.types.empty())
    return false;
  const Type type = facts.types.front();
  if (!is_integer(type) || bytes_of(type) != 8) return false;
  if (out.operands() != 2 || out.operand(0).kind != OperandKind::reg) return false;
  const Operand& from = out.operand(1);
  if (from.kind != OperandKind::name || from.value != 0 || from.negated) return false;
  const SpecialRegister* const named = special_register(from.text);
  if (named == nullptr || named->value != Special::clock || named->bits != 64) return false;
  out.emit(Opcode::read_clock, out.destination(0, Type::u64), Instruction::kNone);
  return true;
}

}  // namespace

void decode_move(Emitter& out) {
  if (out.facts().has(Modifier::v2) || out.facts().has(Modifier::v4))
    move_vector(out);
  else if (!clock(out) && !moves(out))
    decode_arithmetic(out);
}

// cvta{.to}.SPACE.u64 and isspacep.SPACE.
void decode_address(Emitter& out) {
  const InstructionFacts& facts = out.facts();
  const bool test = facts.mnemonic == Mnemonic::isspacep;
  if (!test && !facts.has(Type::u64)) out.invalid("an address needs 64 bits");
  const auto* const row =
      std::ranges::find_if(kWindows, [&](const WindowRow& known) { return facts.has(known.name); });
  if (row == std::end(kWindows)) out.invalid("there is no such state space here");
  const bool constants = row->name == Modifier::const_;
  Instruction instruction;
  instruction.opcode = test                      ? Opcode::is_space
                       : facts.has(Modifier::to) ? Opcode::from_window
                                                 : Opcode::to_window;
  instruction.imm = static_cast<std::int64_t>(out.window_of(row->space));
  instruction.space = row->space;
  out.expect_operands(2);
  instruction.d = out.destination(0, test ? Type::pred : Type::u64);
  const Operand& from = out.operand(1);
  if (from.negated) out.invalid("only a predicate is negated");
  if (from.kind != OperandKind::name) {
    instruction.a = out.source(1, Type::u64);
  } else if (instruction.opcode != Opcode::to_window) {
    out.invalid("a name cannot stand here");
  } else {
    instruction.a = variable_in(out, from, row->space, constants);
  }
  if (test && constants) {  // constant variables lie in global memory, and look like it
    out.emit(Opcode::mov_pred, instruction.d, out.constant(0, false));
  } else if (!test && row->space == Space::global) {
    out.emit(Opcode::mov_b64, instruction.d, instruction.a);
  } else {
    out.emit(instruction);
  }
}

// Instructions that steer caches, counters and the scheduler. Their operands are checked; there is
// nothing for them to do, and no access that could fail (a prefetch of a bad address does not), but
// for a discard, which is a write of no value (PTX ISA: "semantically … a weak write of an
// indeterminate value").
void decode_advice(Emitter& out) {
  const InstructionFacts& facts = out.facts();
  const Mnemonic name = facts.mnemonic;
  if (name == Mnemonic::griddepcontrol) {
    out.expect_operands(0);
  } else if (name == Mnemonic::nanosleep) {
    out.expect_operands(1);
    out.source(0, Type::u32);
  } else if (name == Mnemonic::pmevent) {
    out.expect_operands(1);
    const Operand& event = out.operand(0);
    if (event.kind != OperandKind::integer) out.invalid("needs a constant");
    if (event.value < 0 || event.value > (facts.has(Modifier::mask) ? 0xffff : 15))
      out.invalid("there are 16 events");
  } else {
    const bool of_line = name == Mnemonic::applypriority || name == Mnemonic::discard;
    out.expect_operands(of_line ? 2 : 1);
    Space space = facts.has(Modifier::local)                                   ? Space::local
                  : facts.has(Modifier::param)                                 ? Space::param
                  : facts.has(Modifier::global) || facts.has(Modifier::const_) ? Space::global
                                                                               : Space::generic;
    if (name == Mnemonic::prefetchu &&
        space_of_name(out, out.operand(0)).value_or(Space::global) != Space::global)
      out.invalid("a variable of another state space has no generic address here");
    Instruction advised;
    advised.opcode = Opcode::prefetch;
    advised.address = address(out, out.operand(0), space, advised, facts.has(Modifier::const_));
    const bool fetches = !of_line && (space == Space::global || space == Space::generic);
    if (name == Mnemonic::discard) {
      advised.opcode = Opcode::discard;
      advised.site = out.program.sites++;
    }
    if (fetches || name == Mnemonic::discard) out.emit(advised);
    if (of_line) check_line(out);
  }
}

void check_line(const Emitter& out) {
  const Operand& size = out.operand(1);
  if (size.kind != OperandKind::integer || size.value != 128) out.invalid("the size is 128");
}

// createpolicy.fractional.FIRST{.SECOND}.b64 d{, part}, .range{.global}.FIRST{.SECOND}.b64 d, [a],
// of the first, of all, and .cvt.L2.b64 d, a. A policy is a value that only advice takes.
void decode_policy(Emitter& out) {
  const InstructionFacts& facts = out.facts();
  if (facts.has(Modifier::cvt)) {
    out.expect_operands(2);
    out.source(1, Type::u64);
  } else if (facts.has(Modifier::range)) {
    out.expect_operands(4);
    address_value(out, out.operand(1),
                  facts.has(Modifier::global) ? Space::global : Space::generic);
    const Operand &first = out.operand(2), &all = out.operand(3);
    for (const std::size_t i : {2, 3}) {
      const Operand& size = out.operand(i);
      if (size.kind == OperandKind::name || (size.kind == OperandKind::reg && size.value != 0))
        out.invalid("a size is a register or a number");
      out.source(i, Type::u32);
    }
    if (first.kind == OperandKind::integer && all.kind == OperandKind::integer &&
        static_cast<std::uint32_t>(first.value) > static_cast<std::uint32_t>(all.value))
      out.invalid("the first part is no larger than the whole");
  } else {
    out.expect_operands(1, 2);
    if (out.operands() == 2) {
      const Operand& fraction = out.operand(1);
      out.source(1, Type::f32);
      const float value =
          fraction.kind != OperandKind::real
              ? 1.0f
              : std::bit_cast<float>(static_cast<std::uint32_t>(real_bits(fraction, 4)));
      if (!(value > 0 && value <= 1)) out.invalid("a part is above 0 and at most 1");
    }
  }
  out.emit(Opcode::mov_b64, out.destination(0, Type::u64), out.constant(0, true));
}

// elect.sync d|p, mask: the lowest lane of the mask.
void decode_elect(Emitter& out) {
  out.expect_operands(2);
  const Operand& result = out.operand(0);
  if (result.kind != OperandKind::pair) out.invalid("needs d|p");
  const Operand& d = out.part(result, 0);
  const Operand& p = out.part(result, 1);
  if (p.kind != OperandKind::reg || p.negated) out.invalid("the result must be a register");
  const std::uint32_t lane = out.result(d, Type::u32);
  const std::uint32_t reversed = out.allocate(false);
  out.emit(Opcode::brev_32, reversed, out.source(1, Type::u32));
  out.emit(Opcode::clz_32, lane, reversed);
  out.emit(Opcode::setp_eq_b32, out.predicate(p), lane, out.special(Special::laneid));
}

}  // namespace warpmark::cpu
