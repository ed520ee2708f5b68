// The operations of decoded instructions, and what the decoder must know of each.
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
  pack_8,     ///< d(16 or 32 bits) from 2 or 4 8-bit registers
  unpack_8,   ///< … and back
  pack_16,    ///< d(32 or 64 bits) from 2 or 4 16-bit registers
  pack_32,    ///< d(64 bits) from two 32-bit registers
  unpack_16,  ///< … and back
  unpack_32,
  to_window,    ///< cvta.SPACE: window address from an offset; imm = address of the window
  from_window,  ///< cvta.to.SPACE
  is_space,     ///< isspacep
  shfl_up,      ///< shuffles: d = result, address = predicate or none, a, b, c = operands
  shfl_down,
  shfl_bfly,
  shfl_idx,
  vote_all,  ///< votes: a predicate to a predicate; b = lane mask
  vote_any,
  vote_uni,
  vote_ballot,
  redux_add,  ///< reductions of 32-bit integers: d, a; b = lane mask
  redux_min_u,
  redux_max_u,
  redux_min_s,
  redux_max_s,
  redux_and,
  redux_or,
  redux_xor,
  match_any_32,  ///< d = lanes with an equal value; b = lane mask
  match_any_64,
  match_all_32,  ///< d = the mask if all are equal, else 0; address = predicate
  match_all_64,
  read_clock,  ///< d(64 bits)
  active_mask,
  prefetch,       ///< address; nothing to do but to be counted
  fence,          ///< membar and fence; order says of which scope
  mbarrier_init,  ///< mbarrier: address = the barrier, count = its Space; a = a count, or of bytes
  mbarrier_inval,
  mbarrier_expect,
  mbarrier_complete,
  mbarrier_arrive,  ///< d = the state before, or none
  mbarrier_drop,
  mbarrier_arrive_expect,
  mbarrier_drop_expect,
  mbarrier_test,     ///< d = predicate; b = a state, or with `negated` a parity
  mbarrier_pending,  ///< d = arrivals that the state b missed
  copy_async,        ///< cp.async: address, a = from, imm = bytes, b = bytes read, c = to ignore
  /// address, a = from, b = bytes, c = mbarrier, d = blocks of a multicast (no result); count =
  /// Space of a; imm: 1 if the memory written is global, + 256 * (the atomic of a reduction + 1)
  copy_bulk,
  prefetch_bulk,  ///< address, b = bytes
  /// address, data from `more`, c = mbarrier; count = Space; imm = bytes of an element + 256 *
  /// elements + 65536 * (the atomic of a reduction + 1)
  store_async,
  fill_bulk,    ///< address, b = bytes (64 bits), to be zero; count = Space
  copy_tensor,  ///< operands as in TensorForm (program/tensor_form.hpp)
  prefetch_tensor,
  commit_async,
  commit_bulk,
  wait_async,  ///< a = how many groups may be under way
  wait_bulk,
  wait_async_all,
  arrive_async,     ///< address = an mbarrier; `negated`: .noinc
  map_address,      ///< mapa: d, a, b = rank; imm = window of a generic address
  rank_of_address,  ///< getctarank
  texture_fetch,    ///< instructions on textures and surfaces: see image_op.hpp
  texture_gather,
  texture_query,
  surface_load,
  surface_store,
  surface_reduce,
  surface_query,
  runtime_call,     ///< imm: index in Program::runtime_calls
  convert_any,      ///< imm = a ConvertForm; d, sources from `more`
  convert_pack,     ///< the same; d, a, b and perhaps c
  matrix_multiply,  ///< imm = a MatrixForm; registers of d, a, b, c from `more`
  matrix_load,      ///< imm = a MatrixForm; address, a = stride, b = offset (64 bits), count =
                    ///< the space; registers from `more`
  matrix_store,
  matrix_rows_load,   ///< ldmatrix: count matrices to the registers from `more`; d = the space, no
                      ///< slot; negated = transposed
  matrix_rows_store,  ///< stmatrix
  matrix_transpose,   ///< movmatrix: d, a
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
  wide_atomic  ///< Instruction::c = registers of each operand (no slot); d's, a's, b's from `more`
};

constexpr bool is_atomic(Form form) {
  return form == Form::atomic || form == Form::wide_atomic;
}

/// What the operands of an arithmetic operation look like.
struct OpcodeInfo {
  Opcode opcode;
  Form form;
  Type d, a, b, c, e;
  std::string_view names;
};

/// The operation of a PTX name such as "add.s32" (comparisons without their .and/.or/.xor), or
/// null.
const OpcodeInfo* find_opcode(std::string_view name);
/// What is known of an arithmetic operation or atomic; null of others.
const OpcodeInfo* find_opcode(Opcode opcode);
/// The same with the modifiers in any order: NVIDIA's assembler accepts add.f32.rn for add.rn.f32.
const OpcodeInfo* find_reordered(std::string_view name);

}  // namespace warpmark::cpu
