// Handlers of loads and stores: translation, bounds, and the fast paths for contiguous and equal
// addresses. Compiled once for each WARPMARK_ISA, for the accesses of WARPMARK_MEMORY_OPS.
#include "inspect/access_lanes.hpp"
#include "inspect/policy.hpp"
#include "machine/lanes.hpp"
#include "machine/numerics.hpp"

namespace warpmark::cpu::WARPMARK_ISA {
namespace {

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

WARPMARK_INLINE bool inside(const Region& region, u64 address, u64 bytes) {
  const u64 offset = address - region.begin;
  return offset <= region.size && bytes <= region.size - offset;
}

// Whether the accesses of all lanes of `mask` lie within the region, and are aligned if that
// counts.
template <bool Aligned>
[[gnu::noinline]] bool all_inside(const Region& region, const u64* at, u32 mask, u32 bytes) {
  if (region.size < bytes) return false;
  // Sizes are below 2^63: an offset beyond the last one, or the distance to it, has a sign.
  const u64 last = region.size - bytes, begin = region.begin;
  u64 outside = 0, odd = 0;
  for (int lane = 0; lane < 32; ++lane) {
    const u64 keep = (mask >> lane & 1) != 0 ? ~u64{0} : 0;
    const u64 offset = at[lane] - begin;
    outside |= (offset | (last - offset)) & keep;
    odd |= at[lane] & keep;
  }
  return outside >> 63 == 0 && (!Aligned || (odd & (bytes - 1)) == 0);
}

constexpr int kMostElements = 8;

WARPMARK_INLINE void data_slots(const Lanes& w, const Instruction& i, u32 (&slots)[kMostElements]) {
  slots[0] = i.d;
  slots[1] = i.a;
  slots[2] = i.b;
  slots[3] = i.c;
  for (int element = 4; element < i.count; ++element)
    slots[element] = w.operands[i.more + static_cast<u32>(element) - 4];
}

// One lane's access to host memory that has been checked.
template <typename M, typename R, bool Store>
WARPMARK_INLINE void transfer(Lanes& w, const Instruction& i, const u32* slots, int lane,
                              std::byte* host) {
  for (int element = 0; element < i.count; ++element) {
    if (slots[element] == Instruction::kNone) continue;
    R* data = reinterpret_cast<R*>(w.registers + slots[element]);
    if constexpr (Store)
      write<M>(host + element * sizeof(M), static_cast<M>(data[lane]));
    else
      data[lane] = extend<R, M>(read<M>(host + element * sizeof(M)));
  }
}

template <typename R>
WARPMARK_INLINE void zero(Lanes& w, const Instruction& i, const u32* slots, int lane) {
  for (int element = 0; element < i.count; ++element) {
    if (slots[element] == Instruction::kNone) continue;
    reinterpret_cast<R*>(w.registers + slots[element])[lane] = 0;
  }
}

// The 32 lanes touch one range, in order: one check, one copy.
template <typename M, typename R, bool Store>
WARPMARK_INLINE void transfer_all(Lanes& w, const Instruction& i, std::byte* host) {
  R* data = static_cast<R*>(__builtin_assume_aligned(w.registers + i.d, 64));
  WARPMARK_NO_DEPENDENCES for (int lane = 0; lane < 32; ++lane) {
    if constexpr (Store)
      write<M>(host + lane * sizeof(M), static_cast<M>(data[lane]));
    else
      data[lane] = extend<R, M>(read<M>(host + lane * sizeof(M)));
  }
}

// The same for vectors of `Count`, whose elements lie beside each other in memory.
template <typename M, typename R, bool Store, int Count>
WARPMARK_INLINE void transfer_vectors(Lanes& w, const u32* slots, std::byte* host) {
  for (int element = 0; element < Count; ++element) {
    if (slots[element] == Instruction::kNone) continue;
    R* data = static_cast<R*>(__builtin_assume_aligned(w.registers + slots[element], 64));
    std::byte* at = host + element * sizeof(M);
    WARPMARK_NO_DEPENDENCES for (int lane = 0; lane < 32; ++lane) {
      if constexpr (Store)
        write<M>(at + lane * (Count * sizeof(M)), static_cast<M>(data[lane]));
      else
        data[lane] = extend<R, M>(read<M>(at + lane * (Count * sizeof(M))));
    }
  }
}

// Follows the access of one lane, whatever calls for it; of shared memory of another block, too.
template <Space S, typename M, typename R, bool Store>
void inspect_closely(Lanes& w, const Instruction& i, const u32* slots, int lane, u64 address,
                     u32 bytes, const std::byte* host) {
  if constexpr (S == Space::param) return;
  BlockObserver& observer = *w.observer;
  if constexpr (Store) {
    bool same = observer.checks().race;
    for (int element = 0; same && element < i.count; ++element) {
      const R* data = reinterpret_cast<const R*>(w.registers + slots[element]);
      same = read<M>(host + element * sizeof(M)) == static_cast<M>(data[lane]);
    }
    observer.store(w, i, S, static_cast<u32>(lane), address, bytes, same);
  } else {
    observer.load(w, i, S, static_cast<u32>(lane), address, bytes);
  }
}

template <typename P, Space S, typename M, typename R, bool Store>
void access_in(Lanes& w, const Instruction& i, const u64* at, u32 mask) {
  const u32 bytes = static_cast<u32>(sizeof(M)) * i.count;
  u32 slots[kMostElements];
  data_slots(w, i, slots);
  const int first = __builtin_ctz(mask);
  // What the region is: for global memory the allocation that this instruction met last.
  Region& region = S == Space::global   ? w.sites[i.site]
                   : S == Space::shared ? w.objects[i.object]
                                        : w.param;
  if constexpr (S == Space::global) {
    // A failure is recorded below, with the others of this warp.
    if (P::exact_bounds && !inside(region, at[first], bytes)) find_region(w, i, at[first], bytes);
  }
  u64 scattered = 0, different = 0;
  const u64 start = at[first];
  for (int lane = 0; lane < 32; ++lane) {
    const u64 keep = (mask >> lane & 1) != 0 ? ~u64{0} : 0;
    scattered |= (at[lane] ^ (start + static_cast<u64>(lane - first) * bytes)) & keep;
    different |= (at[lane] ^ start) & keep;
  }
  const bool aligned = !P::exact_bounds || (start & (bytes - 1)) == 0;
  if (mask == 0xffffffff && scattered == 0 && aligned && inside(region, start, 32 * u64{bytes}) &&
      (!P::inspects || inspect_contiguous<S, Store>(w, i, region, start, bytes))) {
    std::byte* host = region.host + (start - region.begin);
    if (i.count == 1)
      transfer_all<M, R, Store>(w, i, host);
    else if (i.count == 2)
      transfer_vectors<M, R, Store, 2>(w, slots, host);
    else if (i.count == 4)
      transfer_vectors<M, R, Store, 4>(w, slots, host);
    else if constexpr (sizeof(M) == 4 && sizeof(R) == 4)  // .v8 is of 32-bit types alone
      transfer_vectors<M, R, Store, 8>(w, slots, host);
  } else if (!Store && different == 0 && aligned && inside(region, start, bytes) &&
             (!P::inspects || inspect_broadcast<S>(w, i, region, start, bytes, mask))) {
    const std::byte* host = region.host + (start - region.begin);
    for (int element = 0; element < i.count; ++element) {
      if (slots[element] == Instruction::kNone) continue;
      const R value = extend<R, M>(read<M>(host + element * sizeof(M)));
      R* data = reinterpret_cast<R*>(w.registers + slots[element]);
      for (int lane = 0; lane < 32; ++lane)
        data[lane] = (mask >> lane & 1) != 0 ? value : data[lane];
    }
  } else if (all_inside<P::exact_bounds>(region, at, mask, bytes) &&
             (!P::inspects ||
              (!Store && mask == 0xffffffff && inspect_rows<S>(w, i, region, at, bytes)) ||
              inspect_scattered<S, Store>(w, i, region, at, mask, bytes))) {
    for (u32 rest = mask; rest != 0; rest &= rest - 1) {
      const int lane = __builtin_ctz(rest);
      transfer<M, R, Store>(w, i, slots, lane, region.host + (at[lane] - region.begin));
    }
  } else {
    for (u32 rest = mask; rest != 0; rest &= rest - 1) {
      const int lane = __builtin_ctz(rest);
      const u64 address = at[lane];
      bool good =
          inside(region, address, bytes) && (!P::exact_bounds || (address & (bytes - 1)) == 0);
      if (!good) {
        if constexpr (S == Space::global) {
          good =
              P::exact_bounds && (address & (bytes - 1)) == 0 && find_region(w, i, address, bytes);
        }
        if constexpr (S == Space::shared) {
          std::byte* remote = P::exact_bounds && (address & (bytes - 1)) != 0
                                  ? nullptr
                                  : remote_shared(w, address, bytes);
          if (remote != nullptr) {
            if constexpr (P::inspects)
              inspect_closely<S, M, R, Store>(w, i, slots, lane, address, bytes, remote);
            transfer<M, R, Store>(w, i, slots, lane, remote);
            continue;
          }
        }
        if (!good) record_fault(w, i, S, static_cast<u32>(lane), address, bytes, Store);
      }
      if (P::inspects && good &&
          !inspect_scattered<S, Store>(w, i, region, at, 1u << lane, bytes)) {
        const std::byte* host = region.host + (address - region.begin);
        inspect_closely<S, M, R, Store>(w, i, slots, lane, address, bytes, host);
      }
      // A faulty load gives 0, a faulty store does nothing, and the launch goes on to find more.
      if (good)
        transfer<M, R, Store>(w, i, slots, lane, region.host + (address - region.begin));
      else if (!Store)
        zero<R>(w, i, slots, lane);
    }
  }
}

template <typename P, typename M, typename R, bool Store>
void access_local(Lanes& w, const Instruction& i, const u64* at, u32 mask) {
  const u32 bytes = static_cast<u32>(sizeof(M)) * i.count;
  u32 slots[kMostElements];
  data_slots(w, i, slots);
  for (u32 rest = mask; rest != 0; rest &= rest - 1) {
    const int lane = __builtin_ctz(rest);
    const u64 offset = at[lane];
    if (inside(w.local, offset, bytes) && (!P::exact_bounds || (offset & (bytes - 1)) == 0)) {
      std::byte* host = w.local.host + static_cast<u64>(lane) * w.local.size + offset;
      if constexpr (P::inspects)
        inspect_closely<Space::local, M, R, Store>(w, i, slots, lane, offset, bytes, host);
      transfer<M, R, Store>(w, i, slots, lane, host);
    } else {
      record_fault(w, i, Space::local, static_cast<u32>(lane), offset, bytes, Store);
      if (!Store) zero<R>(w, i, slots, lane);
    }
  }
}

WARPMARK_INLINE void addresses(Lanes& w, const Instruction& i, u64* at) {
  const auto offset = static_cast<u64>(i.imm);
  if (i.address_narrow) {
    const Raw32* base = reinterpret_cast<const Raw32*>(w.registers + i.address);
    for (int lane = 0; lane < 32; ++lane) at[lane] = (base[lane] + offset) & 0xffffffff;
  } else {
    const Raw64* base = reinterpret_cast<const Raw64*>(w.registers + i.address);
    for (int lane = 0; lane < 32; ++lane) at[lane] = base[lane] + offset;
  }
}

template <typename P, Space S, typename M, typename R, bool Store>
void access(Lanes& w, const Instruction& i) {
  alignas(64) u64 at[32];
  addresses(w, i, at);
  if constexpr (S == Space::local) {
    access_local<P, M, R, Store>(w, i, at, w.mask);
  } else if constexpr (S != Space::generic) {
    access_in<P, S, M, R, Store>(w, i, at, w.mask);
  } else {
    constexpr u64 size = u64{16} << 20;  // Arena::kWindow
    u32 in_window[3] = {0, 0, 0};        // local, shared, param
    for (u32 rest = w.mask; rest != 0; rest &= rest - 1) {
      const int lane = __builtin_ctz(rest);
      const u64 offset = at[lane] - w.local_window;
      if (offset < 3 * size) {
        in_window[offset / size] |= 1u << lane;
        at[lane] = offset % size;
      }
    }
    const u32 global = w.mask & ~(in_window[0] | in_window[1] | in_window[2]);
    P::template on_generic<Store ? Traffic::store : Traffic::load>(w, i, global, in_window[0],
                                                                   in_window[1]);
    if (global != 0) access_in<P, Space::global, M, R, Store>(w, i, at, global);
    if (in_window[0] != 0) access_local<P, M, R, Store>(w, i, at, in_window[0]);
    if (in_window[1] != 0) access_in<P, Space::shared, M, R, Store>(w, i, at, in_window[1]);
    if (in_window[2] != 0) {
      if constexpr (Store) {
        for (u32 rest = in_window[2]; rest != 0; rest &= rest - 1) {
          const int lane = __builtin_ctz(rest);
          record_fault(w, i, Space::param, static_cast<u32>(lane), at[lane], sizeof(M) * i.count,
                       true);
        }
      } else {
        access_in<P, Space::param, M, R, false>(w, i, at, in_window[2]);
      }
    }
  }
}

template <typename P>
void fill(HandlerTable& table) {
#define ACCESS_LOAD(space, memory, bits)                                                         \
  {                                                                                              \
    const Handler handler = access<P, Space::space, memory, RegisterOf<bits>::type, false>;      \
    table.rows[static_cast<int>(Opcode::load_##space##_##memory##_##bits)] = {handler, handler}; \
  }
#define ACCESS_STORE(space, memory, bits)                                                         \
  {                                                                                               \
    const Handler handler = access<P, Space::space, memory, RegisterOf<bits>::type, true>;        \
    table.rows[static_cast<int>(Opcode::store_##space##_##memory##_##bits)] = {handler, handler}; \
  }
#include WARPMARK_MEMORY_OPS
#undef ACCESS_LOAD
#undef ACCESS_STORE
}

}  // namespace

void fill_memory(HandlerTable& table, Watch watch) {
  switch (watch) {
    case Watch::nothing:
      return fill<Counting<NoObserver>>(table);
    case Watch::bounds:
      return fill<Counting<Memcheck>>(table);
    case Watch::everything:
#ifdef WARPMARK_INSPECTS
      return fill<Counting<Inspect>>(table);
#else
      return v3::fill_memory(table, watch);  // 64-bit comparisons gain little from wider vectors
#endif
  }
}

}  // namespace warpmark::cpu::WARPMARK_ISA
