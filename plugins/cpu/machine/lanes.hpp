// What a handler sees of the warp that it executes for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "program/program.hpp"

namespace warpmark::cpu {

/// A range of memory that accesses are translated into: bytes [begin, begin + size) lie at host.
struct Region {
  std::uint64_t begin = 0, size = 0;
  std::byte* host = nullptr;
  std::uint8_t* init = nullptr;  ///< a bit for each byte that has a value; null: all have one
};

/// The state of one warp while it runs. `mask` holds the active lanes: those of the current
/// fragment, less those that the instruction's guard excludes.
struct Lanes {
  std::byte* registers = nullptr;
  std::uint32_t mask = 0;
  std::uint32_t warp = 0;  ///< in its block
  Region shared, param;
  Region local;  ///< of lane 0; further lanes follow at multiples of its size
  Region* objects =
      nullptr;  ///< by Instruction::object: what an access to shared memory must stay in
  Region* sites = nullptr;  ///< by Instruction::site: where its last global access went
  const std::uint32_t* operands = nullptr;  ///< Program::operands
  std::uint64_t local_window = 0;           ///< then shared and param, each Arena::kWindow bytes
  class Tally* tally = nullptr;
  class BlockState* block = nullptr;        ///< for the slow paths
  class BlockObserver* observer = nullptr;  ///< if mistakes beyond bounds are looked for
  class TrafficCounts* traffic = nullptr;   ///< if what accesses move is counted
};

/// One lane's value of a register: 64-bit types take 8 bytes a lane, all others 4, of which narrow
/// ones fill what they do not use with zeros. (Inlined everywhere: this is compiled for several
/// levels of the processor, whose code must not be shared.)
template <typename T>
[[gnu::always_inline]] inline T read_lane(const std::byte* registers, std::uint32_t slot,
                                          std::uint32_t lane) {
  T value;
  __builtin_memcpy(&value, registers + slot + lane * (sizeof(T) == 8 ? 8 : 4), sizeof value);
  return value;
}
template <typename T>
[[gnu::always_inline]] inline void write_lane(std::byte* registers, std::uint32_t slot,
                                              std::uint32_t lane, T value) {
  std::uint64_t whole = 0;
  __builtin_memcpy(&whole, &value, sizeof value);
  constexpr std::uint32_t bytes = sizeof(T) == 8 ? 8 : 4;
  __builtin_memcpy(registers + slot + lane * bytes, &whole, bytes);
}
/// The same for a register of 32 or, if `wide`, 64 bits.
[[gnu::always_inline]] inline std::uint64_t read_lane(const std::byte* registers,
                                                      std::uint32_t slot, std::uint32_t lane,
                                                      bool wide) {
  return wide ? read_lane<std::uint64_t>(registers, slot, lane)
              : read_lane<std::uint32_t>(registers, slot, lane);
}
[[gnu::always_inline]] inline void write_lane(std::byte* registers, std::uint32_t slot,
                                              std::uint32_t lane, bool wide, std::uint64_t value) {
  if (wide)
    write_lane<std::uint64_t>(registers, slot, lane, value);
  else
    write_lane<std::uint32_t>(registers, slot, lane, static_cast<std::uint32_t>(value));
}

/// Changes the bits of `lanes` of a predicate, which has one bit a lane.
[[gnu::always_inline]] inline void write_predicate(std::byte* registers, std::uint32_t slot,
                                                   std::uint32_t lanes, std::uint32_t value) {
  const auto others = read_lane<std::uint32_t>(registers, slot, 0) & ~lanes;
  write_lane<std::uint32_t>(registers, slot, 0, others | (value & lanes));
}

/// Slow path of a global access: makes the live allocation that holds all of [address, address +
/// bytes) the region of the instruction's site. False if there is none.
bool find_region(Lanes& lanes, const Instruction& instruction, std::uint64_t address,
                 std::uint32_t bytes);
/// Records that an access of `lane` is misaligned or leaves its region. `address` is an offset for
/// all spaces but global.
void record_fault(Lanes& lanes, const Instruction& instruction, Space space, std::uint32_t lane,
                  std::uint64_t address, std::uint32_t bytes, bool store);

/// The array that holds an address: of an argument its name, in shared memory the variable's; "" if
/// it has none.
std::string array_at(const Lanes& lanes, const Instruction& instruction, Space space,
                     std::uint64_t address);
/// Fills in what a report says of an access, faulty or not.
void describe_access(const Lanes& lanes, const Instruction& instruction, Space space,
                     std::uint32_t lane, std::uint64_t address, std::uint32_t bytes, bool store,
                     struct Fault& fault);

/// The memory behind offsets of the shared window that belong to a block of the same cluster (see
/// cluster.hpp), or null: the memory of a block whose threads have all exited is gone (CUDA C++
/// Programming Guide, "Distributed Shared Memory").
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

/// What the accesses of a table look at: nothing beyond staying inside the arena, bounds and
/// alignment, or races and undefined values, too, by Lanes::observer.
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
/// Functions that the device provides.
void fill_runtime(HandlerTable& table);
/// … of conversions in general, and of matrices.
void fill_convert(HandlerTable& table);
void fill_matrix(HandlerTable& table);

/// What is compiled for each level of x86-64: the operations that kernels spend time in.
#define WARPMARK_LEVEL(level)                         \
  namespace level {                                   \
  void fill_registers(HandlerTable& table);           \
  void fill_integers(HandlerTable& table);            \
  void fill_reals(HandlerTable& table);               \
  void fill_conversions(HandlerTable& table);         \
  void fill_small_floats(HandlerTable& table);        \
  void fill_memory(HandlerTable& table, Watch watch); \
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
