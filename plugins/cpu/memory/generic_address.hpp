// Generic addresses: which space one lies in, by the windows at the start of the arena.
#pragma once

#include <cstdint>

#include "memory/arena.hpp"
#include "memory/lanes.hpp"

namespace warpmark::cpu {

/// The parts of the shared window: a block's own memory lies at offset 0, and that of the cluster's
/// block of rank r, seen from any block, at (r + 1) times this. More than a block can have.
inline constexpr std::uint64_t kSharedPart = std::uint64_t{512} << 10;

/// The space of an address; that of a generic one is resolved, given where the windows begin, and
/// `address` becomes an offset for all but global memory.
inline Space resolve_space(Space space, std::uint64_t local_window, std::uint64_t& address) {
  if (space != Space::generic) return space;
  const std::uint64_t offset = address - local_window;
  if (offset >= 3 * Arena::kWindow) return Space::global;
  address = offset % Arena::kWindow;
  return offset / Arena::kWindow == 1   ? Space::shared
         : offset / Arena::kWindow == 0 ? Space::local
                                        : Space::param;
}
inline Space resolve_space(const Lanes& w, Space space, std::uint64_t& address) {
  return resolve_space(space, w.local_window, address);
}

}  // namespace warpmark::cpu
