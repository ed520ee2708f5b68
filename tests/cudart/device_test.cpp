// Devices: how one is found, what is known of it and of its links, and what is set for it.
#include <cuda.h>

#include <string>
#include <vector>

#include "cudart/registered.hpp"

namespace warpmark::test {
namespace {

class Devices : public ::testing::Test {
 protected:
  void SetUp() override {
    cudaGetLastError();
    ASSERT_CUDA(cudaGetDeviceCount(&count_));
    ASSERT_CUDA(cudaSetDevice(0));
  }
  int count_ = 0;
};

TEST_F(Devices, OneIsChosenByItsProperties) {
  cudaDeviceProp wanted{};
  ASSERT_CUDA(cudaGetDeviceProperties(&wanted, 0));
  int device = -1;
  ASSERT_CUDA(cudaChooseDevice(&device, &wanted));
  EXPECT_GE(device, 0);
  EXPECT_LT(device, count_);
  cudaDeviceProp found{};
  ASSERT_CUDA(cudaGetDeviceProperties(&found, device));
  EXPECT_EQ(found.major, wanted.major);
  EXPECT_EQ(found.minor, wanted.minor);
}

TEST_F(Devices, EachIsFoundByItsBus) {
  for (int each = 0; each < count_; ++each) {
    char id[32] = {};
    ASSERT_CUDA(cudaDeviceGetPCIBusId(id, sizeof id, each));
    int device = -1, bus = -1;
    ASSERT_CUDA(cudaDeviceGetByPCIBusId(&device, id));
    EXPECT_EQ(device, each);
    ASSERT_CUDA(cudaDeviceGetAttribute(&bus, cudaDevAttrPciBusId, each));
    EXPECT_EQ(std::stoi(std::string(id).substr(std::string(id).find(':') + 1), nullptr, 16), bus);
  }
  char id[32] = {};
  int device = -1;
  EXPECT_EQ(cudaDeviceGetPCIBusId(id, sizeof id, count_), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaDeviceGetByPCIBusId(&device, "ffff:ff:1f.7"), cudaErrorInvalidDevice);
}

TEST_F(Devices, TheDriverIsNewEnough) {
  int driver = 0, runtime = 0;
  ASSERT_CUDA(cudaDriverGetVersion(&driver));
  ASSERT_CUDA(cudaRuntimeGetVersion(&runtime));
  EXPECT_GE(driver / 1000, runtime / 1000);
  EXPECT_EQ(cudaDriverGetVersion(nullptr), cudaErrorInvalidValue);
}

TEST_F(Devices, TheDriversFunctionsAreFound) {
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult status{};
  ASSERT_CUDA(cudaGetDriverEntryPoint("cuDriverGetVersion", &entry, cudaEnableDefault, &status));
  ASSERT_EQ(status, cudaDriverEntryPointSuccess);
  int version = 0, same = 0;
  ASSERT_EQ(reinterpret_cast<decltype(&cuDriverGetVersion)>(entry)(&version), CUDA_SUCCESS);
  ASSERT_CUDA(cudaDriverGetVersion(&same));
  EXPECT_EQ(version, same);
  void *legacy = nullptr, *per_thread = nullptr;
  ASSERT_CUDA(cudaGetDriverEntryPoint("cuLaunchKernel", &entry, cudaEnableDefault, nullptr));
  ASSERT_CUDA(cudaGetDriverEntryPoint("cuLaunchKernel", &legacy, cudaEnableLegacyStream, nullptr));
  ASSERT_CUDA(cudaGetDriverEntryPoint("cuLaunchKernel", &per_thread,
                                      cudaEnablePerThreadDefaultStream, nullptr));
  EXPECT_EQ(entry, legacy);
  EXPECT_NE(per_thread, legacy);
  ASSERT_CUDA(cudaGetDriverEntryPoint("cuNoSuch", &entry, cudaEnableDefault, &status));
  EXPECT_EQ(status, cudaDriverEntryPointSymbolNotFound);
  EXPECT_EQ(entry, nullptr);
}

TEST_F(Devices, PeersUseEachOthersMemory) {
  int can = -1;
  if (count_ == 1) GTEST_SKIP() << "there is no other device";
  ASSERT_CUDA(cudaDeviceCanAccessPeer(&can, 0, 1));
  if (can == 0) GTEST_SKIP() << "the devices have no link";
  ASSERT_CUDA(cudaSetDevice(1));
  unsigned int* there = nullptr;
  const unsigned int given[] = {1, 2, 3, 4};
  unsigned int found[4] = {};
  EXPECT_CUDA(cudaMalloc(reinterpret_cast<void**>(&there), 16));
  EXPECT_CUDA(cudaMemcpy(there, given, 16, cudaMemcpyHostToDevice));
  ASSERT_CUDA(cudaSetDevice(0));
  EXPECT_EQ(cudaDeviceDisablePeerAccess(1), cudaErrorPeerAccessNotEnabled);
  EXPECT_EQ(cudaDeviceEnablePeerAccess(1, 1), cudaErrorInvalidValue);
  ASSERT_CUDA(cudaDeviceEnablePeerAccess(1, 0));
  EXPECT_EQ(cudaDeviceEnablePeerAccess(1, 0), cudaErrorPeerAccessAlreadyEnabled);
  EXPECT_CUDA(launch(scale, {1}, {32}, nullptr, there, 4u));
  EXPECT_CUDA(cudaMemcpy(found, there, 16, cudaMemcpyDefault));
  EXPECT_EQ(found[3], 12u);
  EXPECT_CUDA(cudaDeviceDisablePeerAccess(1));
  EXPECT_CUDA(cudaFree(there));
}

TEST_F(Devices, NoneIsItsOwnPeer) {
  int can = -1, value = 0;
  ASSERT_CUDA(cudaDeviceCanAccessPeer(&can, 0, 0));
  EXPECT_EQ(can, 0);
  EXPECT_NE(cudaDeviceEnablePeerAccess(0, 0), cudaSuccess);
  EXPECT_EQ(cudaDeviceCanAccessPeer(&can, 0, count_), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 0),
            cudaErrorInvalidDevice);
}

TEST_F(Devices, LinksHaveAttributes) {
  if (count_ == 1) GTEST_SKIP() << "there is no other device";
  int can = -1, value = -1;
  ASSERT_CUDA(cudaDeviceCanAccessPeer(&can, 0, 1));
  ASSERT_CUDA(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 1));
  EXPECT_EQ(value, can);
  for (const cudaDeviceP2PAttr each :
       {cudaDevP2PAttrNativeAtomicSupported, cudaDevP2PAttrCudaArrayAccessSupported,
        cudaDevP2PAttrOnlyPartialNativeAtomicSupported}) {
    ASSERT_CUDA(cudaDeviceGetP2PAttribute(&value, each, 0, 1));
    EXPECT_TRUE(value == 0 || value == 1) << value;
  }
  ASSERT_CUDA(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrPerformanceRank, 0, 1));
  EXPECT_GE(value, 0);
  EXPECT_EQ(cudaDeviceGetP2PAttribute(&value, static_cast<cudaDeviceP2PAttr>(99), 0, 1),
            cudaErrorInvalidValue);
}

TEST_F(Devices, LimitsAreSet) {
  size_t before = 0, value = 0;
  ASSERT_CUDA(cudaDeviceGetLimit(&before, cudaLimitStackSize));
  ASSERT_CUDA(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
  ASSERT_CUDA(cudaDeviceGetLimit(&value, cudaLimitStackSize));
  EXPECT_GE(value, 4096u) << "the driver may round it";
  EXPECT_CUDA(cudaDeviceSetLimit(cudaLimitStackSize, before));
  EXPECT_CUDA(cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, 32));
  ASSERT_CUDA(cudaDeviceGetLimit(&value, cudaLimitMaxL2FetchGranularity));
  EXPECT_LE(value, 128u);
  int major = 0;
  ASSERT_CUDA(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
  if (major >= 9) {
    EXPECT_EQ(cudaDeviceSetLimit(cudaLimitDevRuntimeSyncDepth, 4), cudaErrorUnsupportedLimit);
  }
  EXPECT_CUDA(cudaCtxResetPersistingL2Cache());
}

TEST_F(Devices, PreferencesOfTheCacheAreSet) {
  cudaFuncCache preferred = cudaFuncCachePreferEqual;
  ASSERT_CUDA(cudaDeviceSetCacheConfig(cudaFuncCachePreferShared));
  ASSERT_CUDA(cudaDeviceGetCacheConfig(&preferred));
  EXPECT_EQ(preferred, cudaFuncCachePreferShared);
  ASSERT_CUDA(cudaDeviceSetCacheConfig(cudaFuncCachePreferNone));
  ASSERT_CUDA(cudaDeviceGetCacheConfig(&preferred));
  EXPECT_EQ(preferred, cudaFuncCachePreferNone);
  cudaSharedMemConfig banks = cudaSharedMemBankSizeDefault;
  EXPECT_CUDA(cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeEightByte));
  ASSERT_CUDA(cudaDeviceGetSharedMemConfig(&banks));
  EXPECT_EQ(banks, cudaSharedMemBankSizeFourByte) << "the hardware has no other";
  EXPECT_CUDA(cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeDefault));
}

TEST_F(Devices, FlagsAreSetAndTold) {
  unsigned int flags = 0;
  ASSERT_CUDA(cudaSetDeviceFlags(cudaDeviceScheduleYield));
  ASSERT_CUDA(cudaGetDeviceFlags(&flags));
  EXPECT_EQ(flags & cudaDeviceScheduleMask, unsigned{cudaDeviceScheduleYield});
  ASSERT_CUDA(cudaInitDevice(0, cudaDeviceScheduleSpin, 0));
  ASSERT_CUDA(cudaGetDeviceFlags(&flags));
  EXPECT_EQ(flags & cudaDeviceScheduleMask, unsigned{cudaDeviceScheduleYield})
      << "they were not said to be valid";
  ASSERT_CUDA(cudaInitDevice(0, cudaDeviceScheduleBlockingSync, cudaInitDeviceFlagsAreValid));
  ASSERT_CUDA(cudaGetDeviceFlags(&flags));
  EXPECT_EQ(flags & cudaDeviceScheduleMask, unsigned{cudaDeviceScheduleBlockingSync});
  ASSERT_CUDA(cudaSetDeviceFlags(cudaDeviceScheduleAuto));
  EXPECT_EQ(cudaSetDeviceFlags(0x40000000), cudaErrorInvalidValue);
}

TEST_F(Devices, OneIsReadiedWithoutBeingCurrent) {
  ASSERT_CUDA(cudaInitDevice(count_ - 1, 0, 0));
  int current = -1;
  ASSERT_CUDA(cudaGetDevice(&current));
  EXPECT_EQ(current, 0);
  EXPECT_EQ(cudaInitDevice(count_, 0, 0), cudaErrorInvalidDevice);
}

TEST_F(Devices, AListOfThemIsChecked) {
  std::vector<int> all(static_cast<size_t>(count_) + 1, 0);
  EXPECT_EQ(cudaSetValidDevices(all.data(), count_ + 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaSetValidDevices(nullptr, 1), cudaErrorInvalidValue);
  all[0] = count_;
  EXPECT_EQ(cudaSetValidDevices(all.data(), 1), cudaErrorInvalidDevice);
  all[0] = 0;
  EXPECT_CUDA(cudaSetValidDevices(all.data(), 1));
  EXPECT_CUDA(cudaSetValidDevices(nullptr, 0));
}

TEST_F(Devices, AtomicOperationsOfALinkAreTold) {
  const cudaAtomicOperation operations[] = {cudaAtomicOperationIntegerAdd, cudaAtomicOperationCAS};
  unsigned int found[2] = {~0u, ~0u};
  const cudaError_t result = cudaDeviceGetHostAtomicCapabilities(found, operations, 2, 0);
  if (result == cudaErrorNotSupported) GTEST_SKIP() << "the driver does not tell";
  ASSERT_CUDA(result);
  constexpr unsigned int known = 0x7f;  // the capabilities that CUDA 13.0 has
  EXPECT_EQ(found[0] & ~known, 0u);
  EXPECT_EQ(found[1] & ~known, 0u);
  EXPECT_EQ(cudaDeviceGetHostAtomicCapabilities(found, operations, 0, 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaDeviceGetP2PAtomicCapabilities(found, operations, 2, 0, 0), cudaErrorInvalidDevice);
}

}  // namespace
}  // namespace warpmark::test
