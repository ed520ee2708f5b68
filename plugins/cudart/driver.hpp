// The driver: its functions as a table, filled once from the libcuda.so.1 that the loader finds.
#pragma once

#include <cuda.h>
#include <cudaProfiler.h>
#include <cuda_runtime_api.h>

namespace warpmark::cudart {

/// A function that a driver lacks is null in none of these: it answers CUDA_ERROR_NOT_SUPPORTED.
struct Driver {
// NOLINTBEGIN(bugprone-macro-parentheses): they are declarations
#define DRIVER(name) decltype(&::name) name = nullptr;
#define OLDER(name, version) decltype(&::name) name = nullptr;
#define FORWARD(need, name, function) decltype(&::function) function = nullptr;
#define FORWARD_PTSZ(need, name, function) decltype(&::function) function = nullptr;
#define VERSIONED(name, function) decltype(&::function) function = nullptr;
#define COPY(name, body)
#include "driver.def"
#include "forwards.def"
  // NOLINTEND(bugprone-macro-parentheses)
  decltype(&::cuGetProcAddress) get_proc_address = nullptr;
  bool executes_ptx = false;  ///< WARPMARK_IMAGE_PTX, of a device of ours
};

/// Opens the library and initialises the driver at the first call.
cudaError_t start_driver();

/// The table for the default stream that the running entry point means.
const Driver& driver();

/// While one exists, this thread's calls mean the thread's own default stream.
class PerThreadDefault {
 public:
  explicit PerThreadDefault(bool per_thread);
  ~PerThreadDefault();
  PerThreadDefault(const PerThreadDefault&) = delete;
  PerThreadDefault& operator=(const PerThreadDefault&) = delete;

  static bool active();

 private:
  bool before_;
};

/// The numbers of both interfaces are the same but for what a program cannot get from the other.
inline cudaError_t error_of(CUresult result) {
  return static_cast<cudaError_t>(result);
}

/// Prints one line on standard error, at the first call with this text.
void say_once(const char* what, const char* why);

}  // namespace warpmark::cudart
