// Copies of rectangles and boxes, copies from and to arrays, and fills of pitched memory.
#include "api/copy.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace warpmark::cpu {
namespace {

// One side of a copy, as CUDA_MEMCPY3D describes both.
struct Side {
  std::size_t x, y, z, level;
  CUmemorytype type;
  std::uint64_t host;
  CUdeviceptr device;
  CUarray array;
  std::size_t pitch, height;
};

Side source_of(const CUDA_MEMCPY3D& c) {
  return {c.srcXInBytes, c.srcY,          c.srcZ,
          c.srcLOD,      c.srcMemoryType, reinterpret_cast<std::uint64_t>(c.srcHost),
          c.srcDevice,   c.srcArray,      c.srcPitch,
          c.srcHeight};
}
Side target_of(const CUDA_MEMCPY3D& c) {
  return {c.dstXInBytes, c.dstY,          c.dstZ,
          c.dstLOD,      c.dstMemoryType, reinterpret_cast<std::uint64_t>(c.dstHost),
          c.dstDevice,   c.dstArray,      c.dstPitch,
          c.dstHeight};
}

// Rows in memory: the row y of slice z begins at `first` + z × slice + y × row.
struct Rows {
  std::byte* first = nullptr;
  std::size_t row = 0, slice = 0;
};

// a × b + c without overflow, or false.
bool product_sum(std::size_t a, std::size_t b, std::size_t c, std::size_t& result) {
  return !__builtin_mul_overflow(a, b, &result) && !__builtin_add_overflow(result, c, &result);
}

CUresult array_rows(Context& context, const Side& side, const CUDA_MEMCPY3D& copy, Rows& rows) {
  const ImageArray* array = context.images.find(side.array);
  if (array == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  const Image& image = array->image;
  const auto inside = [](std::size_t at, std::size_t extent, std::uint64_t size) {
    return at <= size && extent <= size - at;
  };
  if (!inside(side.x, copy.WidthInBytes, image.row_pitch) ||
      !inside(side.y, copy.Height, image.height) || !inside(side.z, copy.Depth, image.slices()) ||
      side.x % image.format.bytes() != 0 || copy.WidthInBytes % image.format.bytes() != 0)
    return CUDA_ERROR_INVALID_VALUE;
  if (context.arena.find(image.address, image.bytes()) == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  rows.first = context.arena.host(image.address) + image.offset(0, side.y, side.z) + side.x;
  rows.row = image.row_pitch;
  rows.slice = image.slice_pitch;
  return CUDA_SUCCESS;
}

CUresult plain_rows(Context& context, const Side& side, const CUDA_MEMCPY3D& copy, Rows& rows) {
  const bool device = side.type == CU_MEMORYTYPE_DEVICE ||
                      (side.type == CU_MEMORYTYPE_UNIFIED && context.arena.contains(side.device));
  // A unified address of either kind stands in srcDevice or dstDevice.
  const std::uint64_t base = side.type == CU_MEMORYTYPE_HOST ? side.host : side.device;
  if (base == 0) return CUDA_ERROR_INVALID_VALUE;
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
    return CUDA_ERROR_INVALID_VALUE;
  std::uint64_t address = 0;
  if (__builtin_add_overflow(base, start, &address)) return CUDA_ERROR_INVALID_VALUE;
  if (device) {
    if (context.arena.find(address, length) == nullptr) {
      return fail(CUDA_ERROR_INVALID_VALUE,
                  "the box of " + std::to_string(length) + " bytes is not inside one allocation");
    }
    rows.first = context.arena.host(address);
  } else {
    if (context.arena.contains(base)) return CUDA_ERROR_INVALID_VALUE;
    rows.first = reinterpret_cast<std::byte*>(address);
  }
  rows.row = pitch;
  rows.slice = slice;
  return CUDA_SUCCESS;
}

CUresult rows_of(Context& context, const Side& side, const CUDA_MEMCPY3D& copy, Rows& rows) {
  if (side.level != 0) return CUDA_ERROR_INVALID_VALUE;
  switch (side.type) {
    case CU_MEMORYTYPE_ARRAY:
      return array_rows(context, side, copy, rows);
    case CU_MEMORYTYPE_HOST:
    case CU_MEMORYTYPE_DEVICE:
    case CU_MEMORYTYPE_UNIFIED:
      return plain_rows(context, side, copy, rows);
  }
  return CUDA_ERROR_INVALID_VALUE;
}

}  // namespace

CUresult copy_box(Context& to, Context& from, const CUDA_MEMCPY3D& copy) {
  if (copy.WidthInBytes == 0 || copy.Height == 0 || copy.Depth == 0) return CUDA_SUCCESS;
  Rows source, target;
  CUresult result = rows_of(from, source_of(copy), copy, source);
  if (result == CUDA_SUCCESS) result = rows_of(to, target_of(copy), copy, target);
  if (result != CUDA_SUCCESS) return result;
  for (std::size_t z = 0; z < copy.Depth; ++z) {
    for (std::size_t y = 0; y < copy.Height; ++y) {
      std::memmove(target.first + z * target.slice + y * target.row,
                   source.first + z * source.slice + y * source.row, copy.WidthInBytes);
    }
  }
  return CUDA_SUCCESS;
}

CUDA_MEMCPY3D box_of(const CUDA_MEMCPY2D& c) {
  CUDA_MEMCPY3D box{};
  box.srcXInBytes = c.srcXInBytes;
  box.srcY = c.srcY;
  box.srcMemoryType = c.srcMemoryType;
  box.srcHost = c.srcHost;
  box.srcDevice = c.srcDevice;
  box.srcArray = c.srcArray;
  box.srcPitch = c.srcPitch;
  box.dstXInBytes = c.dstXInBytes;
  box.dstY = c.dstY;
  box.dstMemoryType = c.dstMemoryType;
  box.dstHost = c.dstHost;
  box.dstDevice = c.dstDevice;
  box.dstArray = c.dstArray;
  box.dstPitch = c.dstPitch;
  box.WidthInBytes = c.WidthInBytes;
  box.Height = c.Height;
  box.Depth = 1;
  return box;
}

namespace {

// A peer copy's sides name their contexts; an array's is that of its creation.
CUresult copy_between(const CUDA_MEMCPY3D_PEER& p) {
  Context* to = driver().find(p.dstContext);
  Context* from = driver().find(p.srcContext);
  const auto owner = [](CUarray array) -> Context* {
    for (const auto& [handle, context] : driver().contexts) {
      if (context->images.find(array) != nullptr) return context.get();
    }
    return nullptr;
  };
  if (p.dstMemoryType == CU_MEMORYTYPE_ARRAY) to = owner(p.dstArray);
  if (p.srcMemoryType == CU_MEMORYTYPE_ARRAY) from = owner(p.srcArray);
  if (to == nullptr || from == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  CUDA_MEMCPY3D copy{};
  copy.srcXInBytes = p.srcXInBytes;
  copy.srcY = p.srcY;
  copy.srcZ = p.srcZ;
  copy.srcLOD = p.srcLOD;
  copy.srcMemoryType = p.srcMemoryType;
  copy.srcHost = p.srcHost;
  copy.srcDevice = p.srcDevice;
  copy.srcArray = p.srcArray;
  copy.srcPitch = p.srcPitch;
  copy.srcHeight = p.srcHeight;
  copy.dstXInBytes = p.dstXInBytes;
  copy.dstY = p.dstY;
  copy.dstZ = p.dstZ;
  copy.dstLOD = p.dstLOD;
  copy.dstMemoryType = p.dstMemoryType;
  copy.dstHost = p.dstHost;
  copy.dstDevice = p.dstDevice;
  copy.dstArray = p.dstArray;
  copy.dstPitch = p.dstPitch;
  copy.dstHeight = p.dstHeight;
  copy.WidthInBytes = p.WidthInBytes;
  copy.Height = p.Height;
  copy.Depth = p.Depth;
  return copy_box(*to, *from, copy);
}

// A copy that the host waits for, and one in a stream. Streams execute at once, and work behind a
// failed launch is never executed.
template <typename Body>
CUresult waiting(const char* name, Body body) {
  return with_context(name, Waits::yes, body);
}
template <typename Body>
CUresult queued(const char* name, CUstream stream, Body body) {
  return with_context(name, Waits::no, [&](Context& context) -> CUresult {
    if (!valid_stream(context, stream)) return CUDA_ERROR_INVALID_HANDLE;
    return context.pending != CUDA_SUCCESS ? CUDA_SUCCESS : body(context);
  });
}

CUresult copy_box(Context& context, const CUDA_MEMCPY3D* copy) {
  if (copy == nullptr || copy->reserved0 != nullptr || copy->reserved1 != nullptr)
    return CUDA_ERROR_INVALID_VALUE;
  return copy_box(context, context, *copy);
}
// cuMemcpy2D needs a pitch where there is more than one row, cuMemcpy2DUnaligned, too.
CUresult copy_rectangle(Context& context, const CUDA_MEMCPY2D* copy) {
  if (copy == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return copy_box(context, context, box_of(*copy));
}

// The texels of a one-dimensional array, `offset` bytes on; a copy may go on over the rows of
// others, which the driver allows, too.
CUresult array_bytes(Context& context, CUarray handle, std::size_t offset, std::size_t bytes,
                     std::byte*& first) {
  const ImageArray* array = context.images.find(handle);
  if (array == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  const std::uint64_t size = array->image.bytes();
  if (offset > size || bytes > size - offset ||
      context.arena.find(array->image.address, size) == nullptr)
    return CUDA_ERROR_INVALID_VALUE;
  first = context.arena.host(array->image.address) + offset;
  return CUDA_SUCCESS;
}
CUresult device_bytes(Context& context, CUdeviceptr address, std::size_t bytes, std::byte*& first) {
  if (context.arena.find(address, bytes) == nullptr) return CUDA_ERROR_INVALID_VALUE;
  first = context.arena.host(address);
  return CUDA_SUCCESS;
}
CUresult host_bytes(const Context& context, const void* pointer, std::byte*& first) {
  if (pointer == nullptr || context.arena.contains(reinterpret_cast<std::uint64_t>(pointer)))
    return CUDA_ERROR_INVALID_VALUE;
  first = static_cast<std::byte*>(const_cast<void*>(pointer));
  return CUDA_SUCCESS;
}

template <typename To, typename From>
CUresult copy_bytes(std::size_t bytes, To to, From from) {
  if (bytes == 0) return CUDA_SUCCESS;
  std::byte *target = nullptr, *source = nullptr;
  CUresult result = to(target);
  if (result == CUDA_SUCCESS) result = from(source);
  if (result == CUDA_SUCCESS) std::memmove(target, source, bytes);
  return result;
}

CUresult host_to_array(Context& c, CUarray to, std::size_t offset, const void* from,
                       std::size_t bytes) {
  return copy_bytes(
      bytes, [&](std::byte*& at) { return array_bytes(c, to, offset, bytes, at); },
      [&](std::byte*& at) { return host_bytes(c, from, at); });
}
CUresult array_to_host(Context& c, void* to, CUarray from, std::size_t offset, std::size_t bytes) {
  return copy_bytes(
      bytes, [&](std::byte*& at) { return host_bytes(c, to, at); },
      [&](std::byte*& at) { return array_bytes(c, from, offset, bytes, at); });
}

template <typename T>
CUresult fill_rows(Context& context, CUdeviceptr address, std::size_t pitch, T value,
                   std::size_t width, std::size_t height) {
  if (address % sizeof(T) != 0 || (height > 1 && pitch % sizeof(T) != 0))
    return CUDA_ERROR_INVALID_VALUE;
  if (width == 0 || height == 0) return CUDA_SUCCESS;
  std::size_t bytes = 0, length = 0;
  if (!product_sum(width, sizeof(T), 0, bytes) || (height > 1 && bytes > pitch) ||
      !product_sum(pitch, height - 1, bytes, length) ||
      context.arena.find(address, length) == nullptr)
    return CUDA_ERROR_INVALID_VALUE;
  std::byte* first = context.arena.host(address);
  for (std::size_t y = 0; y < height; ++y) {
    for (std::size_t x = 0; x < width; ++x)
      std::memcpy(first + y * pitch + x * sizeof(T), &value, sizeof(T));
  }
  return CUDA_SUCCESS;
}

}  // namespace
}  // namespace warpmark::cpu

using namespace warpmark::cpu;

extern "C" {

CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D* copy) {
  return waiting("cuMemcpy2D", [&](Context& c) { return copy_rectangle(c, copy); });
}
CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D* copy) {
  return waiting("cuMemcpy2DUnaligned", [&](Context& c) { return copy_rectangle(c, copy); });
}
CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D* copy, CUstream stream) {
  return queued("cuMemcpy2DAsync", stream, [&](Context& c) { return copy_rectangle(c, copy); });
}
CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D* copy) {
  return waiting("cuMemcpy3D", [&](Context& c) { return copy_box(c, copy); });
}
CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D* copy, CUstream stream) {
  return queued("cuMemcpy3DAsync", stream, [&](Context& c) { return copy_box(c, copy); });
}
CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER* copy) {
  return waiting("cuMemcpy3DPeer", [&](Context&) {
    return copy == nullptr ? CUDA_ERROR_INVALID_VALUE : copy_between(*copy);
  });
}
CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER* copy, CUstream stream) {
  return queued("cuMemcpy3DPeerAsync", stream, [&](Context&) {
    return copy == nullptr ? CUDA_ERROR_INVALID_VALUE : copy_between(*copy);
  });
}

CUresult cuMemcpyHtoA_v2(CUarray to, size_t offset, const void* from, size_t bytes) {
  return waiting("cuMemcpyHtoA",
                 [&](Context& c) { return host_to_array(c, to, offset, from, bytes); });
}
CUresult cuMemcpyHtoAAsync_v2(CUarray to, size_t offset, const void* from, size_t bytes,
                              CUstream stream) {
  return queued("cuMemcpyHtoAAsync", stream,
                [&](Context& c) { return host_to_array(c, to, offset, from, bytes); });
}
CUresult cuMemcpyAtoH_v2(void* to, CUarray from, size_t offset, size_t bytes) {
  return waiting("cuMemcpyAtoH",
                 [&](Context& c) { return array_to_host(c, to, from, offset, bytes); });
}
CUresult cuMemcpyAtoHAsync_v2(void* to, CUarray from, size_t offset, size_t bytes,
                              CUstream stream) {
  return queued("cuMemcpyAtoHAsync", stream,
                [&](Context& c) { return array_to_host(c, to, from, offset, bytes); });
}
CUresult cuMemcpyDtoA_v2(CUarray to, size_t offset, CUdeviceptr from, size_t bytes) {
  return waiting("cuMemcpyDtoA", [&](Context& c) {
    return copy_bytes(
        bytes, [&](std::byte*& at) { return array_bytes(c, to, offset, bytes, at); },
        [&](std::byte*& at) { return device_bytes(c, from, bytes, at); });
  });
}
CUresult cuMemcpyAtoD_v2(CUdeviceptr to, CUarray from, size_t offset, size_t bytes) {
  return waiting("cuMemcpyAtoD", [&](Context& c) {
    return copy_bytes(
        bytes, [&](std::byte*& at) { return device_bytes(c, to, bytes, at); },
        [&](std::byte*& at) { return array_bytes(c, from, offset, bytes, at); });
  });
}
CUresult cuMemcpyAtoA_v2(CUarray to, size_t to_offset, CUarray from, size_t from_offset,
                         size_t bytes) {
  return waiting("cuMemcpyAtoA", [&](Context& c) {
    return copy_bytes(
        bytes, [&](std::byte*& at) { return array_bytes(c, to, to_offset, bytes, at); },
        [&](std::byte*& at) { return array_bytes(c, from, from_offset, bytes, at); });
  });
}

CUresult cuMemsetD2D8_v2(CUdeviceptr to, size_t pitch, unsigned char value, size_t width,
                         size_t height) {
  return waiting("cuMemsetD2D8",
                 [&](Context& c) { return fill_rows(c, to, pitch, value, width, height); });
}
CUresult cuMemsetD2D16_v2(CUdeviceptr to, size_t pitch, unsigned short value, size_t width,
                          size_t height) {
  return waiting("cuMemsetD2D16",
                 [&](Context& c) { return fill_rows(c, to, pitch, value, width, height); });
}
CUresult cuMemsetD2D32_v2(CUdeviceptr to, size_t pitch, unsigned int value, size_t width,
                          size_t height) {
  return waiting("cuMemsetD2D32",
                 [&](Context& c) { return fill_rows(c, to, pitch, value, width, height); });
}
CUresult cuMemsetD2D8Async(CUdeviceptr to, size_t pitch, unsigned char value, size_t width,
                           size_t height, CUstream stream) {
  return queued("cuMemsetD2D8Async", stream,
                [&](Context& c) { return fill_rows(c, to, pitch, value, width, height); });
}
CUresult cuMemsetD2D16Async(CUdeviceptr to, size_t pitch, unsigned short value, size_t width,
                            size_t height, CUstream stream) {
  return queued("cuMemsetD2D16Async", stream,
                [&](Context& c) { return fill_rows(c, to, pitch, value, width, height); });
}
CUresult cuMemsetD2D32Async(CUdeviceptr to, size_t pitch, unsigned int value, size_t width,
                            size_t height, CUstream stream) {
  return queued("cuMemsetD2D32Async", stream,
                [&](Context& c) { return fill_rows(c, to, pitch, value, width, height); });
}

}  // extern "C"
