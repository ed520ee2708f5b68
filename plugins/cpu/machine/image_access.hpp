// Helpers of the handlers of textures and surfaces: a lane's handle, its registers, its faults.
// Included once in each of the two, after WARPMARK_ISA.
#pragma once

#include <cstdint>
#include <string>

#include "machine/access_places.hpp"
#include "machine/block.hpp"
#include "machine/image.hpp"
#include "memory/arena.hpp"
#include "memory/lanes.hpp"

namespace warpmark::cpu {

inline void set_image_register(Lanes& w, std::uint32_t slot, std::uint32_t lane,
                               std::uint32_t value) {
  if (slot == Instruction::kNone) return;
  write_lane(w.registers, slot, lane, value);
}

/// Records an invalid handle, or a position outside a surface where that is an error.
inline void record_image_fault(Lanes& w, const Instruction& i, std::uint32_t lane, FaultKind kind,
                               std::string message) {
  Fault fault = w.block->fault(kind, i.statement, w.warp, 1u << lane);
  fault.message = std::move(message);
  w.block->launch().faults.add(fault);
}

/// The object behind a lane's handle, or null after recording the fault.
template <typename Object>
const Object* find_image(Lanes& w, const Instruction& i, std::uint32_t lane,
                         const HandleTable<Object>* table, const char* what) {
  const std::uint64_t handle = read_lane<std::uint64_t>(w.registers, i.address, lane);
  const Object* object = table == nullptr ? nullptr : table->find(handle);
  if (object == nullptr) {
    if (table != nullptr && table->is_reference(handle))
      record_image_fault(w, i, lane, FaultKind::handle,
                         "nothing is bound to the reference of a " + std::string(what));
    else
      record_image_fault(w, i, lane, FaultKind::handle,
                         "the value " + std::to_string(handle) + " is no " + what +
                             " of this context: it was destroyed, belongs to another context, or "
                             "was never made");
  }
  return object;
}

/// The context's textures; null if it has none.
inline const HandleTable<Texture>* textures_of(const Lanes& w) {
  const ImageTable* images = w.block->launch().shape.images;
  return images == nullptr ? nullptr : &images->textures;
}

/// Refuses an instruction for textures that no function of the driver makes.
inline void refuse_textures(Lanes& w, const Instruction& i, const char* why) {
  for (std::uint32_t rest = w.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(__builtin_ctz(rest));
    if (find_image(w, i, lane, textures_of(w), "texture") != nullptr)
      record_image_fault(w, i, lane, FaultKind::handle, why);
  }
}

/// Host memory of an image's first texel, or null after recording that its allocation is gone.
/// Every offset that Image::offset gives for a position inside the image lies inside it.
inline std::byte* image_memory(Lanes& w, const Instruction& i, std::uint32_t lane,
                               const Image& image, bool store) {
  const Region* region = &w.sites[i.site];
  const std::uint64_t bytes = image.bytes();
  const auto inside = [&] {
    const std::uint64_t offset = image.address - region->begin;
    return offset <= region->size && bytes <= region->size - offset;
  };
  if (!inside()) {
    // An image larger than 4 GiB cannot be: the arena has no more.
    const auto part = static_cast<std::uint32_t>(bytes);
    if (part != bytes || !find_region(w, i, image.address, part)) {
      record_fault(w, i, Space::global, lane, image.address, image.format.bytes(), store);
      return nullptr;
    }
  }
  return region->host + (image.address - region->begin);
}

/// Host memory of `bytes` of an image at an address, or null if no memory is mapped there.
inline std::byte* mapped_texel(Lanes& w, const Instruction& i, std::uint64_t address,
                               std::uint32_t bytes) {
  const Region* region = &w.sites[i.site];
  const std::uint64_t offset = address - region->begin;
  if ((offset > region->size || bytes > region->size - offset) &&
      !find_region(w, i, address, bytes))
    return nullptr;
  return region->host + (address - region->begin);
}

/// Records an access to such a place, after which a launch goes on: the manual says of none what it
/// does, but of a fetch that asks for residency, which gets zeros.
inline void record_absent(Lanes& w, const Instruction& i, std::uint32_t lane, const char* what,
                          const char* then) {
  if (!w.block->launch().shape.exact_bounds) return;
  Fault fault = w.block->fault(FaultKind::surface, i.statement, w.warp, 1u << lane);
  fault.message = std::string("the ") + what +
                  " lies where no memory is mapped into the array (cuMemMapArrayAsync), and " +
                  then;
  fault.goes_on = true;
  w.block->launch().faults.add(fault);
}

}  // namespace warpmark::cpu
