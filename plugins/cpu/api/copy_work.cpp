// Copies and fills of linear memory, as ranges of rows.
#include <cstring>

#include "api/state.hpp"
#include "api/work.hpp"

// NOLINTBEGIN(performance-no-int-to-ptr): the driver API passes addresses as integers.
namespace warpmark::cpu {
namespace {

__extension__ using Wide = unsigned __int128;  // products of sizes that a call gave

// One end of a copy: `height` rows to a slice, `pitch` bytes from row to row.
struct End {
  std::uint64_t address = 0;  ///< of the first byte that is copied
  std::size_t pitch = 0, height = 0;
  bool device = false;
};

struct Box {
  std::size_t width, height, depth;
};

CUresult end_of(CUmemorytype type, const void* host, CUdeviceptr device, CUarray array,
                std::size_t pitch, std::size_t height, std::size_t x, std::size_t y, std::size_t z,
                const Box& box, End& end) {
  switch (type) {
    case CU_MEMORYTYPE_HOST:
      end.address = reinterpret_cast<std::uint64_t>(host);
      break;
    case CU_MEMORYTYPE_DEVICE:
      end.address = device;
      end.device = true;
      break;
    case CU_MEMORYTYPE_UNIFIED:
      end.address = device;
      end.device = is_device_address(device);
      break;
    default:
      (void)array;
      return CUDA_ERROR_NOT_SUPPORTED;
  }
  end.pitch = pitch == 0 ? box.width + x : pitch;
  end.height = height == 0 ? box.height + y : height;
  if (box.height > 1 || box.depth > 1) {
    if (end.pitch < box.width + x || (box.depth > 1 && end.height < box.height + y))
      return CUDA_ERROR_INVALID_VALUE;
  }
  end.address += x + y * end.pitch + z * end.pitch * end.height;
  return CUDA_SUCCESS;
}

// Bytes from the first to the last that is touched; 0 if that overflows what there can be.
std::size_t extent(const End& end, const Box& box) {
  constexpr std::size_t most = std::size_t{1} << 40;
  if (box.width > most || box.height > most || box.depth > most || end.pitch > most ||
      end.height > most)
    return 0;
  const Wide bytes = static_cast<Wide>(box.depth - 1) * end.height * end.pitch +
                     static_cast<Wide>(box.height - 1) * end.pitch + box.width;
  return bytes > most ? 0 : static_cast<std::size_t>(bytes);
}

CUresult resolve(Context& context, const CUDA_MEMCPY3D& copy, End& to, End& from, Box& box,
                 std::byte*& target, const std::byte*& source) {
  box = {copy.WidthInBytes, copy.Height, copy.Depth};
  CUresult result =
      end_of(copy.dstMemoryType, copy.dstHost, copy.dstDevice, copy.dstArray, copy.dstPitch,
             copy.dstHeight, copy.dstXInBytes, copy.dstY, copy.dstZ, box, to);
  if (result != CUDA_SUCCESS) return result;
  result = end_of(copy.srcMemoryType, copy.srcHost, copy.srcDevice, copy.srcArray, copy.srcPitch,
                  copy.srcHeight, copy.srcXInBytes, copy.srcY, copy.srcZ, box, from);
  if (result != CUDA_SUCCESS) return result;
  if (box.width == 0 || box.height == 0 || box.depth == 0) return CUDA_SUCCESS;
  const std::size_t to_bytes = extent(to, box), from_bytes = extent(from, box);
  if (to_bytes == 0 || from_bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  target = host_range(context, to.address, to_bytes, to.device);
  source = host_range(context, from.address, from_bytes, from.device);
  return target == nullptr || source == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

std::size_t row_bytes(const CUDA_MEMSET_NODE_PARAMS& fill) {
  return fill.width * fill.elementSize;
}

template <typename T>
void fill_row(std::byte* row, unsigned int value, std::size_t count) {
  const T element = static_cast<T>(value);
  for (std::size_t i = 0; i < count; ++i) std::memcpy(row + i * sizeof(T), &element, sizeof(T));
}

// The first byte of a fill, null if it is not all the device's.
std::byte* fill_target(Context& context, const CUDA_MEMSET_NODE_PARAMS& fill) {
  constexpr std::size_t most = std::size_t{1} << 40;
  if (fill.width > most || fill.height > most || fill.pitch > most) return nullptr;
  const Wide bytes =
      static_cast<Wide>(fill.height - 1) * (fill.height > 1 ? fill.pitch : 0) + row_bytes(fill);
  if (bytes > most) return nullptr;
  return host_range(context, fill.dst, static_cast<std::size_t>(bytes), true);
}

}  // namespace

CopyWork linear_copy(std::uint64_t to, CUmemorytype to_type, std::uint64_t from,
                     CUmemorytype from_type, std::size_t bytes) {
  CopyWork work;
  CUDA_MEMCPY3D& copy = work.copy;
  copy.dstMemoryType = to_type;
  copy.dstHost = reinterpret_cast<void*>(to);
  copy.dstDevice = to;
  copy.srcMemoryType = from_type;
  copy.srcHost = reinterpret_cast<void*>(from);
  copy.srcDevice = from;
  copy.WidthInBytes = bytes;
  copy.Height = copy.Depth = 1;
  return work;
}

CUresult check_copy(Context& context, const CUDA_MEMCPY3D& copy) {
  End to, from;
  Box box{};
  std::byte* target = nullptr;
  const std::byte* source = nullptr;
  return resolve(context, copy, to, from, box, target, source);
}

CUresult perform_copy(Context& context, const CUDA_MEMCPY3D& copy) {
  End to, from;
  Box box{};
  std::byte* target = nullptr;
  const std::byte* source = nullptr;
  const CUresult result = resolve(context, copy, to, from, box, target, source);
  if (result != CUDA_SUCCESS || target == nullptr) return result;
  for (std::size_t z = 0; z < box.depth; ++z) {
    for (std::size_t y = 0; y < box.height; ++y) {
      std::memmove(target + (z * to.height + y) * to.pitch,
                   source + (z * from.height + y) * from.pitch, box.width);
    }
  }
  return CUDA_SUCCESS;
}

CUresult check_fill(Context& context, const CUDA_MEMSET_NODE_PARAMS& fill) {
  const unsigned int size = fill.elementSize;
  if (size != 1 && size != 2 && size != 4) return CUDA_ERROR_INVALID_VALUE;
  if (fill.dst % size != 0) return CUDA_ERROR_INVALID_VALUE;
  if (fill.width == 0 || fill.height == 0) return CUDA_SUCCESS;
  if (fill.height > 1 && (fill.pitch % size != 0 || fill.pitch < row_bytes(fill)))
    return CUDA_ERROR_INVALID_VALUE;
  return fill_target(context, fill) == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult perform_fill(Context& context, const CUDA_MEMSET_NODE_PARAMS& fill) {
  const CUresult result = check_fill(context, fill);
  if (result != CUDA_SUCCESS || fill.width == 0 || fill.height == 0) return result;
  std::byte* target = fill_target(context, fill);
  for (std::size_t y = 0; y < fill.height; ++y) {
    std::byte* row = target + y * fill.pitch;
    if (fill.elementSize == 1)
      std::memset(row, static_cast<int>(fill.value & 0xff), fill.width);
    else if (fill.elementSize == 2)
      fill_row<std::uint16_t>(row, fill.value, fill.width);
    else
      fill_row<std::uint32_t>(row, fill.value, fill.width);
  }
  return CUDA_SUCCESS;
}

}  // namespace warpmark::cpu
// NOLINTEND(performance-no-int-to-ptr)
