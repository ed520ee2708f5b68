// Memory pools and allocation in the order of a stream.
#include "api.hpp"
#include "runtime.hpp"

namespace warpmark::cudart::api {

// Properties, attributes and places of pools have the driver's layout and numbers.

cudaError_t cudaMallocAsync(void** address, size_t bytes, cudaStream_t stream) {
  if (address == nullptr) return cudaErrorInvalidValue;
  return error_of(driver().cuMemAllocAsync(same<CUdeviceptr>(address), bytes, stream));
}

cudaError_t cudaMallocFromPoolAsync(void** address, size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream) {
  if (address == nullptr) return cudaErrorInvalidValue;
  return error_of(
      driver().cuMemAllocFromPoolAsync(same<CUdeviceptr>(address), bytes, pool, stream));
}

cudaError_t cudaFreeAsync(void* address, cudaStream_t stream) {
  if (address == nullptr) return cudaSuccess;
  return error_of(driver().cuMemFreeAsync(address_of(address), stream));
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
  return error_of(driver().cuMemPoolCreate(pool, same<const CUmemPoolProps>(properties)));
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  return error_of(driver().cuMemPoolDestroy(pool));
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytes) {
  return error_of(driver().cuMemPoolTrimTo(pool, bytes));
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  return error_of(
      driver().cuMemPoolSetAttribute(pool, static_cast<CUmemPool_attribute>(attribute), value));
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  return error_of(
      driver().cuMemPoolGetAttribute(pool, static_cast<CUmemPool_attribute>(attribute), value));
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc* access,
                                 size_t count) {
  return error_of(driver().cuMemPoolSetAccess(pool, same<const CUmemAccessDesc>(access), count));
}

cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t pool,
                                 cudaMemLocation* location) {
  return error_of(driver().cuMemPoolGetAccess(same<CUmemAccess_flags>(flags), pool,
                                              same<CUmemLocation>(location)));
}

cudaError_t cudaMemPoolExportToShareableHandle(void* handle, cudaMemPool_t pool,
                                               cudaMemAllocationHandleType type,
                                               unsigned int flags) {
  return error_of(driver().cuMemPoolExportToShareableHandle(
      handle, pool, static_cast<CUmemAllocationHandleType>(type), flags));
}

cudaError_t cudaMemPoolImportFromShareableHandle(cudaMemPool_t* pool, void* handle,
                                                 cudaMemAllocationHandleType type,
                                                 unsigned int flags) {
  return error_of(driver().cuMemPoolImportFromShareableHandle(
      pool, handle, static_cast<CUmemAllocationHandleType>(type), flags));
}

cudaError_t cudaMemPoolExportPointer(cudaMemPoolPtrExportData* data, void* address) {
  return error_of(
      driver().cuMemPoolExportPointer(same<CUmemPoolPtrExportData>(data), address_of(address)));
}

cudaError_t cudaMemPoolImportPointer(void** address, cudaMemPool_t pool,
                                     cudaMemPoolPtrExportData* data) {
  return error_of(driver().cuMemPoolImportPointer(same<CUdeviceptr>(address), pool,
                                                  same<CUmemPoolPtrExportData>(data)));
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  return error_of(driver().cuDeviceGetDefaultMemPool(pool, device));
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  return error_of(driver().cuDeviceGetMemPool(pool, device));
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  return error_of(driver().cuDeviceSetMemPool(device, pool));
}

cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t* pool, cudaMemLocation* location,
                                     cudaMemAllocationType type) {
  return error_of(driver().cuMemGetDefaultMemPool(pool, same<CUmemLocation>(location),
                                                  static_cast<CUmemAllocationType>(type)));
}

cudaError_t cudaMemGetMemPool(cudaMemPool_t* pool, cudaMemLocation* location,
                              cudaMemAllocationType type) {
  return error_of(driver().cuMemGetMemPool(pool, same<CUmemLocation>(location),
                                           static_cast<CUmemAllocationType>(type)));
}

cudaError_t cudaMemSetMemPool(cudaMemLocation* location, cudaMemAllocationType type,
                              cudaMemPool_t pool) {
  return error_of(driver().cuMemSetMemPool(same<CUmemLocation>(location),
                                           static_cast<CUmemAllocationType>(type), pool));
}

}  // namespace warpmark::cudart::api
