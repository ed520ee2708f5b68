// Fills, and linear copies, as work.
#include <cstring>

#include "api/mistake.hpp"
#include "api/report.hpp"
#include "api/state.hpp"
#include "api/work.hpp"

namespace warpmark::cpu {
namespace {

__extension__ using Wide = unsigned __int128;  // products of sizes that a call gave

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
  std::byte* first = host_range(context, fill.dst, static_cast<std::size_t>(bytes), true);
  if (first == nullptr) refused_range().write = true;
  return first;
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

CUresult check_fill(Context& context, const CUDA_MEMSET_NODE_PARAMS& fill) {
  const unsigned int size = fill.elementSize;
  if (size != 1 && size != 2 && size != 4) return CUDA_ERROR_INVALID_VALUE;
  if (fill.dst % size != 0) {
    return fail(CUDA_ERROR_INVALID_VALUE, "the address " + hexadecimal(fill.dst) +
                                              " is not a multiple of the elements' " +
                                              std::to_string(size) + " bytes");
  }
  if (fill.width == 0 || fill.height == 0) return CUDA_SUCCESS;
  if (fill.height > 1 && (fill.pitch % size != 0 || fill.pitch < row_bytes(fill)))
    return fail(CUDA_ERROR_INVALID_VALUE, "rows of " + std::to_string(row_bytes(fill)) +
                                              " bytes do not fit a pitch of " +
                                              std::to_string(fill.pitch) + " bytes");
  if (fill_target(context, fill) == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return refuse_write(driver().arena_of(context, fill.dst), fill.dst);
}

CUresult perform_fill(Context& context, const CUDA_MEMSET_NODE_PARAMS& fill) {
  const CUresult result = check_fill(context, fill);
  if (result != CUDA_SUCCESS || fill.width == 0 || fill.height == 0) return result;
  std::byte* target = fill_target(context, fill);
  Arena* arena = driver().arena_of(context, fill.dst);
  for (std::size_t y = 0; y < fill.height; ++y) {
    std::byte* row = target + y * fill.pitch;
    if (arena != nullptr) arena->set_values(fill.dst + y * fill.pitch, row_bytes(fill), true);
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
