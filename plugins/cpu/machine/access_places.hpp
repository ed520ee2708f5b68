// The slow paths of memory accesses: which memory one may touch, and what a fault says of it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "memory/lanes.hpp"

namespace warpmark::cpu {

struct Allocation;
struct LaunchState;

/// The allocation that all accesses through a pointer to an object must stay in; null if it may be
/// another for each access, or is none.
const Allocation* home_of(const LaunchState& launch, const Object& object);
/// The same as a function of the object, for as long as the launch's state is there.
inline auto homes_in(const LaunchState& launch) {
  return [&launch](const Object& object) -> const void* { return home_of(launch, object); };
}

/// Never a function of its own, since access.cpp is compiled for several levels (memory/levels.hpp).
[[gnu::always_inline]] inline bool inside(const Region& region, std::uint64_t address,
                                          std::uint64_t bytes) {
  const std::uint64_t offset = address - region.begin;
  return offset <= region.size && bytes <= region.size - offset;
}

/// An access of several lanes together.
inline constexpr std::uint32_t kAnyLane = 0xffffffff;
/// Slow path of a global access: makes the live allocation that holds all of [address, address +
/// bytes) the region of the instruction's site. False if there is none, or if the lane's pointer is
/// of another one.
bool find_region(Lanes& lanes, const Instruction& instruction, std::uint64_t address,
                 std::uint32_t bytes, std::uint32_t lane = kAnyLane);
/// Records that an access of `lane` is misaligned or leaves its region. `address` is an offset for
/// all spaces but global.
void record_fault(Lanes& lanes, const Instruction& instruction, Space space, std::uint32_t lane,
                  std::uint64_t address, std::uint32_t bytes, bool store);

/// The same of a load that begins in the block's own shared memory and leaves it for the rest of the
/// last granule, as one that the compiler has widened does: then the launch goes on, `into` has what
/// an H200 gives (results/h200/undefined.json), zeros behind the end, and the result is true.
bool record_read_past_end(Lanes& lanes, const Instruction& instruction, std::uint32_t lane,
                          std::uint64_t address, std::uint32_t bytes, std::byte* into);

/// The memory behind offsets of the shared window that belong to a block of the same cluster (see
/// cluster.hpp), or null: the memory of a block whose threads have all exited is gone (CUDA C++
/// Programming Guide, "Distributed Shared Memory").
std::byte* remote_shared(const Lanes& lanes, std::uint64_t offset, std::uint64_t bytes);

}  // namespace warpmark::cpu
