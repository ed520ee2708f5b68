// Memory pools: their memory, their attributes, and pools that processes share.
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "cudart/registered.hpp"

namespace warpmark::test {
namespace {

cudaMemPoolProps properties_of_pools() {
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location = {cudaMemLocationTypeDevice, 0};
  return properties;
}

std::uint64_t bytes_of(cudaMemPool_t pool, cudaMemPoolAttr attribute) {
  std::uint64_t found = 0;
  EXPECT_CUDA(cudaMemPoolGetAttribute(pool, attribute, &found));
  return found;
}

class Pools : public ::testing::Test {
 protected:
  void SetUp() override {
    cudaGetLastError();
    int supported = 0;
    ASSERT_CUDA(cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, 0));
    if (supported == 0) GTEST_SKIP() << "the device has no memory pools";
    ASSERT_CUDA(cudaStreamCreate(&stream_));
    const cudaMemPoolProps properties = properties_of_pools();
    ASSERT_CUDA(cudaMemPoolCreate(&pool_, &properties));
  }
  void TearDown() override {
    if (stream_ == nullptr) return;
    if (pool_ != nullptr) {
      EXPECT_CUDA(cudaMemPoolDestroy(pool_));
    }
    EXPECT_CUDA(cudaStreamDestroy(stream_));
  }
  void* allocate(size_t bytes) {
    void* made = nullptr;
    EXPECT_CUDA(cudaMallocFromPoolAsync(&made, bytes, pool_, stream_));
    return made;
  }

  static constexpr size_t kBytes = 1 << 20;
  cudaMemPool_t pool_ = nullptr;
  cudaStream_t stream_ = nullptr;
};

TEST_F(Pools, MemoryComesFromThemAndGoesBack) {
  void* const made = allocate(kBytes);
  std::array<unsigned char, 64> found{};
  ASSERT_CUDA(cudaMemsetAsync(made, 4, kBytes, stream_));
  ASSERT_CUDA(cudaMemcpyAsync(found.data(), static_cast<char*>(made) + kBytes - 64, 64,
                              cudaMemcpyDeviceToHost, stream_));
  ASSERT_CUDA(cudaStreamSynchronize(stream_));
  EXPECT_EQ(found[63], 4);
  EXPECT_GE(bytes_of(pool_, cudaMemPoolAttrUsedMemCurrent), kBytes);
  EXPECT_GE(bytes_of(pool_, cudaMemPoolAttrReservedMemCurrent), kBytes);
  ASSERT_CUDA(cudaFreeAsync(made, stream_));
  ASSERT_CUDA(cudaStreamSynchronize(stream_));
  EXPECT_EQ(bytes_of(pool_, cudaMemPoolAttrUsedMemCurrent), 0u);
  EXPECT_GE(bytes_of(pool_, cudaMemPoolAttrUsedMemHigh), kBytes);
  ASSERT_CUDA(cudaMemPoolTrimTo(pool_, 0));
  EXPECT_EQ(bytes_of(pool_, cudaMemPoolAttrReservedMemCurrent), 0u);
}

TEST_F(Pools, AttributesAreSet) {
  std::uint64_t bytes = 32 << 20;
  ASSERT_CUDA(cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &bytes));
  EXPECT_EQ(bytes_of(pool_, cudaMemPoolAttrReleaseThreshold), bytes);
  for (const cudaMemPoolAttr each :
       {cudaMemPoolReuseFollowEventDependencies, cudaMemPoolReuseAllowOpportunistic,
        cudaMemPoolReuseAllowInternalDependencies}) {
    int value = 0;
    ASSERT_CUDA(cudaMemPoolGetAttribute(pool_, each, &value));
    EXPECT_EQ(value, 1) << "enabled by default";
    value = 0;
    ASSERT_CUDA(cudaMemPoolSetAttribute(pool_, each, &value));
    value = 1;
    ASSERT_CUDA(cudaMemPoolGetAttribute(pool_, each, &value));
    EXPECT_EQ(value, 0);
  }
  ASSERT_CUDA(cudaFreeAsync(allocate(kBytes), stream_));
  ASSERT_CUDA(cudaStreamSynchronize(stream_));
  EXPECT_EQ(cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrUsedMemHigh, &bytes),
            cudaErrorInvalidValue)
      << "a high mark is only reset";
  bytes = 0;
  ASSERT_CUDA(cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrUsedMemHigh, &bytes));
  EXPECT_EQ(bytes_of(pool_, cudaMemPoolAttrUsedMemHigh), 0u);
}

TEST_F(Pools, ADeviceTakesMemoryFromItsCurrentOne) {
  cudaMemPool_t found = nullptr, usual = nullptr;
  ASSERT_CUDA(cudaDeviceGetDefaultMemPool(&usual, 0));
  ASSERT_CUDA(cudaDeviceGetMemPool(&found, 0));
  EXPECT_EQ(found, usual);
  ASSERT_CUDA(cudaDeviceSetMemPool(0, pool_));
  ASSERT_CUDA(cudaDeviceGetMemPool(&found, 0));
  EXPECT_EQ(found, pool_);
  void* made = nullptr;
  ASSERT_CUDA(cudaMallocAsync(&made, kBytes, stream_));
  EXPECT_GE(bytes_of(pool_, cudaMemPoolAttrUsedMemCurrent), kBytes);
  ASSERT_CUDA(cudaFreeAsync(made, stream_));
  ASSERT_CUDA(cudaStreamSynchronize(stream_));
  ASSERT_CUDA(cudaMemPoolDestroy(pool_));
  pool_ = nullptr;
  ASSERT_CUDA(cudaDeviceGetMemPool(&found, 0));
  EXPECT_EQ(found, usual) << "the current one was destroyed";
  EXPECT_EQ(cudaMemPoolDestroy(usual), cudaErrorInvalidValue);
}

TEST_F(Pools, TheMostThatOneGivesIsSaidAtItsCreation) {
  cudaMemPoolProps properties = properties_of_pools();
  properties.maxSize = kBytes;
  cudaMemPool_t small = nullptr;
  ASSERT_CUDA(cudaMemPoolCreate(&small, &properties));
  void* made = nullptr;
  EXPECT_EQ(cudaMallocFromPoolAsync(&made, kBytes << 8, small, stream_), cudaErrorMemoryAllocation);
  EXPECT_CUDA(cudaMemPoolDestroy(small));
  properties.allocType = cudaMemAllocationTypeInvalid;
  EXPECT_EQ(cudaMemPoolCreate(&small, &properties), cudaErrorInvalidValue);
}

TEST_F(Pools, OneThatIsNotSharedHasNoHandle) {
  int descriptor = -1;
  EXPECT_EQ(cudaMemPoolExportToShareableHandle(&descriptor, pool_,
                                               cudaMemHandleTypePosixFileDescriptor, 0),
            cudaErrorInvalidValue);
}

// A second process runs this test, too: it finds the pool's descriptor and the file with what names
// the pointer in its environment.
constexpr const char* kDescriptor = "WARPMARK_TEST_POOL";
constexpr const char* kPointer = "WARPMARK_TEST_POINTER";

void use_in_second_process(const char* descriptor, const char* path) {
  cudaMemPool_t pool = nullptr;
  auto* const handle = reinterpret_cast<void*>(static_cast<std::intptr_t>(std::atoi(descriptor)));
  ASSERT_CUDA(
      cudaMemPoolImportFromShareableHandle(&pool, handle, cudaMemHandleTypePosixFileDescriptor, 0));
  cudaMemLocation place{cudaMemLocationTypeDevice, 0};
  cudaMemAccessFlags access{};
  ASSERT_CUDA(cudaMemPoolGetAccess(&access, pool, &place));
  const cudaMemAccessDesc wanted{place, cudaMemAccessFlagsProtReadWrite};
  if (access != wanted.flags) {
    ASSERT_CUDA(cudaMemPoolSetAccess(pool, &wanted, 1));
  }
  cudaMemPoolPtrExportData name{};
  std::ifstream(path, std::ios::binary).read(reinterpret_cast<char*>(&name), sizeof name);
  void *memory = nullptr, *none = nullptr;
  ASSERT_CUDA(cudaMemPoolImportPointer(&memory, pool, &name));
  unsigned char found = 0;
  ASSERT_CUDA(cudaMemcpy(&found, memory, 1, cudaMemcpyDeviceToHost));
  EXPECT_EQ(found, 8);
  ASSERT_CUDA(cudaMemset(memory, 9, 64));
  ASSERT_CUDA(cudaDeviceSynchronize());
  EXPECT_EQ(cudaMallocFromPoolAsync(&none, 64, pool, nullptr), cudaErrorInvalidValue)
      << "an imported pool gives no memory of its own";
  EXPECT_CUDA(cudaFree(memory));
  EXPECT_CUDA(cudaMemPoolDestroy(pool));
}

TEST(SharedPools, AnotherProcessUsesTheMemory) {
  if (const char* descriptor = std::getenv(kDescriptor); descriptor != nullptr)
    return use_in_second_process(descriptor, std::getenv(kPointer));
  int types = 0;
  ASSERT_CUDA(cudaDeviceGetAttribute(&types, cudaDevAttrMemoryPoolSupportedHandleTypes, 0));
  if ((types & cudaMemHandleTypePosixFileDescriptor) == 0)
    GTEST_SKIP() << "the device's pools cannot be shared";
  cudaMemPoolProps properties = properties_of_pools();
  properties.handleTypes = cudaMemHandleTypePosixFileDescriptor;
  cudaMemPool_t pool = nullptr;
  ASSERT_CUDA(cudaMemPoolCreate(&pool, &properties));
  void* memory = nullptr;
  ASSERT_CUDA(cudaMallocFromPoolAsync(&memory, 64, pool, nullptr));
  ASSERT_CUDA(cudaMemset(memory, 8, 64));
  ASSERT_CUDA(cudaDeviceSynchronize());
  int descriptor = -1;
  cudaMemPoolPtrExportData name{};
  ASSERT_CUDA(cudaMemPoolExportToShareableHandle(&descriptor, pool,
                                                 cudaMemHandleTypePosixFileDescriptor, 0));
  ASSERT_CUDA(cudaMemPoolExportPointer(&name, memory));
  ASSERT_EQ(fcntl(descriptor, F_SETFD, 0), 0) << "the second process inherits it";
  const std::string path = ::testing::TempDir() + "warpmark_pool_" + std::to_string(getpid());
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<char*>(&name), sizeof name);
  setenv(kDescriptor, std::to_string(descriptor).c_str(), 1);
  setenv(kPointer, path.c_str(), 1);
  const std::string command = "/proc/" + std::to_string(getpid()) +
                              "/exe --gtest_filter=SharedPools.AnotherProcessUsesTheMemory";
  EXPECT_EQ(std::system(command.c_str()), 0);
  unsetenv(kDescriptor);
  unsetenv(kPointer);
  std::remove(path.c_str());
  close(descriptor);
  unsigned char found = 0;
  ASSERT_CUDA(cudaMemcpy(&found, static_cast<char*>(memory) + 63, 1, cudaMemcpyDeviceToHost));
  EXPECT_EQ(found, 9);
  ASSERT_CUDA(cudaFree(memory));
  EXPECT_CUDA(cudaMemPoolDestroy(pool));
}

}  // namespace
}  // namespace warpmark::test
