// The view of a warp that handlers and observers have.
#pragma once

#include <cstddef>
#include <cstdint>

#include "program/program.hpp"

namespace warpmark::cpu {

/// A range of memory that accesses are translated into: bytes [begin, begin + size) lie at host.
struct Region {
  std::uint64_t begin = 0, size = 0;
  std::byte* host = nullptr;
  std::uint8_t* init = nullptr;  ///< a bit for each byte that has a value; null: all have one
};

/// How the addresses of a full warp's lanes lie to each other (LaneGroups), before the offset that an
/// instruction adds to all.
struct LanePlaces {
  std::uint64_t starts[4] = {};       ///< of each group of eight lanes
  std::uint64_t first = 0, last = 0;  ///< the least and the greatest of them
  /// In shared memory: offsets from `low` on, `span` bytes, leave all in the bounds of `object`.
  std::uint64_t low = 0, span = 0;
  std::uint32_t object = Instruction::kNone;  ///< Instruction::object, if any offset does
  std::uint8_t kind = 0, at_one = 0;
  std::uint8_t halves = 0;  ///< 1: each half of the warp is at one place; 2: in order; 0: neither
  std::uint8_t odd = 0;     ///< the least significant bits of all starts
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
  /// By Instruction::same_places, and a bit for each that the current block has found out, or that
  /// the launch has and all lanes are active.
  LanePlaces places[Instruction::kMostPlaces + 1 + Instruction::kLastingPlaces];
  std::uint32_t known_places = 0;
  std::uint32_t lasting_places = 0;  ///< a bit for each that the launch has found out
  /// A bit for each Instruction::site, modulo 64, whose last access was not in the order of the lanes.
  std::uint64_t out_of_order = 0;
  std::uint64_t local_window = 0;  ///< then shared and param, each Arena::kWindow bytes
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

}  // namespace warpmark::cpu
