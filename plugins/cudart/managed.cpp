// Hints about managed memory, peers, limits of a context.
#include "api.hpp"
#include "runtime.hpp"

namespace warpmark::cudart::api {

cudaError_t cudaMemPrefetchAsync(const void* address, size_t bytes, cudaMemLocation location,
                                 unsigned int flags, cudaStream_t stream) {
  return error_of(driver().cuMemPrefetchAsync(address_of(address), bytes,
                                              *same<CUmemLocation>(&location), flags, stream));
}

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

cudaError_t cudaMemAdvise(const void* address, size_t bytes, cudaMemoryAdvise advice,
                          cudaMemLocation location) {
  return error_of(driver().cuMemAdvise(address_of(address), bytes,
                                       static_cast<CUmem_advise>(advice),
                                       *same<CUmemLocation>(&location)));
}

cudaError_t cudaMemRangeGetAttribute(void* data, size_t bytes, cudaMemRangeAttribute attribute,
                                     const void* address, size_t count) {
  return error_of(driver().cuMemRangeGetAttribute(
      data, bytes, static_cast<CUmem_range_attribute>(attribute), address_of(address), count));
}

cudaError_t cudaMemRangeGetAttributes(void** data, size_t* bytes, cudaMemRangeAttribute* attributes,
                                      size_t attribute_count, const void* address, size_t count) {
  return error_of(driver().cuMemRangeGetAttributes(data, bytes,
                                                   same<CUmem_range_attribute>(attributes),
                                                   attribute_count, address_of(address), count));
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return error_of(driver().cuDeviceCanAccessPeer(can, device, peer));
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags) {
  CUcontext context = nullptr;
  const cudaError_t result = primary_context(peer, context);
  return result != cudaSuccess ? result : error_of(driver().cuCtxEnablePeerAccess(context, flags));
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  CUcontext context = nullptr;
  const cudaError_t result = primary_context(peer, context);
  return result != cudaSuccess ? result : error_of(driver().cuCtxDisablePeerAccess(context));
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  return error_of(driver().cuCtxSetLimit(static_cast<CUlimit>(limit), value));
}

cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit) {
  return error_of(driver().cuCtxGetLimit(value, static_cast<CUlimit>(limit)));
}

cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
  return error_of(driver().cuCtxGetCacheConfig(same<CUfunc_cache>(config)));
}

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config) {
  return error_of(driver().cuCtxSetCacheConfig(static_cast<CUfunc_cache>(config)));
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

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return error_of(driver().cuCtxGetStreamPriorityRange(least, greatest));
}

cudaError_t cudaCtxResetPersistingL2Cache() {
  return error_of(driver().cuCtxResetPersistingL2Cache());
}

}  // namespace warpmark::cudart::api
