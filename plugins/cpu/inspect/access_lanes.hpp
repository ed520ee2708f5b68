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

/// Where the global memory that an instruction accesses is noted, while host threads run blocks at the
/// same time; null if that is not needed, as nobody writes what it reads.
template <Space S, bool Store>
WARPMARK_INLINE Footprint* footprint_of(const Lanes& w, const Instruction& i) {
  if constexpr (S != Space::global) return nullptr;
  Footprint* const footprint = w.observer->footprint();
  if (__builtin_expect(footprint == nullptr, true)) return nullptr;
  const BlockRaces* const races = w.observer->races();
  return !Store && races != nullptr && races->is_apart(i, S) ? nullptr : footprint;
}
template <bool Store>
WARPMARK_INLINE void note(Footprint* footprint, u64 address, u64 bytes) {
  if (footprint != nullptr)
    footprint->note(Store ? Footprint::Use::write : Footprint::Use::read, address, bytes);
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

/// Returns whether records of an access are wanted: none are of what the launch does not write.
template <Space S, bool Store>
WARPMARK_INLINE bool may_race(const Lanes& w, const Instruction& i, const Checks& checks) {
  return checks.race && (Store || !w.observer->races()->is_apart(i, S));
}

/// Notes a read of [begin, end) of shared memory if its records are not needed now, and returns
/// whether it did. Of scattered lanes, L reads at at[L].
template <Space S, bool Store>
WARPMARK_INLINE bool defer(const Lanes& w, const Instruction& i, u64 begin, u64 end,
                           DeferredReads::Read read, const u64* at = nullptr) {
  if constexpr (S == Space::shared && !Store) {
    BlockRaces& races = *w.observer->races();
    DeferredReads* const reads = races.deferred(S, begin, end);
    if (reads == nullptr) return false;
    read.record = races.record(w, i);
    read.readers = races.readers(i, S);
    if (at == nullptr) {
      reads->add(read, begin, end);
    } else {
      DeferredReads::Places places;
      for (int lane = 0; lane < 32; ++lane) places.data()[lane] = static_cast<u32>(at[lane]);
      reads->add(read, places, begin, end);
    }
    return true;
  } else {
    return false;
  }
}

/// Returns whether the bytes [begin, end) of shared memory are known to have values.
template <Space S>
WARPMARK_INLINE bool knows_values(const BlockObserver& observer, u64 begin, u64 end) {
  return S == Space::shared && observer.values()->knows(begin, end);
}
/// Such bytes have values.
template <Space S>
WARPMARK_INLINE void learn_values(const BlockObserver& observer, u64 begin, u64 end) {
  if (S == Space::shared && !observer.values()->knows(begin, end))
    observer.values()->learn(begin, end);
}

/// The least and the greatest of the addresses at[L] of the lanes L, of `Count`, of `mask`.
struct Extent {
  u64 first, last;
};
template <int Count>
WARPMARK_INLINE Extent extent_of(const u64* at, u32 mask) {
  Extent extent{~u64{0}, 0};
#ifdef __AVX512F__
  if constexpr (Count == 32) {  // without branches, as vectors
    u64 first = ~u64{0}, last = 0;
    for (int lane = 0; lane < 32; ++lane) {
      const u64 keep = (mask >> lane & 1) != 0 ? ~u64{0} : 0;
      const u64 low = at[lane] | ~keep, high = at[lane] & keep;
      first = low < first ? low : first;
      last = high > last ? high : last;
    }
    return {first, last};
  }
#endif
  for (u32 rest = mask; rest != 0; rest &= rest - 1) {
    const u64 address = at[__builtin_ctz(rest)];
    extent.first = address < extent.first ? address : extent.first;
    extent.last = address > extent.last ? address : extent.last;
  }
  return extent;
}

/// Follows the accesses of the lanes of `mask`, lane L's at at[L], which lie in `extent` if they are to
/// shared memory.
template <Space S, bool Store>
WARPMARK_INLINE bool settle_scattered(const Lanes& w, const Instruction& i, const u64* at, u32 mask,
                                      u32 bytes, const Extent& extent) {
  BlockRaces& races = *w.observer->races();
  const Now when = now<S>(w, i, races);
  const int shift = races.shift(S), count = static_cast<int>(bytes >> shift);
  // Cells of shared memory lie beside each other.
  RaceCells all;
  if constexpr (S == Space::shared) {
    if (!races.cells(S, extent.last, bytes)) return false;
    all = races.cells(S, extent.first, extent.last + bytes - extent.first);
    if (count == 1 && when.foreign == 0 && when.readers == nullptr &&
        (settle_each<Store, true>(all, at, mask, shift, extent.first >> shift, when) ||
         settle_each<Store, false>(all, at, mask, shift, extent.first >> shift, when)))
      return true;
  }
  LaneCells lanes;
  for (u32 rest = mask; rest != 0; rest &= rest - 1) {
    const int lane = __builtin_ctz(rest);
    const RaceCells cells = S == Space::shared
                                ? all + ((at[lane] >> shift) - (extent.first >> shift))
                                : races.cells(S, at[lane], bytes);
    if (!cells) return false;
    lanes.write[lanes.count] = cells.write;
    lanes.records[lanes.count++] = when.lane(lane);
    lanes.read = cells.read - cells.write;
    lanes.other = cells.other - cells.write;
  }
  return count == 1 ? settle_lanes<Store>(lanes, 1, when) : settle_lanes<Store>(lanes, count, when);
}

/// Also finds races and undefined values.
struct Inspect : ExactBounds {
  static constexpr bool inspects = true;
  using Reads = DeferredReads::Read::Kind;

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
    bool look = Store && stores_undefined(w, i, checks);
    if (!Store && init != nullptr && !knows_values<S>(observer, from, from + all)) {
      look = !all_set(init, from, all);
      if (!look) learn_values<S>(observer, from, from + all);
    }
    note<Store>(footprint_of<S, Store>(w, i), start, all);
    if (may_race<S, Store>(w, i, checks)) {
      if (!defer<S, Store>(w, i, start, start + all,
                           {Reads::contiguous, 0, bytes, 0, {static_cast<u32>(start)}})) {
        BlockRaces& races = *observer.races();
        const int shift = __builtin_ctz(bytes) - races.shift(S);
        if (!settle_run<S, Store>(races, start, bytes, shift, now<S>(w, i, races))) return false;
      }
    }
    for (u32 lane = 0; look && lane < 32; ++lane)
      observer.values()->access(w, i, S, lane, start + u64{lane} * bytes, bytes, Store);
    if (Store && !look && init != nullptr && !knows_values<S>(observer, from, from + all)) {
      set_values<S>(observer, init, from, all);
      learn_values<S>(observer, from, from + all);
    }
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
    note<false>(footprint_of<S, false>(w, i), start, bytes);
    if (may_race<S, false>(w, i, checks)) {
      if (!defer<S, false>(w, i, start, start + bytes,
                           {Reads::broadcast, 0, bytes, mask, {static_cast<u32>(start)}})) {
        BlockRaces& races = *observer.races();
        const RaceCells cells = races.cells(S, start, bytes);
        const int count = static_cast<int>(bytes >> races.shift(S));
        if (!cells || !settle_broadcast(cells, count, mask, now<S>(w, i, races))) return false;
      }
    }
    for (u32 rest = look ? mask : 0; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<u32>(__builtin_ctz(rest));
      observer.values()->load(w, i, S, lane, start, bytes);
    }
    return true;
  }

  /// All 32 lanes load rows: groups of 8 lanes, which begin at `starts`. Each loads what lies there
  /// in order, or one place if `at_one` has its bit.
  template <Space S>
  [[gnu::noinline]] static bool rows(Lanes& w, const Instruction& i, const Region& region,
                                     const u64* starts, u32 at_one, u32 bytes) {
    if constexpr (S == Space::param) return true;
    constexpr int kGroups = 4, kLanes = 8;
    BlockObserver& observer = *w.observer;
    const Checks& checks = observer.checks();
    if (!plain(i, checks)) return false;
    const u8* init = value_bits<S>(w, region, checks);
    const bool races_too = may_race<S, false>(w, i, checks);
    const Extent extent = extent_of<kGroups>(starts, (1u << kGroups) - 1);
    const u64 behind = extent.last + u64{kLanes} * bytes;
    if (S == Space::shared && init != nullptr && !knows_values<S>(observer, extent.first, behind)) {
      for (int group = 0; group < kGroups; ++group) {
        const u64 from = starts[group] - values_begin<S>(region);
        if ((at_one >> group & 1) != 0 ? !all_set_aligned(init, from, bytes)
                                       : !all_set(init, from, u64{kLanes} * bytes))
          return false;
        const u64 length = (at_one >> group & 1) != 0 ? bytes : u64{kLanes} * bytes;
        learn_values<S>(observer, from, from + length);
      }
    }
    if (S == Space::shared) init = nullptr;
    const auto begin = [&](int group) { return static_cast<u32>(starts[group]); };
    if (races_too && defer<S, false>(w, i, extent.first, behind,
                                     {Reads::rows,
                                      static_cast<u8>(at_one),
                                      bytes,
                                      0,
                                      {begin(0), begin(1), begin(2), begin(3)}}))
      return true;
    int shift = 0;
    Now when, whole;
    if (races_too) {
      shift = __builtin_ctz(bytes) - observer.races()->shift(S);
      when = whole = now<S>(w, i, *observer.races());
    }
    Footprint* const footprint = footprint_of<S, false>(w, i);
    // Lanes that read again what they have just read change nothing, so a closer look at all lanes
    // may follow after some of them were handled here.
    for (int group = 0, end = 0; group < kGroups; group = end) {
      const u32 one = at_one >> group & 1;
      const u64 step = one != 0 ? 0 : u64{kLanes} * bytes, start = starts[group];
      for (end = group + 1; end < kGroups && (at_one >> end & 1) == one; ++end) {
        if (starts[end] != start + static_cast<u64>(end - group) * step) break;
      }
      const int first = group * kLanes, count = (end - group) * kLanes;
      const u64 all = one != 0 ? bytes : static_cast<u64>(count) * bytes;
      if (init != nullptr && !all_set(init, start - values_begin<S>(region), all)) return false;
      note<false>(footprint, start, all);
      if (!races_too) continue;
      const RaceCells cells = observer.races()->cells(S, start, all);
      if (!cells) return false;
      if (one != 0) {
        const u32 mask = 0xffffffffu >> (32 - count) << first;
        if (!settle_broadcast(cells, 1 << shift, mask, whole)) return false;
      } else {
        when.mine = whole.lane(first);
        if (!settle_contiguous<S, false>(cells, count << shift, shift, when)) return false;
      }
    }
    return true;
  }

  static bool again(Lanes& w, const Instruction& i, const LanePlaces& places, u64 offset,
                    u32 bytes) {
    constexpr u64 kLanes[] = {32, 1, 8};  // that access what lies behind each other
    const BlockObserver& observer = *w.observer;
    const Checks& checks = observer.checks();
    const u64 begin = places.first + offset,
              end = places.last + offset + kLanes[places.kind] * bytes;
    if (!plain(i, checks) || (checks.init && !observer.values()->knows(begin, end))) return false;
    const auto start = [&](int group) { return static_cast<u32>(places.starts[group] + offset); };
    return !checks.race || defer<Space::shared, false>(w, i, begin, end,
                                                       {static_cast<Reads>(places.kind),
                                                        places.at_one,
                                                        bytes,
                                                        0xffffffff,
                                                        {start(0), start(1), start(2), start(3)}});
  }

  /// All 32 lanes store rows: groups of 8 lanes, in order from `starts` on.
  template <Space S>
  [[gnu::noinline]] static bool store_rows(Lanes& w, const Instruction& i, const Region& region,
                                           const u64* starts, u32 bytes) {
    if constexpr (S == Space::param) return true;
    constexpr int kGroups = 4, kLanes = 8;
    BlockObserver& observer = *w.observer;
    const Checks& checks = observer.checks();
    if (!plain(i, checks) || stores_undefined(w, i, checks)) return false;
    const u64 all = u64{kLanes} * bytes;
    // Two lanes that store to one place race.
    for (int group = 1; group < kGroups; ++group) {
      for (int before = 0; before < group; ++before) {
        if (starts[group] - starts[before] + all - 1 < 2 * all - 1) return false;
      }
    }
    if (checks.race) {
      BlockRaces& races = *observer.races();
      const int shift = __builtin_ctz(bytes) - races.shift(S);
      const Now whole = now<S>(w, i, races);
      Now when = whole;
      // Rows of a matrix are far from each other, and their records are in no cache: all are asked
      // for before the first is waited for.
      RaceCells cells[kGroups];
      for (int group = 0; group < kGroups; ++group) {
        cells[group] = races.cells(S, starts[group], all);
        if (!cells[group]) return false;
        __builtin_prefetch(cells[group].write, 1);
        __builtin_prefetch(cells[group].read);
      }
      // A closer look at all lanes may follow after some of them were handled here: they find their
      // own records.
      for (int group = 0; group < kGroups; ++group) {
        when.mine = whole.lane(group * kLanes);
        if (!settle_contiguous<S, true>(cells[group], kLanes << shift, shift, when)) return false;
      }
    }
    u8* init = value_bits<S>(w, region, checks);
    for (int group = 0; group < kGroups; ++group) {
      note<true>(footprint_of<S, true>(w, i), starts[group], all);
      const u64 from = starts[group] - values_begin<S>(region);
      if (init == nullptr || knows_values<S>(observer, from, from + all)) continue;
      set_values<S>(observer, init, from, all);
      learn_values<S>(observer, from, from + all);
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
    const bool may = may_race<S, Store>(w, i, checks);
    const Extent extent = S == Space::shared ? extent_of<32>(at, mask) : Extent{};
    const bool known =
        init != nullptr && knows_values<S>(observer, extent.first, extent.last + bytes);
    if (!Store && init != nullptr && !known) {
      for (u32 rest = mask; rest != 0; rest &= rest - 1)
        look |= !all_set_aligned(init, at[__builtin_ctz(rest)] - begin, bytes);
    }
    if (Footprint* const footprint = footprint_of<S, Store>(w, i)) {
      for (u32 rest = mask; rest != 0; rest &= rest - 1)
        note<Store>(footprint, at[__builtin_ctz(rest)], bytes);
    }
    if (may && !defer<S, Store>(w, i, extent.first, extent.last + bytes,
                                {Reads::scattered, 0, bytes, mask, {}}, at)) {
      if (!settle_scattered<S, Store>(w, i, at, mask, bytes, extent)) return false;
    }
    for (u32 rest = look ? mask : 0; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<u32>(__builtin_ctz(rest));
      observer.values()->access(w, i, S, lane, at[lane], bytes, Store);
    }
    if (Store && !look && init != nullptr && !known) {
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
