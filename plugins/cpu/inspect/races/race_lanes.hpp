// The records of 32 lanes at a time: in order, all in one place, or each in its own.
// Compiled once for each WARPMARK_ISA; see memory/levels.hpp for what that forbids.
#pragma once

#include <cstddef>

#include "inspect/races/block_races.hpp"
#include "memory/levels.hpp"

namespace warpmark::cpu::WARPMARK_ISA {

/// The values that records of earlier accesses are compared with for a warp's plain accesses.
struct Now {
  u64 mine = 0;       ///< record of lane 0; lane i's is greater by i << Record::kThreadShift
  u64 threshold = 0;  ///< earlier records are no danger
  u64 start = 0;      ///< start of the block: earlier records are other blocks'
  /// All ones for a read-only load, for which a newer write of the same thread counts like another
  /// thread's; else 0.
  u64 foreign = 0;
  const BlockOrder* order = nullptr;
  FurtherRecords* readers = nullptr;  ///< where reads of more than two warps are kept, if they are

  [[nodiscard, gnu::always_inline]] u64 lane(int lane) const {
    return mine + (static_cast<u64>(lane) << Record::kThreadShift);
  }
  [[nodiscard, gnu::always_inline]] bool newer(u64 record) const {
    return static_cast<s64>(record) >= static_cast<s64>(threshold);
  }
};

/// Returns whether a record is newer than the threshold and differs from `me` in thread, epoch or
/// strength. It may then be a race, which only a closer look can decide.
WARPMARK_INLINE u64 suspicious(u64 record, u64 me, u64 threshold) {
  const auto newer = static_cast<u64>(static_cast<s64>(record) >= static_cast<s64>(threshold));
  return newer & static_cast<u64>(((record ^ me) >> Record::kStrongShift) != 0);
}
WARPMARK_INLINE bool same_thread(u64 a, u64 b) {
  return ((a ^ b) >> Record::kThreadShift & 0x3ff) == 0;
}
WARPMARK_INLINE bool is_strong(u64 record) {
  return (record >> Record::kStrongShift & 1) != 0;
}
WARPMARK_INLINE bool same_warp(u64 a, u64 b) {
  return ((a ^ b) >> Record::kWarpShift & 31) == 0;
}

/// Returns whether the last of two earlier reads is less informative than the other: it is strong,
/// and the other is plain.
WARPMARK_INLINE bool says_less(u64 last, u64 other) {
  return is_strong(last) && !is_strong(other);
}

/// Returns whether the last of two earlier reads of a block, neither of them old, takes the other
/// one's place when `me` reads: they are kept for two warps if they can be, and of one warp the
/// newest ones for two lanes, as an older one may have been put in order since. `settled` tells that
/// the block's barrier has done so for the other one.
WARPMARK_INLINE bool says_more(u64 last, u64 other, u64 me, bool settled) {
  return !same_warp(last, me) || ((settled || same_warp(other, me)) && !same_thread(last, me));
}

/// Returns whether a newer record is of this block.
WARPMARK_INLINE bool own(u64 record, const Now& now) {
  return (record ^ now.mine) >> Record::kEpochShift == 0 || now.order->owns({record});
}
/// Returns whether the access of a record cannot conflict with that of `me`: it is old, or the same
/// thread's, or of this block before its last barrier. A strong record may hide others.
WARPMARK_INLINE bool settled(u64 record, u64 me, const Now& now) {
  if (suspicious(record, me ^ now.foreign, now.threshold) == 0) return true;
  return now.foreign == 0 && !is_strong(record) && own(record, now) &&
         (same_thread(record, me) || now.order->before_barrier({record}));
}

/// Keeps a read that loses its place in the cell to a read by `me`. Barriers of a part of a warp put
/// only some of its lanes in order, so that the two reads of a cell may not be enough of a warp.
WARPMARK_INLINE void lose_read(u64* cell, u64 lost, u64 me, const Now& now) {
  if (!now.newer(lost)) return;
  if (!own(lost, now) || !same_warp(lost, me)) return now.readers->keep(cell, lost);
  if (!same_thread(lost, me)) now.readers->keep_two_of_warp(cell, lost);
}

/// A lane, whose record is `me`, reads a cell: RaceCells says which other read stays.
WARPMARK_INLINE void note_read(u64& read, u64& other, u64 me, const Now& now) {
  const u64 last = read, before = other;
  read = me;
  if (!now.newer(last)) return;
  const bool alien = !own(last, now);
  const auto says_more_than_other = [&] {
    return own(other, now) && says_more(last, other, me, now.order->before_barrier({other}));
  };
  const auto is_weaker = [&] {
    return says_less(last, other) && !(same_thread(other, me) && own(other, now));
  };
  const bool follows = !now.newer(other) ? alien || !same_thread(last, me)
                                         : !is_weaker() && (alien || says_more_than_other());
  if (follows) other = last;
  if (now.readers != nullptr) lose_read(&read, follows ? before : last, me, now);
}

/// `count` cells, 1 << shift of them for each of 32 lanes in order, are read or written by those
/// lanes. Returns false, without having changed anything, if this needs a closer look.
template <Space S, bool Store>
WARPMARK_INLINE bool settle_contiguous(const RaceCells& cells, int count, int shift,
                                       const Now& now) {
  const u64 mine = now.mine, threshold = now.threshold, foreign = now.foreign;
  const auto record_of = [=](int i) {
    return mine + (static_cast<u64>(i >> shift) << Record::kThreadShift);
  };
  u64 bad = 0, newer = 0;
  WARPMARK_NO_DEPENDENCES for (int i = 0; i < count; ++i) {
    const u64 last = cells.read[i];
    bad |= suspicious(cells.write[i], record_of(i) ^ foreign, threshold);
    if constexpr (Store) bad |= suspicious(last, record_of(i), threshold);
    newer |= static_cast<u64>(static_cast<s64>(last) >= static_cast<s64>(threshold));
  }
  if (bad != 0) return false;
  // Most cells are read once: of `other`, which is never newer unless `read` is, nothing is needed.
  if (newer != 0 && Store) {
    WARPMARK_NO_DEPENDENCES for (int i = 0; i < count; ++i) bad |=
        suspicious(cells.other[i], record_of(i), threshold);
    if (bad != 0) return false;
  }
  if (newer != 0 && !Store) {
    const u64 start = now.start;
    // Perhaps of this block, but of another epoch: only a closer look can decide.
    const auto unclear = [=](u64 record) {
      return static_cast<u64>(static_cast<s64>(record) >= static_cast<s64>(start)) &
             static_cast<u64>((record ^ mine) >> Record::kEpochShift != 0);
    };
    if constexpr (S == Space::global) {
      WARPMARK_NO_DEPENDENCES for (int i = 0; i < count; ++i) {
        const u64 me = record_of(i), last = cells.read[i], other = cells.other[i];
        const bool decides = !same_thread(last, me) | says_less(last, other);
        bad |= unclear(last) | (unclear(other) & static_cast<u64>(decides));
      }
      if (bad != 0) return false;
    }
    if (__builtin_expect(now.readers != nullptr, false)) {
      for (int i = 0; i < count; ++i) note_read(cells.read[i], cells.other[i], record_of(i), now);
      return true;
    }
    WARPMARK_NO_DEPENDENCES for (int i = 0; i < count; ++i) {
      const u64 me = record_of(i), last = cells.read[i], other = cells.other[i];
      const bool follows = static_cast<s64>(last) >= static_cast<s64>(threshold);
      const bool alone = static_cast<s64>(other) < static_cast<s64>(threshold);
      const bool alien = S == Space::global && static_cast<s64>(last) < static_cast<s64>(start);
      const bool kept = S == Space::global && static_cast<s64>(other) < static_cast<s64>(start);
      const bool weaker = says_less(last, other) & !(!kept & same_thread(other, me));
      const bool replaces =
          alone ? alien || !same_thread(last, me)
                : !weaker && (alien || (!kept && says_more(last, other, me, false)));
      cells.other[i] = follows && replaces ? last : other;
      cells.read[i] = me;
    }
    return true;
  }
  u64* to = Store ? cells.write : cells.read;
  WARPMARK_NO_DEPENDENCES for (int i = 0; i < count; ++i) to[i] = record_of(i);
  return true;
}

/// The same for `count` whole rows, whose records before `oldest` do not matter any more. It also
/// returns false if the cells of one are in use by themselves, or belong to other lanes than now.
template <Space S, bool Store>
WARPMARK_INLINE bool settle_rows(RaceRow* rows, int count, int shift, const Now& now,
                                 Epoch oldest) {
  constexpr int kMostRows = 8;
  if (count > kMostRows) return false;
  RaceRow settled[kMostRows];
  Now when = now;
  when.readers = nullptr;
  for (int k = 0; k < count; ++k) {
    RaceRow& row = settled[k] = rows[k];
    if (row.spread != 0) {
      if (row.spread >= oldest || !row.may_join()) return false;
      const u8 spreads = row.spreads;
      row = {};
      row.spreads = spreads;
    }
    const auto same = [&](u64 record, u8 shape) { return shape == shift || !now.newer(record); };
    if (!same(row.write, row.write_shape) || !same(row.read, row.read_shape) ||
        !same(row.other, row.other_shape) || (now.readers != nullptr && now.newer(row.read)))
      return false;
    const RaceRow before = row;
    when.mine = now.lane(static_cast<int>(kRowCells) * k >> shift);
    if (!settle_contiguous<S, Store>({&row.write, &row.read, &row.other}, 1, 0, when)) return false;
    const auto shape = static_cast<u8>(shift);
    if (row.write != before.write) row.write_shape = shape;
    if (row.read != before.read) row.read_shape = shape;
    if (row.other != before.other) row.other_shape = shape;
  }
  rows[0] =
      settled[0];  // mostly it is one, and for a loop compilers take a slow string instruction
  for (int k = 1; k < count; ++k) rows[k] = settled[k];
  return true;
}

/// The same for all 32 lanes in order from `start` on, of 1 << shift cells each.
template <Space S, bool Store>
WARPMARK_INLINE bool settle_run(BlockRaces& races, u64 start, u32 bytes, int shift,
                                const Now& now) {
  const u64 all = 32 * u64{bytes};
  const BlockRaces::Rows rows = races.rows(S, start, all);
  if (rows.first != nullptr &&
      settle_rows<S, Store>(rows.first, 1 << shift, shift, now, rows.oldest))
    return true;
  const RaceCells cells = races.cells(S, start, all);
  return cells && settle_contiguous<S, Store>(cells, 32 << shift, shift, now);
}

/// The records of the first two lanes of a mask and of the last two: their reads of one place leave
/// what the reads of all lanes would, one after the other.
struct Ends {
  int count = 0;
  u64 records[4];
};
WARPMARK_INLINE Ends ends_of(u32 mask, const Now& now) {
  Ends ends;
  const auto add = [&](int lane) {
    ends.records[ends.count++] = now.lane(lane);
    mask &= ~(1u << lane);
  };
  add(__builtin_ctz(mask));
  if (mask == 0) return ends;
  const int last = 31 - __builtin_clz(mask);
  mask &= ~(1u << last);
  if (mask != 0) add(__builtin_ctz(mask));
  if (mask != 0) add(31 - __builtin_clz(mask));
  add(last);
  return ends;
}

/// The same for cells that all lanes of `mask` read.
WARPMARK_INLINE bool settle_broadcast(const RaceCells& cells, int count, u32 mask, const Now& now) {
  const Ends ends = ends_of(mask, now);
  const u64 first = ends.records[0], last = ends.records[ends.count - 1];
  for (int i = 0; i < count; ++i) {
    if (!settled(cells.write[i], first, now) || !settled(cells.write[i], last, now)) return false;
  }
  for (int i = 0; i < count; ++i) {
    for (int k = 0; k < ends.count; ++k)
      note_read(cells.read[i], cells.other[i], ends.records[k], now);
  }
  return true;
}

/// The same for one cell of each lane of `mask`, lane L's the one at (at[L] >> shift) - first, where
/// no record is strong. `Fresh`: without a look at which thread a newer record is of, but for those
/// of the last reads before a store. If it returns false, a closer look may still find that nothing
/// is wrong.
template <bool Store, bool Fresh>
WARPMARK_INLINE bool settle_each(const RaceCells& cells, const u64* at, u32 mask, int shift,
                                 u64 first, const Now& now) {
  constexpr int kSame = Store ? Record::kStrongShift : Record::kThreadShift;
  u64* const to = Store ? cells.write : cells.read;
  const u64 threshold = now.threshold;
  u64 before[32], bad = 0, old = ~u64{0};
  const auto look = [&](u64 record, u64 me, int same) {
    bad |= static_cast<u64>(static_cast<s64>(record) >= static_cast<s64>(threshold)) &
           static_cast<u64>(((record ^ me) >> same) != 0);
  };
  const auto look_for_age = [&](u64 record, u64 me, int same) {
    Fresh ? static_cast<void>(old &= record - threshold) : look(record, me, same);
  };
  int count = 0;
  for (u32 rest = mask; rest != 0; rest &= rest - 1) {
    const int lane = __builtin_ctz(rest);
    const u64 cell = (at[lane] >> shift) - first, me = now.lane(lane);
    const u64 last = before[count++] = to[cell];
    if constexpr (Store) {
      look(cells.read[cell], me, kSame);
      look_for_age(cells.other[cell], me, kSame);
    } else {
      look_for_age(cells.write[cell], me, Record::kStrongShift);
    }
    look_for_age(last, me, kSame);  // of a place of two lanes it is the first one's, and newer
    to[cell] = me;
  }
  if (bad == 0 && old >> 63 != 0) return true;
  for (u32 rest = mask; rest != 0;) {
    const int lane = 31 - __builtin_clz(rest);
    rest &= ~(1u << lane);
    to[(at[lane] >> shift) - first] = before[--count];
  }
  return false;
}

/// Where some lanes, in ascending order, access memory, and their records.
struct LaneCells {
  int count = 0;
  u64* write[32];            ///< the first cell of each
  std::ptrdiff_t read = 0;   ///< RaceCells::read - RaceCells::write
  std::ptrdiff_t other = 0;  ///< RaceCells::other - RaceCells::write
  u64 records[32];
};

/// The same for `cells` cells of each of some lanes: the same ones for two lanes, or none in
/// common.
template <bool Store>
WARPMARK_INLINE bool settle_lanes(const LaneCells& lanes, int cells, const Now& now) {
  for (int k = 0; k < lanes.count; ++k) {
    const u64 me = lanes.records[k];
    for (int i = 0; i < cells; ++i) {
      const u64* write = lanes.write[k] + i;
      if (!settled(*write, me, now)) return false;
      if constexpr (Store) {
        if (!settled(write[lanes.read], me, now) || !settled(write[lanes.other], me, now))
          return false;
        // Strong reads that came after these two may have been kept among the further ones.
        if (now.readers != nullptr && now.newer(write[lanes.read]) &&
            now.readers->find(write + lanes.read))
          return false;
      }
    }
  }
  if constexpr (!Store) {
    for (int k = 0; k < lanes.count; ++k) {
      for (int i = 0; i < cells; ++i) {
        u64* write = lanes.write[k] + i;
        note_read(write[lanes.read], write[lanes.other], lanes.records[k], now);
      }
    }
    return true;
  }
  // If another lane has overwritten a record, two lanes write to one place.
  u64 before[32], lost = 0;
  for (int k = 0; k < lanes.count; ++k) {
    before[k] = *lanes.write[k];
    *lanes.write[k] = lanes.records[k];
  }
  for (int k = 0; k < lanes.count; ++k) lost |= *lanes.write[k] ^ lanes.records[k];
  if (lost != 0) {
    for (int k = lanes.count - 1; k >= 0; --k) *lanes.write[k] = before[k];
    return false;
  }
  for (int i = 1; i < cells; ++i) {
    for (int k = 0; k < lanes.count; ++k) lanes.write[k][i] = lanes.records[k];
  }
  return true;
}

}  // namespace warpmark::cpu::WARPMARK_ISA
