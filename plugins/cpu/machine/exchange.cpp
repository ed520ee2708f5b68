// Handlers by which lanes exchange values: atomics, shuffles, votes and warp reductions.
// They work lane after lane in ascending order, so results do not depend on the processor.
#include "inspect/observer.hpp"
#include "inspect/policy.hpp"
#include "machine/access_places.hpp"
#include "machine/async.hpp"
#include "machine/handlers.hpp"
#include "memory/arena.hpp"
#include "memory/generic_address.hpp"
#include "memory/lanes.hpp"
#include "program/shuffle.hpp"

#define WARPMARK_ISA exchange
#include "machine/numerics.hpp"
#include "machine/small_floats.hpp"
#include "machine/turns.hpp"

namespace warpmark::cpu {
namespace {

using namespace exchange;

typedef u32 __attribute__((may_alias)) Raw32;

Raw32* lanes32(Lanes& w, u32 slot) {
  return reinterpret_cast<Raw32*>(w.registers + slot);
}

// Where the atomics of a warp's lanes work: null after recording a fault.
struct Places {
  std::byte* host[32];
  u32 global = 0, shared = 0;  ///< lanes, faulty ones included
  bool whole = false;          ///< all 32 lanes work, in shared memory
};

// One lane's. Local and parameter memory belong to one thread, and cannot be operated on
// atomically.
std::byte* locate(Lanes& w, const Instruction& i, u32 lane, u64* at, u32 bytes, Places& places) {
  u64& address = at[lane];
  const Space space = resolve_space(w, i.space, address);
  const bool global = space == Space::global;
  places.global |= static_cast<u32>(global) << lane;
  places.shared |= static_cast<u32>(space == Space::shared) << lane;
  Region& region = global ? w.sites[i.site] : w.objects[i.object];
  bool good =
      address % bytes == 0 && (global || space == Space::shared) && inside(region, address, bytes);
  if (!good && global && address % bytes == 0) good = find_region(w, i, address, bytes, lane);
  if (good) {
    if (w.observer != nullptr) w.observer->atomics(w, i, space, 1u << lane, at, bytes);
    return region.host + (address - region.begin);
  }
  if (space == Space::shared && address % bytes == 0) {
    if (std::byte* remote = remote_shared(w, address, bytes)) {
      if (w.observer != nullptr)
        w.observer->tell<&Check::atomic>(w, i, space, lane, address, bytes,
                                         i.d != Instruction::kNone);
      return remote;
    }
  }
  record_fault(w, i, space, lane, address, bytes, true);
  return nullptr;
}

// The addresses of all lanes.
template <typename T>
void addresses(const Lanes& w, const Instruction& i, u64 (&at)[32]) {
  const std::byte* base = w.registers + i.address;
  for (int lane = 0; lane < 32; ++lane) {
    T address;
    __builtin_memcpy(&address, base + lane * static_cast<int>(sizeof address), sizeof address);
    at[lane] = address + static_cast<u64>(i.imm);
  }
}

// Those of all lanes, which mostly lie within the region that the instruction met last.
void locate(Lanes& w, const Instruction& i, u32 bytes, Places& places) {
  u64 at[32];
  i.address_narrow ? addresses<u32>(w, i, at) : addresses<u64>(w, i, at);
  const Space space = i.space;
  const Region region = space == Space::shared   ? w.objects[i.object]
                        : space == Space::global ? w.sites[i.site]
                                                 : Region{};
  // Sizes are below 2^63: an offset beyond the last one, or the distance to it, has a sign.
  const u64 last = region.size - bytes;
  u64 outside = 0, odd = 0;
  const auto look = [&](int lane) {
    const u64 offset = at[lane] - region.begin;
    outside |= offset | (last - offset);
    odd |= at[lane];
  };
  if (w.mask == 0xffffffff) {
    for (int lane = 0; lane < 32; ++lane) look(lane);
  } else {
    for (u32 rest = w.mask; rest != 0; rest &= rest - 1) look(__builtin_ctz(rest));
  }
  if (region.host == nullptr || region.size < bytes || outside >> 63 != 0 ||
      (odd & (bytes - 1)) != 0) {
    for (u32 rest = w.mask; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<u32>(__builtin_ctz(rest));
      places.host[lane] = locate(w, i, lane, at, bytes, places);
    }
    return;
  }
  (space == Space::shared ? places.shared : places.global) = w.mask;
  places.whole = space == Space::shared && w.mask == 0xffffffff;
  if (w.observer != nullptr) w.observer->atomics(w, i, space, w.mask, at, bytes);
  const u64 host = reinterpret_cast<u64>(region.host) - region.begin;
  for (int lane = 0; lane < 32; ++lane)
    places.host[lane] = reinterpret_cast<std::byte*>(host + at[lane]);
}

// The offsets of all lanes' places in the region of an instruction whose addresses, of 32 bits, lie
// in shared memory. Returns false, with nothing done, if some lanes are not in the region.
WARPMARK_INLINE bool locate_shared(Lanes& w, const Instruction& i, u32 bytes, u32 (&offsets)[32]) {
  const Region& region = w.objects[i.object];
  const u64 least = region.begin - static_cast<u64>(i.imm);  // what a register has for offset 0
  if (region.size < bytes || region.size >> 31 != 0 || least >> 31 != 0) return false;
  const auto first = static_cast<u32>(least), last = static_cast<u32>(region.size) - bytes;
  u32 addresses[32];
  __builtin_memcpy(addresses, w.registers + i.address, sizeof addresses);
  u32 outside = 0, odd = static_cast<u32>(region.begin);
  for (int lane = 0; lane < 32; ++lane) {
    const u32 offset = offsets[lane] = addresses[lane] - first;
    outside |= offset | (last - offset);  // sizes are below 2^31
    odd |= offset;
  }
  if (outside >> 31 != 0 || (odd & (bytes - 1)) != 0) return false;
  if (w.observer != nullptr) {
    u64 at[32];
    for (int lane = 0; lane < 32; ++lane) at[lane] = region.begin + offsets[lane];
    w.observer->atomics(w, i, Space::shared, w.mask, at, bytes);
  }
  return true;
}

__extension__ typedef unsigned __int128 b128;

template <typename T>
struct WordOf {
  using type = u32;
};
template <typename T>
requires(sizeof(T) == 8) struct WordOf<T> {
  using type = u64;
};
template <typename T>
requires(sizeof(T) == 2) struct WordOf<T> {
  using type = u16;
};

// PTX ISA: atom.add.f32 flushes subnormals on global memory without .noftz, and not on shared memory.
template <typename Op>
constexpr bool kFlushes = true;

template <typename Op, typename T>
T atomic_value(T old, T b, T c, bool global) {
  T value = Op::apply(old, b, c);
  if constexpr (__is_same(T, f32)) {
    value = global && kFlushes<Op> ? flush(quiet(flush(old) + flush(b))) : quiet(value);
  } else if constexpr (__is_same(T, f64)) {
    value = quiet(value, old, b);
  }
  return value;
}

// Changes one element, and returns what was there.
template <typename Op, typename T>
WARPMARK_INLINE T change(LaunchState& launch, std::byte* host, bool global, T b, T c) {
  if (global && launch.turns != nullptr && launch.program.ordered && !launch.in_turn)
    launch.turns->wait(launch);
  T old;
  if (!global || !launch.parallel) {
    __builtin_memcpy(&old, host, sizeof old);
    const T value = atomic_value<Op>(old, b, c, global);
    __builtin_memcpy(host, &value, sizeof value);
  } else if constexpr (sizeof(T) == 16) {
    // The __atomic functions of 16 bytes are a library's; these are one instruction, which every
    // processor of x86-64-v2 has.
    auto* word = reinterpret_cast<T*>(host);
    T seen = __sync_val_compare_and_swap(word, T{0}, T{0});
    do {
      old = seen;
      seen = __sync_val_compare_and_swap(word, old, atomic_value<Op>(old, b, c, true));
    } while (seen != old);
  } else {
    using Word = typename WordOf<T>::type;
    auto* word = reinterpret_cast<Word*>(host);
    Word before = __atomic_load_n(word, __ATOMIC_RELAXED), after;
    do {
      old = __builtin_bit_cast(T, before);
      after = __builtin_bit_cast(Word, atomic_value<Op>(old, b, c, true));
    } while (!__atomic_compare_exchange_n(word, &before, after, false, __ATOMIC_ACQ_REL,
                                          __ATOMIC_RELAXED));
  }
  return old;
}

void count_generic(Lanes& w, const Instruction& i, const Places& places) {
  if (i.space == Space::generic)
    Counting<NoObserver>::on_generic<Traffic::atomic>(w, i, places.global, 0, places.shared);
}

template <typename Op, typename T>
void atomic(Lanes& w, const Instruction& i) {
  LaunchState& launch = w.block->launch();
  const std::byte* const registers = w.registers;
  const bool returns = i.d != Instruction::kNone;
  const u32 a = i.a, b = i.b, d = i.d;
  if (u32 offsets[32]; i.space == Space::shared && i.address_narrow && w.mask == 0xffffffff &&
                       locate_shared(w, i, sizeof(T), offsets)) {
    std::byte* const host = w.objects[i.object].host;
    const auto change_at = [&](u32 lane) {  // nobody else sees shared memory meanwhile
      return change<Op, T>(launch, host + offsets[lane], false, read_lane<T>(registers, a, lane),
                           read_lane<T>(registers, b, lane));
    };
    if (i.d == Instruction::kNone) {
      for (u32 lane = 0; lane < 32; ++lane) change_at(lane);
    } else {
      for (u32 lane = 0; lane < 32; ++lane) write_lane<T>(w.registers, d, lane, change_at(lane));
    }
    return;
  }
  Places places;
  locate(w, i, sizeof(T), places);
  const u32 global = places.global;
  if (places.whole) {  // nobody else sees shared memory meanwhile
    for (u32 lane = 0; lane < 32; ++lane) {
      const T old =
          change<Op, T>(launch, places.host[lane], false, read_lane<T>(registers, a, lane),
                        read_lane<T>(registers, b, lane));
      if (returns) write_lane<T>(w.registers, d, lane, old);
    }
    return;
  }
  for (u32 rest = w.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<u32>(__builtin_ctz(rest));
    std::byte* host = places.host[lane];
    T old{};
    if (host != nullptr)
      old = change<Op, T>(launch, host, (global >> lane & 1) != 0, read_lane<T>(registers, a, lane),
                          read_lane<T>(registers, b, lane));
    if (returns) write_lane<T>(w.registers, d, lane, old);
  }
  count_generic(w, i, places);
}

// 128 bits are in two registers, the lower half in the first.
template <typename T>
T read_element(const Lanes& w, const u32* slots, u32 lane) {
  if constexpr (sizeof(T) == 16)
    return T{read_lane<u64>(w.registers, slots[1], lane)} << 64 |
           read_lane<u64>(w.registers, slots[0], lane);
  else
    return read_lane<T>(w.registers, slots[0], lane);
}
template <typename T>
void write_element(Lanes& w, const u32* slots, u32 lane, T value) {
  if (slots[0] == Instruction::kNone) return;
  if constexpr (sizeof(T) == 16) {
    write_lane<u64>(w.registers, slots[0], lane, static_cast<u64>(value));
    write_lane<u64>(w.registers, slots[1], lane, static_cast<u64>(value >> 64));
  } else {
    write_lane<T>(w.registers, slots[0], lane, value);
  }
}

template <typename Op, typename T>
void wide_atomic(Lanes& w, const Instruction& i) {
  constexpr u32 kSlots = sizeof(T) == 16 ? 2 : 1, kMost = 8;
  const u32 elements = i.count / kSlots;
  const u32 *d = w.operands + i.more, *a = d + i.count, *b = a + i.count;
  Places places;
  locate(w, i, i.cost, places);
  for (u32 rest = w.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<u32>(__builtin_ctz(rest));
    std::byte* host = places.host[lane];
    T old[kMost] = {};  // registers may be both read and written
    for (u32 e = 0; e < elements && host != nullptr; ++e)
      old[e] = change<Op, T>(
          w.block->launch(), host + e * sizeof(T), (places.global >> lane & 1) != 0,
          read_element<T>(w, a + e * kSlots, lane), read_element<T>(w, b + e * kSlots, lane));
    for (u32 e = 0; e < elements; ++e) write_element<T>(w, d + e * kSlots, lane, old[e]);
  }
  count_generic(w, i, places);
}

// The elements of a bulk reduction, one after the other.
template <typename Op, typename T>
void combine(LaunchState& launch, std::byte* to, const std::byte* from, u32 bytes, bool global) {
  for (u32 at = 0; at + sizeof(T) <= bytes; at += sizeof(T)) {
    T value;
    __builtin_memcpy(&value, from + at, sizeof value);
    change<Op, T>(launch, to + at, global, value, value);
  }
}

template <Opcode Mode>
void shuffle(Lanes& w, const Instruction& i) {
  u32 values[32];
  __builtin_memcpy(values, w.registers + i.a, sizeof values);
  u32 results[32] = {}, valid = 0;
  for (u32 rest = w.mask; rest != 0; rest &= rest - 1) {
    const int lane = __builtin_ctz(rest);
    const ShuffleSource source =
        shuffle_source(Mode, static_cast<u32>(lane), lanes32(w, i.b)[lane], lanes32(w, i.c)[lane]);
    auto j = static_cast<int>(source.lane);
    // The value of a lane that takes no part is undefined; its own is as good as any.
    if ((w.mask >> j & 1) == 0) j = lane;
    results[lane] = values[j];
    valid |= static_cast<u32>(source.in_range) << lane;
  }
  for (u32 rest = w.mask; rest != 0; rest &= rest - 1) {
    const int lane = __builtin_ctz(rest);
    lanes32(w, i.d)[lane] = results[lane];
  }
  if (i.predicate != Instruction::kNone) {
    write_predicate(w.registers, i.predicate, w.mask, valid);
  }
}

enum class Vote { all, any, uni, ballot };

template <Vote Mode>
void vote(Lanes& w, const Instruction& i) {
  const u32 predicate = i.negated ? ~*lanes32(w, i.a) : *lanes32(w, i.a);
  u32 results = 0;
  for (u32 rest = w.mask; rest != 0; rest &= rest - 1) {
    const int lane = __builtin_ctz(rest);
    const u32 members = lanes32(w, i.b)[lane] & w.mask;
    const u32 yes = predicate & members;
    if constexpr (Mode == Vote::ballot) {
      lanes32(w, i.d)[lane] = yes;
    } else {
      const bool result = Mode == Vote::all   ? yes == members
                          : Mode == Vote::any ? yes != 0
                                              : yes == members || yes == 0;
      results |= static_cast<u32>(result) << lane;
    }
  }
  if constexpr (Mode != Vote::ballot) {
    write_predicate(w.registers, i.d, w.mask, results);
  }
}

template <typename Combine>
void reduce(Lanes& w, const Instruction& i, Combine combine) {
  u32 values[32];
  __builtin_memcpy(values, w.registers + i.a, sizeof values);
  for (u32 rest = w.mask; rest != 0; rest &= rest - 1) {
    const int lane = __builtin_ctz(rest);
    u32 members = lanes32(w, i.b)[lane] & w.mask;
    if (members == 0) continue;
    u32 result = values[__builtin_ctz(members)];
    for (members &= members - 1; members != 0; members &= members - 1)
      result = combine(result, values[__builtin_ctz(members)]);
    lanes32(w, i.d)[lane] = result;
  }
}

#define REDUCE(name, expression)                                  \
  void name(Lanes& w, const Instruction& i) {                     \
    reduce(w, i, [](u32 a, u32 b) -> u32 { return expression; }); \
  }
REDUCE(redux_add, a + b)
REDUCE(redux_min_u, a < b ? a : b)
REDUCE(redux_max_u, a > b ? a : b)
REDUCE(redux_min_s, static_cast<s32>(a) < static_cast<s32>(b) ? a : b)
REDUCE(redux_max_s, static_cast<s32>(a) > static_cast<s32>(b) ? a : b)
REDUCE(redux_and, a& b)
REDUCE(redux_or, a | b)
REDUCE(redux_xor, a ^ b)
#undef REDUCE

// PTX ISA, redux.sync: NaNs are left out, unless .NaN says otherwise or there is nothing else, and
// -0 is less than +0.
void redux_real(Lanes& w, const Instruction& i) {
  const auto form = i.form<RealReduction>();
  constexpr u32 kSign = 0x80000000, kNan = 0x7fffffff;
  const auto read = [&](u32 value) { return form.absolute ? value & ~kSign : value; };
  const auto is_nan = [](u32 value) { return (value & ~kSign) > 0x7f800000; };
  // Patterns in the order of the numbers.
  const auto rank = [](u32 value) { return (value & kSign) != 0 ? ~value : value | kSign; };
  u32 values[32];
  __builtin_memcpy(values, w.registers + i.a, sizeof values);
  for (u32 rest = w.mask; rest != 0; rest &= rest - 1) {
    const int lane = __builtin_ctz(rest);
    u32 result = kNan;
    bool spoilt = false;
    for (u32 members = lanes32(w, i.b)[lane] & w.mask; members != 0; members &= members - 1) {
      const u32 value = read(values[__builtin_ctz(members)]);
      if (is_nan(value)) {
        spoilt = true;
        continue;
      }
      const bool better = form.largest ? rank(value) > rank(result) : rank(value) < rank(result);
      if (is_nan(result) || better) result = value;
    }
    lanes32(w, i.d)[lane] = spoilt && form.nan ? kNan : result;
  }
}

template <typename T, bool All>
void match(Lanes& w, const Instruction& i) {
  T values[32];
  __builtin_memcpy(values, w.registers + i.a, sizeof values);
  u32 agree = 0;
  for (u32 rest = w.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<u32>(__builtin_ctz(rest));
    const u32 members = lanes32(w, i.b)[lane] & w.mask;
    u32 equal = 0;
    for (u32 others = members; others != 0; others &= others - 1) {
      const int other = __builtin_ctz(others);
      equal |= static_cast<u32>(values[other] == values[lane]) << other;
    }
    const bool all = equal == members;
    agree |= static_cast<u32>(all) << lane;
    if (i.d != Instruction::kNone) lanes32(w, i.d)[lane] = All && !all ? 0 : equal;
  }
  if (All && i.predicate != Instruction::kNone) {
    write_predicate(w.registers, i.predicate, w.mask, agree);
  }
}

// Time is what has been executed, so that it is the same in every run; each look takes some.
void read_clock(Lanes& w, const Instruction& i) {
  LaunchState& launch = w.block->launch();
  const u64 now = launch.warp_instructions + ++launch.clock_reads;
  for (u32 rest = w.mask; rest != 0; rest &= rest - 1)
    write_lane<u64>(w.registers, i.d, static_cast<u32>(__builtin_ctz(rest)), now);
}

void active_mask(Lanes& w, const Instruction& i) {
  for (u32 rest = w.mask; rest != 0; rest &= rest - 1)
    lanes32(w, i.d)[__builtin_ctz(rest)] = w.mask;
}

// Warps execute one access after another, so every access is ordered and visible already.
void fence(Lanes& w, const Instruction& i) {
  if (w.observer != nullptr) w.observer->tell<&Check::fence>(w, i);
}

#define ATOMIC(id, T, names, ...)                                                        \
  struct id##_op {                                                                       \
    static T apply([[maybe_unused]] T old, [[maybe_unused]] T b, [[maybe_unused]] T c) { \
      return (__VA_ARGS__);                                                              \
    }                                                                                    \
  };
#include "program/atomics.def"
template <>
constexpr bool kFlushes<atom_add_noftz_f32_op> = false;
template <>
constexpr bool kFlushes<atom_vector_add_noftz_f32_op> = false;

}  // namespace

Reduction reduction_by(Opcode atomic) {
  switch (atomic) {
#define ATOMIC(id, T, names, ...) \
  case Opcode::id:                \
    return combine<id##_op, T>;
#include "program/atomics.def"
    default:
      return nullptr;
  }
}

void fill_exchange(HandlerTable& table) {
#define ATOMIC(id, T, names, ...) table.set(Opcode::id, atomic<id##_op, T>);
#define WIDE_ATOMIC(id, T, names, ...) table.set(Opcode::id, wide_atomic<id##_op, T>);
#include "program/atomics.def"
  table.set(Opcode::shfl_up, shuffle<Opcode::shfl_up>);
  table.set(Opcode::shfl_down, shuffle<Opcode::shfl_down>);
  table.set(Opcode::shfl_bfly, shuffle<Opcode::shfl_bfly>);
  table.set(Opcode::shfl_idx, shuffle<Opcode::shfl_idx>);
  table.set(Opcode::vote_all, vote<Vote::all>);
  table.set(Opcode::vote_any, vote<Vote::any>);
  table.set(Opcode::vote_uni, vote<Vote::uni>);
  table.set(Opcode::vote_ballot, vote<Vote::ballot>);
  table.set(Opcode::redux_add, redux_add);
  table.set(Opcode::redux_min_u, redux_min_u);
  table.set(Opcode::redux_max_u, redux_max_u);
  table.set(Opcode::redux_min_s, redux_min_s);
  table.set(Opcode::redux_max_s, redux_max_s);
  table.set(Opcode::redux_and, redux_and);
  table.set(Opcode::redux_or, redux_or);
  table.set(Opcode::redux_xor, redux_xor);
  table.set(Opcode::redux_real, redux_real);
  table.set(Opcode::match_any_32, match<u32, false>);
  table.set(Opcode::match_any_64, match<u64, false>);
  table.set(Opcode::match_all_32, match<u32, true>);
  table.set(Opcode::match_all_64, match<u64, true>);
  table.set(Opcode::read_clock, read_clock);
  table.set(Opcode::active_mask, active_mask);
  table.set(Opcode::prefetch, [](Lanes&, const Instruction&) {});
  table.set(Opcode::fence, fence);
}

}  // namespace warpmark::cpu
