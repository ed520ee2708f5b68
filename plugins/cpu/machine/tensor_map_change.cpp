// Changes of tensor maps by kernels: tensormap.replace and tensormap.cp_fenceproxy.
#include <algorithm>
#include <cstring>
#include <iterator>
#include <string>

#include "inspect/observer.hpp"
#include "machine/access_places.hpp"
#include "machine/async_places.hpp"
#include "machine/block.hpp"
#include "machine/handlers.hpp"
#include "machine/tensor_map.hpp"
#include "program/async_forms.hpp"

namespace warpmark::cpu {
namespace {

using Field = TensorMapField::Field;
constexpr std::uint32_t kMapAlignment = 64, kMapBytes = sizeof(TensorMap);

// Where a lane's map lies; null after recording the fault. It is read and written as a whole.
std::byte* locate_map(Lanes& w, const Instruction& i, Space space, std::uint32_t lane,
                      std::uint64_t address, bool store) {
  space = resolve_space(w, space, address);
  std::byte* map = locate_async(w, i, space, lane, address, kMapBytes, kMapAlignment, store);
  if (map == nullptr) return nullptr;
  if (w.traffic != nullptr) w.traffic->touch(space, address, kMapBytes);
  if (w.observer != nullptr) {
    w.observer->tell<&Check::touch>(w, i, space, lane, address, kMapBytes,
                                    store ? Touch::store : Touch::load);
    if (store && space == Space::shared) w.observer->tell<&Check::fill_shared>(address, kMapBytes);
  }
  return map;
}

// Numbers too great for a map stay too great for it: the next use of the map says what is wrong.
template <typename T>
void assign(T& field, std::uint64_t value) {
  constexpr std::uint64_t kMost = static_cast<T>(~T{0});
  field = static_cast<T>(std::min(value, kMost));
}

// The values of .elemtype are in another order than those of CUtensorMapDataType.
TensorMap::Type type_of(std::uint64_t value) {
  using Element = TensorMap::Type;
  constexpr Element kTypes[] = {Element::u8,      Element::u16, Element::u32,  Element::s32,
                                Element::u64,     Element::s64, Element::f16,  Element::f32,
                                Element::f32_ftz, Element::f64, Element::bf16, Element::tf32,
                                Element::tf32_ftz};
  return kTypes[std::min<std::uint64_t>(value, std::size(kTypes) - 1)];
}

void set_field(TensorMap& map, const TensorMapField& form, std::uint64_t value) {
  const std::uint32_t at = form.ordinal;
  switch (form.field) {
    case Field::global_address:
      map.address = value;
      break;
    case Field::rank:  // counts from zero
      assign(map.rank, (value & 0xffffffff) + 1);
      break;
    case Field::box_dim:
      assign(map.box[at], value);
      break;
    case Field::global_dim:  // 2^32 is no number of 32 bits, and 0 no size
      map.last[at] = static_cast<std::uint32_t>(value) - 1;
      break;
    case Field::global_stride:  // the last dimension of five has none behind it
      if (at < map.strides.size()) map.strides[at] = value;
      break;
    case Field::element_stride:  // in the first dimension every element is copied
      if (at > 0) assign(map.steps[at], value);
      break;
    case Field::elemtype:
      map.type = type_of(value);
      break;
    case Field::swizzle_mode:
      map.swizzle = static_cast<TensorMap::Swizzle>(value);
      break;
    case Field::fill_mode:
      map.nan_outside = static_cast<std::uint8_t>(value);
      break;
    case Field::interleave_layout:
      assign(map.interleave, value);
      break;
    case Field::swizzle_atomicity:  // the decoder takes only what every map has
      break;
  }
}

// A kernel may make a map of nothing but zeros: it replaces every field that it needs, as Triton does.
// In the first dimension every element is copied; other fields that it leaves are wrong, or zero.
bool begin_map(TensorMap& map, const std::byte* bytes) {
  const auto is_zero = [](std::byte one) { return one == std::byte{0}; };
  if (!std::all_of(bytes, bytes + kMapBytes, is_zero)) return false;
  map = TensorMap{};
  map.rank = 1;
  map.steps[0] = 1;
  return true;
}

void replace_in_map(Lanes& w, const Instruction& i) {
  const auto form = i.form<TensorMapField>();
  for_lanes(w, [&](std::uint32_t lane) {
    const auto address = read_lane<std::uint64_t>(w.registers, i.address, lane);
    std::byte* at = locate_map(w, i, i.space, lane, address, true);
    if (at == nullptr) return;
    TensorMap map;
    std::memcpy(static_cast<void*>(&map), at, kMapBytes);
    if (!begin_map(map, at) && (!map.is_sealed() || map.im2col != 0)) {
      Fault fault = w.block->fault(FaultKind::descriptor, i.statement, w.warp, 1u << lane);
      fault.message = map.is_sealed() ? "the tensor map cannot be changed: it was made for im2col, "
                                        "and .tile is of others"
                                      : "the tensor map cannot be changed: it was not made by "
                                        "cuTensorMapEncodeTiled of this device, or was changed "
                                        "otherwise since";
      w.block->launch().faults.add(fault);
      w.block->launch().stop = true;
      return;
    }
    set_field(map, form, read_lane<std::uint64_t>(w.registers, i.a, lane));
    map.make_seal();
    std::memcpy(at, &map, kMapBytes);
  });
}

// All lanes of the warp are of one mind; one of them copies.
void copy_map(Lanes& w, const Instruction& i) {
  if (w.mask == 0) return;
  const auto lane = static_cast<std::uint32_t>(__builtin_ctz(w.mask));
  const auto to = read_lane<std::uint64_t>(w.registers, i.address, lane),
             from = read_lane<std::uint64_t>(w.registers, i.a, lane);
  const std::byte* source = locate_map(w, i, Space::shared, lane, from, false);
  std::byte* target = locate_map(w, i, Space::global, lane, to, true);
  if (source != nullptr && target != nullptr) std::memcpy(target, source, kMapBytes);
}

}  // namespace

void fill_tensor_maps(HandlerTable& table) {
  table.set(Opcode::replace_in_map, replace_in_map);
  table.set(Opcode::copy_map, copy_map);
}

}  // namespace warpmark::cpu
