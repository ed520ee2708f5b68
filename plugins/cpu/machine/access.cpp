// Handlers of loads and stores: translation, bounds, and the fast paths for contiguous and equal
// addresses. Compiled once for each WARPMARK_ISA, for the accesses of WARPMARK_MEMORY_OPS.
#include "inspect/access_lanes.hpp"
#include "inspect/observer.hpp"
#include "machine/access_places.hpp"
#include "machine/handlers.hpp"
#include "machine/lane_moves.hpp"
#include "machine/numerics.hpp"
#include "memory/lane_groups.hpp"
#include "memory/lanes.hpp"

namespace warpmark::cpu::WARPMARK_ISA {
namespace {

// Returns whether the accesses of all lanes of `mask` lie within the region, and are aligned if
// `Aligned`.
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

void load_zero(Lanes& w, const Instruction& i, const Element& element, int lane) {
  u32 gathered[kMostElements];
  const u32* slots = data_slots(w, i, gathered);
  for (int k = 0; k < i.count; ++k) {
    if (slots[k] == Instruction::kNone) continue;
    write_lane(w.registers, slots[k], static_cast<u32>(lane), element.wide, 0);
  }
}

// Returns whether a lane's store leaves its memory unchanged.
bool stores_same(const Lanes& w, const Instruction& i, const Element& element, int lane,
                 const std::byte* host) {
  u32 gathered[kMostElements];
  const u32* slots = data_slots(w, i, gathered);
  for (int k = 0; k < i.count; ++k) {
    const u64 value = read_lane(w.registers, slots[k], static_cast<u32>(lane), element.wide);
    if (__builtin_memcmp(host + k * element.bytes, &value, element.bytes) != 0) return false;
  }
  return true;
}

// Follows the access of one lane, whatever calls for it; of shared memory of another block, too.
template <Space S, bool Store>
void inspect_closely(Lanes& w, const Instruction& i, const Element& element, int lane, u64 address,
                     const std::byte* host) {
  if constexpr (S == Space::param) return;
  BlockObserver& observer = *w.observer;
  const u32 bytes = element.bytes * i.count;
  if constexpr (Store) {
    const bool same = observer.compares() && stores_same(w, i, element, lane, host);
    observer.store(w, i, S, static_cast<u32>(lane), address, bytes, same);
  } else {
    observer.load(w, i, S, static_cast<u32>(lane), address, bytes);
  }
}

// One lane after the other, each in whatever region holds its address.
template <typename P, Space S, bool Store>
[[gnu::noinline]] void access_by_lane(Lanes& w, const Instruction& i, Region& region, const u64* at,
                                      u32 mask, const Element& element) {
  const u32 bytes = element.bytes * i.count;
  for (u32 rest = mask; rest != 0; rest &= rest - 1) {
    const int lane = __builtin_ctz(rest);
    const u64 address = at[lane];
    const bool aligned = !P::exact_bounds || (address & (bytes - 1)) == 0;
    bool good = aligned && inside(region, address, bytes);
    if (!good && aligned) {
      if constexpr (S == Space::global)
        good = P::exact_bounds && find_region(w, i, address, bytes, static_cast<u32>(lane));
      if constexpr (S == Space::shared) {
        if (std::byte* remote = remote_shared(w, address, bytes)) {
          if constexpr (P::inspects)
            inspect_closely<S, Store>(w, i, element, lane, address, remote);
          const Region of_other_block{address, bytes, remote};
          element.scattered(w, i, places_in(of_other_block), at, 1u << lane);
          continue;
        }
      }
    }
    // A faulty load gives 0, a faulty store does nothing, and the launch goes on to find more.
    if (!good) {
      if constexpr (S == Space::shared && !Store) {
        alignas(8) std::byte whole[64];
        if (aligned && record_read_past_end(w, i, static_cast<u32>(lane), address, bytes, whole)) {
          const Region here{address, bytes, whole};
          element.scattered(w, i, places_in(here), at, 1u << lane);
          continue;
        }
      }
      record_fault(w, i, S, static_cast<u32>(lane), address, bytes, Store);
      if (!Store) load_zero(w, i, element, lane);
      continue;
    }
    if (!P::template scattered<S, Store>(w, i, region, at, 1u << lane, bytes)) {
      const std::byte* host = region.host + (address - region.begin);
      inspect_closely<S, Store>(w, i, element, lane, address, host);
    }
    element.scattered(w, i, places_in(region), at, 1u << lane);
  }
}

// The region of an access; for global memory, the allocation that the instruction accessed last. A
// failure is recorded later, with the others of the warp.
template <typename P, Space S>
WARPMARK_INLINE Region& region_of(Lanes& w, const Instruction& i, u64 start, u32 bytes, int lane) {
  if constexpr (S == Space::shared) return w.objects[i.object];
  if constexpr (S != Space::global) return w.param;
  Region& region = w.sites[i.site];
  if (P::exact_bounds && !inside(region, start, bytes))
    find_region(w, i, start, bytes, static_cast<u32>(lane));
  return region;
}

// The address of a lane from its register and the offset that all lanes add.
template <typename T>
WARPMARK_INLINE u64 address_of(const T* base, int lane, u64 offset) {
  return static_cast<T>(read<T>(reinterpret_cast<const std::byte*>(base + lane)) + offset);
}
template <typename T>
WARPMARK_INLINE void addresses_of(const T* base, u64 offset, u64* at) {
  for (int lane = 0; lane < 32; ++lane) at[lane] = address_of(base, lane, offset);
}

// How the addresses of a full warp lie to each other.
template <typename T>
WARPMARK_INLINE void look_at(LanePlaces& places, const T* base, u32 bytes) {
  using Groups = LaneGroups<T>;
  const Groups groups = Groups::of(base, bytes);
  places.kind = static_cast<u8>(groups.kind);
  places.at_one = groups.at_one;
  places.starts[0] = places.first = places.last = address_of(base, 0, 0);
  places.odd = static_cast<u8>(places.first);
  places.object = Instruction::kNone;
  if (groups.kind != Groups::Kind::rows) return;
  for (int group = 1; group < Groups::kCount; ++group) {
    const u64 start = places.starts[group] = address_of(base, group * Groups::kLanes, 0);
    places.first = start < places.first ? start : places.first;
    places.last = start > places.last ? start : places.last;
    places.odd |= static_cast<u8>(start);
  }
}

// The offsets that leave all of these places in their region of shared memory.
template <typename Kind>
WARPMARK_INLINE void bound(LanePlaces& places, const Region& region, u32 object, u32 bytes) {
  const auto kind = static_cast<Kind>(places.kind);
  const u64 lanes = kind == Kind::contiguous ? 32 : kind == Kind::rows ? 8 : 1;
  const u64 all = places.last - places.first + lanes * bytes;
  if (kind == Kind::scattered || region.size < all) return;
  places.halves = 0;
  if (kind == Kind::rows) {
    const auto half = [&](int group) -> u8 {
      const u64 apart = places.starts[group + 1] - places.starts[group];
      const int at_one = places.at_one >> group & 3;
      return at_one == 3 && apart == 0 ? 1 : at_one == 0 && apart == u64{8} * bytes ? 2 : 0;
    };
    const u8 lower = half(0);
    places.halves = lower == half(2) ? lower : 0;
  }
  places.object = object;
  places.low = region.begin - places.first;
  places.span = region.size - all;
}

// The accesses of a full warp if they lie in a way that vectors move. Returns false, with nothing
// done, if they do not, or if some leave the region or need a closer look.
template <typename P, Space S, bool Store, typename T>
[[gnu::noinline]] bool access_groups(Lanes& w, const Instruction& i, const T* base, u64 offset,
                                     u32 number, const Element& element) {
  using Groups = LaneGroups<T>;
  using Kind = typename Groups::Kind;
  const u32 bytes = element.bytes * i.count;
  LanePlaces& places = w.places[number];
  if ((w.known_places >> number & 1) == 0) {
    look_at(places, base, bytes);
    if (number != 0) {
      w.known_places |= 1u << number;
      if (number > Instruction::kMostPlaces) w.lasting_places |= 1u << number;
      if constexpr (S == Space::shared) bound<Kind>(places, w.objects[i.object], i.object, bytes);
    }
  }
  const auto kind = static_cast<Kind>(places.kind);
  const u64 start = static_cast<T>(places.starts[0] + offset);
  const Region& region = region_of<P, S>(w, i, start, bytes, 0);
  const auto fits = [&](u64 from, u64 length) {
    return inside(region, from, length) && (!P::exact_bounds || (from & (bytes - 1)) == 0);
  };
  if (kind == Kind::contiguous) {
    w.out_of_order &= ~(u64{1} << (i.site % 64));
    if (!fits(start, 32 * u64{bytes}) ||
        !P::template contiguous<S, Store>(w, i, region, start, bytes))
      return false;
    element.contiguous(w, i, region.host + (start - region.begin));
    return true;
  }
  if (!Store && kind == Kind::broadcast) {
    if (!fits(start, bytes) || !P::template broadcast<S>(w, i, region, start, bytes, 0xffffffff))
      return false;
    element.broadcast(w, i, region.host + (start - region.begin), 0xffffffff);
    return true;
  }
  // Lanes that store to one place do so one after the other.
  if (kind != Kind::rows || (Store && places.at_one != 0)) return false;
  u64 starts[Groups::kCount], odd = 0;
  for (int group = 0; group < Groups::kCount; ++group) {
    starts[group] = static_cast<T>(places.starts[group] + offset);
    odd |= starts[group];
  }
  // All together, as if none were at one place; otherwise one after the other.
  const u64 first = places.first + offset,
            all = places.last - places.first + Groups::kLanes * bytes;
  if (!inside(region, first, all) || (P::exact_bounds && (odd & (bytes - 1)) != 0)) {
    for (int group = 0; group < Groups::kCount; ++group) {
      const u64 lanes = (places.at_one >> group & 1) != 0 ? 1 : Groups::kLanes;
      if (!fits(starts[group], lanes * bytes)) return false;
    }
  }
  if constexpr (Store) {
    if (!P::template store_rows<S>(w, i, region, starts, bytes)) return false;
  } else {
    if (!P::template rows<S>(w, i, region, starts, places.at_one, bytes)) return false;
  }
  element.rows(w, i, places_in(region), starts, places.at_one);
  return true;
}

// Returns whether all lanes of `mask` access one place.
WARPMARK_INLINE bool at_one_place(const u64* at, u32 mask, u64 start) {
  u64 different = 0;
  for (int lane = 0; lane < 32; ++lane) different |= (mask >> lane & 1) != 0 ? at[lane] ^ start : 0;
  return different == 0;
}

template <typename P, Space S, bool Store>
WARPMARK_INLINE void access_in(Lanes& w, const Instruction& i, const u64* at, u32 mask,
                               const Element& element) {
  const u32 bytes = element.bytes * i.count;
  const int first = __builtin_ctz(mask);
  const u64 start = at[first];
  Region& region = region_of<P, S>(w, i, start, bytes, first);
  if (!Store && at_one_place(at, mask, start) && (!P::exact_bounds || (start & (bytes - 1)) == 0) &&
      inside(region, start, bytes) && P::template broadcast<S>(w, i, region, start, bytes, mask)) {
    element.broadcast(w, i, region.host + (start - region.begin), mask);
  } else if (all_inside<P::exact_bounds>(region, at, mask, bytes) &&
             P::template scattered<S, Store>(w, i, region, at, mask, bytes)) {
    element.scattered(w, i, places_in(region), at, mask);
  } else {
    access_by_lane<P, S, Store>(w, i, region, at, mask, element);
  }
}

template <typename P, bool Store>
void access_local(Lanes& w, const Instruction& i, const u64* at, u32 mask, const Element& element) {
  const u32 bytes = element.bytes * i.count;
  const HostPlaces places = places_in(w.local, w.local.size);
  u32 good = mask;
  for (u32 rest = mask; rest != 0; rest &= rest - 1) {
    const int lane = __builtin_ctz(rest);
    const u64 offset = at[lane];
    if (inside(w.local, offset, bytes) && (!P::exact_bounds || (offset & (bytes - 1)) == 0)) {
      if constexpr (P::inspects)
        inspect_closely<Space::local, Store>(w, i, element, lane, offset,
                                             place_at(places, lane, offset));
    } else {
      good &= ~(1u << lane);
      record_fault(w, i, Space::local, static_cast<u32>(lane), offset, bytes, Store);
      if (!Store) load_zero(w, i, element, lane);
    }
  }
  element.scattered(w, i, places, at, good);
}

WARPMARK_INLINE void addresses(Lanes& w, const Instruction& i, u64* at) {
  const auto offset = static_cast<u64>(i.imm);
  if (i.address_narrow)
    addresses_of(reinterpret_cast<const Raw32*>(w.registers + i.address), offset, at);
  else
    addresses_of(reinterpret_cast<const Raw64*>(w.registers + i.address), offset, at);
}

// The accesses of any lanes, where all lie in one space.
template <typename P, Space S, bool Store>
WARPMARK_INLINE void access_part(Lanes& w, const Instruction& i, const u64* at, u32 mask,
                                 const Element& element) {
  if (mask != 0xffffffff || !access_groups<P, S, Store>(w, i, at, 0, 0, element))
    access_in<P, S, Store>(w, i, at, mask, element);
}

// Generic addresses: each lane's space is that of the window that its address lies in.
template <typename P, bool Store>
WARPMARK_INLINE void access_generic(Lanes& w, const Instruction& i, u64* at,
                                    const Element& element) {
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
  const auto [local, shared, param] = in_window;
  const u32 global = w.mask & ~(local | shared | param);
  P::template on_generic<Store ? Traffic::store : Traffic::load>(w, i, global, local, shared);
  if (global != 0) access_part<P, Space::global, Store>(w, i, at, global, element);
  if (local != 0) access_local<P, Store>(w, i, at, local, element);
  if (shared != 0) access_part<P, Space::shared, Store>(w, i, at, shared, element);
  if constexpr (Store) {
    for (u32 rest = param; rest != 0; rest &= rest - 1) {
      const int lane = __builtin_ctz(rest);
      record_fault(w, i, Space::param, static_cast<u32>(lane), at[lane], element.bytes * i.count,
                   true);
    }
  } else if (param != 0) {
    access_part<P, Space::param, false>(w, i, at, param, element);
  }
}

// The accesses of a full warp by a register; access_groups() says what it returns.
template <typename P, Space S, bool Store>
WARPMARK_INLINE bool access_whole(Lanes& w, const Instruction& i, const Element& element) {
  const auto offset = static_cast<u64>(i.imm);
  const std::byte* base = w.registers + i.address;
  if constexpr (S != Space::global) {  // whose addresses are wide
    if (i.address_narrow)
      return access_groups<P, S, Store>(w, i, reinterpret_cast<const u32*>(base), offset,
                                        i.same_places, element);
  }
  return access_groups<P, S, Store>(w, i, reinterpret_cast<const u64*>(base), offset, i.same_places,
                                    element);
}

// Loads a variable or a parameter by its name. Returns false, with nothing done, if that leaves the
// region or needs a closer look.
template <typename P, Space S>
[[gnu::noinline]] bool load_variable(Lanes& w, const Instruction& i, const Element& element) {
  const u64 start = read<u64>(w.registers + i.address) + static_cast<u64>(i.imm);
  const u32 bytes = element.bytes * i.count;
  const Region& region = region_of<P, S>(w, i, start, bytes, __builtin_ctz(w.mask));
  if (!inside(region, start, bytes) || (P::exact_bounds && (start & (bytes - 1)) != 0) ||
      !P::template broadcast<S>(w, i, region, start, bytes, w.mask))
    return false;
  element.broadcast(w, i, region.host + (start - region.begin), w.mask);
  return true;
}

// An access to shared memory by a register that the block has looked at. Returns false, with nothing
// done, if it needs a closer look, as a store that is inspected does.
template <typename P, typename M, typename R, bool Store>
WARPMARK_INLINE bool access_again(Lanes& w, const Instruction& i) {
  using Kind = LaneGroups<u32>::Kind;
  const LanePlaces& places = w.places[i.same_places];
  const auto offset = static_cast<u64>(i.imm);
  if ((w.known_places >> i.same_places & 1) == 0 || places.object != i.object ||
      offset - places.low > places.span ||
      (P::exact_bounds && ((places.odd | offset) & (sizeof(M) * i.count - 1)) != 0))
    return false;
  if constexpr (!Store) {
    if (!P::again(w, i, places, offset, sizeof(M) * i.count)) return false;
  }
  HostPlaces host = places_in(w.objects[i.object]);
  host.base += offset;
  const auto kind = static_cast<Kind>(places.kind);
  if (kind == Kind::contiguous) {
    Moves<M, R>::template contiguous<Store>(w, i, place_at(host, 0, places.starts[0]));
  } else if (Store && (kind == Kind::broadcast || places.at_one != 0)) {
    return false;
  } else if (kind == Kind::broadcast) {
    Moves<M, R>::broadcast(w, i, place_at(host, 0, places.starts[0]), 0xffffffff);
  } else if (Store || !Moves<M, R>::halves(w, i, host, places)) {
    Moves<M, R>::template rows<Store>(w, i, host, places.starts, places.at_one);
  }
  return true;
}

// The access of a full warp to one element a lane, in the order of the lanes. Returns false, with
// nothing done, if they have no such order, leave the region, or need a closer look.
template <typename P, Space S, typename M, typename R, bool Store, typename T>
WARPMARK_INLINE bool access_in_order(Lanes& w, const Instruction& i, const T* base) {
  const u64 site = u64{1} << (i.site % 64);
  if ((w.out_of_order & site) != 0) return false;
  if (!LaneGroups<T>::in_order(base, sizeof(M))) {
    w.out_of_order |= site;
    return false;
  }
  const u64 start = address_of(base, 0, static_cast<u64>(i.imm));
  const Region& region = region_of<P, S>(w, i, start, sizeof(M), 0);
  if (!inside(region, start, 32 * sizeof(M)) ||
      (P::exact_bounds && (start & (sizeof(M) - 1)) != 0) ||
      !P::template contiguous<S, Store>(w, i, region, start, sizeof(M)))
    return false;
  Moves<M, R>::template vectors<Store, 1>(w, &i.d, region.host + (start - region.begin));
  return true;
}

// Accesses that lie in no way that vectors move, or that need a closer look.
template <typename P, Space S, bool Store>
[[gnu::noinline]] void access_any(Lanes& w, const Instruction& i, const Element& element) {
  alignas(64) u64 at[32];
  addresses(w, i, at);
  if constexpr (S == Space::local)
    access_local<P, Store>(w, i, at, w.mask, element);
  else if constexpr (S == Space::generic)
    access_generic<P, Store>(w, i, at, element);
  else
    access_in<P, S, Store>(w, i, at, w.mask, element);
}

template <typename P, Space S, typename M, typename R, bool Store>
void access(Lanes& w, const Instruction& i) {
  constexpr const Element& element = kElement<M, R, Store>;
  if constexpr (S == Space::shared && !(P::inspects && Store)) {
    if (i.same_places != 0 && access_again<P, M, R, Store>(w, i)) return;
  }
  if constexpr (S == Space::global || S == Space::shared || S == Space::param) {
    if (!Store && i.one_address && load_variable<P, S>(w, i, element)) return;
  }
  if constexpr (S == Space::global || S == Space::shared) {
    if (i.count == 1 && i.same_places == 0 && w.mask == 0xffffffff) {
      const std::byte* base = w.registers + i.address;
      const bool done =
          S == Space::shared && i.address_narrow
              ? access_in_order<P, S, M, R, Store>(w, i, reinterpret_cast<const Raw32*>(base))
              : access_in_order<P, S, M, R, Store>(w, i, reinterpret_cast<const Raw64*>(base));
      if (done) return;
    }
  }
  if constexpr (S == Space::global || S == Space::shared || S == Space::param) {
    if (w.mask == 0xffffffff && access_whole<P, S, Store>(w, i, element)) return;
  }
  access_any<P, S, Store>(w, i, element);
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
      return fill<Counting<ExactBounds>>(table);
    case Watch::everything:
      return fill<Counting<Inspect>>(table);
  }
}

}  // namespace warpmark::cpu::WARPMARK_ISA
