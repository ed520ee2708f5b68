// A driver with its first device: the CPU device's library, or the system's, for tests that compare
// what the two give.
#pragma once

#include <cuda.h>
#include <dlfcn.h>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace warpmark::test {

class Machine {
 public:
  explicit Machine(const char* path) : library_(dlopen(path, RTLD_NOW | RTLD_LOCAL)) {
    if (library_ == nullptr || call<CUresult (*)(unsigned)>("cuInit")(0) != CUDA_SUCCESS) return;
    CUdevice device = 0;
    CUcontext context = nullptr;
    const auto get = call<CUresult (*)(CUdevice*, int)>("cuDeviceGet");
    const auto retain = call<CUresult (*)(CUcontext*, CUdevice)>("cuDevicePrimaryCtxRetain");
    usable_ = get(&device, 0) == CUDA_SUCCESS && retain(&context, device) == CUDA_SUCCESS &&
              call<CUresult (*)(CUcontext)>("cuCtxSetCurrent")(context) == CUDA_SUCCESS;
    context_ = context;
  }
  [[nodiscard]] bool usable() const { return usable_; }
  void enter() const {
    must(call<CUresult (*)(CUcontext)>("cuCtxSetCurrent")(context_), "context");
  }

  template <typename Function>
  Function call(const char* name) const {
    void* symbol = dlsym(library_, name);
    if (symbol == nullptr) throw std::runtime_error(std::string(name) + " is not exported");
    return reinterpret_cast<Function>(symbol);
  }
  static void must(CUresult result, const char* what) {
    if (result != CUDA_SUCCESS)
      throw std::runtime_error(std::string(what) + ": error " + std::to_string(result));
  }

  CUfunction function(const std::string& ptx, const char* name) const {
    CUmodule module = nullptr;
    CUfunction found = nullptr;
    must(call<CUresult (*)(CUmodule*, const void*)>("cuModuleLoadData")(&module, ptx.c_str()),
         "load");
    must(call<CUresult (*)(CUfunction*, CUmodule, const char*)>("cuModuleGetFunction")(
             &found, module, name),
         name);
    return found;
  }
  template <typename T>
  CUdeviceptr upload(const std::vector<T>& values) const {
    CUdeviceptr address = 0;
    must(call<CUresult (*)(CUdeviceptr*, std::size_t)>("cuMemAlloc_v2")(&address,
                                                                        values.size() * sizeof(T)),
         "allocate");
    must(call<CUresult (*)(CUdeviceptr, const void*, std::size_t)>("cuMemcpyHtoD_v2")(
             address, values.data(), values.size() * sizeof(T)),
         "copy");
    return address;
  }
  template <typename T>
  void download(std::vector<T>& values, CUdeviceptr address) const {
    must(call<CUresult (*)(void*, CUdeviceptr, std::size_t)>("cuMemcpyDtoH_v2")(
             values.data(), address, values.size() * sizeof(T)),
         "copy back");
    must(call<CUresult (*)(CUdeviceptr)>("cuMemFree_v2")(address), "free");
  }
  /// A variable of a function's module.
  void set_symbol(CUfunction function, const char* name, const void* value,
                  std::size_t bytes) const {
    CUmodule module = nullptr;
    CUdeviceptr address = 0;
    std::size_t size = 0;
    must(call<CUresult (*)(CUmodule*, CUfunction)>("cuFuncGetModule")(&module, function), "module");
    must(call<CUresult (*)(CUdeviceptr*, std::size_t*, CUmodule, const char*)>(
             "cuModuleGetGlobal_v2")(&address, &size, module, name),
         name);
    must(call<CUresult (*)(CUdeviceptr, const void*, std::size_t)>("cuMemcpyHtoD_v2")(address,
                                                                                      value, bytes),
         "copy");
  }
  void launch(CUfunction function, unsigned blocks, unsigned threads, void** parameters) const {
    using Launch = CUresult (*)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned,
                                unsigned, unsigned, CUstream, void**, void**);
    must(call<Launch>("cuLaunchKernel")(function, blocks, 1, 1, threads, 1, 1, 0, nullptr,
                                        parameters, nullptr),
         "launch");
  }

 private:
  void* library_;
  CUcontext context_ = nullptr;
  bool usable_ = false;
};

}  // namespace warpmark::test
