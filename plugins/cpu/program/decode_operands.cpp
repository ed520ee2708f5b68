// Operands of statements as slots: registers, constants, special registers and names.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <string>

#include "program/decoder.hpp"
#include "ptx/instruction_set.hpp"

namespace warpmark::cpu {
namespace {

constexpr std::uint32_t kReservedBytes = 1024;  // shared memory that %reserved_smem_offset tells of

enum class Class { bits, integer, real, predicate };
Class class_of(Type type) {
  switch (type) {
    case Type::b8:
    case Type::b16:
    case Type::b32:
    case Type::b64:
    case Type::b128:
    case Type::f16x2:
    case Type::bf16x2:
      return Class::bits;
    case Type::f16:
    case Type::bf16:
    case Type::f32:
    case Type::f64:
      return Class::real;
    case Type::pred:
      return Class::predicate;
    default:
      return Class::integer;
  }
}

// A register of two binary16 numbers is to ptxas one of an integer, where it is none of bits.
Class class_of_register(Type type) {
  return type == Type::f16x2 ? Class::integer : class_of(type);
}

bool is_wide(Type type) {
  return bytes_of(type) == 8;
}

// Special registers that have 16 bits in .version 1.x, and that later versions can still read as 16
// bits.
bool has_16_bits(std::string_view special) {
  constexpr std::string_view kNames[] = {"%tid.",    "%ntid.",  "%ctaid.",
                                         "%nctaid.", "%gridid", "WARP_SZ"};
  return std::any_of(std::begin(kNames), std::end(kNames),
                     [&](std::string_view name) { return special.starts_with(name); });
}

bool is_packed(Type type) {
  return type == Type::f16x2 || type == Type::bf16x2;
}

}  // namespace

std::uint32_t Decoder::register_slot(std::uint32_t reg) {
  std::uint32_t& slot = slot_of_[reg];
  if (slot != Instruction::kNone) return slot;
  const Register& one = function_.registers[reg];
  if (!one.of_module) return slot = new_slot(one);
  auto [known, fresh] =
      shared_.module_registers.emplace(std::pair(one.name, one.element), Instruction::kNone);
  if (fresh) {
    known->second = allocate(bytes_of(one.type) >= 8);
    if (bytes_of(one.type) == 16) allocate(true);
  }
  return slot = known->second;
}

// The slot of a register that belongs to the function, and is saved where the function calls
// itself.
std::uint32_t Decoder::new_slot(const Register& one) {
  const std::uint32_t bytes = bytes_of(one.type);
  const std::uint32_t slot = allocate(bytes >= 8);
  if (bytes == 16) allocate(true);
  if (callee_ == Instruction::kNone) return slot;
  std::vector<Callee::Saved>& saved = program_.callees[callee_].registers;
  const std::uint32_t each = one.type == Type::pred ? 0 : bytes >= 8 ? 8 : 4;
  saved.push_back({slot, static_cast<std::uint8_t>(each)});
  if (bytes == 16) saved.push_back({slot + kWideSlot, 8});
  return slot;
}

Type Decoder::bits_type(std::uint32_t bytes) {
  return bytes == 16  ? Type::b128
         : bytes == 8 ? Type::b64
         : bytes == 4 ? Type::b32
         : bytes == 2 ? Type::b16
                      : Type::b8;
}

const Operand& Decoder::operand(const Statement& statement, std::size_t index) const {
  if (index >= statement.operands) invalid(statement, "too few operands");
  return function_.operands[statement.first_operand + index];
}

void Decoder::expect_operands(const Statement& statement, std::size_t least,
                              std::size_t most) const {
  if (statement.operands < least || statement.operands > most) {
    invalid(statement, "expected " + std::to_string(least) + " operands, found " +
                           std::to_string(statement.operands));
  }
}

void Decoder::check_register(const Statement& statement, const Operand& operand, Type type,
                             bool wider) const {
  const Type have = function_.registers[operand.index].type;
  const auto mismatch = [&] {
    invalid(statement, "register '" + std::string(operand.text) + "' has the wrong type");
  };
  if ((type == Type::pred) != (have == Type::pred)) mismatch();
  if (type == Type::pred) return;
  if (wider ? bytes_of(have) < bytes_of(type) : bytes_of(have) != bytes_of(type)) mismatch();
  if (bytes_of(have) == 16 && bytes_of(type) != 16) mismatch();
  const Class want_class = class_of(type), have_class = class_of_register(have);
  // Two numbers in one register are bits, as is a bfloat16; only binary16 has registers of its own.
  if (type == Type::f16x2 && have != Type::f16x2 && have_class != Class::bits) mismatch();
  if (type == Type::bf16x2 && have_class != Class::bits) mismatch();
  if (type == Type::bf16 && have != Type::b16) mismatch();
  if (want_class == Class::bits || have_class == Class::bits) return;
  if (want_class != have_class) mismatch();
  if (want_class == Class::real && bytes_of(have) != bytes_of(type)) mismatch();
}

// The elements of { … } are of one class, but for bits, which go with every other one. That class
// is the operand's, or with `alone` bits only. `type` has the size of an element.
void Decoder::check_vector(const Statement& statement, const Operand& list, Type type,
                           bool alone) const {
  bool bits = false, special = false, literal = false, doubles = true;
  std::optional<Class> common;
  for (std::uint32_t i = 0; i < list.count; ++i) {
    const Operand& element = function_.operands[list.index + i];
    Class own = Class::bits;
    if (element.kind == OperandKind::reg) {
      const Type have = function_.registers[element.index].type;
      own = class_of_register(have);
      if (alone && have == Type::f16x2) own = Class::bits;
    } else if (element.kind == OperandKind::integer) {
      own = Class::integer;
    } else if (element.kind == OperandKind::real) {
      own = Class::real;
    } else if (element.kind == OperandKind::name) {
      special = true;
    } else {
      continue;
    }
    const bool number = element.kind == OperandKind::integer || element.kind == OperandKind::real;
    literal = literal || number;
    doubles = doubles && element.kind == OperandKind::real && !element.single;
    if (own == Class::bits) {
      bits = bits || element.kind == OperandKind::reg;
    } else if (common.value_or(own) != own) {
      invalid(statement, "the elements of a vector have different types");
    } else {
      common = own;
    }
  }
  if (special && literal && !bits) invalid(statement, "the elements of a vector differ in type");
  if (bits || !common) return;
  const Class wanted = class_of(type);
  if (alone || (wanted != Class::bits && wanted != *common) || (doubles && wanted == Class::bits))
    invalid(statement, "the elements of the vector have the wrong type");
}

std::uint32_t Decoder::predicate(const Statement& statement, const Operand& operand) {
  if (operand.kind != OperandKind::integer && operand.value != 0)
    invalid(statement, "a predicate has no offset");
  if (operand.kind == OperandKind::integer) {  // mov.pred %p1, 0; setp…, -1
    const std::uint32_t slot = constant(operand.value != 0 ? ~std::uint64_t{0} : 0, false);
    return slot;
  }
  const SpecialRegister* const named =
      operand.kind == OperandKind::name ? special_register(operand.text) : nullptr;
  if (named != nullptr && named->value == Special::is_explicit_cluster) {
    check_special(statement, operand.text);
    return special(named->value);
  }
  if (operand.kind != OperandKind::reg) invalid(statement, "expected a predicate");
  check_register(statement, operand, Type::pred, false);
  return register_slot(operand.index);
}

// The slot of a special register. Read as 16 bits one gives its low half, which is how lanes are
// stored.
std::uint32_t Decoder::special_value(const Statement& statement, const SpecialRegister& named,
                                     Type type) {
  const bool wide = is_wide(type);
  if (wide && named.bits == 32) invalid(statement, "the special register has 32 bits");
  if (bytes_of(type) == 2 && statement.facts->mnemonic == Mnemonic::mov && !has_16_bits(named.name))
    invalid(statement, "the special register has more than 16 bits");
  switch (named.value) {
    case Special::clock:
    case Special::clock_high:
      return clock_value(statement, named, type);
    case Special::zero:
      if (!wide && named.bits == 64) invalid(statement, "the special register has 64 bits");
      return constant(0, wide);
    case Special::nsmid:
      return constant(kMultiprocessors, false);
    case Special::reserved_begin:
    case Special::reserved_end:
      program_.reserved_bytes = kReservedBytes;
      [[fallthrough]];
    default:
      return special(named.value);
  }
}

// Special registers are operands of mov, of cvt between integers, and elements of a vector that is
// stored.
void Decoder::check_special(const Statement& statement, std::string_view name) const {
  const SpecialRegister* const known = special_register(name);
  if (known != nullptr && module_.architecture < known->target)
    invalid(statement, "'" + std::string(name) + "' needs .target sm_" +
                           std::to_string(known->target) + " or higher");
  const Mnemonic mnemonic = statement.facts->mnemonic;
  const std::vector<Type> types = statement.facts->types;
  const bool integers = std::none_of(types.begin(), types.end(), is_floating);
  if (mnemonic != Mnemonic::mov && mnemonic != Mnemonic::st &&
      !(mnemonic == Mnemonic::cvt && integers && !statement.facts->has(Modifier::pack)))
    invalid(statement, "a special register is an operand of mov only");
  if (!integers) invalid(statement, "a special register is no floating-point number");
}

std::uint32_t Decoder::named(const Statement& statement, const Operand& operand, Type type) {
  const auto placed = variables_.find(operand.text);
  if (operand.text.starts_with('%') && placed == variables_.end()) {
    check_special(statement, operand.text);
    if (operand.value != 0) invalid(statement, "a special register has no offset");
    if (bytes_of(type) > 8) invalid(statement, "the special register does not have 128 bits");
  }
  if (const SpecialRegister* const special = special_register(operand.text))
    return special_value(statement, *special, type);
  if (operand.text.starts_with('%') && placed == variables_.end())
    invalid(statement,
            "register or special register '" + std::string(operand.text) + "' is not known");
  if (statement.facts->mnemonic != Mnemonic::mov) invalid(statement, "a name cannot stand here");
  if (class_of(type) == Class::real) invalid(statement, "an address is no floating-point number");
  if (placed != variables_.end()) {
    const std::uint64_t offset = placed->second.offset + static_cast<std::uint64_t>(operand.value);
    if (placed->second.space == Space::local && is_wide(type))
      return frame_address(statement, offset);
    return address_of(placed->second.object, offset, is_wide(type));
  }
  const std::uint64_t variable = variable_address(statement, operand.text);
  if (variable != 0) {
    if (!is_wide(type)) invalid(statement, "an address needs 64 bits");
    return address_of(global_object(operand.text, variable),
                      variable + static_cast<std::uint64_t>(operand.value), true);
  }
  if (const std::uint64_t address = function_address(operand.text); address != 0) {
    if (operand.value != 0) invalid(statement, "a function's address has no offset");
    return constant(address, is_wide(type));
  }
  invalid(statement, "'" + std::string(operand.text) + "' is not declared");
}

// Returns whether the operand is a number of the given type.
bool Decoder::is_constant(const Operand& operand, Type type) {
  const Class wanted = class_of(type);
  if (operand.kind == OperandKind::integer)
    return wanted != Class::real && wanted != Class::predicate && !is_packed(type) &&
           bytes_of(type) <= 8;
  if (operand.kind != OperandKind::real || bytes_of(type) < 4 || is_packed(type)) return false;
  // A literal 0f… has 32 bits, and every other literal 64.
  return wanted == Class::real ||
         (wanted == Class::bits && bytes_of(type) == (operand.single ? 4 : 8));
}

// A floating-point constant in the width of its operand.
std::uint64_t Decoder::real_bits(const Operand& operand, std::uint32_t bytes) {
  const auto bits = static_cast<std::uint64_t>(operand.value);
  if (operand.single && bytes == 8) {
    return std::bit_cast<std::uint64_t>(
        static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits))));
  }
  if (!operand.single && bytes == 4)
    return std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(bits)));
  return bits;
}

std::uint32_t Decoder::source(const Statement& statement, const Operand& operand, Type type) {
  if (type == Type::pred) {
    const std::uint32_t value = predicate(statement, operand);
    if (!operand.negated) return value;
    const std::uint32_t opposite = allocate(false);
    emit_plain(statement, Opcode::not_pred, opposite, value);
    return opposite;
  }
  const bool convert = statement.facts->mnemonic == Mnemonic::cvt;
  if (operand.negated) invalid(statement, "only a predicate is negated");
  switch (operand.kind) {
    case OperandKind::reg: {
      check_register(statement, operand, type, convert);
      const bool wide = is_wide(function_.registers[operand.index].type);
      if (operand.value != 0) {  // add.s32 %r1, %r2+4, %r3: the sum is the operand
        const Class own = class_of(type);
        const bool number = own == Class::integer || own == Class::bits;
        if (!number || is_packed(type) || bytes_of(type) > 8 || wide != is_wide(type))
          invalid(statement, "a register with an offset cannot stand here");
        const Opcode add = wide                  ? Opcode::add_64
                           : bytes_of(type) == 2 ? Opcode::add_16
                                                 : Opcode::add_32;
        const std::uint32_t sum = allocate(wide);
        emit_plain(statement, add, sum, register_slot(operand.index),
                   constant(static_cast<std::uint64_t>(operand.value), wide));
        return sum;
      }
      if (wide == is_wide(type)) return register_slot(operand.index);
      // Only a conversion reads a wider register than its type: the low part of it.
      Instruction part;
      part.opcode = Opcode::cvt_u32_u64;
      part.a = register_slot(operand.index);
      part.d = allocate(false);
      emit(statement, part);
      return part.d;
    }
    case OperandKind::integer: {
      if (bytes_of(type) == 16) invalid(statement, "a constant cannot have 128 bits");
      if (!is_constant(operand, type))
        invalid(statement, "an integer cannot be a floating-point operand");
      return constant(static_cast<std::uint64_t>(operand.value), is_wide(type));
    }
    case OperandKind::real: {
      if (class_of(type) == Class::integer)
        invalid(statement, "a floating-point number cannot be an integer operand");
      if (bytes_of(type) < 4)
        invalid(statement, "a 16-bit operand takes no floating-point constant");
      if (!is_constant(operand, type))
        invalid(statement, "the floating-point constant has another size");
      return constant(real_bits(operand, bytes_of(type)), is_wide(type));
    }
    case OperandKind::name:
      return named(statement, operand, type);
    default:
      invalid(statement, "'" + std::string(operand.text) + "' cannot stand here");
  }
}

std::uint32_t Decoder::destination(const Statement& statement, const Operand& operand, Type type) {
  if (operand.kind != OperandKind::reg || operand.negated || operand.value != 0) {
    invalid(statement, "the result must be a register");
  }
  const bool convert = statement.facts->mnemonic == Mnemonic::cvt;
  check_register(statement, operand, type, convert);
  if (is_wide(function_.registers[operand.index].type) != is_wide(type) && type != Type::pred) {
    widen_.wide = register_slot(operand.index);
    widen_.narrow = allocate(false);
    widen_.sign = type == Type::s8 || type == Type::s16 || type == Type::s32;
    return widen_.narrow;
  }
  return register_slot(operand.index);
}

}  // namespace warpmark::cpu
