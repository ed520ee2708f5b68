// The policy of all checks: looks at the accesses of a whole warp at once, where none needs a closer
// look. Compiled once for each WARPMARK_ISA; see memory/levels.hpp for what that forbids.
#pragma once

#include "inspect/observer.hpp"
#include "inspect/policy.hpp"
#include "inspect/races/race_lanes.hpp"
#include "inspect/values/block_values.hpp"
#include "memory/init_bits.hpp"

namespace warpmark::cpu::WARPMARK_ISA {

// Each hook of the policy follows the accesses of some lanes as if one lane came after the other, and leaves
// the records and bits of values as Check's load() and store() would. If a lane may race
// or synchronizes, it returns false and has changed nothing.
// Accesses lie within `region` and are aligned to their size, `bytes`, a power of two.

/// Returns whether an instruction's accesses may take these paths at all.
WARPMARK_INLINE bool plain(const Instruction& i, const Checks& checks) {
  return (i.order & ~Instruction::kReadOnly) == 0 && !checks.closely;
}

/// Returns whether a store's data may be undefined.
WARPMARK_INLINE bool stores_undefined(const Lanes& w, const Instruction& i, const Checks& checks) {
  if (!checks.init) return false;
  const WarpDefinedness& definedness = w.observer->values()->definedness(w.warp);
  if (!definedness.any()) return false;
  const u32 slots[4] = {i.d, i.a, i.b, i.c};
  u32 lanes = i.count > 4 ? 1 : 0;
  for (u32 k = 0; k < 4 && k < i.count; ++k) lanes |= definedness.lanes(slots[k]);
  return lanes != 0;
}

/// The bits that tell which bytes of a region have values; null if all have.
template <Space S>
WARPMARK_INLINE u8* value_bits(const Lanes& w, const Region& region, const Checks& checks) {
  return !checks.init         ? nullptr
         : S == Space::global ? region.init
                              : w.observer->values()->shared_init();
}

/// The address that the first of these bits belongs to.
template <Space S>
WARPMARK_INLINE u64 values_begin(const Region& region) {
  return S == Space::global ? region.begin : 0;
}

/// Notes global memory that other host threads must not touch while they run blocks at the same
/// time.
template <Space S>
WARPMARK_INLINE void note(const BlockObserver& observer, bool store, u64 address, u64 bytes) {
  if constexpr (S != Space::global) return;
  if (Footprint* footprint = observer.footprint(); __builtin_expect(footprint != nullptr, false))
    footprint->note(store ? Footprint::Use::write : Footprint::Use::read, address, bytes);
}

/// The lanes' bytes have values now.
template <Space S>
WARPMARK_INLINE void set_values(const BlockObserver& observer, u8* init, u64 from, u64 count) {
  if (S == Space::global && __builtin_expect(observer.footprint() != nullptr, false))
    share_bits(init, from, count);
  else
    set_bits(init, from, count);
}

template <Space S>
WARPMARK_INLINE Now now(const Lanes& w, const Instruction& i, BlockRaces& races) {
  const u64 foreign = (i.order & Instruction::kReadOnly) != 0 ? ~u64{0} : 0;
  return {races.record(w, i), races.threshold(S), races.block_start(), foreign,
          &races.order(),     races.readers(i, S)};
}

/// Also finds races and undefined values.
struct Inspect : ExactBounds {
  static constexpr bool inspects = true;

  /// All 32 lanes access one range, in order.
  template <Space S, bool Store>
  [[gnu::noinline]] static bool contiguous(Lanes& w, const Instruction& i, const Region& region,
                                           u64 start, u32 bytes) {
    if constexpr (S == Space::param) return true;
    BlockObserver& observer = *w.observer;
    const Checks& checks = observer.checks();
    if (!plain(i, checks)) return false;
    u8* init = value_bits<S>(w, region, checks);
    const u64 from = start - values_begin<S>(region), all = 32 * u64{bytes};
    const bool look =
        Store ? stores_undefined(w, i, checks) : init != nullptr && !all_set(init, from, all);
    note<S>(observer, Store, start, all);
    if (checks.race) {
      BlockRaces& races = *observer.races();
      const RaceCells cells = races.cells(S, start, all, Store);
      if (!cells) return false;
      const int shift = __builtin_ctz(bytes) - races.shift(S);
      if (!settle_contiguous<S, Store>(cells, 32 << shift, shift, now<S>(w, i, races)))
        return false;
    }
    for (u32 lane = 0; look && lane < 32; ++lane)
      observer.values()->access(w, i, S, lane, start + u64{lane} * bytes, bytes, Store);
    if (Store && !look && init != nullptr) set_values<S>(observer, init, from, all);
    return true;
  }

  /// All lanes of `mask` load one place.
  template <Space S>
  [[gnu::noinline]] static bool broadcast(Lanes& w, const Instruction& i, const Region& region,
                                          u64 start, u32 bytes, u32 mask) {
    if constexpr (S == Space::param) return true;
    BlockObserver& observer = *w.observer;
    const Checks& checks = observer.checks();
    if (!plain(i, checks)) return false;
    const u8* init = value_bits<S>(w, region, checks);
    const bool look = init != nullptr && !all_set(init, start - values_begin<S>(region), bytes);
    note<S>(observer, false, start, bytes);
    if (checks.race) {
      BlockRaces& races = *observer.races();
      const RaceCells cells = races.cells(S, start, bytes, false);
      const int count = static_cast<int>(bytes >> races.shift(S));
      if (!cells || !settle_broadcast(cells, count, mask, now<S>(w, i, races))) return false;
    }
    for (u32 rest = look ? mask : 0; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<u32>(__builtin_ctz(rest));
      observer.values()->load(w, i, S, lane, start, bytes);
    }
    return true;
  }

  /// All 32 lanes load rows: groups of 8 lanes or more, each in order or of one place.
  template <Space S>
  [[gnu::noinline]] static bool rows(Lanes& w, const Instruction& i, const Region& region,
                                     const u64* at, u32 bytes) {
    if constexpr (S == Space::param) return true;
    constexpr int kGroup = 8;
    u64 unordered[32 / kGroup], different[32 / kGroup];
    for (int group = 0; group < 32 / kGroup; ++group) {
      const u64* lanes = at + group * kGroup;
      u64 no_order = 0, no_place = 0;
      for (u32 lane = 0; lane < kGroup; ++lane) {
        no_order |= lanes[lane] ^ (lanes[0] + u64{lane} * bytes);
        no_place |= lanes[lane] ^ lanes[0];
      }
      if (no_order != 0 && no_place != 0) return false;
      unordered[group] = no_order;
      different[group] = no_place;
    }
    BlockObserver& observer = *w.observer;
    const Checks& checks = observer.checks();
    if (!plain(i, checks)) return false;
    const u8* init = value_bits<S>(w, region, checks);
    const int shift = checks.race ? __builtin_ctz(bytes) - observer.races()->shift(S) : 0;
    // Lanes that read again what they have just read change nothing, so a closer look at all lanes
    // may follow after some of them were handled here.
    for (int lane = 0, end = 0; lane < 32; lane = end) {
      const bool one = different[lane / kGroup] == 0;
      const u64* breaks = one ? different : unordered;
      const u64 step = one ? 0 : bytes, start = at[lane];
      for (end = lane + kGroup; end < 32; end += kGroup) {
        if (breaks[end / kGroup] != 0) break;
        if (at[end] != start + static_cast<u64>(end - lane) * step) break;
      }
      const int lanes = one ? 1 : end - lane;
      const u64 all = static_cast<u64>(lanes) * bytes;
      if (init != nullptr && !all_set(init, start - values_begin<S>(region), all)) return false;
      note<S>(observer, false, start, all);
      if (!checks.race) continue;
      BlockRaces& races = *observer.races();
      const RaceCells cells = races.cells(S, start, all, false);
      if (!cells) return false;
      Now when = now<S>(w, i, races);
      if (one) {
        const u32 mask = 0xffffffffu >> (32 - (end - lane)) << lane;
        if (!settle_broadcast(cells, 1 << shift, mask, when)) return false;
      } else {
        when.mine = when.lane(lane);
        if (!settle_contiguous<S, false>(cells, lanes << shift, shift, when)) return false;
      }
    }
    return true;
  }

  /// Each lane of `mask` accesses its own place, lane L that at at[L].
  template <Space S, bool Store>
  [[gnu::noinline]] static bool scattered(Lanes& w, const Instruction& i, const Region& region,
                                          const u64* at, u32 mask, u32 bytes) {
    if constexpr (S == Space::param) return true;
    BlockObserver& observer = *w.observer;
    const Checks& checks = observer.checks();
    if (!plain(i, checks)) return false;
    u8* init = value_bits<S>(w, region, checks);
    const u64 begin = values_begin<S>(region);
    bool look = Store && stores_undefined(w, i, checks);
    if (!Store && init != nullptr) {
      for (u32 rest = mask; rest != 0; rest &= rest - 1)
        look |= !all_set_aligned(init, at[__builtin_ctz(rest)] - begin, bytes);
    }
    if (S == Space::global && observer.footprint() != nullptr) {
      for (u32 rest = mask; rest != 0; rest &= rest - 1)
        note<S>(observer, Store, at[__builtin_ctz(rest)], bytes);
    }
    if (checks.race) {
      BlockRaces& races = *observer.races();
      LaneCells lanes;
      const Now when = now<S>(w, i, races);
      for (u32 rest = mask; rest != 0; rest &= rest - 1) {
        const int lane = __builtin_ctz(rest);
        const RaceCells cells = races.cells(S, at[lane], bytes, Store);
        if (!cells) return false;
        lanes.write[lanes.count] = cells.write;
        lanes.records[lanes.count++] = when.lane(lane);
        lanes.read = cells.read - cells.write;
        lanes.other = cells.other - cells.write;
      }
      const int cells = static_cast<int>(bytes >> races.shift(S));
      const bool settled = cells == 1 ? settle_lanes<Store>(lanes, 1, when)
                                      : settle_lanes<Store>(lanes, cells, when);
      if (!settled) return false;
    }
    for (u32 rest = look ? mask : 0; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<u32>(__builtin_ctz(rest));
      observer.values()->access(w, i, S, lane, at[lane], bytes, Store);
    }
    if (Store && !look && init != nullptr) {
      if (S == Space::global && observer.footprint() != nullptr) {
        for (u32 rest = mask; rest != 0; rest &= rest - 1)
          share_bits(init, at[__builtin_ctz(rest)] - begin, bytes);
        return true;
      }
      for (u32 rest = mask; rest != 0; rest &= rest - 1)
        set_bits_aligned(init, at[__builtin_ctz(rest)] - begin, bytes);
    }
    return true;
  }
};

}  // namespace warpmark::cpu::WARPMARK_ISA
