// Fills of memory with a byte.
#include "copy.hpp"
#include "runtime.hpp"

namespace warpmark::cudart {
namespace {

unsigned char byte_of(int value) {
  return static_cast<unsigned char>(value);
}

}  // namespace

cudaError_t fill_bytes(void* address, int value, size_t bytes, When when) {
  if (bytes == 0) return cudaSuccess;
  const CUdeviceptr to = address_of(address);
  return error_of(when.waits ? driver().cuMemsetD8(to, byte_of(value), bytes)
                             : driver().cuMemsetD8Async(to, byte_of(value), bytes, when.stream));
}

cudaError_t fill_2d(void* address, size_t pitch, int value, size_t width, size_t height,
                    When when) {
  if (width == 0 || height == 0) return cudaSuccess;
  const CUdeviceptr to = address_of(address);
  return error_of(when.waits ? driver().cuMemsetD2D8(to, pitch, byte_of(value), width, height)
                             : driver().cuMemsetD2D8Async(to, pitch, byte_of(value), width, height,
                                                          when.stream));
}

// Slices of a box are rows one after the other if it is as high as what holds it.
cudaError_t fill_box(cudaPitchedPtr memory, int value, cudaExtent extent, When when) {
  if (extent.width == 0 || extent.height == 0 || extent.depth == 0) return cudaSuccess;
  for (size_t slice = 0; slice < extent.depth; ++slice) {
    char* begin = static_cast<char*>(memory.ptr) + slice * memory.pitch * memory.ysize;
    const cudaError_t result =
        fill_2d(begin, memory.pitch, value, extent.width, extent.height, when);
    if (result != cudaSuccess) return result;
  }
  return cudaSuccess;
}

}  // namespace warpmark::cudart
