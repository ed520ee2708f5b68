// Streams, events, and what is said of managed memory.
#include <cuda_profiler_api.h>

#include <array>
#include <set>
#include <vector>

#include "cudart/registered.hpp"

namespace warpmark::test {
namespace {

class Streams : public ::testing::Test {
 protected:
  void SetUp() override {
    cudaGetLastError();
    ASSERT_CUDA(cudaStreamCreate(&stream_));
    ASSERT_CUDA(cudaStreamCreateWithFlags(&other_, cudaStreamNonBlocking));
  }
  void TearDown() override {
    EXPECT_CUDA(cudaStreamDestroy(stream_));
    EXPECT_CUDA(cudaStreamDestroy(other_));
  }
  cudaStream_t stream_ = nullptr, other_ = nullptr;
};

TEST_F(Streams, PrioritiesAreWithinTheirRange) {
  int least = -1, greatest = 1, found = 1;
  ASSERT_CUDA(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  EXPECT_LE(greatest, least) << "lower numbers are greater priorities";
  EXPECT_CUDA(cudaDeviceGetStreamPriorityRange(nullptr, &found));
  EXPECT_EQ(found, greatest);
  for (const int asked : {least, greatest, least + 10, greatest - 10}) {
    cudaStream_t made = nullptr;
    ASSERT_CUDA(cudaStreamCreateWithPriority(&made, cudaStreamNonBlocking, asked));
    ASSERT_CUDA(cudaStreamGetPriority(made, &found));
    EXPECT_EQ(found, asked >= least ? least : greatest);
    EXPECT_CUDA(cudaStreamDestroy(made));
  }
  ASSERT_CUDA(cudaStreamGetPriority(stream_, &found));
  EXPECT_EQ(found, 0);
}

TEST_F(Streams, FlagsAreTold) {
  unsigned int flags = 9;
  ASSERT_CUDA(cudaStreamGetFlags(stream_, &flags));
  EXPECT_EQ(flags, unsigned{cudaStreamDefault});
  ASSERT_CUDA(cudaStreamGetFlags(other_, &flags));
  EXPECT_EQ(flags, unsigned{cudaStreamNonBlocking});
  cudaStream_t made = nullptr;
  EXPECT_EQ(cudaStreamCreateWithFlags(&made, 0x80), cudaErrorInvalidValue);
}

TEST_F(Streams, EachHasAnIdOfItsOwn) {
  std::set<unsigned long long> ids;
  for (cudaStream_t each : {stream_, other_, cudaStreamLegacy, cudaStreamPerThread}) {
    unsigned long long id = 0, again = 0;
    ASSERT_CUDA(cudaStreamGetId(each, &id));
    ASSERT_CUDA(cudaStreamGetId(each, &again));
    EXPECT_EQ(id, again);
    ids.insert(id);
  }
  EXPECT_EQ(ids.size(), 4u);
}

TEST_F(Streams, EachIsOfADevice) {
  int devices = 0, found = -1;
  ASSERT_CUDA(cudaStreamGetDevice(stream_, &found));
  EXPECT_EQ(found, 0);
  ASSERT_CUDA(cudaGetDeviceCount(&devices));
  if (devices == 1) GTEST_SKIP() << "there is no other device";
  ASSERT_CUDA(cudaSetDevice(1));
  cudaStream_t there = nullptr;
  EXPECT_CUDA(cudaStreamCreate(&there));
  ASSERT_CUDA(cudaSetDevice(0));
  ASSERT_CUDA(cudaStreamGetDevice(there, &found));
  EXPECT_EQ(found, 1);
  EXPECT_CUDA(cudaStreamDestroy(there));
}

TEST_F(Streams, AttributesAreSetAndCopied) {
  cudaStreamAttrValue value{};
  value.syncPolicy = cudaSyncPolicyYield;
  ASSERT_CUDA(cudaStreamSetAttribute(stream_, cudaStreamAttributeSynchronizationPolicy, &value));
  value = {};
  ASSERT_CUDA(cudaStreamGetAttribute(stream_, cudaStreamAttributeSynchronizationPolicy, &value));
  EXPECT_EQ(value.syncPolicy, cudaSyncPolicyYield);
  ASSERT_CUDA(cudaStreamCopyAttributes(other_, stream_));
  value = {};
  ASSERT_CUDA(cudaStreamGetAttribute(other_, cudaStreamAttributeSynchronizationPolicy, &value));
  EXPECT_EQ(value.syncPolicy, cudaSyncPolicyYield);
  int least = 0, greatest = 0;
  ASSERT_CUDA(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  value = {};
  value.priority = greatest;
  ASSERT_CUDA(cudaStreamSetAttribute(stream_, cudaStreamAttributePriority, &value));
  ASSERT_CUDA(cudaStreamGetPriority(stream_, &least));
  EXPECT_EQ(least, greatest);
}

TEST_F(Streams, AnEventOrdersTheWorkOfTwo) {
  void* memory = nullptr;
  cudaEvent_t event = nullptr;
  std::array<unsigned char, 64> found{};
  ASSERT_CUDA(cudaMalloc(&memory, 64));
  ASSERT_CUDA(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  EXPECT_CUDA(cudaEventQuery(event)) << "nothing is recorded yet";
  ASSERT_CUDA(cudaMemsetAsync(memory, 3, 64, stream_));
  ASSERT_CUDA(cudaEventRecordWithFlags(event, stream_, cudaEventRecordDefault));
  ASSERT_CUDA(cudaStreamWaitEvent(other_, event, cudaEventWaitDefault));
  ASSERT_CUDA(cudaMemcpyAsync(found.data(), memory, 64, cudaMemcpyDeviceToHost, other_));
  ASSERT_CUDA(cudaStreamSynchronize(other_));
  EXPECT_EQ(found[63], 3);
  EXPECT_CUDA(cudaEventQuery(event));
  EXPECT_CUDA(cudaStreamQuery(stream_));
  EXPECT_CUDA(cudaStreamQuery(other_));
  float milliseconds = 0;
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, event, event), cudaErrorInvalidResourceHandle)
      << "it has no time";
  EXPECT_CUDA(cudaEventDestroy(event));
  EXPECT_CUDA(cudaFree(memory));
}

TEST_F(Streams, ManagedMemoryIsAttached) {
  void* memory = nullptr;
  const size_t bytes = 1 << 16;
  ASSERT_CUDA(cudaMallocManaged(&memory, bytes, cudaMemAttachHost));
  EXPECT_CUDA(cudaStreamAttachMemAsync(stream_, memory, 0, cudaMemAttachSingle));
  ASSERT_CUDA(cudaMemsetAsync(memory, 1, bytes, stream_));
  ASSERT_CUDA(cudaStreamSynchronize(stream_));
  EXPECT_EQ(static_cast<unsigned char*>(memory)[bytes - 1], 1);
  EXPECT_CUDA(cudaStreamAttachMemAsync(stream_, memory, bytes, cudaMemAttachHost));
  EXPECT_EQ(cudaStreamAttachMemAsync(stream_, memory, 64, cudaMemAttachGlobal),
            cudaErrorInvalidValue)
      << "a part has no stream of its own";
  EXPECT_NE(cudaStreamAttachMemAsync(nullptr, memory, 0, cudaMemAttachSingle), cudaSuccess)
      << "the default stream is no single one";
  EXPECT_CUDA(cudaStreamAttachMemAsync(nullptr, memory, 0, cudaMemAttachGlobal));
  EXPECT_CUDA(cudaStreamSynchronize(stream_));
  EXPECT_CUDA(cudaDeviceSynchronize());
  EXPECT_CUDA(cudaFree(memory));
}

TEST_F(Streams, TheProfilerIsSwitched) {
  EXPECT_CUDA(cudaProfilerStart());
  EXPECT_CUDA(cudaProfilerStop());
}

class ManagedMemory : public Streams {
 protected:
  void SetUp() override {
    Streams::SetUp();
    int supported = 0;
    ASSERT_CUDA(cudaDeviceGetAttribute(&supported, cudaDevAttrConcurrentManagedAccess, 0));
    if (supported == 0) GTEST_SKIP() << "the device has no concurrent managed access";
    ASSERT_CUDA(cudaMallocManaged(&memory_, kBytes, cudaMemAttachGlobal));
  }
  void TearDown() override {
    EXPECT_CUDA(cudaFree(memory_));
    Streams::TearDown();
  }
  int get(cudaMemRangeAttribute attribute, size_t offset, size_t bytes) {
    int found = -9;
    EXPECT_CUDA(cudaMemRangeGetAttribute(&found, sizeof found, attribute,
                                         static_cast<char*>(memory_) + offset, bytes));
    return found;
  }

  static constexpr size_t kBytes = 4 << 20;
  static constexpr cudaMemLocation kDevice{cudaMemLocationTypeDevice, 0};
  static constexpr cudaMemLocation kHost{cudaMemLocationTypeHost, 0};
  void* memory_ = nullptr;
};

TEST_F(ManagedMemory, AdviceIsTold) {
  EXPECT_EQ(get(cudaMemRangeAttributeReadMostly, 0, kBytes), 0);
  EXPECT_EQ(get(cudaMemRangeAttributePreferredLocation, 0, kBytes), cudaInvalidDeviceId);
  ASSERT_CUDA(cudaMemAdvise(memory_, kBytes, cudaMemAdviseSetReadMostly, kDevice));
  ASSERT_CUDA(cudaMemAdvise(memory_, kBytes / 2, cudaMemAdviseSetPreferredLocation, kDevice));
  ASSERT_CUDA(cudaMemAdvise(memory_, kBytes, cudaMemAdviseSetAccessedBy, kDevice));
  int read_mostly = 9, preferred = 9;
  std::array<int, 3> users{};
  void* data[] = {&read_mostly, &preferred, users.data()};
  size_t sizes[] = {4, 4, 12};
  cudaMemRangeAttribute asked[] = {cudaMemRangeAttributeReadMostly,
                                   cudaMemRangeAttributePreferredLocation,
                                   cudaMemRangeAttributeAccessedBy};
  ASSERT_CUDA(cudaMemRangeGetAttributes(data, sizes, asked, 3, memory_, kBytes / 2));
  EXPECT_EQ(read_mostly, 1);
  EXPECT_EQ(preferred, 0);
  EXPECT_EQ(users, (std::array<int, 3>{0, cudaInvalidDeviceId, cudaInvalidDeviceId}));
  EXPECT_EQ(get(cudaMemRangeAttributePreferredLocation, 0, kBytes), cudaInvalidDeviceId)
      << "of the other half nothing is said";
  ASSERT_CUDA(cudaMemAdvise(memory_, kBytes, cudaMemAdviseUnsetReadMostly, kDevice));
  EXPECT_EQ(get(cudaMemRangeAttributeReadMostly, 0, kBytes), 0);
  int number = 0;
  EXPECT_EQ(cudaMemRangeGetAttribute(&number, 3, cudaMemRangeAttributeReadMostly, memory_, 4),
            cudaErrorInvalidValue);
}

TEST_F(ManagedMemory, PlacesHaveATypeAndANumber) {
  EXPECT_EQ(get(cudaMemRangeAttributePreferredLocationType, 0, kBytes), cudaMemLocationTypeInvalid);
  EXPECT_EQ(get(cudaMemRangeAttributeLastPrefetchLocationType, 0, kBytes),
            cudaMemLocationTypeInvalid);
  ASSERT_CUDA(cudaMemAdvise(memory_, kBytes, cudaMemAdviseSetPreferredLocation, kDevice));
  EXPECT_EQ(get(cudaMemRangeAttributePreferredLocationType, 0, kBytes), cudaMemLocationTypeDevice);
  EXPECT_EQ(get(cudaMemRangeAttributePreferredLocationId, 0, kBytes), 0);
  ASSERT_CUDA(cudaMemPrefetchAsync(memory_, kBytes, kHost, 0, stream_));
  EXPECT_EQ(get(cudaMemRangeAttributeLastPrefetchLocationType, 0, kBytes), cudaMemLocationTypeHost);
  EXPECT_EQ(get(cudaMemRangeAttributeLastPrefetchLocation, 0, kBytes), cudaCpuDeviceId);
  ASSERT_CUDA(cudaMemPrefetchAsync(memory_, kBytes, kDevice, 0, stream_));
  EXPECT_EQ(get(cudaMemRangeAttributeLastPrefetchLocationType, 0, kBytes),
            cudaMemLocationTypeDevice);
  EXPECT_EQ(get(cudaMemRangeAttributeLastPrefetchLocationId, 0, kBytes), 0);
  EXPECT_CUDA(cudaStreamSynchronize(stream_));
}

TEST_F(ManagedMemory, ABatchIsPrefetchedToSeveralPlaces) {
  constexpr size_t part = kBytes / 4;
  auto* const bytes = static_cast<unsigned char*>(memory_);
  ASSERT_CUDA(cudaMemset(memory_, 6, kBytes));
  void* addresses[] = {bytes, bytes + part, bytes + 2 * part};
  size_t sizes[] = {part, part, part};
  cudaMemLocation places[] = {kDevice, kHost};
  size_t first[] = {0, 2};
  ASSERT_CUDA(cudaMemPrefetchBatchAsync(addresses, sizes, 3, places, first, 2, 0, stream_));
  ASSERT_CUDA(cudaStreamSynchronize(stream_));
  constexpr auto last = cudaMemRangeAttributeLastPrefetchLocation;
  EXPECT_EQ(get(last, 0, 2 * part), 0);
  EXPECT_EQ(get(last, 2 * part, part), cudaCpuDeviceId);
  EXPECT_EQ(get(last, 3 * part, part), cudaInvalidDeviceId);
  EXPECT_EQ(bytes[0], 6);
  EXPECT_EQ(bytes[3 * part - 1], 6);
  first[0] = 1;
  EXPECT_EQ(cudaMemPrefetchBatchAsync(addresses, sizes, 3, places, first, 2, 0, stream_),
            cudaErrorInvalidValue);
}

}  // namespace
}  // namespace warpmark::test
