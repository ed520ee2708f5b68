// Helpers of the handlers of asynchronous copies: finding the memory at a lane's address, and
// describing a copy to the checks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "machine/async.hpp"
#include "machine/handlers.hpp"
#include "machine/mbarrier.hpp"
#include "memory/async_copy.hpp"
#include "memory/generic_address.hpp"
#include "memory/lanes.hpp"

namespace warpmark::cpu {

/// Every access of these instructions: the memory at an address of a lane, or null after recording
/// the fault. Copies and barriers work on global and shared memory only.
std::byte* locate_async(Lanes& w, const Instruction& i, Space space, std::uint32_t lane,
                        std::uint64_t address, std::uint64_t bytes, std::uint32_t alignment,
                        bool store, Flight::Side* side = nullptr);

/// The mbarrier that a copy completes on, at an address in the shared window: a use of it.
std::byte* locate_completion(Lanes& w, const Instruction& i, std::uint32_t lane,
                             std::uint64_t address);

/// The memory of all devices at a multicast address of a lane, for what is to be written or read
/// there; none after recording the fault.
std::vector<std::byte*> replicas_of(Lanes& w, const Instruction& i, std::uint32_t lane,
                                    std::uint64_t address, std::uint32_t bytes,
                                    std::uint32_t alignment, bool store = true);

/// Describes a copy to the checks: the thread that copies, the source and the target.
void note_flight(Lanes& w, const Instruction& i, std::uint32_t lane, const Flight::Side& from,
                 const Flight::Side& to, AsyncCopy& copy);

/// Starts a copy to each block of `blocks` in the lane's cluster, as one to its own: `made` goes to
/// `to` in its own memory, of which it touches `reach` bytes, and completes on the mbarrier at
/// `completion`, both offsets in the shared window. False after recording a fault.
bool start_multicast(Lanes& w, const Instruction& i, std::uint32_t lane, std::uint32_t blocks,
                     std::uint64_t to, std::uint64_t reach, std::uint64_t completion,
                     const Flight::Side& from, const AsyncCopy& made);

template <typename Body>
void for_lanes(const Lanes& w, Body body) {
  for (std::uint32_t rest = w.mask; rest != 0; rest &= rest - 1)
    body(static_cast<std::uint32_t>(__builtin_ctz(rest)));
}

/// The mbarrier at a place of shared memory.
inline Mbarrier load_barrier(const std::byte* at) {
  std::uint64_t state;
  std::memcpy(&state, at, sizeof state);
  return Mbarrier(state);
}
inline void store_barrier(std::byte* at, const Mbarrier& barrier) {
  const std::uint64_t state = barrier.state();
  std::memcpy(at, &state, sizeof state);
}
/// How often an mbarrier instruction arrives for a lane.
inline std::uint32_t arrivals_of(const Instruction& i, std::uint32_t count) {
  switch (i.opcode) {
    case Opcode::mbarrier_arrive:
    case Opcode::mbarrier_drop:
      return count;
    case Opcode::mbarrier_arrive_expect:
    case Opcode::mbarrier_drop_expect:
      return 1;
    default:
      return 0;
  }
}

/// … of bulk copies and stores that complete on an mbarrier (bulk.cpp), and of boxes of tensors
/// (tensor.cpp).
void fill_bulk_copies(HandlerTable& table);
void fill_tensors(HandlerTable& table);
/// … of changes of tensor maps (tensor_map_change.cpp).
void fill_tensor_maps(HandlerTable& table);

}  // namespace warpmark::cpu
