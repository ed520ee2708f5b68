// Opens libcuda.so.1 and fills the tables of its functions.
#include "driver.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <mutex>
#include <set>
#include <string>

#include "warpmark/device.h"

namespace warpmark::cudart {
namespace {

struct Tables {
  Driver legacy, per_thread;
  cudaError_t result = cudaErrorInitializationError;
};

thread_local bool per_thread_default = false;

CUresult not_supported() {
  return CUDA_ERROR_NOT_SUPPORTED;
}

void fill(Driver& driver, decltype(&::cuGetProcAddress) find, cuuint64_t flags) {
  driver.get_proc_address = find;
  const auto get = [&](const char* name, int version) -> void* {
    void* found = nullptr;
    CUdriverProcAddressQueryResult status{};
    if (find(name, &found, version, flags, &status) != CUDA_SUCCESS || found == nullptr)
      found = reinterpret_cast<void*>(not_supported);
    return found;
  };
#define OLDER(name, version) \
  driver.name = reinterpret_cast<decltype(driver.name)>(get(#name, version));
#define DRIVER(name) /* each by itself: cuda.h's macros would change the name */ \
  driver.name = reinterpret_cast<decltype(driver.name)>(get(#name, CUDA_VERSION));
#define FORWARD(need, name, function) \
  driver.function = reinterpret_cast<decltype(driver.function)>(get(#function, CUDA_VERSION));
#define FORWARD_PTSZ(need, name, function) \
  driver.function = reinterpret_cast<decltype(driver.function)>(get(#function, CUDA_VERSION));
#define VERSIONED(name, function) \
  driver.function = reinterpret_cast<decltype(driver.function)>(get(#function, CUDA_VERSION));
#define COPY(name, body)
#include "driver.def"
#include "forwards.def"
}

cudaError_t open(Tables& tables) {
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    say_once("libcuda.so.1 is missing", "start the program with warpmark-cpu");
    return cudaErrorInsufficientDriver;
  }
  const auto find =
      reinterpret_cast<decltype(&::cuGetProcAddress)>(dlsym(library, "cuGetProcAddress_v2"));
  if (find == nullptr) return cudaErrorInsufficientDriver;
  const auto device =
      reinterpret_cast<const warpmark_device* (*)()>(dlsym(library, WARPMARK_DEVICE_SYMBOL));
  const bool executes_ptx = device != nullptr && (device()->capabilities & WARPMARK_IMAGE_PTX) != 0;
  tables.legacy.executes_ptx = tables.per_thread.executes_ptx = executes_ptx;
  fill(tables.legacy, find, CU_GET_PROC_ADDRESS_LEGACY_STREAM);
  fill(tables.per_thread, find, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM);
  return error_of(tables.legacy.cuInit(0));
}

// Never destroyed: programs call from destructors of their own that run after ours.
Tables& tables() {
  static Tables& all = *[] {
    auto* made = new Tables;
    made->result = open(*made);
    return made;
  }();
  return all;
}

}  // namespace

cudaError_t start_driver() {
  return tables().result;
}

const Driver& driver() {
  Tables& all = tables();
  return per_thread_default ? all.per_thread : all.legacy;
}

PerThreadDefault::PerThreadDefault(bool per_thread) : before_(per_thread_default) {
  per_thread_default = per_thread;
}

PerThreadDefault::~PerThreadDefault() {
  per_thread_default = before_;
}

bool PerThreadDefault::active() {
  return per_thread_default;
}

void say_once(const char* what, const char* why) {
  static std::mutex& mutex = *new std::mutex;
  static std::set<std::string>& said = *new std::set<std::string>;
  const std::lock_guard lock(mutex);
  if (!said.insert(std::string(what) + why).second) return;
  std::fprintf(stderr, "warpmark's CUDA runtime: %s: %s\n", what, why);
}

}  // namespace warpmark::cudart
