// Shared by all parts of the runtime library: threads' state, contexts, and its functions by name.
#pragma once

#include "driver.hpp"

namespace warpmark::cudart {

extern const int kRuntimeVersion;  ///< of the interface: 13000 is CUDA 13.0

/// The state of a thread.
struct Thread {
  int device = 0;
  bool chosen = false;  ///< true if cudaSetDevice chose the device
  unsigned long resets = 0;
  cudaError_t last = cudaSuccess;
};
Thread& thread();

/// Remembers the error of a call that failed, and returns it.
cudaError_t remember(cudaError_t result);

/// Makes a context current unless one is: the primary context of the thread's device.
cudaError_t need_context();

/// The primary context of a device, retained once for all threads.
cudaError_t primary_context(int device, CUcontext& context);

/// The device of the current context, else the thread's.
int current_device();

/// The context that is current in this thread, or null.
CUcontext current_context();

/// Device addresses are pointers for programs of the runtime.
inline CUdeviceptr address_of(const void* pointer) {
  return reinterpret_cast<CUdeviceptr>(pointer);
}
inline void* pointer_to(CUdeviceptr address) {
  return reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr)
}

/// The runtime's and the driver's struct or handle of the same layout.
template <typename To, typename From>
To* same(From* from) {
  // NOLINTNEXTLINE(bugprone-sizeof-expression): some of both are pointers
  static_assert(sizeof(To) == sizeof(From));
  return reinterpret_cast<To*>(from);
}

}  // namespace warpmark::cudart
