// Device, host and managed memory; what is known of an address.
#include <dlfcn.h>

#include "api.hpp"
#include "runtime.hpp"

namespace warpmark::cudart::api {
namespace {

cudaError_t allocated(CUresult result, CUdeviceptr address, void** into) {
  if (result == CUDA_SUCCESS) *into = pointer_to(address);
  return error_of(result);
}

bool is_loaded(const char* library) {
  void* const handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
  if (handle != nullptr) dlclose(handle);
  return handle != nullptr;
}

}  // namespace

// Nothing is asked for: success and a null pointer, where the driver has an error.
cudaError_t cudaMalloc(void** address, size_t bytes) {
  if (address == nullptr) return cudaErrorInvalidValue;
  if (bytes == 0) {
    *address = nullptr;
    return cudaSuccess;
  }
  CUdeviceptr made = 0;
  const CUresult result = driver().cuMemAlloc(&made, bytes);
  return allocated(result, made, address);
}

cudaError_t cudaMallocManaged(void** address, size_t bytes, unsigned int flags) {
  if (address == nullptr) return cudaErrorInvalidValue;
  CUdeviceptr made = 0;
  const CUresult result = driver().cuMemAllocManaged(&made, bytes, flags);
  return allocated(result, made, address);
}

// Rows of elements of any size up to 16 bytes, the most that the driver knows.
cudaError_t cudaMallocPitch(void** address, size_t* pitch, size_t width, size_t height) {
  if (address == nullptr || pitch == nullptr) return cudaErrorInvalidValue;
  if (width == 0 || height == 0) {
    *address = nullptr;
    *pitch = 0;
    return cudaSuccess;
  }
  CUdeviceptr made = 0;
  const CUresult result = driver().cuMemAllocPitch(&made, pitch, width, height, 16);
  return allocated(result, made, address);
}

cudaError_t cudaMalloc3D(cudaPitchedPtr* made, cudaExtent extent) {
  if (made == nullptr) return cudaErrorInvalidValue;
  made->xsize = extent.width;
  made->ysize = extent.height;
  return api::cudaMallocPitch(&made->ptr, &made->pitch, extent.width, extent.height * extent.depth);
}

cudaError_t cudaFree(void* address) {
  if (address == nullptr) return cudaSuccess;
  const cudaError_t result = error_of(driver().cuMemFree(address_of(address)));
  if (result == cudaSuccess || result == cudaErrorInvalidValue) return result;
  // The context has failed, and an earlier call has said so. PyTorch's destructors free each tensor
  // (warpmark-cpu turns its allocator off), and an exception there would end the process.
  return is_loaded("libc10_cuda.so") ? cudaSuccess : result;
}

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

cudaError_t cudaHostAlloc(void** address, size_t bytes, unsigned int flags) {
  if (address == nullptr) return cudaErrorInvalidValue;
  if (bytes == 0) {
    *address = nullptr;
    return cudaSuccess;
  }
  return error_of(driver().cuMemHostAlloc(address, bytes, flags));
}

cudaError_t cudaMallocHost(void** address, size_t bytes) {
  return api::cudaHostAlloc(address, bytes, cudaHostAllocDefault);
}

cudaError_t cudaFreeHost(void* address) {
  return address == nullptr ? cudaSuccess : error_of(driver().cuMemFreeHost(address));
}

cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned int flags) {
  if (device == nullptr) return cudaErrorInvalidValue;
  CUdeviceptr found = 0;
  const CUresult result = driver().cuMemHostGetDevicePointer(&found, host, flags);
  return allocated(result, found, device);
}

cudaError_t cudaIpcOpenMemHandle(void** address, cudaIpcMemHandle_t handle, unsigned int flags) {
  if (address == nullptr) return cudaErrorInvalidValue;
  CUdeviceptr found = 0;
  const CUresult result =
      driver().cuIpcOpenMemHandle(&found, *same<CUipcMemHandle>(&handle), flags);
  return allocated(result, found, address);
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* address) {
  if (attributes == nullptr) return cudaErrorInvalidValue;
  CUmemorytype type{};
  int managed = 0, device = 0;
  CUdeviceptr device_pointer = 0;
  void* host_pointer = nullptr;
  CUpointer_attribute asked[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_IS_MANAGED,
                                 CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                                 CU_POINTER_ATTRIBUTE_DEVICE_POINTER,
                                 CU_POINTER_ATTRIBUTE_HOST_POINTER};
  void* answers[] = {&type, &managed, &device, &device_pointer, &host_pointer};
  const CUresult result = driver().cuPointerGetAttributes(5, asked, answers, address_of(address));
  if (result != CUDA_SUCCESS) return error_of(result);
  attributes->type = managed != 0                   ? cudaMemoryTypeManaged
                     : type == CU_MEMORYTYPE_HOST   ? cudaMemoryTypeHost
                     : type == CU_MEMORYTYPE_DEVICE ? cudaMemoryTypeDevice
                                                    : cudaMemoryTypeUnregistered;
  // Memory that the driver does not know is the host's own.
  const bool known = attributes->type != cudaMemoryTypeUnregistered;
  attributes->device = known ? device : cudaInvalidDeviceId;
  attributes->devicePointer = known ? pointer_to(device_pointer) : nullptr;
  attributes->hostPointer = known ? host_pointer : const_cast<void*>(address);
  return cudaSuccess;  // the reserved part is only in CUDA 13's structure
}

}  // namespace warpmark::cudart::api
