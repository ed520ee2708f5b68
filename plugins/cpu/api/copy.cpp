// Copies of rectangles and boxes, and copies from and to arrays.
#include "api/copy.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>

#include "api/capture.hpp"
#include "api/mistake.hpp"
#include "api/owner.hpp"
#include "api/work.hpp"

namespace warpmark::cpu {
namespace {

// One side of a copy, as CUDA_MEMCPY3D describes both.
struct Side {
  std::size_t x, y, z, level;
  unsigned int type;
  std::uint64_t host;
  CUdeviceptr device;
  CUarray array;
  std::size_t pitch, height;
};

Side source_of(const CUDA_MEMCPY3D& c) {
  return {c.srcXInBytes,
          c.srcY,
          c.srcZ,
          c.srcLOD,
          number_in(c.srcMemoryType),
          reinterpret_cast<std::uint64_t>(c.srcHost),
          c.srcDevice,
          c.srcArray,
          c.srcPitch,
          c.srcHeight};
}
Side target_of(const CUDA_MEMCPY3D& c) {
  return {c.dstXInBytes,
          c.dstY,
          c.dstZ,
          c.dstLOD,
          number_in(c.dstMemoryType),
          reinterpret_cast<std::uint64_t>(c.dstHost),
          c.dstDevice,
          c.dstArray,
          c.dstPitch,
          c.dstHeight};
}

// Rows in memory: the row y of slice z begins at `first` + z × slice + y × row.
struct Rows {
  std::byte* first = nullptr;
  std::size_t row = 0, slice = 0;
  Arena* arena = nullptr;           // of a device's memory
  std::uint64_t address = 0;        // … the device address of `first`
  const Image* parts = nullptr;     // an array that memory is mapped into: where each texel lies
  std::size_t x = 0, y = 0, z = 0;  // … where the box begins; x is a texel

  // A part of the row y of slice z, from a byte of it on.
  struct Part {
    std::byte* host = nullptr;
    std::uint64_t address = 0;
    std::size_t bytes = ~std::size_t{0};  // until others lie beside them
  };
  [[nodiscard]] Part part(std::size_t byte, std::size_t row_number, std::size_t depth) const {
    if (parts == nullptr) {
      const std::size_t offset = depth * slice + row_number * row + byte;
      return {first + offset, address + offset};
    }
    const std::uint64_t texel = parts->format.bytes(), at = x + byte / texel;
    const std::uint64_t offset = parts->offset(at, y + row_number, z + depth) + byte % texel;
    return {first + offset, address + offset, parts->together(at) - byte % texel};
  }
};

// Calls body(target's part, source's part, bytes) for what lies together on both sides.
template <typename Body>
CUresult each_part(const CUDA_MEMCPY3D& copy, const Rows& target, const Rows& source, Body body) {
  for (std::size_t z = 0; z < copy.Depth; ++z) {
    for (std::size_t y = 0; y < copy.Height; ++y) {
      for (std::size_t x = 0; x < copy.WidthInBytes;) {
        const Rows::Part to = target.part(x, y, z), from = source.part(x, y, z);
        const std::size_t bytes = std::min({to.bytes, from.bytes, copy.WidthInBytes - x});
        body(to, from, bytes);
        x += bytes;
      }
    }
  }
  return CUDA_SUCCESS;
}

// No manual says what a copy of texels without memory does.
CUresult all_mapped(const CUDA_MEMCPY3D& copy, const Rows& target, const Rows& source) {
  if (target.parts == nullptr && source.parts == nullptr) return CUDA_SUCCESS;
  bool mapped = true;
  each_part(copy, target, source,
            [&](const Rows::Part& to, const Rows::Part& from, std::size_t bytes) {
              const auto has = [&](const Rows& rows, const Rows::Part& part) {
                return rows.parts == nullptr || rows.arena->find(part.address, bytes) != nullptr;
              };
              mapped = mapped && has(target, to) && has(source, from);
            });
  return mapped ? CUDA_SUCCESS
                : fail(CUDA_ERROR_INVALID_VALUE,
                       "no memory is mapped into a part of the array (cuMemMapArrayAsync)");
}

// a × b + c without overflow, or false.
bool product_sum(std::size_t a, std::size_t b, std::size_t c, std::size_t& result) {
  return !__builtin_mul_overflow(a, b, &result) && !__builtin_add_overflow(result, c, &result);
}

CUresult array_rows(const Side& side, const CUDA_MEMCPY3D& copy, Rows& rows) {
  Context* owner = owner_of(side.array);
  if (owner == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  Context& context = *owner;
  const Image& image = context.images.find(side.array)->image;
  const auto inside = [](std::size_t at, std::size_t extent, std::uint64_t size) {
    return at <= size && extent <= size - at;
  };
  if (!inside(side.x, copy.WidthInBytes, image.width * image.format.bytes()) ||
      !inside(side.y, copy.Height, image.height) || !inside(side.z, copy.Depth, image.slices()) ||
      side.x % image.format.bytes() != 0)
    return fail(CUDA_ERROR_INVALID_VALUE, "the box is not inside the array");
  if (image.in_parts) {
    rows.arena = &driver().virtual_memory->view(context.device);
    rows.address = image.address;
    rows.first = rows.arena->host(rows.address);
    rows.parts = &image;
    rows.x = side.x / image.format.bytes();
    rows.y = side.y;
    rows.z = side.z;
    return CUDA_SUCCESS;
  }
  if (context.arena.find(image.address, image.bytes()) == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  rows.arena = &context.arena;
  rows.address = image.address + image.offset(0, side.y, side.z) + side.x;
  rows.first = context.arena.host(rows.address);
  rows.row = image.row_pitch;
  rows.slice = image.slice_pitch;
  return CUDA_SUCCESS;
}

CUresult plain_rows(Context& context, const Side& side, const CUDA_MEMCPY3D& copy, Rows& rows) {
  const bool device =
      side.type == CU_MEMORYTYPE_DEVICE ||
      (side.type == CU_MEMORYTYPE_UNIFIED && driver().arena_of(context, side.device) != nullptr);
  // A unified address of either kind stands in srcDevice or dstDevice.
  const std::uint64_t base = side.type == CU_MEMORYTYPE_HOST ? side.host : side.device;
  if (base == 0) {
    return fail(CUDA_ERROR_INVALID_VALUE,
                device ? "the device's address is null" : "the host's address is null");
  }
  // A pitch of 0 stands for rows without gaps, as does a height of 0 for slices.
  const std::size_t pitch = side.pitch == 0 ? copy.WidthInBytes + side.x : side.pitch;
  const std::size_t height = side.height == 0 ? copy.Height + side.y : side.height;
  std::size_t slice = 0, start = 0, length = 0;
  if (side.x > pitch || copy.WidthInBytes > pitch - side.x ||
      (copy.Depth > 1 && (side.y > height || copy.Height > height - side.y)) ||
      !product_sum(pitch, height, 0, slice) || !product_sum(slice, side.z, side.x, start) ||
      !product_sum(pitch, side.y, start, start) ||
      !product_sum(slice, copy.Depth - 1, copy.WidthInBytes, length) ||
      !product_sum(pitch, copy.Height - 1, length, length))
    return fail(CUDA_ERROR_INVALID_VALUE, "the box does not fit its pitch and height");
  std::uint64_t address = 0;
  if (__builtin_add_overflow(base, start, &address)) return CUDA_ERROR_INVALID_VALUE;
  rows.first = host_range(context, address, length, device);
  if (rows.first == nullptr) return CUDA_ERROR_INVALID_VALUE;
  rows.row = pitch;
  rows.slice = slice;
  rows.arena = driver().arena_of(context, address, length);
  if (rows.arena != nullptr) rows.address = address;
  return CUDA_SUCCESS;
}

CUresult rows_of(Context& context, const Side& side, const CUDA_MEMCPY3D& copy, Rows& rows) {
  if (side.level != 0) return CUDA_ERROR_INVALID_VALUE;
  switch (side.type) {
    case CU_MEMORYTYPE_ARRAY:
      return array_rows(side, copy, rows);
    case CU_MEMORYTYPE_HOST:
    case CU_MEMORYTYPE_DEVICE:
    case CU_MEMORYTYPE_UNIFIED:
      return plain_rows(context, side, copy, rows);
  }
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult both_rows(Context& context, const CUDA_MEMCPY3D& copy, Rows& source, Rows& target) {
  CUresult result = rows_of(context, source_of(copy), copy, source);
  if (result != CUDA_SUCCESS) return result;
  result = rows_of(context, target_of(copy), copy, target);
  if (result != CUDA_SUCCESS) refused_range().write = true;
  if (result == CUDA_SUCCESS) result = all_mapped(copy, target, source);
  return result != CUDA_SUCCESS || target.parts != nullptr
             ? result
             : refuse_write(target.arena, target.address);
}

}  // namespace

CUresult ranges_of(Context& context, const CUDA_MEMCPY3D& copy, std::vector<CopyRange>& ranges) {
  Rows source, target;
  const CUresult result = both_rows(context, copy, source, target);
  if (result != CUDA_SUCCESS) return result;
  for (const Rows* side : {&source, &target}) {
    each_part(copy, *side, *side,
              [&](const Rows::Part& part, const Rows::Part&, std::size_t bytes) {
                const auto place = reinterpret_cast<std::uint64_t>(part.host);
                ranges.push_back(
                    {place, side->arena == nullptr ? place : part.address, bytes, side == &target});
              });
  }
  return CUDA_SUCCESS;
}

void report_if_overlapping(Context& context, const char* call, const CUDA_MEMCPY3D& copy) {
  if (!context.launch_limits.exact_bounds || copy.WidthInBytes == 0) return;
  if (copy.Height == 0 || copy.Depth == 0) return;
  Rows source, target;
  if (both_rows(context, copy, source, target) != CUDA_SUCCESS) return;
  if (source.arena == nullptr || target.arena == nullptr || source.first == target.first ||
      source.parts != nullptr || target.parts != nullptr)
    return;
  const auto end = [&](const Rows& rows) {
    return rows.first + (copy.Depth - 1) * rows.slice + (copy.Height - 1) * rows.row +
           copy.WidthInBytes;
  };
  if (end(source) <= target.first || end(target) <= source.first) return;
  std::vector<CopyRange> ranges;
  if (ranges_of(context, copy, ranges) != CUDA_SUCCESS) return;
  std::ranges::sort(ranges, {}, &CopyRange::place);
  std::uint64_t read = 0, written = 0;  // the ends of those before
  for (const CopyRange& range : ranges) {
    if (range.place < (range.write ? read : written))
      return report_overlap(context, call, range.address);
    std::uint64_t& until = range.write ? written : read;
    until = std::max(until, range.place + range.bytes);
  }
}

CUresult check_copy(Context& context, const CUDA_MEMCPY3D& copy) {
  if (copy.reserved0 != nullptr || copy.reserved1 != nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (copy.WidthInBytes == 0 || copy.Height == 0 || copy.Depth == 0) return CUDA_SUCCESS;
  Rows source, target;
  return both_rows(context, copy, source, target);
}

CUresult perform_copy(Context& context, const CUDA_MEMCPY3D& copy) {
  if (copy.WidthInBytes == 0 || copy.Height == 0 || copy.Depth == 0) return CUDA_SUCCESS;
  Rows source, target;
  const CUresult result = both_rows(context, copy, source, target);
  if (result != CUDA_SUCCESS) return result;
  return each_part(copy, target, source,
                   [&](const Rows::Part& to, const Rows::Part& from, std::size_t bytes) {
                     std::memmove(to.host, from.host, bytes);
                     if (target.arena == nullptr) return;
                     if (source.arena == nullptr)
                       target.arena->set_values(to.address, bytes, true);
                     else
                       target.arena->copy_values(to.address, bytes, *source.arena, from.address);
                   });
}

CUDA_MEMCPY3D box_of(const CUDA_MEMCPY3D& copy) {
  return copy;
}
CUDA_MEMCPY3D box_of(const CUDA_MEMCPY2D& copy) {
  CUDA_MEMCPY3D box{};
  box.srcXInBytes = copy.srcXInBytes;
  box.srcY = copy.srcY;
  copy_number(box.srcMemoryType, copy.srcMemoryType);
  box.srcHost = copy.srcHost;
  box.srcDevice = copy.srcDevice;
  box.srcArray = copy.srcArray;
  box.srcPitch = copy.srcPitch;
  box.dstXInBytes = copy.dstXInBytes;
  box.dstY = copy.dstY;
  copy_number(box.dstMemoryType, copy.dstMemoryType);
  box.dstHost = copy.dstHost;
  box.dstDevice = copy.dstDevice;
  box.dstArray = copy.dstArray;
  box.dstPitch = copy.dstPitch;
  box.WidthInBytes = copy.WidthInBytes;
  box.Height = copy.Height;
  box.Depth = 1;
  return box;
}
// It has contexts where others have reserved members; arrays and addresses are the same for all
// devices.
CUDA_MEMCPY3D box_of(const CUDA_MEMCPY3D_PEER& copy) {
  auto box = std::bit_cast<CUDA_MEMCPY3D>(copy);
  box.reserved0 = box.reserved1 = nullptr;
  return box;
}

namespace {

// A copy that the host waits for, and one in a stream.
template <typename Copy>
CUresult queued_box(const char* name, const Copy* copy, CUstream stream) {
  return with_owner_reports(name, Waits::no, stream, [&](Context& context) -> CUresult {
    if (!valid_stream(context, stream)) return CUDA_ERROR_INVALID_HANDLE;
    if (copy == nullptr) return CUDA_ERROR_INVALID_VALUE;
    report_if_overlapping(context, name, box_of(*copy));
    return submit_checked(context, stream, CopyWork{box_of(*copy)});
  });
}
template <typename Copy>
CUresult waiting_box(const char* name, const Copy* copy) {
  return at_once(name, [&](Context& context) -> CUresult {
    if (copy == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const CUDA_MEMCPY3D box = box_of(*copy);
    const CUresult result = check_copy(context, box);
    if (result != CUDA_SUCCESS) return result;
    report_if_overlapping(context, name, box);
    return perform_copy(context, box);
  });
}

// Byte ranges of arrays are no boxes, so that a graph has no node for them.
template <typename Body>
CUresult queued(const char* name, CUstream stream, Body body) {
  return with_owner_reports(name, Waits::no, stream, [&](Context& context) -> CUresult {
    if (!valid_stream(context, stream)) return CUDA_ERROR_INVALID_HANDLE;
    const CUresult result = refuse_to_wait(context, stream);
    if (result != CUDA_SUCCESS) return result;
    return context.pending != CUDA_SUCCESS ? CUDA_SUCCESS : body(context);
  });
}

struct Bytes {
  std::byte* first = nullptr;
  std::uint64_t address = 0;  ///< the device's, 0 for the host's
  Arena* arena = nullptr;     ///< that holds it; null for the host's
};

// The texels of a one-dimensional array, `offset` bytes on; a copy may go on over the rows of
// others, which the driver allows, too.
CUresult array_bytes(CUarray handle, std::size_t offset, std::size_t bytes, Bytes& found) {
  Context* owner = owner_of(handle);
  if (owner == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  const ImageArray* array = owner->images.find(handle);
  if (array->image.in_parts)
    return fail(CUDA_ERROR_NOT_SUPPORTED,
                "an array that memory is mapped into has no order of bytes: use cuMemcpy2D or 3D");
  Arena& arena = owner->arena;
  const std::uint64_t size = array->image.bytes();
  if (offset > size || bytes > size - offset || arena.find(array->image.address, size) == nullptr)
    return fail(CUDA_ERROR_INVALID_VALUE,
                "the range of " + std::to_string(bytes) + " bytes is not inside the array");
  found = {arena.host(array->image.address) + offset, array->image.address + offset, &arena};
  return CUDA_SUCCESS;
}
CUresult device_bytes(Context& context, CUdeviceptr address, std::size_t bytes, Bytes& found) {
  Arena* arena = driver().arena_of(context, address, bytes);
  if (arena == nullptr) return CUDA_ERROR_INVALID_VALUE;
  found = {host_range(context, address, bytes, true), address, arena};
  if (found.first == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return CUDA_SUCCESS;
}
CUresult host_bytes(Context& context, const void* pointer, std::size_t bytes, Bytes& found) {
  found = {host_range(context, reinterpret_cast<std::uint64_t>(pointer), bytes, false), 0, nullptr};
  return found.first == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

template <typename To, typename From>
CUresult copy_bytes(std::size_t bytes, To to, From from) {
  if (bytes == 0) return CUDA_SUCCESS;
  Bytes target, source;
  CUresult result = to(target);
  if (result != CUDA_SUCCESS) refused_range().write = true;
  if (result == CUDA_SUCCESS) result = refuse_write(target.arena, target.address);
  if (result == CUDA_SUCCESS) result = from(source);
  if (result != CUDA_SUCCESS) return result;
  std::memmove(target.first, source.first, bytes);
  if (target.arena == nullptr) return CUDA_SUCCESS;
  if (source.arena == nullptr)
    target.arena->set_values(target.address, bytes, true);
  else
    target.arena->copy_values(target.address, bytes, *source.arena, source.address);
  return CUDA_SUCCESS;
}

CUresult host_to_array(Context& c, CUarray to, std::size_t offset, const void* from,
                       std::size_t bytes) {
  return copy_bytes(
      bytes, [&](Bytes& at) { return array_bytes(to, offset, bytes, at); },
      [&](Bytes& at) { return host_bytes(c, from, bytes, at); });
}
CUresult array_to_host(Context& c, void* to, CUarray from, std::size_t offset, std::size_t bytes) {
  return copy_bytes(
      bytes, [&](Bytes& at) { return host_bytes(c, to, bytes, at); },
      [&](Bytes& at) { return array_bytes(from, offset, bytes, at); });
}

}  // namespace
}  // namespace warpmark::cpu

using namespace warpmark::cpu;

extern "C" {

// cuMemcpy2D needs a pitch where there is more than one row, cuMemcpy2DUnaligned, too.
CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D* copy) {
  return waiting_box("cuMemcpy2D_v2", copy);
}
CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D* copy) {
  return waiting_box("cuMemcpy2DUnaligned_v2", copy);
}
CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D* copy, CUstream stream) {
  return queued_box("cuMemcpy2DAsync_v2", copy, stream);
}
CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D* copy) {
  return waiting_box("cuMemcpy3D_v2", copy);
}
CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D* copy, CUstream stream) {
  return queued_box("cuMemcpy3DAsync_v2", copy, stream);
}

CUresult cuMemcpyHtoA_v2(CUarray to, size_t offset, const void* from, size_t bytes) {
  return at_once("cuMemcpyHtoA_v2",
                 [&](Context& c) { return host_to_array(c, to, offset, from, bytes); });
}
CUresult cuMemcpyHtoAAsync_v2(CUarray to, size_t offset, const void* from, size_t bytes,
                              CUstream stream) {
  return queued("cuMemcpyHtoAAsync_v2", stream,
                [&](Context& c) { return host_to_array(c, to, offset, from, bytes); });
}
CUresult cuMemcpyAtoH_v2(void* to, CUarray from, size_t offset, size_t bytes) {
  return at_once("cuMemcpyAtoH_v2",
                 [&](Context& c) { return array_to_host(c, to, from, offset, bytes); });
}
CUresult cuMemcpyAtoHAsync_v2(void* to, CUarray from, size_t offset, size_t bytes,
                              CUstream stream) {
  return queued("cuMemcpyAtoHAsync_v2", stream,
                [&](Context& c) { return array_to_host(c, to, from, offset, bytes); });
}
CUresult cuMemcpyDtoA_v2(CUarray to, size_t offset, CUdeviceptr from, size_t bytes) {
  return at_once("cuMemcpyDtoA_v2", [&](Context& c) {
    return copy_bytes(
        bytes, [&](Bytes& at) { return array_bytes(to, offset, bytes, at); },
        [&](Bytes& at) { return device_bytes(c, from, bytes, at); });
  });
}
CUresult cuMemcpyAtoD_v2(CUdeviceptr to, CUarray from, size_t offset, size_t bytes) {
  return at_once("cuMemcpyAtoD_v2", [&](Context& c) {
    return copy_bytes(
        bytes, [&](Bytes& at) { return device_bytes(c, to, bytes, at); },
        [&](Bytes& at) { return array_bytes(from, offset, bytes, at); });
  });
}
CUresult cuMemcpyAtoA_v2(CUarray to, size_t to_offset, CUarray from, size_t from_offset,
                         size_t bytes) {
  return at_once("cuMemcpyAtoA_v2", [&](Context&) {
    return copy_bytes(
        bytes, [&](Bytes& at) { return array_bytes(to, to_offset, bytes, at); },
        [&](Bytes& at) { return array_bytes(from, from_offset, bytes, at); });
  });
}

}  // extern "C"
