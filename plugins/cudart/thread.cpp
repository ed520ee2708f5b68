// A thread's last error, device and context.
#include <atomic>
#include <map>
#include <mutex>

#include "api.hpp"
#include "registry.hpp"
#include "runtime.hpp"

namespace warpmark::cudart {
namespace {

struct Primary {
  std::mutex mutex;
  std::map<int, CUcontext> retained;
};
Primary& primary() {
  static Primary& all = *new Primary;
  return all;
}

// Set by cudaDeviceReset: managed variables come back elsewhere.
std::atomic<bool> managed_variables_moved{false};

// Counts cudaDeviceReset, after which a context that is current in another thread is no more.
std::atomic<unsigned long> resets{0};

bool is_primary(CUcontext context) {
  const std::lock_guard lock(primary().mutex);
  for (const auto& [device, retained] : primary().retained) {
    if (retained == context) return true;
  }
  return false;
}

cudaError_t make_current(int device) {
  CUcontext context = nullptr;
  cudaError_t result = primary_context(device, context);
  if (result == cudaSuccess) result = error_of(driver().cuCtxSetCurrent(context));
  if (result == cudaSuccess && managed_variables_moved.exchange(false))
    result = bind_managed_variables();
  return result;
}

cudaError_t number_of_devices(int& count) {
  return error_of(driver().cuDeviceGetCount(&count));
}

cudaError_t check_device(int device) {
  int count = 0;
  const cudaError_t result = number_of_devices(count);
  if (result != cudaSuccess) return result;
  if (count == 0) return cudaErrorNoDevice;
  return device < 0 || device >= count ? cudaErrorInvalidDevice : cudaSuccess;
}

}  // namespace

Thread& thread() {
  static thread_local Thread own;
  return own;
}

cudaError_t remember(cudaError_t result) {
  if (result != cudaSuccess) thread().last = result;
  return result;
}

cudaError_t primary_context(int device, CUcontext& context) {
  const std::lock_guard lock(primary().mutex);
  const auto found = primary().retained.find(device);
  if (found != primary().retained.end()) {
    context = found->second;
    return cudaSuccess;
  }
  CUdevice handle = 0;
  CUresult result = driver().cuDeviceGet(&handle, device);
  if (result == CUDA_SUCCESS) result = driver().cuDevicePrimaryCtxRetain(&context, handle);
  if (result == CUDA_SUCCESS) primary().retained[device] = context;
  return error_of(result);
}

cudaError_t need_context() {
  Thread& own = thread();
  CUcontext context = nullptr;
  const CUresult result = driver().cuCtxGetCurrent(&context);
  if (result != CUDA_SUCCESS) return error_of(result);
  const unsigned long seen = resets.load();
  if (context != nullptr && (own.resets == seen || is_primary(context))) {
    own.resets = seen;
    return cudaSuccess;
  }
  own.resets = seen;
  return make_current(own.device);
}

CUcontext current_context() {
  CUcontext context = nullptr;
  driver().cuCtxGetCurrent(&context);
  return context;
}

int current_device() {
  CUdevice device = 0;
  if (current_context() != nullptr && driver().cuCtxGetDevice(&device) == CUDA_SUCCESS)
    return device;
  return thread().device;
}

namespace api {

cudaError_t cudaGetLastError() {
  const cudaError_t last = thread().last;
  thread().last = cudaSuccess;
  return last;
}

cudaError_t cudaPeekAtLastError() {
  return thread().last;
}

cudaError_t cudaGetDeviceCount(int* count) {
  if (count == nullptr) return cudaErrorInvalidValue;
  const cudaError_t result = number_of_devices(*count);
  return result == cudaSuccess && *count == 0 ? cudaErrorNoDevice : result;
}

cudaError_t cudaSetDevice(int device) {
  const cudaError_t result = check_device(device);
  if (result != cudaSuccess) return result;
  thread().device = device;
  thread().resets = resets.load();
  return make_current(device);
}

cudaError_t cudaGetDevice(int* device) {
  if (device == nullptr) return cudaErrorInvalidValue;
  *device = current_device();
  return cudaSuccess;
}

cudaError_t cudaInitDevice(int device, unsigned int device_flags, unsigned int flags) {
  cudaError_t result = check_device(device);
  if (result == cudaSuccess && (flags & cudaInitDeviceFlagsAreValid) != 0)
    result =
        error_of(driver().cuDevicePrimaryCtxSetFlags(device, device_flags & CU_CTX_FLAGS_MASK));
  CUcontext context = nullptr;
  return result != cudaSuccess ? result : primary_context(device, context);
}

// There is no list of devices to choose from other than all of them, in their order.
cudaError_t cudaSetValidDevices(int* devices, int count) {
  if (count == 0) return cudaSuccess;
  int all = 0;
  const cudaError_t known = api::cudaGetDeviceCount(&all);
  if (known != cudaSuccess) return known;
  if (devices == nullptr || count < 0 || count > all) return cudaErrorInvalidValue;
  for (int i = 0; i < count; ++i) {
    const cudaError_t result = check_device(devices[i]);
    if (result != cudaSuccess) return result;
  }
  thread().device = devices[0];
  return cudaSuccess;
}

cudaError_t cudaSetDeviceFlags(unsigned int flags) {
  // cudaDeviceMapHost is what CU_CTX_MAP_HOST is, and always on.
  if ((flags & ~unsigned{cudaDeviceMask}) != 0) return cudaErrorInvalidValue;
  return error_of(driver().cuDevicePrimaryCtxSetFlags(current_device(), flags));
}

cudaError_t cudaGetDeviceFlags(unsigned int* flags) {
  if (flags == nullptr) return cudaErrorInvalidValue;
  int active = 0;
  const CUresult result = driver().cuDevicePrimaryCtxGetState(current_device(), flags, &active);
  *flags |= cudaDeviceMapHost;
  return error_of(result);
}

cudaError_t cudaDeviceReset() {
  const int device = current_device();
  const CUresult result = driver().cuDevicePrimaryCtxReset(device);
  {
    const std::lock_guard lock(primary().mutex);
    primary().retained.erase(device);
  }
  managed_variables_moved = true;
  ++resets;
  driver().cuCtxSetCurrent(nullptr);
  return error_of(result);
}

cudaError_t cudaDeviceSynchronize() {
  return error_of(driver().cuCtxSynchronize());
}

}  // namespace api
}  // namespace warpmark::cudart
