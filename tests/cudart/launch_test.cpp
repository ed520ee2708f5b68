// Registered code: kernels, variables, launches, errors, devices.
#include <cuda.h>
#include <dlfcn.h>

#include <cstring>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "cudart/registered.hpp"

namespace warpmark::test {
namespace {

/// Device memory with 1, 2, 3 …
class Numbers {
 public:
  explicit Numbers(unsigned int count) : host(count) {
    std::iota(host.begin(), host.end(), 1u);
    EXPECT_CUDA(cudaMalloc(reinterpret_cast<void**>(&device), count * 4));
    EXPECT_CUDA(cudaMemcpy(device, host.data(), count * 4, cudaMemcpyHostToDevice));
  }
  ~Numbers() { cudaFree(device); }
  Numbers(const Numbers&) = delete;
  Numbers& operator=(const Numbers&) = delete;
  void fetch() {
    EXPECT_CUDA(cudaMemcpy(host.data(), device, host.size() * 4, cudaMemcpyDeviceToHost));
  }
  std::vector<unsigned int> host;
  unsigned int* device = nullptr;
};

class Runtime : public ::testing::Test {
 protected:
  void SetUp() override { cudaGetLastError(); }
};

TEST_F(Runtime, AKernelIsLaunchedByItsHostFunction) {
  Numbers data(100);
  ASSERT_CUDA(launch(scale, {4}, {32}, nullptr, data.device, 100u));
  ASSERT_CUDA(cudaDeviceSynchronize());
  data.fetch();
  EXPECT_EQ(data.host[0], 3u);
  EXPECT_EQ(data.host[99], 300u);
  unsigned int count = 100;
  void* arguments[] = {&data.device, &count};
  ASSERT_CUDA(cudaLaunchKernel(kScale, {4}, {32}, arguments, 0, cudaStreamPerThread));
  ASSERT_CUDA(cudaLaunchCooperativeKernel(kScale, {4}, {32}, arguments, 0, nullptr));
  cudaLaunchConfig_t config{};
  config.gridDim = {4};
  config.blockDim = {32};
  ASSERT_CUDA(cudaLaunchKernelExC(&config, kScale, arguments));
  data.fetch();
  EXPECT_EQ(data.host[99], 300u * 27);
}

TEST_F(Runtime, AKernelHasOtherNames) {
  cudaKernel_t kernel = nullptr;
  ASSERT_CUDA(cudaGetKernel(&kernel, kScale));
  cudaFunction_t function = nullptr;
  ASSERT_CUDA(cudaGetFuncBySymbol(&function, kScale));
  Numbers data(3);
  unsigned int count = 3;
  void* arguments[] = {&data.device, &count};
  ASSERT_CUDA(cudaLaunchKernel(kernel, {1}, {32}, arguments, 0, nullptr));
  ASSERT_CUDA(cudaLaunchKernel(function, {1}, {32}, arguments, 0, nullptr));
  data.fetch();
  EXPECT_EQ(data.host[2], 27u);
  const char* name = nullptr;
  ASSERT_CUDA(cudaFuncGetName(&name, kScale));
  EXPECT_STREQ(name, "scale");
  cudaFuncAttributes attributes{};
  ASSERT_CUDA(cudaFuncGetAttributes(&attributes, kScale));
  EXPECT_EQ(attributes.maxThreadsPerBlock, 1024);
  int blocks = 0;
  ASSERT_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kScale, 1024, 0));
  EXPECT_EQ(blocks, 2);
}

TEST_F(Runtime, VariablesAreCopiedByTheirHostNames) {
  unsigned int value = 0;
  ASSERT_CUDA(cudaMemcpyFromSymbol(&value, &total, 4, 0, cudaMemcpyDeviceToHost));
  EXPECT_GE(value, 5u);
  value = 1000;
  ASSERT_CUDA(cudaMemcpyToSymbol(&total, &value, 4, 0, cudaMemcpyHostToDevice));
  Numbers data(10);
  ASSERT_CUDA(launch(scale, {1}, {32}, nullptr, data.device, 10u));
  void* address = nullptr;
  size_t bytes = 0;
  ASSERT_CUDA(cudaGetSymbolAddress(&address, &total));
  ASSERT_CUDA(cudaGetSymbolSize(&bytes, &total));
  EXPECT_EQ(bytes, 4u);
  ASSERT_CUDA(cudaMemcpy(&value, address, 4, cudaMemcpyDefault));
  EXPECT_EQ(value, 1010u);
  EXPECT_EQ(cudaMemcpyToSymbol(&value, &value, 4, 0, cudaMemcpyHostToDevice),
            cudaErrorInvalidSymbol);
  EXPECT_EQ(cudaMemcpyToSymbol(&total, &value, 4, 1, cudaMemcpyHostToDevice),
            cudaErrorInvalidValue);
}

TEST_F(Runtime, TheHostUsesManagedVariables) {
  ASSERT_NE(__cudaInitModule(image), 0);
  ASSERT_NE(seen, nullptr);
  EXPECT_GE(*seen, 7u);
  *seen = 20;
  Numbers data(10);
  ASSERT_CUDA(launch(scale, {1}, {32}, nullptr, data.device, 10u));
  ASSERT_CUDA(cudaDeviceSynchronize());
  EXPECT_EQ(*seen, 30u);
  cudaPointerAttributes attributes{};
  ASSERT_CUDA(cudaPointerGetAttributes(&attributes, seen));
  EXPECT_EQ(attributes.type, cudaMemoryTypeManaged);
  unsigned int value = 0;
  ASSERT_CUDA(cudaMemcpyFromSymbol(&value, seen, 4, 0, cudaMemcpyDeviceToHost));
  EXPECT_EQ(value, 30u);
}

TEST_F(Runtime, AThreadRemembersItsLastError) {
  Numbers data(1);
  EXPECT_EQ(launch(scale, {1}, {2000}, nullptr, data.device, 1u), cudaErrorInvalidValue)
      << "since CUDA 13";
  std::thread([] { EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess); }).join();
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  const dim3 configurations[][2] = {{{0}, {1}}, {{1}, {0}}, {{1}, {1, 1, 65}}, {{1, 70000}, {1}}};
  for (const auto& [grid, block] : configurations) {
    EXPECT_EQ(launch(scale, grid, block, nullptr, data.device, 1u), cudaErrorInvalidValue);
  }
  EXPECT_EQ(launch(missing, {1}, {1}, nullptr), cudaErrorSymbolNotFound);
  EXPECT_EQ(cudaLaunchKernel(&data, {1}, {1}, nullptr, 0, nullptr), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaLaunchKernel(nullptr, {1}, {1}, nullptr, 0, nullptr),
            cudaErrorInvalidDeviceFunction);
  EXPECT_STREQ(cudaGetErrorName(cudaErrorInvalidDeviceFunction), "cudaErrorInvalidDeviceFunction");
  EXPECT_STREQ(cudaGetErrorString(cudaErrorInvalidDeviceFunction), "invalid device function");
  EXPECT_STREQ(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory");
  EXPECT_STREQ(cudaGetErrorString(static_cast<cudaError_t>(12345)), "unrecognized error code");
}

TEST_F(Runtime, AFaultLastsUntilTheDeviceIsReset) {
  if (!on_cpu_device()) GTEST_SKIP() << "a GPU sees no access past an array that is near it";
  ASSERT_NE(__cudaInitModule(image), 0);
  unsigned int* data = nullptr;
  ASSERT_CUDA(cudaMalloc(reinterpret_cast<void**>(&data), 32 * 4));
  ::testing::internal::CaptureStderr();
  ASSERT_CUDA(launch(overrun, {1}, {33}, nullptr, data));
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  const std::string report = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(report.find("Invalid __global__ write of size 4 bytes"), std::string::npos) << report;
  EXPECT_NE(report.find("at overrun+"), std::string::npos) << report;
  EXPECT_NE(report.find("by thread (32,0,0) in block (0,0,0)"), std::string::npos) << report;
  EXPECT_EQ(cudaMalloc(reinterpret_cast<void**>(&data), 4), cudaErrorIllegalAddress);
  ASSERT_CUDA(cudaDeviceReset());
  EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
  Numbers numbers(10);
  ASSERT_CUDA(launch(scale, {1}, {32}, nullptr, numbers.device, 10u));
  numbers.fetch();
  EXPECT_EQ(numbers.host[9], 30u);
  ASSERT_CUDA(cudaDeviceSynchronize());
  EXPECT_EQ(*seen, 17u) << "a managed variable is there anew, too";
}

TEST_F(Runtime, DevicesAreDescribed) {
  if (!on_cpu_device()) GTEST_SKIP() << "of warpmark-cpu --devices 2";
  int count = 0, device = -1, runtime = 0, value = 0;
  ASSERT_CUDA(cudaGetDeviceCount(&count));
  EXPECT_EQ(count, 2) << "of warpmark-cpu --devices 2";
  ASSERT_CUDA(cudaSetDevice(1));
  std::thread([&] { EXPECT_CUDA(cudaGetDevice(&device)); }).join();
  EXPECT_EQ(device, 0) << "each thread has its own";
  ASSERT_CUDA(cudaGetDevice(&device));
  EXPECT_EQ(device, 1);
  Numbers data(10);
  ASSERT_CUDA(launch(scale, {1}, {32}, nullptr, data.device, 10u));
  cudaPointerAttributes attributes{};
  ASSERT_CUDA(cudaPointerGetAttributes(&attributes, data.device));
  EXPECT_EQ(attributes.type, cudaMemoryTypeDevice);
  EXPECT_EQ(attributes.device, 1);
  ASSERT_CUDA(cudaSetDevice(0));
  EXPECT_EQ(cudaSetDevice(2), cudaErrorInvalidDevice);
  cudaDeviceProp properties{};
  ASSERT_CUDA(cudaGetDeviceProperties(&properties, 0));
  EXPECT_EQ(properties.major, 9);
  EXPECT_EQ(properties.multiProcessorCount, 132);
  EXPECT_EQ(properties.maxThreadsDim[2], 64);
  EXPECT_STREQ(properties.name, "Warpmark CPU device");
  ASSERT_CUDA(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 0));
  EXPECT_EQ(value, properties.warpSize);
  ASSERT_CUDA(cudaRuntimeGetVersion(&runtime));
  EXPECT_EQ(runtime, 13000);
}

TEST_F(Runtime, TheContextOfTheDriverApiIsUsed) {
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult status{};
  ASSERT_CUDA(
      cudaGetDriverEntryPointByVersion("cuCtxCreate", &entry, 12000, cudaEnableDefault, &status));
  ASSERT_EQ(status, cudaDriverEntryPointSuccess);
  EXPECT_CUDA(
      cudaGetDriverEntryPointByVersion("cuNoSuch", &entry, 12000, cudaEnableDefault, &status));
  EXPECT_EQ(status, cudaDriverEntryPointSymbolNotFound);
  ASSERT_CUDA(cudaGetDriverEntryPointByVersion("cuCtxGetCurrent", &entry, 12000, cudaEnableDefault,
                                               &status));
  ASSERT_CUDA(cudaFree(nullptr));
  CUcontext context = nullptr;
  ASSERT_EQ(reinterpret_cast<decltype(&cuCtxGetCurrent)>(entry)(&context), CUDA_SUCCESS);
  EXPECT_NE(context, nullptr);
}

// CUDA 12's cudaDeviceProp, up to what CUDA 13 took from its middle.
TEST_F(Runtime, TheLibraryOfCuda12HasItsForms) {
  void* library = dlopen("libcudart.so.12", RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  using GetProperties = cudaError_t (*)(void*, int);
  using GetVersion = cudaError_t (*)(int*);
  const auto get = reinterpret_cast<GetProperties>(dlsym(library, "cudaGetDeviceProperties_v2"));
  const auto get_version = reinterpret_cast<GetVersion>(dlsym(library, "cudaRuntimeGetVersion"));
  ASSERT_TRUE(get != nullptr && get_version != nullptr);
  int version = 0;
  ASSERT_CUDA(get_version(&version));
  EXPECT_EQ(version / 1000, 12);
  std::vector<std::byte> properties(1032 + 64, std::byte{0x5a});
  ASSERT_CUDA(get(properties.data(), 0));
  EXPECT_EQ(properties[1032], std::byte{0x5a}) << "no more than CUDA 12's structure is written";
  int numbers[2] = {};  // major and minor stand after clockRate and totalConstMem
  std::memcpy(numbers, properties.data() + 360, sizeof numbers);
  EXPECT_EQ(numbers[0], 9);
  EXPECT_EQ(numbers[1], 0);
}

}  // namespace
}  // namespace warpmark::test
