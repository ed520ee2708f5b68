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
  bool waits = true;
  cudaStream_t stream = nullptr;
};
cudaError_t copy_bytes(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                       When when);
cudaError_t run_copy(const CUDA_MEMCPY3D& copy, When when);

}  // namespace warpmark::cudart
