// The operations of decoded instructions, and the properties of each that the decoder needs.
#pragma once

#include <cstdint>
#include <string_view>

#include "ptx/module.hpp"

namespace warpmark::cpu {

enum class Opcode : std::uint16_t {
#define UNARY(id, D, A, names, ...) id,
#define BINARY(id, D, A, B, names, ...) id,
#define TERNARY(id, D, A, B, C, names, ...) id,
#define COMPARE(id, A, name, ...) id,
#define SELECT(id, T, names) id,
#define MASK(id, operands, names, ...) id,
#define QUATERNARY(id, D, A, B, C, E, names, ...) id,
#define CARRY(id, T, operands, reads, names, ...) id,
#define ROUNDED_UNARY(id, D, A, base, mode, names) id,
#define ROUNDED_BINARY(id, D, A, B, base, mode, names) id,
#define ROUNDED_TERNARY(id, D, A, B, C, base, mode, names) id,
#include "program/opcodes.def"
#define ACCESS_LOAD(space, memory, bits) load_##space##_##memory##_##bits,
#define ACCESS_STORE(space, memory, bits) store_##space##_##memory##_##bits,
#include "program/memory_ops.def"
#define ATOMIC(id, T, names, ...) id,
#include "program/atomics.def"
#define OPERATION(id, flow, operands) id,
#include "program/operations.def"
  count
};

enum class Form : std::uint8_t {
  unary,
  binary,
  ternary,
  quaternary,
  carry2,
  carry3,
  compare,
  select,
  mask1,
  mask2,
  atomic,
  wide_atomic  ///< Instruction::count = registers of each operand; d's, a's, b's from `more`
};

constexpr bool is_atomic(Form form) {
  return form == Form::atomic || form == Form::wide_atomic;
}

constexpr bool is_shuffle(Opcode opcode) {
  return opcode >= Opcode::shfl_up && opcode <= Opcode::shfl_idx;
}

/// The operand types of an arithmetic operation. For operations that read the carry, e is the
/// carry.
struct OpcodeInfo {
  Opcode opcode;
  Form form;
  Type d, a, b, c, e;
  std::string_view names;
};

/// The operation of a PTX name such as "add.s32" (comparisons without their .and/.or/.xor), or
/// null.
const OpcodeInfo* find_opcode(std::string_view name);
/// The description of an arithmetic operation or atomic; null for others.
const OpcodeInfo* find_opcode(Opcode opcode);
/// The words of the operation's first name.
const InstructionFacts& words_of(const OpcodeInfo& info);
/// The same with the modifiers in any order: NVIDIA's assembler accepts add.f32.rn for add.rn.f32.
const OpcodeInfo* find_in_any_order(std::string_view name);
/// The atomic operation of such words as .add and .u32, on one value or on each of a vector; or null.
const OpcodeInfo* find_atomic(Modifier operation, Type type, bool vector, bool noftz = false);

}  // namespace warpmark::cpu
