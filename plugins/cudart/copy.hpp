// Copies as the driver has them.
#pragma once

#include <cstddef>

#include "driver.hpp"

namespace warpmark::cudart {

/// One side of a copy.
struct Place {
  const void* pointer = nullptr;
  std::size_t pitch = 0, height = 0;  ///< of a pointer's rows and slices
  cudaArray_const_t array = nullptr;
  std::size_t x = 0, y = 0, z = 0;  ///< where it begins: bytes, rows, slices
};

/// The memory type of a kind's source or destination: the host, the device, or as the address says.
CUmemorytype source_type(cudaMemcpyKind kind);
CUmemorytype destination_type(cudaMemcpyKind kind);
bool is_kind(cudaMemcpyKind kind);

/// Fills in a copy of `width` bytes, `height` rows and `depth` slices.
CUDA_MEMCPY3D make_copy(const Place& to, const Place& from, std::size_t width, std::size_t height,
                        std::size_t depth, cudaMemcpyKind kind);

/// The driver's form of the runtime's parameters; an error if they contradict each other.
cudaError_t convert_copy(const cudaMemcpy3DParms& parameters, CUDA_MEMCPY3D& copy);
/// … and back, as a graph's node has it.
cudaError_t convert_back(const CUDA_MEMCPY3D& copy, cudaMemcpy3DParms& parameters);

/// Bytes of an array's element, 1 if there is no array.
std::size_t element_bytes(cudaArray_const_t array);

/// A copy that returns when it is done, or one in the order of a stream.
struct When {
  When() = default;
  When(cudaStream_t order) : waits(false), stream(order) {}  // NOLINT: a stream says when
  bool waits = true;
  cudaStream_t stream = nullptr;
};
cudaError_t copy_bytes(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                       When when);
cudaError_t run_copy(const CUDA_MEMCPY3D& copy, When when);

// The bodies of the rows COPY of forwards.def.
cudaError_t copy_2d(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                    std::size_t width, std::size_t height, cudaMemcpyKind kind, When when);
cudaError_t copy_2d_to_array(cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                             std::size_t pitch, std::size_t width, std::size_t height,
                             cudaMemcpyKind kind, When when);
cudaError_t copy_2d_from_array(void* to, std::size_t pitch, cudaArray_const_t from, std::size_t x,
                               std::size_t y, std::size_t width, std::size_t height,
                               cudaMemcpyKind kind, When when);
cudaError_t copy_to_array(cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                          std::size_t bytes, cudaMemcpyKind kind, When when);
cudaError_t copy_from_array(void* to, cudaArray_const_t from, std::size_t x, std::size_t y,
                            std::size_t bytes, cudaMemcpyKind kind, When when);
cudaError_t copy_to_symbol(const void* symbol, const void* from, std::size_t bytes,
                           std::size_t offset, cudaMemcpyKind kind, When when);
cudaError_t copy_from_symbol(void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                             cudaMemcpyKind kind, When when);
cudaError_t copy_box(const cudaMemcpy3DParms* parameters, When when);
cudaError_t copy_box_between(const cudaMemcpy3DPeerParms* parameters, When when);
cudaError_t fill_bytes(void* address, int value, std::size_t bytes, When when);
cudaError_t fill_2d(void* address, std::size_t pitch, int value, std::size_t width,
                    std::size_t height, When when);
cudaError_t fill_box(cudaPitchedPtr memory, int value, cudaExtent extent, When when);

}  // namespace warpmark::cudart
