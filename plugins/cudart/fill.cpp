// Fills of memory with a byte.
#include "api.hpp"
#include "runtime.hpp"

namespace warpmark::cudart::api {
namespace {

unsigned char byte_of(int value) {
  return static_cast<unsigned char>(value);
}

// Slices of a box are rows one after the other if it is as high as what holds it.
template <typename Rows>
cudaError_t fill_box(const cudaPitchedPtr& memory, const cudaExtent& extent, Rows rows) {
  if (extent.width == 0 || extent.height == 0 || extent.depth == 0) return cudaSuccess;
  for (size_t slice = 0; slice < extent.depth; ++slice) {
    char* begin = static_cast<char*>(memory.ptr) + slice * memory.pitch * memory.ysize;
    const cudaError_t result = rows(begin);
    if (result != cudaSuccess) return result;
  }
  return cudaSuccess;
}

}  // namespace

cudaError_t cudaMemset(void* address, int value, size_t bytes) {
  if (bytes == 0) return cudaSuccess;
  return error_of(driver().cuMemsetD8(address_of(address), byte_of(value), bytes));
}

cudaError_t cudaMemsetAsync(void* address, int value, size_t bytes, cudaStream_t stream) {
  if (bytes == 0) return cudaSuccess;
  return error_of(driver().cuMemsetD8Async(address_of(address), byte_of(value), bytes, stream));
}

cudaError_t cudaMemset2D(void* address, size_t pitch, int value, size_t width, size_t height) {
  if (width == 0 || height == 0) return cudaSuccess;
  return error_of(driver().cuMemsetD2D8(address_of(address), pitch, byte_of(value), width, height));
}

cudaError_t cudaMemset2DAsync(void* address, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream) {
  if (width == 0 || height == 0) return cudaSuccess;
  return error_of(driver().cuMemsetD2D8Async(address_of(address), pitch, byte_of(value), width,
                                             height, stream));
}

cudaError_t cudaMemset3D(cudaPitchedPtr memory, int value, cudaExtent extent) {
  return fill_box(memory, extent, [&](void* slice) {
    return api::cudaMemset2D(slice, memory.pitch, value, extent.width, extent.height);
  });
}

cudaError_t cudaMemset3DAsync(cudaPitchedPtr memory, int value, cudaExtent extent,
                              cudaStream_t stream) {
  return fill_box(memory, extent, [&](void* slice) {
    return api::cudaMemset2DAsync(slice, memory.pitch, value, extent.width, extent.height, stream);
  });
}

}  // namespace warpmark::cudart::api
