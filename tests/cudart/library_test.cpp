// Code that the program loads itself, and what is known and asked of kernels.
#include <cstdio>
#include <fstream>
#include <set>
#include <string>

#include "cudart/registered.hpp"

namespace warpmark::test {
namespace {

constexpr const char* kText = R"(
.version 7.0
.target sm_75
.address_size 64
.visible .global .align 8 .u32 marks[2] = {5, 6};
.visible .global .attribute(.managed) .align 4 .u32 calls = 7;
.visible .entry mark(.param .u32 value)
{
  .reg .u32 %r;
  ld.param.u32 %r, [value];
  st.global.u32 [marks], %r;
  red.global.add.u32 [calls], 1;
  ret;
}
.visible .entry mixed(.param .u32 first, .param .u64 second, .param .align 8 .b8 third[24],
                      .param .u16 fourth)
{
  .reg .u32 %r;
  ld.param.u32 %r, [first];
  st.global.u32 [marks+4], %r;
  ret;
}
)";

class Libraries : public ::testing::Test {
 protected:
  void SetUp() override {
    cudaGetLastError();
    ASSERT_CUDA(cudaLibraryLoadData(&library_, kText, nullptr, nullptr, 0, nullptr, nullptr, 0));
  }
  void TearDown() override { EXPECT_CUDA(cudaLibraryUnload(library_)); }

  cudaKernel_t kernel(const char* name) {
    cudaKernel_t found = nullptr;
    EXPECT_CUDA(cudaLibraryGetKernel(&found, library_, name));
    return found;
  }
  cudaFuncAttributes attributes_of(const void* function) {
    cudaFuncAttributes found{};
    EXPECT_CUDA(cudaFuncGetAttributes(&found, function));
    return found;
  }
  cudaError_t mark(unsigned int value, size_t shared = 0) {
    void* arguments[] = {&value};
    return cudaLaunchKernel(kernel("mark"), {1}, {1}, arguments, shared, nullptr);
  }

  static bool has_clusters() {
    int supported = 0;
    EXPECT_CUDA(cudaDeviceGetAttribute(&supported, cudaDevAttrClusterLaunch, 0));
    return supported != 0;
  }

  cudaLibrary_t library_ = nullptr;
};

TEST_F(Libraries, TheirKernelsAreLaunched) {
  ASSERT_CUDA(mark(40));
  unsigned int* marks = nullptr;
  size_t bytes = 0;
  ASSERT_CUDA(cudaLibraryGetGlobal(reinterpret_cast<void**>(&marks), &bytes, library_, "marks"));
  EXPECT_EQ(bytes, 8u);
  unsigned int found[2] = {};
  ASSERT_CUDA(cudaMemcpy(found, marks, 8, cudaMemcpyDeviceToHost));
  EXPECT_EQ(found[0], 40u);
  EXPECT_EQ(found[1], 6u);
  cudaKernel_t none = nullptr;
  EXPECT_EQ(cudaLibraryGetKernel(&none, library_, "no_such"), cudaErrorSymbolNotFound);
}

TEST_F(Libraries, TheirKernelsAreCountedAndListed) {
  unsigned int count = 0;
  ASSERT_CUDA(cudaLibraryGetKernelCount(&count, library_));
  ASSERT_EQ(count, 2u);
  cudaKernel_t kernels[3] = {};
  ASSERT_CUDA(cudaLibraryEnumerateKernels(kernels, 2, library_));
  std::set<std::string> names;
  for (int i = 0; i < 2; ++i) {
    const char* name = nullptr;
    ASSERT_CUDA(cudaFuncGetName(&name, kernels[i]));
    names.insert(name);
  }
  EXPECT_EQ(names, (std::set<std::string>{"mark", "mixed"}));
  kernels[1] = nullptr;
  ASSERT_CUDA(cudaLibraryEnumerateKernels(kernels, 1, library_));
  EXPECT_NE(kernels[0], nullptr);
  EXPECT_EQ(kernels[1], nullptr) << "no more than were asked for";
}

TEST_F(Libraries, TheirVariablesAreFound) {
  size_t bytes = 0;
  unsigned int *calls = nullptr, *marks = nullptr;
  ASSERT_CUDA(cudaLibraryGetManaged(reinterpret_cast<void**>(&calls), &bytes, library_, "calls"));
  EXPECT_EQ(bytes, 4u);
  EXPECT_EQ(*calls, 7u);
  ASSERT_CUDA(mark(1));
  ASSERT_CUDA(cudaDeviceSynchronize());
  EXPECT_EQ(*calls, 8u);
  ASSERT_CUDA(cudaLibraryGetGlobal(nullptr, &bytes, library_, "marks"));
  EXPECT_EQ(bytes, 8u);
  EXPECT_CUDA(cudaLibraryGetGlobal(reinterpret_cast<void**>(&marks), nullptr, library_, "marks"));
  EXPECT_NE(marks, nullptr);
  EXPECT_EQ(cudaLibraryGetGlobal(reinterpret_cast<void**>(&marks), &bytes, library_, "no_such"),
            cudaErrorSymbolNotFound);
  EXPECT_EQ(cudaLibraryGetManaged(reinterpret_cast<void**>(&calls), &bytes, library_, "no_such"),
            cudaErrorSymbolNotFound);
  void* function = nullptr;
  EXPECT_EQ(cudaLibraryGetUnifiedFunction(&function, library_, "no_such"), cudaErrorInvalidValue);
}

TEST_F(Libraries, EachHasItsOwnVariables) {
  cudaJitOption option = cudaJitOptimizationLevel;
  void* level = reinterpret_cast<void*>(1);
  cudaLibraryOption preserved = cudaLibraryBinaryIsPreserved;
  int yes = 1;
  void* value = &yes;
  cudaLibrary_t other = nullptr;
  ASSERT_CUDA(cudaLibraryLoadData(&other, kText, &option, &level, 1, &preserved, &value, 1));
  ASSERT_CUDA(mark(41));
  unsigned int *marks = nullptr, found = 0;
  ASSERT_CUDA(cudaLibraryGetGlobal(reinterpret_cast<void**>(&marks), nullptr, other, "marks"));
  ASSERT_CUDA(cudaMemcpy(&found, marks, 4, cudaMemcpyDeviceToHost));
  EXPECT_EQ(found, 5u);
  EXPECT_CUDA(cudaLibraryUnload(other));
}

TEST_F(Libraries, AFileIsLoaded) {
  const std::string path = ::testing::TempDir() + "warpmark_library_test.ptx";
  std::ofstream(path) << kText;
  cudaLibrary_t other = nullptr;
  ASSERT_CUDA(
      cudaLibraryLoadFromFile(&other, path.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  cudaKernel_t mixed = nullptr;
  ASSERT_CUDA(cudaLibraryGetKernel(&mixed, other, "mixed"));
  unsigned int first = 42;
  unsigned long long second = 0, third[3] = {};
  unsigned short fourth = 0;
  void* arguments[] = {&first, &second, third, &fourth};
  ASSERT_CUDA(cudaLaunchKernel(mixed, {1}, {1}, arguments, 0, nullptr));
  unsigned int *marks = nullptr, found = 0;
  ASSERT_CUDA(cudaLibraryGetGlobal(reinterpret_cast<void**>(&marks), nullptr, other, "marks"));
  ASSERT_CUDA(cudaMemcpy(&found, marks + 1, 4, cudaMemcpyDeviceToHost));
  EXPECT_EQ(found, 42u);
  EXPECT_CUDA(cudaLibraryUnload(other));
  cudaLibraryOption preserved = cudaLibraryBinaryIsPreserved;
  int yes = 1;
  void* value = &yes;
  EXPECT_EQ(
      cudaLibraryLoadFromFile(&other, path.c_str(), nullptr, nullptr, 0, &preserved, &value, 1),
      cudaErrorInvalidValue)
      << "a file's code cannot be preserved by the program";
  std::remove(path.c_str());
  EXPECT_EQ(cudaLibraryLoadFromFile(&other, path.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0),
            cudaErrorFileNotFound);
}

TEST_F(Libraries, ParametersHaveTheirPlaces) {
  const size_t offsets[] = {0, 8, 16, 40}, sizes[] = {4, 8, 24, 2};
  const void* const mixed = kernel("mixed");
  for (size_t i = 0; i < 4; ++i) {
    size_t offset = 99, bytes = 99;
    ASSERT_CUDA(cudaFuncGetParamInfo(mixed, i, &offset, &bytes));
    EXPECT_EQ(offset, offsets[i]);
    EXPECT_EQ(bytes, sizes[i]);
  }
  size_t offset = 0, bytes = 0;
  EXPECT_EQ(cudaFuncGetParamInfo(mixed, 4, &offset, &bytes), cudaErrorInvalidValue);
  ASSERT_CUDA(cudaFuncGetParamInfo(kScale, 1, &offset, &bytes));
  EXPECT_EQ(offset, 8u);
  EXPECT_EQ(bytes, 4u);
}

TEST_F(Libraries, AKernelMayHaveMoreSharedMemory) {
  int most = 0;
  ASSERT_CUDA(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
  ASSERT_GT(most, 48 << 10);
  const void* const function = kernel("mark");
  EXPECT_EQ(mark(1, static_cast<size_t>(most)), cudaErrorInvalidValue);
  ASSERT_CUDA(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, most));
  EXPECT_EQ(attributes_of(function).maxDynamicSharedSizeBytes, most);
  EXPECT_CUDA(mark(1, static_cast<size_t>(most)));
  EXPECT_CUDA(cudaDeviceSynchronize());
  EXPECT_EQ(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, most + 1),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaFuncSetAttribute(&most, cudaFuncAttributeMaxDynamicSharedMemorySize, 0),
            cudaErrorInvalidResourceHandle);
}

TEST_F(Libraries, AKernelHasAttributesOfADevice) {
  int most = 0, devices = 0;
  ASSERT_CUDA(cudaGetDeviceCount(&devices));
  ASSERT_CUDA(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
  ASSERT_CUDA(cudaKernelSetAttributeForDevice(
      kernel("mark"), cudaFuncAttributeMaxDynamicSharedMemorySize, most, 0));
  EXPECT_CUDA(mark(1, static_cast<size_t>(most)));
  EXPECT_CUDA(cudaDeviceSynchronize());
  EXPECT_EQ(cudaKernelSetAttributeForDevice(
                kernel("mark"), cudaFuncAttributeMaxDynamicSharedMemorySize, most + 1, 0),
            cudaErrorInvalidValue);
  if (devices == 1) return;
  ASSERT_CUDA(cudaSetDevice(1));
  EXPECT_EQ(mark(1, static_cast<size_t>(most)), cudaErrorInvalidValue) << "the other device's own";
  ASSERT_CUDA(cudaSetDevice(0));
}

TEST_F(Libraries, PreferencesOfAKernelAreSet) {
  const void* const function = kernel("mark");
  ASSERT_CUDA(cudaFuncSetAttribute(function, cudaFuncAttributePreferredSharedMemoryCarveout, 50));
  EXPECT_EQ(attributes_of(function).preferredShmemCarveout, 50);
  EXPECT_EQ(cudaFuncSetAttribute(function, cudaFuncAttributePreferredSharedMemoryCarveout, 101),
            cudaErrorInvalidValue);
  EXPECT_CUDA(cudaFuncSetCacheConfig(function, cudaFuncCachePreferShared));
  EXPECT_CUDA(cudaFuncSetSharedMemConfig(function, cudaSharedMemBankSizeEightByte));
  int own = 0;
  EXPECT_EQ(cudaFuncSetCacheConfig(&own, cudaFuncCachePreferShared),
            cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaFuncSetCacheConfig(nullptr, cudaFuncCachePreferShared),
            cudaErrorInvalidDeviceFunction);
  cudaKernel_t handle = nullptr;
  EXPECT_EQ(cudaGetKernel(&handle, &own), cudaErrorInvalidDeviceFunction);
}

TEST_F(Libraries, ClustersOfAKernelAreSet) {
  if (!has_clusters()) GTEST_SKIP() << "the device has no clusters";
  const void* const function = kernel("mark");
  ASSERT_CUDA(cudaFuncSetAttribute(function, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  ASSERT_CUDA(cudaFuncSetAttribute(function, cudaFuncAttributeRequiredClusterWidth, 2));
  ASSERT_CUDA(cudaFuncSetAttribute(function, cudaFuncAttributeRequiredClusterHeight, 1));
  ASSERT_CUDA(cudaFuncSetAttribute(function, cudaFuncAttributeRequiredClusterDepth, 1));
  const cudaFuncAttributes found = attributes_of(function);
  EXPECT_EQ(found.nonPortableClusterSizeAllowed, 1);
  EXPECT_EQ(found.requiredClusterWidth, 2);
  EXPECT_EQ(found.requiredClusterHeight, 1);
  EXPECT_EQ(found.requiredClusterDepth, 1);
  int size = 0, clusters = 0;
  cudaLaunchConfig_t config{};
  config.gridDim = {64};
  config.blockDim = {32};
  ASSERT_CUDA(cudaOccupancyMaxPotentialClusterSize(&size, function, &config));
  EXPECT_EQ(size, 16) << "whatever is required";
  ASSERT_CUDA(cudaOccupancyMaxActiveClusters(&clusters, function, &config));
  EXPECT_GT(clusters, 0);
  unsigned int value = 1;
  void* arguments[] = {&value};
  EXPECT_CUDA(cudaLaunchKernel(function, {2}, {1}, arguments, 0, nullptr));
  EXPECT_EQ(cudaLaunchKernel(function, {3}, {1}, arguments, 0, nullptr),
            cudaErrorInvalidClusterSize)
      << "the grid is no multiple";
  EXPECT_CUDA(cudaDeviceSynchronize());
}

TEST_F(Libraries, TheSharedMemoryThatIsLeftLetsTheBlocksFit) {
  size_t bytes = 0, more = 0;
  int blocks = 0;
  ASSERT_CUDA(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, kScale, 8, 128));
  ASSERT_CUDA(cudaOccupancyAvailableDynamicSMemPerBlock(&more, kScale, 4, 128));
  EXPECT_GT(bytes, 0u);
  EXPECT_GE(more, bytes);
  ASSERT_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
      &blocks, kScale, 128, bytes, cudaOccupancyDisableCachingOverride));
  EXPECT_GE(blocks, 7) << "an H200 does not count what it keeps for itself of each block's";
  EXPECT_EQ(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, &bytes, 8, 128),
            cudaErrorInvalidResourceHandle);
}

TEST_F(Libraries, ClustersThatFitAreCounted) {
  int processors = 0, size = 0, clusters = 0;
  ASSERT_CUDA(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
  if (!has_clusters()) GTEST_SKIP() << "the device has no clusters";
  const void* const function = kernel("mark");
  cudaLaunchConfig_t config{};
  config.gridDim = {64};
  config.blockDim = {1024};
  ASSERT_CUDA(cudaOccupancyMaxPotentialClusterSize(&size, function, &config));
  EXPECT_EQ(size, 8) << "the largest that is portable";
  ASSERT_CUDA(cudaOccupancyMaxActiveClusters(&clusters, function, &config));
  EXPECT_EQ(clusters, 0) << "of which size?";
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim.x = 2;
  cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
  config.attrs = &cluster;
  config.numAttrs = 1;
  ASSERT_CUDA(cudaOccupancyMaxActiveClusters(&clusters, function, &config));
  EXPECT_GT(clusters, 0);
  EXPECT_LE(clusters, processors) << "a multiprocessor has 2048 threads at most";
  for (const unsigned int blocks : {0u, 16u}) {
    cluster.val.clusterDim.x = blocks;
    EXPECT_EQ(cudaOccupancyMaxActiveClusters(&clusters, function, &config),
              cudaErrorInvalidClusterSize)
        << blocks;
  }
  unsigned int value = 1;
  void* arguments[] = {&value};
  EXPECT_EQ(cudaLaunchKernelExC(&config, function, arguments), cudaErrorInvalidClusterSize)
      << "16 blocks are not portable";
  cluster.val.clusterDim.x = 8;
  EXPECT_CUDA(cudaLaunchKernelExC(&config, function, arguments));
  EXPECT_CUDA(cudaDeviceSynchronize());
}

}  // namespace
}  // namespace warpmark::test
