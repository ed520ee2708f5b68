#include "api/sparse_array.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include "api/capture.hpp"
#include "api/mistake.hpp"
#include "api/owner.hpp"
#include "api/state.hpp"

namespace warpmark::cpu {

std::unique_ptr<MappedRange> MappedRange::reserve(std::uint64_t bytes, const char* by) {
  const std::uint64_t address = driver().reservable().reserve(bytes, 0, 0, by);
  return std::unique_ptr<MappedRange>(address == 0 ? nullptr : new MappedRange(address, bytes));
}

MappedRange::~MappedRange() {
  if (driver().virtual_memory == nullptr) return;
  driver().virtual_memory->unmap(address_, bytes_);
  driver().virtual_memory->unreserve(address_, bytes_);
}

namespace {

constexpr std::uint64_t kTile = Tiles::kBytes;
constexpr const char* kNotSparse = "the array was made without CUDA_ARRAY3D_SPARSE";
constexpr const char* kNotDeferred = "the array was made without CUDA_ARRAY3D_DEFERRED_MAPPING";
constexpr const char* kIsLevel =
    "the array is a level of a mipmapped array: ask for, and map, that array";

std::uint64_t up(std::uint64_t value, std::uint64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

// The extents of a tile of 64 KiB. NVIDIA documents neither; these are the standard shapes of
// sparse images by the size of a texel (Vulkan specification, "Standard Sparse Image Block Shapes").
Tiles tiles_of(const Image& image) {
  const bool deep = image.depth > 1;
  const auto doublings = static_cast<unsigned>(std::countr_zero(image.format.bytes()));
  Tiles tiles;
  if (!deep) {
    tiles = {256u >> doublings / 2, 256u >> (doublings + 1) / 2, 1};
  } else {
    static constexpr std::uint32_t kShapes[5][3] = {
        {64, 32, 32}, {32, 32, 32}, {32, 32, 16}, {32, 16, 16}, {16, 16, 16}};
    const auto& shape = kShapes[doublings];
    tiles = {shape[0], shape[1], shape[2]};
  }
  tiles.across = static_cast<std::uint32_t>(up(image.width, tiles.width) / tiles.width);
  tiles.down = static_cast<std::uint32_t>(up(image.height, tiles.height) / tiles.height);
  return tiles;
}

bool is_in_tail(const Image& image, const Tiles& tiles) {
  return image.width < tiles.width || image.height < tiles.height || image.depth < tiles.depth;
}

}  // namespace

CUresult check_mapped(const CUDA_ARRAY3D_DESCRIPTOR& d) {
  if ((d.Flags & kMappedFlags) == kMappedFlags)
    return fail(CUDA_ERROR_INVALID_VALUE,
                "CUDA_ARRAY3D_SPARSE and CUDA_ARRAY3D_DEFERRED_MAPPING exclude each other");
  if (d.Height == 0 || (d.Flags & CUDA_ARRAY3D_CUBEMAP) != 0)
    return fail(CUDA_ERROR_INVALID_VALUE,
                "memory is mapped into 2D, layered 2D and 3D arrays only (cuMemMapArrayAsync)");
  return CUDA_SUCCESS;
}

void lay_out_tiles(Image& image) {
  image.tiles = tiles_of(image);
  const std::uint64_t deep = up(image.depth, image.tiles.depth) / image.tiles.depth;
  image.slice_pitch = deep * image.tiles.down * image.tiles.across * kTile;
}

unsigned int first_of_tail(const Images& images, const MipmappedArray& mipmap) {
  const auto found = std::ranges::find_if(mipmap.levels, [&](const CUarray level) {
    return images.find(level)->image.tiles.width == 0;
  });
  return static_cast<unsigned int>(found - mipmap.levels.begin());
}

std::uint64_t lay_out_levels(std::vector<std::unique_ptr<ImageArray>>& levels) {
  std::uint64_t bytes = 0, tail = 0;
  // The shape of the tiles is that of the first level, deep or flat.
  const Tiles shape = tiles_of(levels[0]->image);
  bool in_tail = false;
  for (const auto& level : levels) {
    Image& image = level->image;
    image.in_parts = true;
    in_tail = in_tail || is_in_tail(image, shape);
    if (in_tail) {
      image.address = tail;  // in the tail of a layer
      tail += up(image.depth * image.slice_pitch, 512);
      continue;
    }
    lay_out_tiles(image);
    image.address = bytes;
    bytes += image.layers * image.slice_pitch;
  }
  tail = up(tail, kTile);
  for (const auto& level : levels) {
    Image& image = level->image;
    if (image.tiles.width != 0) continue;
    image.address += bytes;
    if (image.layers > 1) image.slice_pitch = tail;
  }
  return bytes + levels[0]->image.layers * tail;
}

namespace {

// The array that one entry of cuMemMapArrayAsync is for.
struct Target {
  const CUDA_ARRAY3D_DESCRIPTOR* descriptor = nullptr;
  const MappedRange* range = nullptr;
  std::vector<const Image*> levels;
  unsigned int first_in_tail = 0;
};

struct Part {
  std::uint64_t address = 0, bytes = 0;
};

CUresult target_of(Context& context, const CUarrayMapInfo& map, Target& target) {
  const unsigned int type = number_in(map.resourceType);
  if (type == CU_RESOURCE_TYPE_ARRAY) {
    const ImageArray* array = context.images.find(map.resource.array);
    if (array == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    if (array->mipmap != nullptr) return fail(CUDA_ERROR_INVALID_VALUE, kIsLevel);
    target = {&array->descriptor, array->range.get(), {&array->image}, 1};
  } else if (type == CU_RESOURCE_TYPE_MIPMAPPED_ARRAY) {
    const auto* mipmap = find_in(context.images.mipmaps, map.resource.mipmap);
    if (mipmap == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    target = {&mipmap->descriptor, mipmap->range.get(), {}, first_of_tail(context.images, *mipmap)};
    for (const CUarray level : mipmap->levels)
      target.levels.push_back(&context.images.find(level)->image);
  } else {
    return CUDA_ERROR_INVALID_VALUE;
  }
  return target.range != nullptr
             ? CUDA_SUCCESS
             : fail(CUDA_ERROR_INVALID_VALUE,
                    "the array was made without CUDA_ARRAY3D_SPARSE and without "
                    "CUDA_ARRAY3D_DEFERRED_MAPPING");
}

std::uint64_t tail_bytes(const Target& target) {
  std::uint64_t tail = 0;
  for (std::size_t level = target.first_in_tail; level < target.levels.size(); ++level) {
    const Image& image = *target.levels[level];
    tail += up(image.depth * image.row_pitch * image.height, 512);
  }
  return up(tail, kTile);
}

// The tiles of a box of a level, in the order of x, y and z.
CUresult tiles_in_box(const Target& target, const CUarrayMapInfo& map, std::vector<Part>& parts) {
  const auto& box = map.subresource.sparseLevel;
  if (box.level >= target.levels.size())
    return fail(CUDA_ERROR_INVALID_VALUE, "the array has no such level");
  if (box.level >= target.first_in_tail)
    return fail(
        CUDA_ERROR_INVALID_VALUE,
        "the level is in the mip tail, which CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_MIPTAIL maps");
  const Image& image = *target.levels[box.level];
  const Tiles& tiles = image.tiles;
  if (box.layer >= image.layers)
    return fail(CUDA_ERROR_INVALID_VALUE, "the array has no such layer");
  // A box may end where the level does, if that is not the end of a tile.
  const auto fits = [](std::uint64_t at, std::uint64_t extent, std::uint64_t tile,
                       std::uint64_t size) {
    return extent != 0 && at % tile == 0 && at < size && extent <= up(size, tile) - at &&
           (extent % tile == 0 || at + extent == size);
  };
  if (!fits(box.offsetX, box.extentWidth, tiles.width, image.width) ||
      !fits(box.offsetY, box.extentHeight, tiles.height, image.height) ||
      !fits(box.offsetZ, box.extentDepth, tiles.depth, image.depth))
    return fail(CUDA_ERROR_INVALID_VALUE,
                "offsets and extents must be multiples of a tile's, " +
                    std::to_string(tiles.width) + " × " + std::to_string(tiles.height) + " × " +
                    std::to_string(tiles.depth) + ", and inside the level");
  for (std::uint64_t z = box.offsetZ; z < box.offsetZ + box.extentDepth; z += tiles.depth) {
    for (std::uint64_t y = box.offsetY; y < box.offsetY + box.extentHeight; y += tiles.height) {
      for (std::uint64_t x = box.offsetX; x < box.offsetX + box.extentWidth; x += tiles.width)
        parts.push_back(
            {image.address + image.offset(x, y, image.depth > 1 ? z : box.layer), kTile});
    }
  }
  return CUDA_SUCCESS;
}

CUresult tail_part(const Target& target, const CUarrayMapInfo& map, std::vector<Part>& parts) {
  const auto& tail = map.subresource.miptail;
  if (target.first_in_tail == target.levels.size())
    return fail(CUDA_ERROR_INVALID_VALUE, "the array has no mip tail");
  const Image& first = *target.levels[target.first_in_tail];
  const std::uint64_t bytes = tail_bytes(target);
  if (tail.layer >= first.layers)
    return fail(CUDA_ERROR_INVALID_VALUE, "the array has no such layer");
  if (tail.offset % kTile != 0 || tail.size % kTile != 0 || tail.size == 0 || tail.offset > bytes ||
      tail.size > bytes - tail.offset)
    return fail(CUDA_ERROR_INVALID_VALUE,
                "offset and size must be multiples of a tile's 65536 bytes, and inside the mip "
                "tail of " +
                    std::to_string(bytes));
  // The first level of the tail begins with it.
  for (std::uint64_t at = 0; at < tail.size; at += kTile)
    parts.push_back({first.address + tail.layer * bytes + tail.offset + at, kTile});
  return CUDA_SUCCESS;
}

CUresult parts_of(const Target& target, const CUarrayMapInfo& map, std::vector<Part>& parts) {
  if ((target.descriptor->Flags & CUDA_ARRAY3D_DEFERRED_MAPPING) != 0) {
    parts.push_back({target.range->address(), target.range->bytes()});
    return CUDA_SUCCESS;
  }
  switch (number_in(map.subresourceType)) {
    case CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_SPARSE_LEVEL:
      return tiles_in_box(target, map, parts);
    case CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_MIPTAIL:
      return tail_part(target, map, parts);
  }
  return CUDA_ERROR_INVALID_VALUE;
}

// The memory of an entry that maps, of which `bytes` are used.
CUresult pool_of(const Context& context, const CUarrayMapInfo& map, std::uint64_t bytes,
                 std::shared_ptr<PhysicalMemory>& memory) {
  if (number_in(map.memHandleType) != CU_MEM_HANDLE_TYPE_GENERIC) return CUDA_ERROR_INVALID_VALUE;
  const MemoryHandle* found = find_in(driver().memory_handles, map.memHandle.memHandle);
  if (found == nullptr || found->memory == nullptr)
    return fail(CUDA_ERROR_INVALID_VALUE, "the handle is not that of live memory");
  if (!found->memory->tile_pool)
    return fail(CUDA_ERROR_INVALID_VALUE,
                "the memory was created without CU_MEM_CREATE_USAGE_TILE_POOL");
  if (found->memory->device() != context.device)
    return fail(CUDA_ERROR_INVALID_VALUE, "the memory is of another device than the stream");
  if (map.offset % kTile != 0 || map.offset > found->memory->bytes() ||
      bytes > found->memory->bytes() - map.offset)
    return fail(CUDA_ERROR_INVALID_VALUE, "the offset is not a multiple of 65536 bytes, or " +
                                              std::to_string(bytes) +
                                              " bytes from there leave the memory");
  memory = found->memory;
  return CUDA_SUCCESS;
}

struct Operation {
  std::vector<Part> parts;
  std::shared_ptr<PhysicalMemory> memory;  ///< null: unmaps
  std::uint64_t offset = 0;
};

CUresult check_entry(Context& context, const CUarrayMapInfo& map, Operation& operation) {
  Target target;
  CUresult result = target_of(context, map, target);
  if (result != CUDA_SUCCESS) return result;
  if (map.flags != 0 || map.reserved[0] != 0 || map.reserved[1] != 0)
    return fail(CUDA_ERROR_INVALID_VALUE, "flags and reserved must be zero");
  if (map.deviceBitMask != 1u << context.device)
    return fail(CUDA_ERROR_INVALID_VALUE,
                "deviceBitMask must have the bit of the stream's device alone");
  result = parts_of(target, map, operation.parts);
  if (result != CUDA_SUCCESS) return result;
  switch (number_in(map.memOperationType)) {
    case CU_MEM_OPERATION_TYPE_UNMAP:
      return map.memHandle.memHandle == 0
                 ? CUDA_SUCCESS
                 : fail(CUDA_ERROR_INVALID_VALUE, "memHandle must be 0 to unmap");
    case CU_MEM_OPERATION_TYPE_MAP: {
      std::uint64_t bytes = 0;
      for (const Part& part : operation.parts) bytes += part.bytes;
      operation.offset = map.offset;
      return pool_of(context, map, bytes, operation.memory);
    }
  }
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult perform(const Context& context, const Operation& operation) {
  VirtualMemory& memory = *driver().virtual_memory;
  std::uint64_t offset = operation.offset;
  if (operation.memory == nullptr) {
    for (const Part& part : operation.parts) memory.unmap(part.address, part.bytes);
    return CUDA_SUCCESS;
  }
  // The manual does not say what becomes of the memory before.
  if (std::ranges::any_of(operation.parts, [&](const Part& part) {
        return memory.mapping_at(part.address) != nullptr;
      }))
    return fail(CUDA_ERROR_INVALID_VALUE, "memory is mapped there already: unmap it first");
  if (!operation.memory->has_values) memory.track_values();
  for (const Part& part : operation.parts) {
    if (!memory.map(part.address, part.bytes, offset, operation.memory, "cuMemMapArrayAsync"))
      return CUDA_ERROR_INVALID_VALUE;
    memory.set_access(part.address, part.bytes, context.device, VirtualMemory::read_write);
    offset += part.bytes;
  }
  return CUDA_SUCCESS;
}

template <typename Properties>
CUresult describe(Properties* properties, const Image& first, std::uint64_t tail,
                  unsigned int first_in_tail) {
  if (properties == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *properties = {};
  const Tiles tiles = tiles_of(first);
  properties->tileExtent.width = tiles.width;
  properties->tileExtent.height = tiles.height;
  properties->tileExtent.depth = tiles.depth;
  properties->miptailFirstLevel = first_in_tail;
  properties->miptailSize = tail;
  return CUDA_SUCCESS;
}

CUresult require(CUDA_ARRAY_MEMORY_REQUIREMENTS* requirements, CUdevice device, unsigned int flags,
                 const MappedRange* range) {
  if (requirements == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (!driver().is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
  if ((flags & CUDA_ARRAY3D_DEFERRED_MAPPING) == 0 || range == nullptr)
    return fail(CUDA_ERROR_INVALID_VALUE, kNotDeferred);
  *requirements = {};
  requirements->size = range->bytes();
  requirements->alignment = kTile;
  return CUDA_SUCCESS;
}

}  // namespace
}  // namespace warpmark::cpu

using namespace warpmark::cpu;

extern "C" {

CUresult cuArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES* properties, CUarray handle) {
  return with_owner_reports("cuArrayGetSparseProperties", Waits::no, handle,
                            [&](Context& context) -> CUresult {
                              const ImageArray* array = context.images.find(handle);
                              if (array == nullptr) return CUDA_ERROR_INVALID_HANDLE;
                              if ((array->descriptor.Flags & CUDA_ARRAY3D_SPARSE) == 0)
                                return fail(CUDA_ERROR_INVALID_VALUE, kNotSparse);
                              if (array->mipmap != nullptr)
                                return fail(CUDA_ERROR_INVALID_VALUE, kIsLevel);
                              return describe(properties, array->image, 0, 0);
                            });
}

CUresult cuMipmappedArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES* properties,
                                             CUmipmappedArray handle) {
  return with_owner_reports(
      "cuMipmappedArrayGetSparseProperties", Waits::no, handle, [&](Context& context) -> CUresult {
        const auto* mipmap = find_in(context.images.mipmaps, handle);
        if (mipmap == nullptr) return CUDA_ERROR_INVALID_HANDLE;
        if ((mipmap->descriptor.Flags & CUDA_ARRAY3D_SPARSE) == 0)
          return fail(CUDA_ERROR_INVALID_VALUE, kNotSparse);
        Target target;
        CUarrayMapInfo map{};
        map.resourceType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
        map.resource.mipmap = handle;
        const CUresult result = target_of(context, map, target);
        return result != CUDA_SUCCESS ? result
                                      : describe(properties, *target.levels[0], tail_bytes(target),
                                                 target.first_in_tail);
      });
}

CUresult cuMemMapArrayAsync(CUarrayMapInfo* maps, unsigned int count, CUstream stream) {
  return with_owner_reports(
      "cuMemMapArrayAsync", Waits::no, stream, [&](Context& context) -> CUresult {
        if (maps == nullptr || count == 0) return CUDA_ERROR_INVALID_VALUE;
        if (!valid_stream(context, stream)) return CUDA_ERROR_INVALID_HANDLE;
        if (capturing(context, stream)) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
        std::vector<Operation> operations(count);
        for (unsigned int k = 0; k < count; ++k) {
          const CUresult result = check_entry(context, maps[k], operations[k]);
          if (result != CUDA_SUCCESS) return result;
        }
        for (const Operation& operation : operations) {
          const CUresult result = perform(context, operation);
          if (result != CUDA_SUCCESS) return result;
        }
        return CUDA_SUCCESS;
      });
}

CUresult cuArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS* requirements, CUarray handle,
                                      CUdevice device) {
  return with_owner_reports(
      "cuArrayGetMemoryRequirements", Waits::no, handle, [&](Context& context) -> CUresult {
        const ImageArray* array = context.images.find(handle);
        if (array == nullptr) return CUDA_ERROR_INVALID_HANDLE;
        if (array->mipmap != nullptr) return fail(CUDA_ERROR_INVALID_VALUE, kIsLevel);
        return require(requirements, device, array->descriptor.Flags, array->range.get());
      });
}

CUresult cuMipmappedArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS* requirements,
                                               CUmipmappedArray handle, CUdevice device) {
  return with_owner_reports("cuMipmappedArrayGetMemoryRequirements", Waits::no, handle,
                            [&](Context& context) -> CUresult {
                              const auto* mipmap = find_in(context.images.mipmaps, handle);
                              if (mipmap == nullptr) return CUDA_ERROR_INVALID_HANDLE;
                              return require(requirements, device, mipmap->descriptor.Flags,
                                             mipmap->range.get());
                            });
}

}  // extern "C"
