// Moves the data of a warp's accesses between memory and registers.
// Compiled once for each WARPMARK_ISA; see memory/levels.hpp for what that forbids.
#pragma once

#include "machine/numerics.hpp"
#include "memory/lanes.hpp"

namespace warpmark::cpu::WARPMARK_ISA {

typedef u32 __attribute__((may_alias)) Raw32;
typedef u64 __attribute__((may_alias)) Raw64;
template <int Bits>
struct RegisterOf {
  using type = Raw32;
};
template <>
struct RegisterOf<64> {
  using type = Raw64;
};

template <typename M>
WARPMARK_INLINE M read(const std::byte* from) {
  M value;
  __builtin_memcpy(&value, from, sizeof value);
  return value;
}
template <typename M>
WARPMARK_INLINE void write(std::byte* to, M value) {
  __builtin_memcpy(to, &value, sizeof value);
}
// Signed memory types extend their sign to the whole register.
template <typename R, typename M>
WARPMARK_INLINE R extend(M value) {
  if constexpr (Limits<M>::is_signed)
    return static_cast<R>(static_cast<s64>(value));
  else
    return static_cast<R>(value);
}

constexpr int kMostElements = 8;

// Where the registers of the elements are; `gathered` holds them if there are several.
WARPMARK_INLINE const u32* data_slots(const Lanes& w, const Instruction& i,
                                      u32 (&gathered)[kMostElements]) {
  if (i.count == 1) return &i.d;
  gathered[0] = i.d;
  gathered[1] = i.a;
  gathered[2] = i.b;
  gathered[3] = i.c;
  for (int element = 4; element < i.count; ++element)
    gathered[element] = w.operands[i.more + static_cast<u32>(element) - 4];
  return gathered;
}

// Host memory by address: that of lane L and address A is at base + L * stride + A. (Integers: the
// base of a region that begins far from 0 is no pointer.)
struct HostPlaces {
  u64 base, stride;
};
WARPMARK_INLINE HostPlaces places_in(const Region& region, u64 stride = 0) {
  return {reinterpret_cast<u64>(region.host) - region.begin, stride};
}
WARPMARK_INLINE std::byte* place_at(const HostPlaces& places, int lane, u64 address) {
  return reinterpret_cast<std::byte*>(places.base + static_cast<u64>(lane) * places.stride +
                                      address);
}

// Moves data between memory and registers once the places of an access are known. Only this depends
// on the types: M in memory, R of a lane's register.
template <typename M, typename R>
struct Moves {
  WARPMARK_INLINE void load(R& data, const std::byte* from) { data = extend<R, M>(read<M>(from)); }
  WARPMARK_INLINE void store(R& data, std::byte* to) { write<M>(to, static_cast<M>(data)); }

  // 32 vectors of `Count` elements, beside each other in memory.
  template <bool Store, int Count>
  WARPMARK_INLINE void vectors(Lanes& w, const u32* slots, std::byte* host) {
    for (int element = 0; element < Count; ++element) {
      if (slots[element] == Instruction::kNone) continue;
      R* data = static_cast<R*>(__builtin_assume_aligned(w.registers + slots[element], 64));
      std::byte* at = host + element * sizeof(M);
      WARPMARK_NO_DEPENDENCES for (int lane = 0; lane < 32; ++lane) {
        std::byte* place = at + lane * (Count * sizeof(M));
        Store ? store(data[lane], place) : load(data[lane], place);
      }
    }
  }
  template <bool Store>
  static void contiguous(Lanes& w, const Instruction& i, std::byte* host) {
    if (i.count == 1) return vectors<Store, 1>(w, &i.d, host);
    u32 gathered[kMostElements];
    const u32* slots = data_slots(w, i, gathered);
    if (i.count == 2)
      vectors<Store, 2>(w, slots, host);
    else if (i.count == 4)
      vectors<Store, 4>(w, slots, host);
    else if constexpr (sizeof(M) == 4 && sizeof(R) == 4)  // .v8 is of 32-bit types alone
      vectors<Store, 8>(w, slots, host);
  }

  // All lanes of `mask` load one place.
  static void broadcast(Lanes& w, const Instruction& i, const std::byte* host, u32 mask) {
    u32 gathered[kMostElements];
    const u32* slots = data_slots(w, i, gathered);
    for (int element = 0; element < i.count; ++element) {
      if (slots[element] == Instruction::kNone) continue;
      R value;
      load(value, host + element * sizeof(M));
      R* data = reinterpret_cast<R*>(w.registers + slots[element]);
      if (mask == 0xffffffff) {
        for (int lane = 0; lane < 32; ++lane) data[lane] = value;
        continue;
      }
      for (int lane = 0; lane < 32; ++lane)
        data[lane] = (mask >> lane & 1) != 0 ? value : data[lane];
    }
  }

#ifdef __AVX512F__
  typedef u32 Eight __attribute__((vector_size(32), aligned(1), may_alias));
  typedef u32 Sixteen __attribute__((vector_size(64), may_alias));
  WARPMARK_INLINE Eight load_eight(const std::byte* place, bool at_one) {
    if (at_one) return Eight{} + read<u32>(place);
    return *reinterpret_cast<const Eight*>(place);
  }
  // Two groups of eight lanes.
  WARPMARK_INLINE void load_halves(void* data, const HostPlaces& places, const u64* starts,
                                   u32 at_one) {
    const Eight low = load_eight(place_at(places, 0, starts[0]), (at_one & 1) != 0);
    const Eight high = load_eight(place_at(places, 0, starts[1]), (at_one & 2) != 0);
    *static_cast<Sixteen*>(data) =
        __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  }
#endif

  // A full warp's loads where LanePlaces::halves says how; false, with nothing done, if it does not.
  WARPMARK_INLINE bool halves([[maybe_unused]] Lanes& w, [[maybe_unused]] const Instruction& i,
                              [[maybe_unused]] const HostPlaces& host,
                              [[maybe_unused]] const LanePlaces& places) {
#ifdef __AVX512F__
    if constexpr (sizeof(M) == 4 && sizeof(R) == 4) {
      if (places.halves == 0 || i.count != 1 || i.d == Instruction::kNone) return false;
      auto* data = reinterpret_cast<Sixteen*>(w.registers + i.d);
      for (int half = 0; half < 2; ++half) {
        const std::byte* place = place_at(host, 0, places.starts[2 * half]);
        data[half] = places.halves == 1 ? Sixteen{} + read<u32>(place) : read<Sixteen>(place);
      }
      return true;
    }
#endif
    return false;
  }

  // Eight lanes whose places are `step` bytes apart, or that load one place.
  template <bool Store>
  WARPMARK_INLINE void row(R* data, std::byte* place, u64 step, bool at_one) {
    if (!Store && at_one) {
      R value;
      load(value, place);
      for (int lane = 0; lane < 8; ++lane) data[lane] = value;
    } else if (step == sizeof(M)) {
      WARPMARK_NO_DEPENDENCES for (int lane = 0; lane < 8; ++lane) {
        std::byte* at_lane = place + static_cast<u64>(lane) * sizeof(M);
        Store ? store(data[lane], at_lane) : load(data[lane], at_lane);
      }
    } else {
      for (int lane = 0; lane < 8; ++lane, place += step)
        Store ? store(data[lane], place) : load(data[lane], place);
    }
  }
  template <bool Store>
  [[gnu::noinline]] static void rows_of_vectors(Lanes& w, const Instruction& i, HostPlaces places,
                                                const u64* starts, u32 at_one) {
    u32 gathered[kMostElements];
    const u32* slots = data_slots(w, i, gathered);
    for (int element = 0; element < i.count; ++element, places.base += sizeof(M)) {
      if (slots[element] == Instruction::kNone) continue;
      R* data = static_cast<R*>(__builtin_assume_aligned(w.registers + slots[element], 64));
      for (int group = 0; group < 4; ++group)
        row<Store>(data + 8 * group, place_at(places, 0, starts[group]), u64{i.count} * sizeof(M),
                   (at_one >> group & 1) != 0);
    }
  }
  // The groups of a full warp's lanes begin at `starts`; those of `at_one` load one place.
  template <bool Store>
  static void rows(Lanes& w, const Instruction& i, HostPlaces places, const u64* starts,
                   u32 at_one) {
    if (i.count != 1) return rows_of_vectors<Store>(w, i, places, starts, at_one);
    if (i.d == Instruction::kNone) return;
    R* data = static_cast<R*>(__builtin_assume_aligned(w.registers + i.d, 64));
#ifdef __AVX512F__
    // A register is read by 64 bytes, which the processor takes from one store, not from two.
    if constexpr (!Store && sizeof(M) == 4 && sizeof(R) == 4) {
      load_halves(data, places, starts, at_one);
      load_halves(data + 16, places, starts + 2, at_one >> 2);
      return;
    }
#endif
    for (int group = 0; group < 4; ++group)
      row<Store>(data + 8 * group, place_at(places, 0, starts[group]), sizeof(M),
                 (at_one >> group & 1) != 0);
  }

  // Lane L of `mask` accesses the place of at[L].
  template <bool Store>
  static void scattered(Lanes& w, const Instruction& i, HostPlaces places, const u64* at,
                        u32 mask) {
    u32 gathered[kMostElements];
    const u32* slots = data_slots(w, i, gathered);
    for (int element = 0; element < i.count; ++element, places.base += sizeof(M)) {
      if (slots[element] == Instruction::kNone) continue;
      R* data = reinterpret_cast<R*>(w.registers + slots[element]);
      for (u32 rest = mask; rest != 0; rest &= rest - 1) {
        const int lane = __builtin_ctz(rest);
        std::byte* place = place_at(places, lane, at[lane]);
        Store ? store(data[lane], place) : load(data[lane], place);
      }
    }
  }
};

// The moves of one pair of types, for code that is the same for all of them.
struct Element {
  u32 bytes;  // in memory
  bool wide;  // the register has 64 bits
  void (*contiguous)(Lanes&, const Instruction&, std::byte*);
  void (*broadcast)(Lanes&, const Instruction&, const std::byte*, u32 mask);
  void (*rows)(Lanes&, const Instruction&, HostPlaces, const u64* starts, u32 at_one);
  void (*scattered)(Lanes&, const Instruction&, HostPlaces, const u64* at, u32 mask);
};
template <typename M, typename R, bool Store>
constexpr Element kElement = {sizeof(M),
                              sizeof(R) == 8,
                              Moves<M, R>::template contiguous<Store>,
                              Moves<M, R>::broadcast,
                              Moves<M, R>::template rows<Store>,
                              Moves<M, R>::template scattered<Store>};

}  // namespace warpmark::cpu::WARPMARK_ISA
