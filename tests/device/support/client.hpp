// A client of the CPU device as any other program would be one: dlopen, dlsym, nothing linked.
#pragma once

#include <cuda.h>
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "warpmark/device.h"

namespace warpmark::test {

using Json = nlohmann::json;

/// The library's entry points, by their exported names.
struct Api {
  /// Throws std::runtime_error if the library or one of its functions is not there.
  Api();

  template <typename Function>
  Function* find(const char* name) const {
    return reinterpret_cast<Function*>(symbol(name));
  }

  void* library = dlopen(WARPMARK_CPU_LIBRARY, RTLD_NOW | RTLD_LOCAL);
#define WARPMARK_ENTRY(member, name) decltype(&::name) member = find<decltype(::name)>(#name)
  WARPMARK_ENTRY(init, cuInit);
  WARPMARK_ENTRY(retain, cuDevicePrimaryCtxRetain);
  WARPMARK_ENTRY(release, cuDevicePrimaryCtxRelease_v2);
  WARPMARK_ENTRY(reset, cuDevicePrimaryCtxReset_v2);
  WARPMARK_ENTRY(set_current, cuCtxSetCurrent);
  WARPMARK_ENTRY(get_current, cuCtxGetCurrent);
  WARPMARK_ENTRY(synchronize, cuCtxSynchronize);
  WARPMARK_ENTRY(destroy_context, cuCtxDestroy_v2);
  WARPMARK_ENTRY(push, cuCtxPushCurrent_v2);
  WARPMARK_ENTRY(pop, cuCtxPopCurrent_v2);
  WARPMARK_ENTRY(context_device, cuCtxGetDevice);
  WARPMARK_ENTRY(load, cuModuleLoadData);
  WARPMARK_ENTRY(load_ex, cuModuleLoadDataEx);
  WARPMARK_ENTRY(unload, cuModuleUnload);
  WARPMARK_ENTRY(function, cuModuleGetFunction);
  WARPMARK_ENTRY(global, cuModuleGetGlobal_v2);
  WARPMARK_ENTRY(function_attribute, cuFuncGetAttribute);
  WARPMARK_ENTRY(set_function_attribute, cuFuncSetAttribute);
  WARPMARK_ENTRY(parameter_info, cuFuncGetParamInfo);
  WARPMARK_ENTRY(alloc, cuMemAlloc_v2);
  WARPMARK_ENTRY(free, cuMemFree_v2);
  WARPMARK_ENTRY(info, cuMemGetInfo_v2);
  WARPMARK_ENTRY(range, cuMemGetAddressRange_v2);
  WARPMARK_ENTRY(to_device, cuMemcpyHtoD_v2);
  WARPMARK_ENTRY(to_host, cuMemcpyDtoH_v2);
  WARPMARK_ENTRY(to_host_async, cuMemcpyDtoHAsync_v2);
  WARPMARK_ENTRY(copy, cuMemcpy);
  WARPMARK_ENTRY(fill32, cuMemsetD32_v2);
  WARPMARK_ENTRY(launch, cuLaunchKernel);
  WARPMARK_ENTRY(stream_create, cuStreamCreate);
  WARPMARK_ENTRY(stream_destroy, cuStreamDestroy_v2);
  WARPMARK_ENTRY(stream_synchronize, cuStreamSynchronize);
  WARPMARK_ENTRY(event_create, cuEventCreate);
  WARPMARK_ENTRY(event_record, cuEventRecord);
  WARPMARK_ENTRY(event_synchronize, cuEventSynchronize);
  WARPMARK_ENTRY(event_destroy, cuEventDestroy_v2);
  WARPMARK_ENTRY(device_count, cuDeviceGetCount);
  WARPMARK_ENTRY(device_attribute, cuDeviceGetAttribute);
  WARPMARK_ENTRY(device_name, cuDeviceGetName);
  WARPMARK_ENTRY(error_name, cuGetErrorName);
  WARPMARK_ENTRY(host_register, cuMemHostRegister_v2);
  WARPMARK_ENTRY(host_unregister, cuMemHostUnregister);
#undef WARPMARK_ENTRY
  CUresult (*elapsed)(float*, CUevent,
                      CUevent) = find<CUresult(float*, CUevent, CUevent)>("cuEventElapsedTime");
  CUresult (*proc)(const char*, void**, int, cuuint64_t, CUdriverProcAddressQueryResult*) =
      find<CUresult(const char*, void**, int, cuuint64_t, CUdriverProcAddressQueryResult*)>(
          "cuGetProcAddress_v2");
  CUresult (*create_context)(CUcontext*, unsigned, CUdevice) =
      find<CUresult(CUcontext*, unsigned, CUdevice)>("cuCtxCreate_v2");
  const warpmark_device* device = find<const warpmark_device*(void)>(WARPMARK_DEVICE_SYMBOL)();

 private:
  [[nodiscard]] void* symbol(const char* name) const;
};

const Api& api();

/// The text of a file of WARPMARK_TEST_DATA. Throws std::runtime_error if there is none.
std::string read_text(const std::string& name);

std::vector<Json> reports();
std::vector<Json> counters();

#define ASSERT_CU(call) ASSERT_EQ(call, CUDA_SUCCESS) << api().device->last_error()
#define EXPECT_CU(call) EXPECT_EQ(call, CUDA_SUCCESS) << api().device->last_error()

/// A device array with a host copy.
template <typename T>
struct Array {
  explicit Array(std::vector<T> values) : host(std::move(values)) {
    EXPECT_CU(api().alloc(&address, host.size() * sizeof(T)));
    EXPECT_CU(api().to_device(address, host.data(), host.size() * sizeof(T)));
  }
  explicit Array(std::size_t count) : Array(std::vector<T>(count)) {}
  CUresult fetch() { return api().to_host(host.data(), address, host.size() * sizeof(T)); }
  void label(const char* name, const char* dtype) const {
    EXPECT_EQ(api().device->label(nullptr, address, host.size() * sizeof(T), name, dtype), 0)
        << api().device->last_error();
  }
  std::vector<T> host;
  CUdeviceptr address = 0;
};

struct Dim {
  unsigned x = 1, y = 1, z = 1;
};

// Most tests have these.
extern template struct Array<float>;
extern template struct Array<double>;
extern template struct Array<std::int32_t>;
extern template struct Array<std::uint32_t>;
extern template struct Array<std::uint64_t>;

/// Each test has a fresh context, since an error destroys it.
class DeviceTest : public ::testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  CUfunction kernel(const std::string& file, const char* name) {
    return kernel_of(read_text(file), name);
  }
  CUfunction kernel_of(const std::string& text, const char* name);
  /// A kernel whose body is `body` with one parameter, the 64-bit pointer `out`, in %rd1.
  CUfunction body(const std::string& body);
  template <typename... Arguments>
  CUresult launch(CUfunction function, Dim grid, Dim block, unsigned shared,
                  Arguments... arguments) {
    void* pointers[] = {static_cast<void*>(&arguments)..., nullptr};
    return api().launch(function, grid.x, grid.y, grid.z, block.x, block.y, block.z, shared,
                        nullptr, pointers, nullptr);
  }
  static void configure(const char* json);
  CUcontext context_ = nullptr;
};

}  // namespace warpmark::test
