// Prefetching managed memory, peers, banks of shared memory.
#include "api.hpp"

namespace warpmark::cudart::api {

cudaError_t cudaMemPrefetchBatchAsync(void** addresses, size_t* bytes, size_t count,
                                      cudaMemLocation* locations, size_t* first_of_location,
                                      size_t location_count, unsigned long long flags,
                                      cudaStream_t stream) {
  if (addresses == nullptr || bytes == nullptr || locations == nullptr || count == 0 ||
      first_of_location == nullptr || location_count == 0 || first_of_location[0] != 0 ||
      flags != 0)
    return cudaErrorInvalidValue;
  size_t location = 0;
  for (size_t i = 0; i < count; ++i) {
    if (location + 1 < location_count && first_of_location[location + 1] == i) ++location;
    const cudaError_t result =
        api::cudaMemPrefetchAsync(addresses[i], bytes[i], locations[location], 0, stream);
    if (result != cudaSuccess) return result;
  }
  return cudaSuccess;
}

// Banks of shared memory have one size since compute capability 5.0.
cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
  if (config == nullptr) return cudaErrorInvalidValue;
  *config = cudaSharedMemBankSizeFourByte;
  return cudaSuccess;
}

cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) {
  return cudaSuccess;
}

}  // namespace warpmark::cudart::api
