// Handlers that take registers apart and together, convert addresses, and apply guards.
// Compiled once for each WARPMARK_ISA; see numerics.hpp for what that forbids.
#include "inspect/policy.hpp"
#include "machine/handlers.hpp"
#include "machine/lane_loops.hpp"

namespace warpmark::cpu::WARPMARK_ISA {
namespace {

// mov.b64 %rd, {%r1, %r2} and the like; the first element is the least significant.
template <typename Part, bool Wide>
WARPMARK_INLINE void pack_lanes(Lanes& w, const Instruction& i) {
  using Whole = typename RawOf<Wide>::type;
  constexpr int shift = sizeof(Part) * 8;
  auto* whole = reinterpret_cast<Whole*>(w.registers + i.d);
  const u32 parts[4] = {i.a, i.b, i.c, i.e};
  for (int lane = 0; lane < 32; ++lane) {
    if ((w.mask >> lane & 1) == 0) continue;
    u64 value = 0;
    for (int part = 0; part < 4 && part < i.count; ++part) {
      value |= static_cast<u64>(static_cast<Part>(slot<u32>(w, parts[part])[lane]))
               << (part * shift);
    }
    whole[lane] = static_cast<Whole>(value);
  }
}
template <typename Part>
void pack(Lanes& w, const Instruction& i) {
  sizeof(Part) * i.count < 8 ? pack_lanes<Part, false>(w, i) : pack_lanes<Part, true>(w, i);
}

template <typename Part, bool Wide>
WARPMARK_INLINE void unpack_lanes(Lanes& w, const Instruction& i) {
  using Whole = typename RawOf<Wide>::type;
  constexpr int shift = sizeof(Part) * 8;
  alignas(64) Whole value[32];  // a copy: the source may be one of the results
  __builtin_memcpy(value, w.registers + i.e, sizeof value);
  const u32 parts[4] = {i.d, i.a, i.b, i.c};
  for (int part = 0; part < 4 && part < i.count; ++part) {
    if (parts[part] == Instruction::kNone) continue;
    Raw32* d = slot<u32>(w, parts[part]);
    for (int lane = 0; lane < 32; ++lane) {
      const u32 element = static_cast<Part>(static_cast<u64>(value[lane]) >> (part * shift));
      put<false, Raw32>(d, w.mask, lane, element);
    }
  }
}
template <typename Part>
void unpack(Lanes& w, const Instruction& i) {
  sizeof(Part) * i.count < 8 ? unpack_lanes<Part, false>(w, i) : unpack_lanes<Part, true>(w, i);
}

template <bool Add>
void window(Lanes& w, const Instruction& i) {
  Raw64* d = slot<u64>(w, i.d);
  const Raw64* a = slot<u64>(w, i.a);
  const auto base = static_cast<u64>(i.imm);
  const u32 mask = w.mask;
  WARPMARK_FOR_LANES put<false, Raw64>(d, mask, lane, Add ? a[lane] + base : a[lane] - base);
}

void is_space(Lanes& w, const Instruction& i) {
  constexpr u64 size = u64{16} << 20;  // Arena::kWindow
  const Raw64* a = slot<u64>(w, i.a);
  const bool global = i.space == Space::global;
  u32 result = 0;
  for (int lane = 0; lane < 32; ++lane) {
    const bool inside =
        global ? a[lane] - w.local_window >= 3 * size : a[lane] - static_cast<u64>(i.imm) < size;
    result |= static_cast<u32>(inside) << lane;
  }
  Raw32& d = mask_slot(w, i.d);
  d = (d & ~w.mask) | (result & w.mask);
}

template <typename P>
void guarded(Lanes& w, const Instruction& i) {
  const u32 all = w.mask;
  const u32 guard = mask_slot(w, i.guard);
  const u32 active = all & (i.guard_negated ? ~guard : guard);
  if (active == 0) return;
  P::on_guarded(w, i, active);
  w.mask = active;
  i.inner[active == 0xffffffff ? 1 : 0](w, i);
  w.mask = all;
}

}  // namespace

void fill_registers(HandlerTable& table) {
  table.set(Opcode::pack_8, pack<u8>);
  table.set(Opcode::unpack_8, unpack<u8>);
  table.set(Opcode::pack_16, pack<u16>);
  table.set(Opcode::pack_32, pack<u32>);
  table.set(Opcode::unpack_16, unpack<u16>);
  table.set(Opcode::unpack_32, unpack<u32>);
  table.set(Opcode::to_window, window<true>);
  table.set(Opcode::from_window, window<false>);
  table.set(Opcode::is_space, is_space);
  table.guarded = guarded<NoObserver>;
  table.guarded_counted = guarded<Counting<NoObserver>>;
}

}  // namespace warpmark::cpu::WARPMARK_ISA
