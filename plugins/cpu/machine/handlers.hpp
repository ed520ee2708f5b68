// The handlers of all operations, and the tables that the machine takes them from.
#pragma once

#include <cstddef>
#include <cstdint>

#include "memory/lanes.hpp"

namespace warpmark::cpu {

/// The handlers of one operation.
struct HandlerRow {
  Handler masked = nullptr, full = nullptr;
};

/// All handlers, compiled for one level of the processor's instruction set.
struct HandlerTable {
  HandlerRow rows[static_cast<std::size_t>(Opcode::count)];
  Handler guarded = nullptr;          ///< calls Instruction::inner for the lanes of the guard
  Handler guarded_counted = nullptr;  ///< the same, and counts the lanes

  /// One handler for full warps and others. Not inline: files of all levels call it, and of an
  /// inline function the linker would keep some level's copy.
  void set(Opcode opcode, Handler handler);
};

/// The checks of a table's accesses: only that they stay inside the arena; bounds and alignment; or
/// also races and undefined values, by Lanes::observer.
enum class Watch : std::uint8_t { nothing, bounds, everything };
/// The table for this processor.
const HandlerTable& handlers(Watch watch);
/// The same for a level of x86-64: 2, 3 or 4; for tests. Null if the processor lacks it.
const HandlerTable* handlers_of_level(int level, Watch watch);
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
void fill_image_queries(HandlerTable& table);
void fill_surfaces(HandlerTable& table);
/// Memory of several devices at one address.
void fill_multimem(HandlerTable& table);
/// Functions that the device provides.
void fill_runtime(HandlerTable& table);
/// … of conversions in general, and of matrices.
void fill_convert(HandlerTable& table);
void fill_matrix(HandlerTable& table);
void fill_matrix_product(HandlerTable& table);
/// … of what warpgroups do with their products (wgmma) but for the products.
void fill_warpgroups(HandlerTable& table);

/// Declares the operations that are compiled for each level of x86-64, in which kernels spend most
/// time.
#define WARPMARK_LEVEL(level)                         \
  namespace level {                                   \
  void fill_registers(HandlerTable& table);           \
  void fill_integers(HandlerTable& table);            \
  void fill_reals(HandlerTable& table);               \
  void fill_conversions(HandlerTable& table);         \
  void fill_small_floats(HandlerTable& table);        \
  void fill_memory(HandlerTable& table, Watch watch); \
  void fill_wgmma(HandlerTable& table);               \
  }
WARPMARK_LEVEL(v2)
WARPMARK_LEVEL(v3)
WARPMARK_LEVEL(v4)
#undef WARPMARK_LEVEL

/// The other operations: opcodes_once_….def and memory_ops_wide.def.
namespace once {
void fill_memory(HandlerTable& table, Watch watch);
void fill_integers(HandlerTable& table);
void fill_reals(HandlerTable& table);
void fill_conversions(HandlerTable& table);
void fill_small_floats(HandlerTable& table);
}  // namespace once

}  // namespace warpmark::cpu
