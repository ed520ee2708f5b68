// Operands of statements as slots: registers, constants, special registers and names.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <string>

#include "program/emitter.hpp"
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
  return std::ranges::any_of(kNames,
                             [&](std::string_view name) { return special.starts_with(name); });
}

}  // namespace

std::uint32_t Emitter::register_slot(std::uint32_t reg) {
  std::uint32_t& slot = slot_of_[reg];
  if (slot != Instruction::kNone) return slot;
  const Register& one = function.registers[reg];
  if (!one.of_module) return slot = new_slot(one);
  auto [known, fresh] =
      shared.module_registers.emplace(std::pair(one.name, one.element), Instruction::kNone);
  if (fresh) {
    known->second = allocate(bytes_of(one.type) >= 8);
    if (bytes_of(one.type) == 16) allocate(true);
  }
  return slot = known->second;
}

// The slot of a register that belongs to the function, and is saved where the function calls
// itself.
std::uint32_t Emitter::new_slot(const Register& one) {
  const std::uint32_t bytes = bytes_of(one.type);
  const std::uint32_t slot = allocate(bytes >= 8);
  if (bytes == 16) allocate(true);
  if (in_kernel()) return slot;
  std::vector<Callee::Saved>& saved = program.callees[callee].registers;
  const std::uint32_t each = one.type == Type::pred ? 0 : bytes >= 8 ? 8 : 4;
  saved.push_back({slot, static_cast<std::uint8_t>(each)});
  if (bytes == 16) saved.push_back({slot + kWideSlot, 8});
  return slot;
}

bool is_pair(Type type) {
  return type == Type::f16x2 || type == Type::bf16x2;
}

Type bits_type(std::uint32_t bytes) {
  return bytes == 16  ? Type::b128
         : bytes == 8 ? Type::b64
         : bytes == 4 ? Type::b32
         : bytes == 2 ? Type::b16
                      : Type::b8;
}

void Emitter::expect_operands(std::size_t least, std::size_t most) const {
  if (operands() < least || operands() > most) {
    invalid("expected " + std::to_string(least) + " operands, found " + std::to_string(operands()));
  }
}

void Emitter::check_is_register(std::size_t index) const {
  if (operand(index).kind != OperandKind::reg)
    invalid("operand " + std::to_string(index + 1) + " is a register");
}

void Emitter::check_register(const Operand& operand, Type type, bool wider) const {
  const Type have = type_of(operand);
  const auto mismatch = [&] {
    invalid("register '" + std::string(operand.text) + "' has the wrong type");
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

void Emitter::check_vector(const Operand& list, Type type, bool alone) const {
  bool bits = false, special = false, literal = false, doubles = true;
  std::optional<Class> common;
  for (std::uint32_t i = 0; i < list.count; ++i) {
    const Operand& element = part(list, i);
    Class own = Class::bits;
    if (element.kind == OperandKind::reg) {
      const Type have = type_of(element);
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
      invalid("the elements of a vector have different types");
    } else {
      common = own;
    }
  }
  if (special && literal && !bits) invalid("the elements of a vector differ in type");
  if (bits || !common) return;
  const Class wanted = class_of(type);
  if (alone || (wanted != Class::bits && wanted != *common) || (doubles && wanted == Class::bits))
    invalid("the elements of the vector have the wrong type");
}

std::uint32_t Emitter::predicate(const Operand& operand) {
  if (operand.kind != OperandKind::integer && operand.value != 0)
    invalid("a predicate has no offset");
  if (operand.kind == OperandKind::integer) {  // mov.pred %p1, 0; setp…, -1
    return constant(operand.value != 0 ? ~std::uint64_t{0} : 0, false);
  }
  const SpecialRegister* const named =
      operand.kind == OperandKind::name ? special_register(operand.text) : nullptr;
  if (named != nullptr && named->value == Special::is_explicit_cluster) {
    check_special(operand.text);
    return special(named->value);
  }
  if (operand.kind != OperandKind::reg) invalid("expected a predicate");
  check_register(operand, Type::pred, false);
  return register_slot(operand.index);
}

// A clock, read to a register of its own.
std::uint32_t Emitter::clock_value(const SpecialRegister& named, Type type) {
  const bool wide = bytes_of(type) == 8, whole = named.bits == 64;
  const bool moves = facts().mnemonic == Mnemonic::mov;
  if (moves && bytes_of(type) == 2) invalid("the special register has 32 bits");
  if (whole && !wide && facts().mnemonic != Mnemonic::cvt)
    invalid("the special register has 64 bits");
  std::uint32_t value = allocate(true);
  emit(Opcode::read_clock, value, Instruction::kNone);
  if (wide) return value;
  if (named.value == Special::clock_high) {
    const std::uint32_t upper = allocate(true);
    emit(Opcode::shr_u64, upper, value, constant(32, false));
    value = upper;
  }
  const std::uint32_t half = allocate(false);
  emit(Opcode::cvt_u32_u64, half, value);
  return half;
}

// The address of the block's own memory, of its two halves.
std::uint32_t Emitter::block_memory() {
  Instruction pack;
  pack.opcode = Opcode::pack_32;
  pack.d = allocate(true);
  pack.a = special(Special::block_memory_low);
  pack.b = special(Special::block_memory_high);
  pack.count = 2;
  emit(pack);
  return pack.d;
}

std::uint32_t Emitter::special_value(const SpecialRegister& named, Type type) {
  const bool wide = is_wide(type);
  if (wide && named.bits == 32) invalid("the special register has 32 bits");
  if (bytes_of(type) == 2 && facts().mnemonic == Mnemonic::mov && !has_16_bits(named.name))
    invalid("the special register has more than 16 bits");
  switch (named.value) {
    case Special::clock:
    case Special::clock_high:
      return clock_value(named, type);
    case Special::zero:
      if (!wide && named.bits == 64) invalid("the special register has 64 bits");
      return constant(0, wide);
    case Special::nsmid:
      return constant(kMultiprocessors, false);
    case Special::block_memory_low:
      if (!wide) invalid("the special register has 64 bits");
      return block_memory();
    case Special::reserved_begin:
    case Special::reserved_end:
      program.reserved_bytes = kReservedBytes;
      [[fallthrough]];
    default:
      return special(named.value);
  }
}

void Emitter::check_special(std::string_view name) const {
  const SpecialRegister* const known = special_register(name);
  if (known != nullptr && module.architecture < known->target)
    invalid("'" + std::string(name) + "' needs .target sm_" + std::to_string(known->target) +
            " or higher");
  if (known != nullptr && in_kernel() && !function.block_memory &&
      (known->value == Special::block_memory_low || known->value == Special::block_memory_pitch))
    invalid("'" + std::string(name) + "' is only for kernels with .minperctamemory");
  const Mnemonic mnemonic = facts().mnemonic;
  const std::vector<Type> types = facts().types;
  const bool integers = std::ranges::none_of(types, is_floating);
  if (mnemonic != Mnemonic::mov && mnemonic != Mnemonic::st &&
      !(mnemonic == Mnemonic::cvt && integers && !facts().has(Modifier::pack)))
    invalid("a special register is an operand of mov only");
  if (!integers) invalid("a special register is no floating-point number");
}

std::uint64_t Emitter::window_of(Space space) const {
  if (space == Space::shared) return placement.shared_window;
  if (space == Space::param && in_kernel()) return placement.param_window;
  return space == Space::global ? 0 : placement.local_window;
}

std::uint64_t Emitter::variable_address(std::string_view name) const {
  const auto found = module.variable_by_name.find(name);
  if (found != module.variable_by_name.end() && module.variables[found->second].image &&
      facts().family != Family::image && facts().mnemonic != Mnemonic::cvta &&
      (facts().mnemonic != Mnemonic::mov || !facts().has(Type::u64)))
    invalid("'" + std::string(name) + "' is a texture or surface, which has no memory");
  return placement.variable ? placement.variable(name) : 0;
}

std::uint64_t Emitter::function_address(std::string_view name) const {
  const auto found = module.function_by_name.find(name);
  if (found == module.function_by_name.end()) return 0;
  return placement.code_window + (found->second + 1) * Placement::kFunctionStride;
}

std::uint32_t Emitter::frame_address(std::uint64_t offset) {
  const std::uint32_t number = constant(offset, true);
  if (in_kernel()) return number;
  const std::uint32_t sum = allocate(true);
  emit(Opcode::add_64, sum, program.callees[callee].frame_slot, number);
  return sum;
}

std::uint32_t Emitter::named(const Operand& operand, Type type) {
  const auto placed = variables.find(operand.text);
  if (operand.text.starts_with('%') && placed == variables.end()) {
    check_special(operand.text);
    if (operand.value != 0) invalid("a special register has no offset");
    if (bytes_of(type) > 8) invalid("the special register does not have 128 bits");
  }
  if (const SpecialRegister* const special = special_register(operand.text))
    return special_value(*special, type);
  if (operand.text.starts_with('%') && placed == variables.end())
    invalid("register or special register '" + std::string(operand.text) + "' is not known");
  if (facts().mnemonic != Mnemonic::mov) invalid("a name cannot stand here");
  if (class_of(type) == Class::real) invalid("an address is no floating-point number");
  if (placed != variables.end()) {
    const std::uint64_t offset = placed->second.offset + static_cast<std::uint64_t>(operand.value);
    if (placed->second.space == Space::local && is_wide(type)) return frame_address(offset);
    return address_of(placed->second.object, offset, is_wide(type));
  }
  const std::uint64_t variable = variable_address(operand.text);
  if (variable != 0) {
    if (!is_wide(type)) invalid("an address needs 64 bits");
    return address_of(global_object(operand.text, variable),
                      variable + static_cast<std::uint64_t>(operand.value), true);
  }
  if (const std::uint64_t address = function_address(operand.text); address != 0) {
    if (operand.value != 0) invalid("a function's address has no offset");
    return constant(address, is_wide(type));
  }
  invalid("'" + std::string(operand.text) + "' is not declared");
}

bool is_constant(const Operand& operand, Type type) {
  const Class wanted = class_of(type);
  if (operand.kind == OperandKind::integer)
    return wanted != Class::real && wanted != Class::predicate && !is_pair(type) &&
           bytes_of(type) <= 8;
  if (operand.kind != OperandKind::real || bytes_of(type) < 4 || is_pair(type)) return false;
  // A literal 0f… has 32 bits, and every other literal 64.
  return wanted == Class::real ||
         (wanted == Class::bits && bytes_of(type) == (operand.single ? 4 : 8));
}

std::uint64_t real_bits(const Operand& operand, std::uint32_t bytes) {
  const auto bits = static_cast<std::uint64_t>(operand.value);
  if (operand.single && bytes == 8) {
    return std::bit_cast<std::uint64_t>(
        static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits))));
  }
  if (!operand.single && bytes == 4)
    return std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(bits)));
  return bits;
}

std::uint32_t Emitter::source(const Operand& operand, Type type) {
  if (type == Type::pred) {
    const std::uint32_t value = predicate(operand);
    if (!operand.negated) return value;
    const std::uint32_t opposite = allocate(false);
    emit(Opcode::not_pred, opposite, value);
    return opposite;
  }
  const bool convert = facts().mnemonic == Mnemonic::cvt;
  if (operand.negated) invalid("only a predicate is negated");
  switch (operand.kind) {
    case OperandKind::reg: {
      check_register(operand, type, convert);
      const bool wide = is_wide(type_of(operand));
      if (operand.value != 0) {  // add.s32 %r1, %r2+4, %r3: the sum is the operand
        const Class own = class_of(type);
        const bool number = own == Class::integer || own == Class::bits;
        if (!number || is_pair(type) || bytes_of(type) > 8 || wide != is_wide(type))
          invalid("a register with an offset cannot stand here");
        const Opcode add = wide                  ? Opcode::add_64
                           : bytes_of(type) == 2 ? Opcode::add_16
                                                 : Opcode::add_32;
        const std::uint32_t sum = allocate(wide);
        emit(add, sum, register_slot(operand.index),
             constant(static_cast<std::uint64_t>(operand.value), wide));
        return sum;
      }
      if (wide == is_wide(type)) return register_slot(operand.index);
      // Only a conversion reads a wider register than its type: the low part of it.
      const std::uint32_t wanted = register_slot(operand.index), low = allocate(false);
      emit(Opcode::cvt_u32_u64, low, wanted);
      return low;
    }
    case OperandKind::integer: {
      if (bytes_of(type) == 16) invalid("a constant cannot have 128 bits");
      if (!is_constant(operand, type)) invalid("an integer cannot be a floating-point operand");
      return constant(static_cast<std::uint64_t>(operand.value), is_wide(type));
    }
    case OperandKind::real: {
      if (class_of(type) == Class::integer)
        invalid("a floating-point number cannot be an integer operand");
      if (bytes_of(type) < 4) invalid("a 16-bit operand takes no floating-point constant");
      if (!is_constant(operand, type)) invalid("the floating-point constant has another size");
      return constant(real_bits(operand, bytes_of(type)), is_wide(type));
    }
    case OperandKind::name:
      return named(operand, type);
    default:
      invalid("'" + std::string(operand.text) + "' cannot stand here");
  }
}

std::uint32_t Emitter::destination(const Operand& operand, Type type) {
  if (operand.kind != OperandKind::reg || operand.negated || operand.value != 0) {
    invalid("the result must be a register");
  }
  const bool convert = facts().mnemonic == Mnemonic::cvt;
  check_register(operand, type, convert);
  if (is_wide(type_of(operand)) != is_wide(type) && type != Type::pred) {
    widen_.wide = register_slot(operand.index);
    widen_.narrow = allocate(false);
    widen_.sign = type == Type::s8 || type == Type::s16 || type == Type::s32;
    return widen_.narrow;
  }
  return register_slot(operand.index);
}

}  // namespace warpmark::cpu
