// Copies of boxes of tensors between global and shared memory.
//
// A box lies in shared memory as an array of its own, the first dimension innermost, or with its
// 16-byte chunks in other places (PTX ISA, "Swizzling Modes"). What of it is outside the tensor is
// filled on the way there, and left out on the way back.
#include "machine/access_places.hpp"
#include "machine/handlers.hpp"
#include "program/async_forms.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "inspect/observer.hpp"
#include "machine/async_places.hpp"
#include "machine/block.hpp"
#include "machine/tensor_map.hpp"

namespace warpmark::cpu {
namespace {

using Type = TensorMap::Type;
using Reduced = TensorForm::Reduction;

constexpr std::uint32_t kRows = 4;                      // of tile::gather4 and tile::scatter4
constexpr std::uint32_t kChunk = 16, kAlignment = 128;  // bytes
// No sum of an address and what a map's dimensions and strides come to passes 2^63.
constexpr std::uint64_t kMostOffset = std::uint64_t{1} << 62;
__extension__ typedef unsigned __int128 Wide;

std::uint64_t address_in(const Lanes& w, std::uint32_t slot, std::uint32_t lane) {
  return read_lane<std::uint64_t>(w.registers, slot, lane);
}

void refuse_map(Lanes& w, const Instruction& i, std::uint32_t lane, const std::string& why) {
  Fault fault = w.block->fault(FaultKind::descriptor, i.statement, w.warp, 1u << lane);
  fault.message = "the tensor map cannot be used: " + why;
  w.block->launch().faults.add(fault);
  w.block->launch().stop = true;  // whoever waits for the copy would wait for ever
}

// A lane's tensor map, which may lie in global, constant or parameter memory; false after recording
// the fault.
bool read_map(Lanes& w, const Instruction& i, const TensorForm& form, std::uint32_t lane,
              TensorMap& map) {
  std::uint64_t address = address_in(w, i.a, lane);
  const Space space = resolve_space(w, Space::generic, address);
  Instruction access = i;
  access.site = i.site + 1;
  access.set_form(TensorForm{});  // nothing is written there
  const std::byte* from = nullptr;
  if (address % 64 == 0 && space == Space::param) {
    const std::uint64_t offset = address - w.param.begin;
    if (w.param.size >= sizeof map && offset <= w.param.size - sizeof map)
      from = w.param.host + offset;
  } else if (address % 64 == 0 && space == Space::global) {
    from = locate_async(w, access, Space::global, lane, address, sizeof map, 64, false);
    if (from == nullptr) return false;
    if (w.observer != nullptr)
      w.observer->touch(w, i, Space::global, lane, address, sizeof map, Touch::load);
  }
  if (from == nullptr) {
    record_fault(w, access, space, lane, address, 64, false);
    w.block->launch().stop = true;
    return false;
  }
  std::memcpy(static_cast<void*>(&map), from, sizeof map);
  const char* complaint = map.complaint();
  if (complaint == nullptr && map.rank != form.rank)
    complaint = "its number of dimensions is not that of the instruction";
  if (complaint == nullptr && (map.im2col != 0) != form.im2col)
    complaint = form.im2col ? "it was not made for im2col" : "it was made for im2col";
  if (complaint == nullptr && form.rows && map.count(1) != 1)
    complaint = "its box has more than one row, and rows are taken one by one";
  if (complaint == nullptr) return true;
  refuse_map(w, i, lane, complaint);
  return false;
}

// Where a byte of a box lies in shared memory. The pattern goes by addresses, not by places in the
// box: of each 128 bytes the number decides how the chunks of a span are exchanged.
std::uint64_t swizzled(std::uint64_t address, TensorMap::Swizzle swizzle) {
  const std::uint64_t mask = (1u << static_cast<unsigned>(swizzle)) - 1;
  return address ^ (address >> 7 & mask) << 4;
}

// The parts of a box that lie beside each other in both memories, or have no place in the tensor.
class Box {
 public:
  /// `at` has the coordinates, and behind them the offsets of im2col.
  Box(const TensorMap& map, const std::int32_t* at, std::uint64_t shared, const TensorForm& form)
      : map_(map), first_(at), shared_(shared), to_global_(form.to_global) {
    if (map.im2col != 0)
      walk_pixels();
    else if (form.rows)
      walk_rows();
    else
      walk(map.rank - 1, 0, 0, true);
    for (CopyPart& part : parts) {
      if (part.source != 0) (to_global_ ? part.to : part.from) -= begin;
    }
  }
  /// Places in the tensor count from `begin` on.
  std::vector<CopyPart> parts;
  /// Bytes of the tensor that the box has, from the first to behind the last, as offsets; none if
  /// `end` is 0.
  std::uint64_t begin = ~std::uint64_t{0}, end = 0;
  bool too_far = false;     ///< beyond all memory
  std::uint64_t reach = 0;  ///< bytes of shared memory from its address on: chunks change places

 private:
  // Along dimensions `d` and lower ones: `row` counts those before in the box, `offset` is where
  // they are in the tensor, if `inside`.
  void walk(std::uint32_t d, std::uint32_t row, Wide offset, bool inside) {
    if (d == 0) return add_row(row, offset, inside);
    const std::uint32_t count = map_.count(d);
    for (std::uint32_t k = 0; k < count; ++k) {
      const std::int64_t at = std::int64_t{first_[d]} + std::int64_t{k} * map_.steps[d];
      const bool here = inside && at >= 0 && at <= std::int64_t{map_.last[d]};
      walk(d - 1, row * count + k, here ? offset + static_cast<Wide>(at) * map_.strides[d - 1] : 0,
           here);
    }
  }
  // Four rows of a matrix, one behind the other.
  void walk_rows() {
    for (std::uint32_t k = 0; k < kRows; ++k) {
      const std::int64_t at = first_[1 + k];
      const bool inside = at >= 0 && at <= std::int64_t{map_.last[1]};
      add_row(k, inside ? static_cast<Wide>(at) * map_.strides[0] : 0, inside);
    }
  }
  // From one pixel to the next within the bounding box, then to the next image. Where it is read is
  // farther by the offsets.
  void walk_pixels() {
    const std::uint32_t images = map_.rank - 1u;
    std::array<std::int64_t, TensorMap::kMostRank> at{};
    for (std::uint32_t d = 1; d < map_.rank; ++d) at[d] = first_[d];
    for (std::uint32_t pixel = 0; pixel < map_.pixels; ++pixel) {
      Wide offset = 0;
      bool inside = true;
      for (std::uint32_t d = 1; d < map_.rank; ++d) {
        const std::int64_t there = at[d] + (d < images ? first_[map_.rank + d - 1] : 0);
        inside = inside && there >= 0 && there <= std::int64_t{map_.last[d]};
        if (inside) offset += static_cast<Wide>(there) * map_.strides[d - 1];
      }
      add_row(pixel, inside ? offset : 0, inside);
      for (std::uint32_t d = 1; d < images; ++d) {
        at[d] += map_.steps[d];
        if (at[d] <= std::int64_t{map_.last[d]} + map_.upper[d - 1]) break;
        at[d] = map_.lower[d - 1];
        if (d + 1 == images) ++at[images];
      }
    }
  }
  void add_row(std::uint32_t row, Wide offset, bool inside) {
    const std::uint32_t bytes = map_.element_bytes(), count = map_.count(0);
    const std::int64_t first = first_[0], past = std::int64_t{map_.last[0]} + 1;
    const std::int64_t from = std::clamp<std::int64_t>(-first, 0, count);
    const std::int64_t to = inside ? std::clamp<std::int64_t>(past - first, from, count) : from;
    const std::uint32_t head = static_cast<std::uint32_t>(from) * bytes;
    const std::uint32_t whole = count * bytes;
    // An H200 writes chunks that begin in a row as a whole, including the bytes behind the row.
    std::uint32_t tail = static_cast<std::uint32_t>(to) * bytes;
    if (to_global_) tail = std::min((tail + kChunk - 1) / kChunk * kChunk, whole);
    // The pattern covers whole spans, which narrower rows do not fill.
    const bool plain = map_.swizzle == TensorMap::Swizzle::none;
    const std::uint64_t place =
        std::uint64_t{row} * (plain ? whole : 16u << static_cast<unsigned>(map_.swizzle));
    if (head < tail) {
      offset += static_cast<Wide>(first + from) * bytes;
      too_far = too_far || offset > kMostOffset;
    }
    const auto tensor = static_cast<std::uint64_t>(offset);
    if (inside && head < tail) {
      add_run(place, 0, head, 0, false);
      add_run(place, head, tail, tensor, true);
      add_run(place, tail, whole, 0, false);
      begin = std::min(begin, tensor);
      end = std::max(end, tensor + (tail - head));
    } else {
      add_run(place, 0, whole, 0, false);
    }
  }
  // Bytes `from` to `to` of a row that begins at `place` of the box.
  void add_run(std::uint64_t place, std::uint32_t from, std::uint32_t to, std::uint64_t tensor,
               bool inside) {
    if (!inside && to_global_) return;
    const bool whole = map_.swizzle == TensorMap::Swizzle::none;
    for (std::uint32_t at = from; at < to;) {
      const std::uint32_t bytes = whole ? to - at : std::min(to - at, kChunk - at % kChunk);
      const std::uint64_t linear = place + at;
      const std::uint64_t box = whole ? linear : swizzled(shared_ + linear, map_.swizzle) - shared_;
      const std::uint64_t there = tensor + (at - from);
      reach = std::max(reach, box + bytes);
      parts.push_back(to_global_ ? CopyPart{box, there, bytes, bytes}
                                 : CopyPart{inside ? there : 0, box, bytes, inside ? bytes : 0});
      at += bytes;
    }
  }

  const TensorMap& map_;
  const std::int32_t* first_;
  const std::uint64_t shared_;
  const bool to_global_;
};

// The memory of the first byte that the box has of the tensor; null after recording which element
// is in no memory.
std::byte* tensor_memory(Lanes& w, const Instruction& i, std::uint32_t lane, const TensorMap& map,
                         const Box& box, bool store, Flight::Side& side) {
  Region& region = w.sites[i.site];
  const auto found = [&](std::uint64_t address, std::uint64_t bytes) {
    const auto inside = [&] {
      const std::uint64_t offset = address - region.begin;
      return offset <= region.size && bytes <= region.size - offset;
    };
    return inside() || (bytes <= 0xffffffff &&
                        find_region(w, i, address, static_cast<std::uint32_t>(bytes)) && inside());
  };
  const std::uint64_t origin = map.address + box.begin;
  side = {Space::global, origin, nullptr, 0};
  if (!box.too_far && found(origin, box.end - box.begin)) {
    side.init = region.init;
    side.first = origin - region.begin;
    return region.host + (origin - region.begin);
  }
  // A tensor of several allocations: those of one device are in step with the memory behind them.
  std::uintptr_t memory = 0;
  const std::uint32_t element = map.element_bytes();
  for (const CopyPart& part : box.parts) {
    if (part.source == 0) continue;
    const std::uint64_t address = origin + (store ? part.to : part.from);
    for (std::uint32_t at = 0; at < part.bytes;) {
      const std::uint32_t bytes = at == 0 && found(address, part.bytes) ? part.bytes : element;
      const bool good = !box.too_far && found(address + at, bytes);
      const std::uintptr_t base =
          reinterpret_cast<std::uintptr_t>(region.host) + (origin - region.begin);
      if (!good || (memory != 0 && memory != base)) {
        record_fault(w, i, Space::global, lane, address + at, element, store);
        return nullptr;
      }
      memory = base;
      at += bytes;
    }
  }
  return reinterpret_cast<std::byte*>(memory);
}

// --- what becomes of elements on their way

// Numbers of tf32 have 10 bits behind the point: the nearest, of two the even one. An H200 does not
// flush subnormal numbers of the types with FTZ in their names.
std::uint32_t to_tf32(std::uint32_t bits) {
  if ((bits & 0x7fffffff) > 0x7f800000) return 0x7fffe000;
  if ((bits & 0x7f800000) == 0x7f800000) return bits;
  return (bits + 0xfff + (bits >> 13 & 1)) & ~std::uint32_t{0x1fff};
}
void round_to_tf32(LaunchState&, std::byte* to, const std::byte* from, std::uint32_t bytes, bool) {
  for (std::uint32_t at = 0; at + 4 <= bytes; at += 4) {
    std::uint32_t value;
    std::memcpy(&value, from + at, 4);
    value = to_tf32(value);
    std::memcpy(to + at, &value, 4);
  }
}
Reduction conversion_of(Type type) {
  return type == Type::tf32 || type == Type::tf32_ftz ? round_to_tf32 : nullptr;
}

Reduction reduction_of(Reduced operation, Type type) {
  const auto choose = [&](Opcode u32, Opcode s32, Opcode u64, Opcode s64, Opcode f16, Opcode bf16,
                          Opcode f32, Opcode f64) {
    switch (type) {
      case Type::u32:
        return u32;
      case Type::s32:
        return s32;
      case Type::u64:
        return u64;
      case Type::s64:
        return s64;
      case Type::f16:
        return f16;
      case Type::bf16:
        return bf16;
      case Type::f32:
      case Type::f32_ftz:
      case Type::tf32:
      case Type::tf32_ftz:
        return f32;
      case Type::f64:
        return f64;
      default:
        return Opcode::count;
    }
  };
  constexpr Opcode kNone = Opcode::count;
  // An H200 has no such reduction of signed 64-bit numbers.
  const auto of_bits = [&](Opcode narrow, Opcode wide) {
    return choose(narrow, narrow, wide, kNone, kNone, kNone, kNone, kNone);
  };
  switch (operation) {
    case Reduced::none:
      return nullptr;
    case Reduced::add:
      return reduction_by(choose(Opcode::atom_add_32, Opcode::atom_add_32, Opcode::atom_add_64,
                                 Opcode::atom_add_64, Opcode::atom_add_f16, Opcode::atom_add_bf16,
                                 Opcode::atom_add_f32, Opcode::atom_add_f64));
    case Reduced::min:
      return reduction_by(choose(Opcode::atom_min_u32, Opcode::atom_min_s32, Opcode::atom_min_u64,
                                 Opcode::atom_min_s64, Opcode::atom_vector_min_f16,
                                 Opcode::atom_vector_min_bf16, kNone, kNone));
    case Reduced::max:
      return reduction_by(choose(Opcode::atom_max_u32, Opcode::atom_max_s32, Opcode::atom_max_u64,
                                 Opcode::atom_max_s64, Opcode::atom_vector_max_f16,
                                 Opcode::atom_vector_max_bf16, kNone, kNone));
    case Reduced::inc:
      return reduction_by(
          choose(Opcode::atom_inc_32, kNone, kNone, kNone, kNone, kNone, kNone, kNone));
    case Reduced::dec:
      return reduction_by(
          choose(Opcode::atom_dec_32, kNone, kNone, kNone, kNone, kNone, kNone, kNone));
    case Reduced::bit_and:
      return reduction_by(of_bits(Opcode::atom_and_32, Opcode::atom_and_64));
    case Reduced::bit_or:
      return reduction_by(of_bits(Opcode::atom_or_32, Opcode::atom_or_64));
    case Reduced::bit_xor:
      return reduction_by(of_bits(Opcode::atom_xor_32, Opcode::atom_xor_64));
  }
  return nullptr;
}

void touch(Lanes& w, const TensorMap& map, const Box& box, std::uint64_t shared, bool to_global,
           std::uint32_t copies) {
  if (w.traffic == nullptr) return;
  for (const CopyPart& part : box.parts) {
    if (part.source != 0)
      w.traffic->touch(Space::global, map.address + box.begin + (to_global ? part.to : part.from),
                       part.bytes);
    for (std::uint32_t copy = 0; copy < copies; ++copy)
      w.traffic->touch(Space::shared, shared + (to_global ? part.from : part.to), part.bytes);
  }
}

// Coordinates, and offsets, which are unsigned; those that are left out are 0.
using BoxCorner = std::array<std::int32_t, 2 * TensorMap::kMostRank>;
BoxCorner place_of(const Lanes& w, const Instruction& i, const TensorForm& form,
                   std::uint32_t lane) {
  BoxCorner at{};
  for (std::uint32_t d = 0; d < form.coordinates(); ++d)
    at[d] = read_lane<std::int32_t>(w.registers, w.operands[i.more + d], lane);
  for (std::uint32_t d = 0; d < form.offsets; ++d)
    at[form.rank + d] =
        read_lane<std::uint16_t>(w.registers, w.operands[i.more + form.rank + d], lane);
  return at;
}

// Why a lane's copy is none that a tensor map allows; "" if it is one.
std::string refusal(const TensorForm& form, const TensorMap& map, const BoxCorner& at) {
  if (form.reduction != Reduced::none && reduction_of(form.reduction, map.type) == nullptr)
    return "its data type has no such reduction";
  // PTX and its compiler have stores of columns of pixels, and an H200 ends each kernel that makes
  // one with CUDA_ERROR_ILLEGAL_INSTRUCTION.
  if (form.to_global && form.im2col) return "columns of pixels are not stored";
  // In no manual, but so on an H200, too.
  const bool before = std::any_of(at.begin(), at.begin() + form.coordinates(),
                                  [](std::int32_t coordinate) { return coordinate < 0; });
  if (form.to_global && before) return "a box that is stored does not begin before the tensor";
  if (at[0] * std::int64_t{map.element_bytes()} % 16 != 0)
    return "a box begins at multiples of 16 bytes of a row, and this one at element " +
           std::to_string(at[0]) + " of " + std::to_string(map.element_bytes()) + " bytes";
  return "";
}

std::uint64_t bytes_of(const TensorForm& form, const TensorMap& map) {
  return map.box_bytes() * (form.rows ? kRows : 1);
}

// A copy of nothing yet.
AsyncCopy make_copy(LaunchState& launch, const TensorForm& form, const TensorMap& map) {
  AsyncCopy made;
  made.launch = &launch;
  made.to_global = form.to_global;
  made.reduces = form.reduction != Reduced::none;
  made.combine = made.reduces     ? reduction_of(form.reduction, map.type)
                 : form.to_global ? nullptr
                                  : conversion_of(map.type);
  made.bytes = static_cast<std::uint32_t>(bytes_of(form, map));
  // PTX ISA, "Out of Boundary Access": a special NaN. These bits are an H200's, in all types.
  for (std::size_t byte = 0; map.nan_outside != 0 && byte < made.values.size(); ++byte)
    made.values[byte] = std::byte{byte % 2 == 0 ? std::uint8_t{0xf7} : std::uint8_t{0x7f}};
  return made;
}

// Returns whether a box in shared memory is aligned and no larger than all of it. (The memory of
// each block of a multicast is found later; no box may exceed one block's memory.)
bool box_fits(Lanes& w, const Instruction& i, const TensorForm& form, const TensorMap& map,
              std::uint32_t lane, std::uint64_t shared) {
  const bool aligned = shared % kAlignment == 0;
  const std::uint64_t bytes = bytes_of(form, map);
  if (aligned && bytes <= kSharedPart) return true;
  const std::uint64_t last = shared + (aligned ? bytes - kChunk : 0);
  record_fault(w, i, Space::shared, lane, last, aligned ? kChunk : kAlignment, !form.to_global);
  return false;
}

// Starts one lane's copy; false if whoever waits for it would wait for ever.
bool copy_box(Lanes& w, const Instruction& i, const TensorForm& form, const TensorMap& map,
              const BoxCorner& at, std::uint32_t lane) {
  const std::uint64_t shared = address_in(w, i.address, lane);
  if (!box_fits(w, i, form, map, lane, shared)) return false;
  AsyncCopy made = make_copy(w.block->launch(), form, map);
  Flight::Side in_shared, in_global{Space::global, map.address, nullptr, 0};
  Box box(map, at.data(), shared, form);
  const std::uint64_t reach = std::max(box.reach, bytes_of(form, map));
  const bool multicast = i.d != Instruction::kNone;
  std::byte* in_box = nullptr;
  if (!multicast) {
    in_box =
        locate_async(w, i, Space::shared, lane, shared, reach, kChunk, !form.to_global, &in_shared);
    if (in_box == nullptr) return false;
    if (i.c != Instruction::kNone) {
      made.completion = locate_completion(w, i, lane, address_in(w, i.c, lane));
      if (made.completion == nullptr) return false;
    }
  }
  const std::uint32_t blocks =
      multicast ? read_lane<std::uint32_t>(w.registers, i.d, lane) & 0xffff : 0;
  touch(w, map, box, shared, form.to_global,
        multicast ? static_cast<std::uint32_t>(std::popcount(blocks)) : 1);
  std::byte* tensor = nullptr;
  const bool outside = box.end == 0;  // all of it
  if (!outside) {
    tensor = tensor_memory(w, i, lane, map, box, form.to_global, in_global);
    if (tensor == nullptr) return false;
  } else if (form.to_global) {
    return true;
  }
  made.source = outside ? 0 : made.bytes;
  made.plan = std::make_shared<const CopyPlan>(CopyPlan{std::move(box.parts), {}});
  made.from = form.to_global ? in_box : tensor;
  if (multicast)
    return start_multicast(w, i, lane, blocks, shared, reach, address_in(w, i.c, lane), in_global,
                           made);
  made.to = form.to_global ? tensor : in_box;
  if (form.to_global)
    note_flight(w, i, lane, in_shared, in_global, made);
  else
    note_flight(w, i, lane, in_global, in_shared, made);
  w.block->async().start(AsyncCopies::bulk, w.warp * 32 + lane, std::move(made));
  return true;
}

void copy_tensor(Lanes& w, const Instruction& i) {
  const auto form = i.form<TensorForm>();
  for_lanes(w, [&](std::uint32_t lane) {
    TensorMap map;
    if (!read_map(w, i, form, lane, map)) return;
    const BoxCorner at = place_of(w, i, form, lane);
    if (const std::string why = refusal(form, map, at); !why.empty())
      return refuse_map(w, i, lane, why);
    if (!copy_box(w, i, form, map, at, lane)) w.block->launch().stop = true;
  });
}

// A hint; but that the map must be one.
void prefetch_tensor(Lanes& w, const Instruction& i) {
  const auto form = i.form<TensorForm>();
  for_lanes(w, [&](std::uint32_t lane) {
    TensorMap map;
    if (!read_map(w, i, form, lane, map) || w.traffic == nullptr || map.box_bytes() > kSharedPart)
      return;
    const BoxCorner at = place_of(w, i, form, lane);
    const Box box(map, at.data(), 0, form);
    for (const CopyPart& part : box.parts) {
      if (part.source != 0)
        w.traffic->touch(Space::global, map.address + box.begin + part.from, part.source);
    }
  });
}

}  // namespace

void fill_tensors(HandlerTable& table) {
  table.set(Opcode::copy_tensor, copy_tensor);
  table.set(Opcode::prefetch_tensor, prefetch_tensor);
}

}  // namespace warpmark::cpu
