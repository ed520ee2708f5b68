// The records of 32 lanes at a time, where a warp accesses memory in order or all in one place.
// Compiled once for each WARPMARK_ISA; see machine/numerics.hpp for what that forbids.
#pragma once

#include "inspect/race_memory.hpp"
#include "machine/numerics.hpp"

namespace warpmark::cpu::WARPMARK_ISA {

/// Whether a record of `threshold` or later is of another thread or moment than `mine`: it may be a
/// race, which only a closer look can tell.
WARPMARK_INLINE u64 suspicious(u64 record, u64 mine, u64 threshold) {
  const auto newer = static_cast<u64>(static_cast<s64>(record) >= static_cast<s64>(threshold));
  return newer & static_cast<u64>(((record ^ mine) >> Record::kThreadShift) != 0);
}

/// `count` cells, 1 << shift of them for each of 32 lanes in order, are read or written by lanes
/// whose records are `mine` and its followers. False, and nothing is done, if some access of
/// `threshold` or later is suspicious.
template <bool Store>
WARPMARK_INLINE bool settle_contiguous(const RaceCells& cells, int count, int shift, u64 mine,
                                       u64 threshold) {
  u64 bad = 0;
  WARPMARK_NO_DEPENDENCES for (int i = 0; i < count; ++i) {
    const u64 me = mine + (static_cast<u64>(i >> shift) << Record::kThreadShift);
    bad |= suspicious(cells.write[i], me, threshold);
    if constexpr (Store) {
      bad |= suspicious(cells.read[i], me, threshold);
      bad |= suspicious(cells.other[i], me, threshold);
    }
  }
  if (bad != 0) return false;
  if constexpr (Store) {
    WARPMARK_NO_DEPENDENCES for (int i = 0; i < count; ++i) cells.write[i] =
        mine + (static_cast<u64>(i >> shift) << Record::kThreadShift);
  } else {
    WARPMARK_NO_DEPENDENCES for (int i = 0; i < count; ++i) {
      const u64 me = mine + (static_cast<u64>(i >> shift) << Record::kThreadShift);
      const u64 last = cells.read[i], other = cells.other[i];
      const bool newer = static_cast<s64>(last) >= static_cast<s64>(threshold);
      const bool same_warp = ((last ^ me) >> Record::kWarpShift & 31) == 0;
      const bool alone = static_cast<s64>(other) < static_cast<s64>(threshold);
      const bool same_thread = ((last ^ me) >> Record::kThreadShift) == 0;
      cells.other[i] = newer && (!same_warp || (alone && !same_thread)) ? last : other;
      cells.read[i] = me;
    }
  }
  return true;
}

/// The same for the cells of one lane, whose record is `me`.
template <bool Store>
WARPMARK_INLINE bool settle_lane(const RaceCells& cells, int count, u64 me, u64 threshold) {
  u64 bad = 0;
  for (int i = 0; i < count; ++i) {
    bad |= suspicious(cells.write[i], me, threshold);
    if constexpr (Store) {
      bad |= suspicious(cells.read[i], me, threshold);
      bad |= suspicious(cells.other[i], me, threshold);
    }
  }
  if (bad != 0) return false;
  for (int i = 0; i < count; ++i) {
    if constexpr (Store) {
      cells.write[i] = me;
      continue;
    }
    const u64 last = cells.read[i];
    const bool newer = static_cast<s64>(last) >= static_cast<s64>(threshold);
    const bool same_warp = ((last ^ me) >> Record::kWarpShift & 31) == 0;
    const bool alone = static_cast<s64>(cells.other[i]) < static_cast<s64>(threshold);
    const bool same_thread = ((last ^ me) >> Record::kThreadShift) == 0;
    if (newer && (!same_warp || (alone && !same_thread))) cells.other[i] = last;
    cells.read[i] = me;
  }
  return true;
}

/// The same for cells that all lanes of `mask` read.
WARPMARK_INLINE bool settle_broadcast(const RaceCells& cells, int count, u64 mine, u32 mask,
                                      u64 threshold) {
  const u64 first = mine + (static_cast<u64>(__builtin_ctz(mask)) << Record::kThreadShift);
  const u64 last = mine + (static_cast<u64>(31 - __builtin_clz(mask)) << Record::kThreadShift);
  for (int i = 0; i < count; ++i) {
    if (static_cast<s64>(cells.write[i]) >= static_cast<s64>(threshold)) return false;
  }
  for (int i = 0; i < count; ++i) {
    const u64 before = cells.read[i];
    const bool newer = static_cast<s64>(before) >= static_cast<s64>(threshold);
    const bool same_warp = ((before ^ last) >> Record::kWarpShift & 31) == 0;
    if (newer && !same_warp)
      cells.other[i] = before;
    else if (static_cast<s64>(cells.other[i]) < static_cast<s64>(threshold) && first != last)
      cells.other[i] = first;
    cells.read[i] = last;
  }
  return true;
}

}  // namespace warpmark::cpu::WARPMARK_ISA
