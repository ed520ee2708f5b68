// Surface loads, stores and reductions, with their three ways to leave the surface.
//
// PTX ISA, "Surface Instructions": x counts bytes for .b and texels for .p; the rest counts rows,
// slices and layers. An access outside traps, goes to the nearest place inside, or reads zeros and
// writes nothing.
#include <algorithm>
#include <array>
#include <cstdint>

#define WARPMARK_ISA surface
#include "inspect/observer.hpp"
#include "machine/handlers.hpp"
#include "machine/image_access.hpp"
#include "machine/numerics.hpp"
#include "machine/small_floats.hpp"
#include "program/image_op.hpp"

namespace warpmark::cpu {
namespace {

using namespace surface;

using Boundary = SurfaceOp::Boundary;

// Moves a coordinate into [0, last]; false if it had been outside.
bool confine(s64& coordinate, s64 last) {
  const s64 given = coordinate;
  coordinate = std::clamp<s64>(coordinate, 0, std::max<s64>(last, 0));
  return coordinate == given;
}

// Where a lane's access of `bytes` goes: every access is located here. Null if it goes nowhere,
// after recording the fault where there is one.
std::byte* locate(Lanes& w, const Instruction& i, const SurfaceOp& op, u32 lane, u32 bytes,
                  const Image& image, bool store, u64& address) {
  const u32* slots = w.operands + i.more;
  const auto coordinate = [&] {
    return static_cast<s64>(
        static_cast<s32>(read_lane<std::uint32_t>(w.registers, *slots++, lane)));
  };
  const u32 dimensions = dimensions_of(op.geometry);
  s64 layer = is_layered(op.geometry) ? coordinate() : 0;
  s64 x = coordinate();
  s64 y = dimensions > 1 ? coordinate() : 0;
  s64 z = dimensions > 2 ? coordinate() : 0;
  const auto row = static_cast<s64>(image.width * image.format.bytes());
  if (op.formatted) x *= image.format.bytes();
  if (!op.formatted && x % bytes != 0) {
    record_image_fault(w, i, lane, FaultKind::misaligned_address,
                       "the surface access of " + std::to_string(bytes) +
                           " bytes at x = " + std::to_string(x) + " is not aligned to its size");
    return nullptr;
  }
  const std::array<s64, 4> given = {x, y, z, layer};
  const s64 last = row - bytes;
  bool inside = last >= 0;
  inside = confine(x, last - last % bytes) && inside;
  inside = confine(y, static_cast<s64>(image.height) - 1) && inside;
  inside = confine(z, static_cast<s64>(image.depth) - 1) && inside;
  inside = confine(layer, static_cast<s64>(image.layers) - 1) && inside;
  if (!inside && (op.boundary != Boundary::clamp || last < 0)) {
    if (op.boundary == Boundary::trap) {
      std::string message = "the surface access of " + std::to_string(bytes) +
                            " bytes at x = " + std::to_string(given[0]);
      if (dimensions > 1) message += ", y = " + std::to_string(given[1]);
      if (dimensions > 2) message += ", z = " + std::to_string(given[2]);
      if (is_layered(op.geometry)) message += ", layer = " + std::to_string(given[3]);
      record_image_fault(w, i, lane, FaultKind::surface,
                         message + " lies outside the surface of " + std::to_string(row) +
                             " bytes × " + std::to_string(image.height) + " rows × " +
                             std::to_string(image.slices()) + " slices");
    }
    return nullptr;
  }
  const auto slice = static_cast<u64>(dimensions > 2 ? z : layer);
  const auto texel = static_cast<s64>(image.format.bytes());
  const u64 offset = image.offset(static_cast<u64>(x / texel), static_cast<u64>(y), slice) +
                     static_cast<u64>(x % texel);
  address = image.address + offset;
  std::byte* at = nullptr;
  if (image.in_parts) {
    at = mapped_texel(w, i, address, bytes);
    if (at == nullptr)
      record_absent(w, i, lane, store ? "surface write" : "surface read",
                    store ? "nothing is written" : "is zero here");
  } else if (std::byte* memory = image_memory(w, i, lane, image, store)) {
    at = memory + offset;
  }
  if (at != nullptr && w.traffic != nullptr) w.traffic->touch(Space::global, address, bytes);
  return at;
}

const HandleTable<Image>* surfaces(const Lanes& w) {
  const ImageTable* images = w.block->launch().shape.images;
  return images == nullptr ? nullptr : &images->surfaces;
}

void surface_load(Lanes& w, const Instruction& i) {
  const auto op = i.form<SurfaceOp>();
  const u32 slots[4] = {i.d, i.a, i.b, i.c};
  const bool wide = op.bytes == 8;
  for (u32 rest = w.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<u32>(__builtin_ctz(rest));
    const Image* image = find_image(w, i, lane, surfaces(w), "surface");
    u64 address = 0;
    const std::byte* at =
        image == nullptr ? nullptr
                         : locate(w, i, op, lane, u32{op.bytes} * i.count, *image, false, address);
    const u32 missing = at == nullptr || w.observer == nullptr
                            ? 0
                            : w.observer->fetch(w, i, lane, address, u32{op.bytes} * i.count);
    for (u32 e = 0; e < i.count; ++e) {
      u64 value = 0;
      if (at != nullptr) __builtin_memcpy(&value, at + e * op.bytes, op.bytes);
      if (slots[e] == Instruction::kNone) continue;
      write_lane(w.registers, slots[e], lane, wide, value);
      const u32 bytes = missing >> (e * op.bytes) & ((1u << op.bytes) - 1);
      if (bytes != 0)
        w.observer->shadow()->definedness(w.warp).set(
            slots[e], lane, Definedness::make(bits_of_bytes(bytes), Space::global, i.statement));
    }
  }
}

// One channel of a texel from the 32 bits that .p gives for it: a number for real formats, else an
// integer, which saturates.
u32 formatted(u32 pattern, ChannelKind kind) {
  const auto confined = [&](s64 least, s64 most, bool is_signed) {
    const s64 value = is_signed ? s64{static_cast<s32>(pattern)} : s64{pattern};
    return static_cast<u32>(std::clamp(value, least, most));
  };
  switch (kind) {
    case ChannelKind::u8:
      return confined(0, 255, false);
    case ChannelKind::s8:
      return confined(-128, 127, true);
    case ChannelKind::u16:
      return confined(0, 65535, false);
    case ChannelKind::s16:
      return confined(-32768, 32767, true);
    case ChannelKind::f16:
      return to_f16(real(pattern)).pattern;
    default:
      return pattern;
  }
}

void surface_store(Lanes& w, const Instruction& i) {
  const auto op = i.form<SurfaceOp>();
  const u32 slots[4] = {i.d, i.a, i.b, i.c};
  const bool wide = op.bytes == 8;
  for (u32 rest = w.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<u32>(__builtin_ctz(rest));
    const Image* image = find_image(w, i, lane, surfaces(w), "surface");
    if (image == nullptr) continue;
    const TexelFormat format = image->format;
    const u32 bytes = op.formatted ? format.bytes() : u32{op.bytes} * i.count;
    u64 address = 0;
    std::byte* at = locate(w, i, op, lane, bytes, *image, true, address);
    if (at == nullptr) continue;
    if (w.observer != nullptr)
      w.observer->tell<&Check::store>(w, i, Space::global, lane, address, bytes, false);
    const u32 elements = op.formatted ? format.channels : i.count;
    const u32 width = op.formatted ? format.channel_bytes() : op.bytes;
    for (u32 e = 0; e < elements; ++e) {
      u64 value = e < i.count ? read_lane(w.registers, slots[e], lane, wide) : 0;
      if (op.formatted) value = formatted(static_cast<u32>(value), format.kind);
      __builtin_memcpy(at + e * width, &value, width);
    }
  }
}

template <typename U, typename S>
U combine(SurfaceOp::Reduce operation, bool is_signed, U old, U value) {
  const bool less = is_signed ? static_cast<S>(value) < static_cast<S>(old) : value < old;
  switch (operation) {
    case SurfaceOp::Reduce::add:
      return old + value;
    case SurfaceOp::Reduce::min:
      return less ? value : old;
    case SurfaceOp::Reduce::max:
      return less ? old : value;
    case SurfaceOp::Reduce::bit_and:
      return old & value;
    case SurfaceOp::Reduce::bit_or:
      return old | value;
  }
  return old;
}

// The operations commute, so other blocks may come between; the access itself is atomic.
template <typename U, typename S>
void reduce_at(std::byte* at, SurfaceOp::Reduce operation, bool is_signed, U value) {
  auto* word = reinterpret_cast<U*>(at);
  U before = __atomic_load_n(word, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(word, &before,
                                      combine<U, S>(operation, is_signed, before, value), false,
                                      __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
  }
}

void surface_reduce(Lanes& w, const Instruction& i) {
  const auto op = i.form<SurfaceOp>();
  const bool wide = op.bytes == 8;
  for (u32 rest = w.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<u32>(__builtin_ctz(rest));
    const Image* image = find_image(w, i, lane, surfaces(w), "surface");
    if (image == nullptr) continue;
    if (op.formatted && image->format.bytes() % op.bytes != 0) {
      record_image_fault(w, i, lane, FaultKind::surface,
                         "a formatted reduction of " + std::to_string(op.bytes) +
                             " bytes on a surface whose texels have " +
                             std::to_string(image->format.bytes()));
      continue;
    }
    u64 address = 0;
    std::byte* at = locate(w, i, op, lane, op.bytes, *image, true, address);
    if (at == nullptr) continue;
    if (w.observer != nullptr)
      w.observer->tell<&Check::atomic>(w, i, Space::global, lane, address, op.bytes, false);
    const bool is_signed = op.type == SurfaceOp::Type::s32 || op.type == SurfaceOp::Type::s64 ||
                           (op.formatted && image->format.kind == ChannelKind::s32);
    const u64 value = read_lane(w.registers, i.d, lane, wide);
    if (wide)
      reduce_at<u64, s64>(at, op.reduce, is_signed, value);
    else
      reduce_at<u32, s32>(at, op.reduce, is_signed, static_cast<u32>(value));
  }
}

}  // namespace

void fill_surfaces(HandlerTable& table) {
  table.set(Opcode::surface_load, surface_load);
  table.set(Opcode::surface_store, surface_store);
  table.set(Opcode::surface_reduce, surface_reduce);
}

}  // namespace warpmark::cpu
