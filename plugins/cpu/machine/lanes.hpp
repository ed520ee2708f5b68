// What a handler sees of the warp that it executes for.
#pragma once

#include <cstddef>
#include <cstdint>

#include "program/program.hpp"

namespace warpmark::cpu {

/// A range of memory that accesses are translated into: bytes [begin, begin + size) lie at host.
struct Region {
  std::uint64_t begin = 0, size = 0;
  std::byte* host = nullptr;
};

/// The state of one warp while it runs. `mask` holds the active lanes: those of the current
/// fragment, less those that the instruction's guard excludes.
struct Lanes {
  std::byte* registers = nullptr;
  std::uint32_t mask = 0;
  std::uint32_t warp = 0;  ///< in its block
  Region shared, param;
  Region local;             ///< of lane 0; further lanes follow at multiples of its size
  Region* sites = nullptr;  ///< by Instruction::site: where its last global access went
  const std::uint32_t* operands = nullptr;  ///< Program::operands
  std::uint64_t local_window = 0;           ///< then shared and param, each Arena::kWindow bytes
  class Tally* tally = nullptr;
  class BlockState* block = nullptr;  ///< for the slow paths
};

/// Slow path of a global access: makes the live allocation that holds all of [address, address +
/// bytes) the region of the instruction's site. False if there is none.
bool find_region(Lanes& lanes, const Instruction& instruction, std::uint64_t address,
                 std::uint32_t bytes);
/// Records that an access of `lane` is misaligned or leaves its region. `address` is an offset for
/// all spaces but global.
void record_fault(Lanes& lanes, const Instruction& instruction, Space space, std::uint32_t lane,
                  std::uint64_t address, std::uint32_t bytes, bool store);

/// The memory behind offsets of the shared window that belong to a block of the same cluster (see
/// cluster.hpp), or null.
std::byte* remote_shared(const Lanes& lanes, std::uint64_t offset, std::uint64_t bytes);

/// The handlers of one operation.
struct HandlerRow {
  Handler masked = nullptr, full = nullptr;
};

/// All handlers, compiled for one level of the processor's instruction set.
struct HandlerTable {
  HandlerRow rows[static_cast<std::size_t>(Opcode::count)];
  Handler guarded = nullptr;          ///< calls Instruction::inner for the lanes of the guard
  Handler guarded_counted = nullptr;  ///< … and counts them
};

/// The table for this processor. `exact_bounds` false gives accesses that are only contained.
const HandlerTable& handlers(bool exact_bounds);
/// The same for a level of x86-64: 2, 3 or 4; for tests. Null if the processor lacks it.
const HandlerTable* handlers_of_level(int level, bool exact_bounds);
/// Sets the handlers of every instruction.
void bind(Program& program, const HandlerTable& table);

/// Handlers of atomics, shuffles and votes, which are the same for every level.
void fill_exchange(HandlerTable& table);
/// mbarrier and asynchronous copies.
void fill_async(HandlerTable& table);
/// Addresses of the shared memory of a cluster.
void fill_cluster(HandlerTable& table);
/// … of texture fetches and of queries (texture.cpp), and of accesses to surfaces (surface.cpp).
void fill_textures(HandlerTable& table);
void fill_surfaces(HandlerTable& table);
/// Functions that the device provides.
void fill_runtime(HandlerTable& table);
/// … of conversions in general, and of matrices.
void fill_convert(HandlerTable& table);
void fill_matrix(HandlerTable& table);

/// What is compiled for each level of x86-64: the operations that kernels spend time in.
#define WARPMARK_LEVEL(level)                               \
  namespace level {                                         \
  void fill_registers(HandlerTable& table);                 \
  void fill_integers(HandlerTable& table);                  \
  void fill_reals(HandlerTable& table);                     \
  void fill_conversions(HandlerTable& table);               \
  void fill_small_floats(HandlerTable& table);              \
  void fill_memory(HandlerTable& table, bool exact_bounds); \
  }
WARPMARK_LEVEL(v2)
WARPMARK_LEVEL(v3)
WARPMARK_LEVEL(v4)
#undef WARPMARK_LEVEL

/// The other operations: opcodes_once_….def and memory_ops_wide.def.
namespace once {
void fill_memory(HandlerTable& table, bool exact_bounds);
void fill_integers(HandlerTable& table);
void fill_reals(HandlerTable& table);
void fill_conversions(HandlerTable& table);
void fill_small_floats(HandlerTable& table);
}  // namespace once

}  // namespace warpmark::cpu
