// Managed, pinned and registered memory; what addresses are; streams and events.
#include <sys/wait.h>
#include <unistd.h>

#include <csetjmp>
#include <thread>

#include "device/api/api_call.hpp"

namespace warpmark::test {
namespace {

class Memory : public DeviceTest {};

TEST_F(Memory, ManagedMemoryIsBothSides) {
  CUdeviceptr address = 0;
  ASSERT_CU(CALL(cuMemAllocManaged)(&address, 3 * sizeof(int), CU_MEM_ATTACH_GLOBAL));
  auto* values = reinterpret_cast<std::int32_t*>(address);  // NOLINT(performance-no-int-to-ptr)
  values[0] = 1, values[1] = 2, values[2] = 3;
  CUfunction add = kernel_of(kTwoKernels, "add_one");
  ASSERT_CU(launch(add, {1}, {32}, 0, address, 3u));
  ASSERT_CU(api().synchronize());
  EXPECT_EQ(values[0], 2);
  EXPECT_EQ(values[2], 4);
  unsigned int managed = 0, type = 0;
  ASSERT_CU(CALL(cuPointerGetAttribute)(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, address + 4));
  ASSERT_CU(CALL(cuPointerGetAttribute)(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address));
  EXPECT_EQ(managed, 1u);
  EXPECT_EQ(type, unsigned{CU_MEMORYTYPE_DEVICE});
  std::int32_t copied[3] = {};
  ASSERT_CU(api().to_host(copied, address, sizeof copied));
  EXPECT_EQ(copied[1], 3);
  const auto prefetch =
      api().find<CUresult(CUdeviceptr, std::size_t, CUdevice, CUstream)>("cuMemPrefetchAsync");
  ASSERT_CU(prefetch(address, 12, CU_DEVICE_CPU, nullptr));
  EXPECT_EQ(prefetch(address, 12, 99, nullptr), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(prefetch(address, 13, 0, nullptr), CUDA_ERROR_INVALID_VALUE);
  ASSERT_CU(api().free(address));
  EXPECT_EQ(api().free(address), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(CALL(cuMemAllocManaged)(&address, 4, 9), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(CALL(cuMemAllocManaged)(&address, 0, CU_MEM_ATTACH_GLOBAL), CUDA_ERROR_INVALID_VALUE);
}

// The answers are those of an H200.
TEST_F(Memory, WhatWasSaidOfManagedMemoryCanBeAskedFor) {
  CUdeviceptr address = 0;
  constexpr std::size_t bytes = 1 << 16;
  ASSERT_CU(CALL(cuMemAllocManaged)(&address, bytes, CU_MEM_ATTACH_GLOBAL));
  const auto advise =
      api().find<CUresult(CUdeviceptr, std::size_t, CUmem_advise, CUdevice)>("cuMemAdvise");
  const auto prefetch =
      api().find<CUresult(CUdeviceptr, std::size_t, CUdevice, CUstream)>("cuMemPrefetchAsync");
  const auto ask = [&](CUmem_range_attribute attribute, std::size_t count = 1,
                       std::size_t begin = 0, std::size_t size = std::size_t{1} << 16) {
    std::vector<int> values(count, 77);
    EXPECT_CU(
        CALL(cuMemRangeGetAttribute)(values.data(), 4 * count, attribute, address + begin, size));
    return values;
  };
  using ::testing::ElementsAre;
  const auto read_mostly = CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY;
  const auto preferred = CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION;
  const auto accessed = CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY;
  const auto last = CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION;
  EXPECT_THAT(ask(read_mostly), ElementsAre(0));
  EXPECT_THAT(ask(preferred), ElementsAre(CU_DEVICE_INVALID));
  EXPECT_THAT(ask(accessed, 2), ElementsAre(CU_DEVICE_INVALID, CU_DEVICE_INVALID));
  EXPECT_THAT(ask(last), ElementsAre(CU_DEVICE_INVALID));

  ASSERT_CU(advise(address, bytes, CU_MEM_ADVISE_SET_READ_MOSTLY, 0));
  ASSERT_CU(advise(address, bytes, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, 0));
  ASSERT_CU(advise(address, bytes, CU_MEM_ADVISE_SET_ACCESSED_BY, 0));
  ASSERT_CU(advise(address, bytes, CU_MEM_ADVISE_SET_ACCESSED_BY, CU_DEVICE_CPU));
  EXPECT_THAT(ask(read_mostly), ElementsAre(1));
  EXPECT_THAT(ask(preferred), ElementsAre(0));
  EXPECT_THAT(ask(accessed, 3), ElementsAre(0, CU_DEVICE_CPU, CU_DEVICE_INVALID));
  EXPECT_THAT(ask(accessed, 1), ElementsAre(0));
  ASSERT_CU(advise(address, bytes, CU_MEM_ADVISE_UNSET_ACCESSED_BY, 0));
  EXPECT_THAT(ask(accessed, 2), ElementsAre(CU_DEVICE_CPU, CU_DEVICE_INVALID));
  ASSERT_CU(advise(address, bytes, CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION, 0));
  EXPECT_THAT(ask(preferred), ElementsAre(CU_DEVICE_INVALID));

  // A call for a part affects whole pages: the rest keeps its attributes.
  ASSERT_CU(prefetch(address, bytes, 0, nullptr));
  EXPECT_THAT(ask(last), ElementsAre(0));
  ASSERT_CU(prefetch(address + 8192, 100, CU_DEVICE_CPU, nullptr));
  EXPECT_THAT(ask(last), ElementsAre(CU_DEVICE_INVALID));
  EXPECT_THAT(ask(last, 1, 0, 8192), ElementsAre(0));
  EXPECT_THAT(ask(last, 1, 12287, 1), ElementsAre(CU_DEVICE_CPU));
  EXPECT_THAT(ask(last, 1, 12288, 4), ElementsAre(0));
  ASSERT_CU(advise(address + 4096, 4096, CU_MEM_ADVISE_UNSET_READ_MOSTLY, 0));
  EXPECT_THAT(ask(read_mostly), ElementsAre(0));
  EXPECT_THAT(ask(read_mostly, 1, 8192, 4096), ElementsAre(1));
  ASSERT_CU(advise(address + 4096, 4096, CU_MEM_ADVISE_UNSET_ACCESSED_BY, CU_DEVICE_CPU));
  EXPECT_THAT(ask(accessed), ElementsAre(CU_DEVICE_INVALID));
  ASSERT_CU(api().free(address));
  EXPECT_EQ(CALL(cuMemRangeGetAttribute)(&address, 4, read_mostly, address, 4),
            CUDA_ERROR_INVALID_VALUE);
}

// The address of freed managed memory is the device's again: the host has no access to it.
TEST_F(Memory, FreedManagedMemoryIsNotTheHostsAnyMore) {
  CUdeviceptr address = 0;
  ASSERT_CU(CALL(cuMemAllocManaged)(&address, 4, CU_MEM_ATTACH_GLOBAL));
  ASSERT_CU(api().free(address));
  const auto touch = [&] {
    *reinterpret_cast<volatile int*>(address) = 1;  // NOLINT(performance-no-int-to-ptr)
  };
  EXPECT_DEATH(touch(), "");
}

TEST_F(Memory, PinnedMemoryIsReachedByKernels) {
  std::size_t before = 0, after = 0, total = 0;
  ASSERT_CU(api().info(&before, &total));
  void* pinned = nullptr;
  ASSERT_CU(CALL(cuMemHostAlloc)(&pinned, 8, CU_MEMHOSTALLOC_DEVICEMAP));
  auto* values = static_cast<std::int32_t*>(pinned);
  values[0] = 41, values[1] = 1;
  CUdeviceptr address = 0;
  ASSERT_CU(CALL(cuMemHostGetDevicePointer)(&address, pinned, 0));
  CUfunction add = kernel_of(kTwoKernels, "add_one");
  ASSERT_CU(api().info(&after, &total));
  ASSERT_CU(launch(add, {1}, {32}, 0, address, 1u));
  ASSERT_CU(api().synchronize());
  EXPECT_EQ(values[0], 42);
  EXPECT_LE(before - after, 4u) << "only the module's variable is the device's memory";
  unsigned int type = 0, flags = 0;
  ASSERT_CU(CALL(cuPointerGetAttribute)(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address));
  EXPECT_EQ(type, unsigned{CU_MEMORYTYPE_HOST});
  ASSERT_CU(CALL(cuMemHostGetFlags)(&flags, pinned));
  EXPECT_NE(flags & CU_MEMHOSTALLOC_DEVICEMAP, 0u);
  Array<std::int32_t> device({5, 6});
  ASSERT_CU(api().to_host(pinned, device.address, 8));
  EXPECT_EQ(values[1], 6);
  EXPECT_EQ(api().to_host(pinned, device.address, 9), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(api().free(address), CUDA_ERROR_INVALID_VALUE) << "it is the host's";
  ASSERT_CU(CALL(cuMemFreeHost)(pinned));
  EXPECT_EQ(CALL(cuMemFreeHost)(pinned), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(CALL(cuMemHostAlloc)(&pinned, 8, 64), CUDA_ERROR_INVALID_VALUE);
}

// The program's own memory, wherever it lies, with every check: races are found there, too.
TEST_F(Memory, RegisteredMemoryIsReachedByKernels) {
  for (const char* checks : {R"({"check": "none"})", R"({"checks": ["memory"]})",
                             R"({"checks": ["memory", "init", "race", "sync"]})"}) {
    ASSERT_EQ(api().device->configure(nullptr, checks), 0) << api().device->last_error();
    std::vector<std::int32_t> values = {0, 41, 1, 7};
    void* const part = values.data() + 1;
    ASSERT_CU(CALL(cuMemHostRegister)(part, 8, CU_MEMHOSTREGISTER_DEVICEMAP));
    CUdeviceptr address = 0;
    ASSERT_CU(CALL(cuMemHostGetDevicePointer)(&address, part, 0));
    CUfunction add = kernel_of(kTwoKernels, "add_one");
    ASSERT_CU(launch(add, {1}, {32}, 0, address, 2u));
    ASSERT_CU(api().synchronize());
    EXPECT_THAT(values, ::testing::ElementsAre(0, 42, 2, 7)) << checks;
    CUdeviceptr same = 0;
    ASSERT_CU(CALL(cuPointerGetAttribute)(&same, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, address));
    EXPECT_EQ(same, address);
    ASSERT_CU(CALL(cuMemHostUnregister)(part));
    EXPECT_EQ(CALL(cuMemHostGetDevicePointer)(&address, part, 0), CUDA_ERROR_INVALID_VALUE);
  }
}

TEST_F(Memory, WhatIsNotRegisteredIsNotReached) {
  std::vector<std::int32_t> values = {1, 2, 3};
  ASSERT_CU(CALL(cuMemHostRegister)(values.data(), 8, 0));
  CUdeviceptr address = 0;
  ASSERT_CU(CALL(cuMemHostGetDevicePointer)(&address, values.data(), 0));
  CUfunction add = kernel_of(kTwoKernels, "add_one");
  ASSERT_CU(launch(add, {1}, {32}, 0, address, 3u));  // one more than there are
  EXPECT_EQ(api().synchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(values[2], 3);
}

TEST_F(Memory, ReadOnlyRegisteredMemoryIsNotWritten) {
  std::vector<std::int32_t> values = {1, 2};
  ASSERT_CU(CALL(cuMemHostRegister)(values.data(), 8, CU_MEMHOSTREGISTER_READ_ONLY));
  CUdeviceptr address = 0;
  ASSERT_CU(CALL(cuMemHostGetDevicePointer)(&address, values.data(), 0));
  ASSERT_CU(launch(kernel_of(kTwoKernels, "add_one"), {1}, {32}, 0, address, 2u));
  EXPECT_EQ(api().synchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(values[0], 1);
}

// Memory that a forked child shares with its parent stays the parent's.
TEST_F(Memory, AForkedChildIsRefused) {
  const pid_t child = fork();
  if (child == 0) {
    std::size_t free = 0, total = 0;
    _exit(api().info(&free, &total) == CUDA_ERROR_NOT_INITIALIZED &&
                  api().init(0) == CUDA_ERROR_NOT_INITIALIZED
              ? 0
              : 1);
  }
  ASSERT_GT(child, 0);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  std::size_t free = 0, total = 0;
  EXPECT_CU(api().info(&free, &total));
}

TEST_F(Memory, SeveralPointerAttributesAtOnce) {
  Array<std::int32_t> data({1, 2, 3});
  CUpointer_attribute which[] = {CU_POINTER_ATTRIBUTE_RANGE_SIZE, CU_POINTER_ATTRIBUTE_MEMORY_TYPE};
  std::size_t size = 9;
  unsigned int type = 9;
  void* to[] = {&size, &type};
  ASSERT_CU(CALL(cuPointerGetAttributes)(2, which, to, data.address + 8));
  EXPECT_EQ(size, 12u);
  EXPECT_EQ(type, unsigned{CU_MEMORYTYPE_DEVICE});
  int local = 0;
  ASSERT_CU(CALL(cuPointerGetAttributes)(2, which, to, reinterpret_cast<CUdeviceptr>(&local)))
      << "an unknown address is no error here";
  EXPECT_EQ(size, 0u);
  EXPECT_EQ(type, 0u);
  EXPECT_EQ(CALL(cuPointerGetAttribute)(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                        reinterpret_cast<CUdeviceptr>(&local)),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Memory, RowsAreFilled) {
  CUdeviceptr address = 0;
  std::size_t pitch = 0;
  ASSERT_CU(CALL(cuMemAllocPitch)(&address, &pitch, 6, 3, 4));
  ASSERT_CU(CALL(cuMemsetD8)(address, 0, 3 * pitch));
  ASSERT_CU(CALL(cuMemsetD2D16)(address, pitch, 0xabcd, 3, 2));
  std::vector<std::uint16_t> all(3 * pitch / 2);
  ASSERT_CU(api().to_host(all.data(), address, 3 * pitch));
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool inside = i / (pitch / 2) < 2 && i % (pitch / 2) < 3;
    ASSERT_EQ(all[i], inside ? 0xabcd : 0) << i;
  }
  EXPECT_EQ(CALL(cuMemsetD2D16)(address, pitch, 1, 3, 5), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(CALL(cuMemsetD2D16)(address + 1, pitch, 1, 1, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(CALL(cuMemsetD2D32)(address, ~std::size_t{0} & ~std::size_t{3}, 1, 1, 2),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Memory, StreamsWriteAndWaitForValues) {
  Array<std::uint32_t> data({0, 0});
  ASSERT_CU(CALL(cuStreamWriteValue32)(nullptr, data.address, 5, 0));
  ASSERT_CU(CALL(cuStreamWaitValue32)(nullptr, data.address, 5, CU_STREAM_WAIT_VALUE_EQ));
  ASSERT_CU(CALL(cuStreamWaitValue32)(nullptr, data.address, 4, CU_STREAM_WAIT_VALUE_GEQ));
  EXPECT_EQ(CALL(cuStreamWaitValue32)(nullptr, data.address, 6, CU_STREAM_WAIT_VALUE_GEQ),
            CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(CALL(cuStreamWriteValue32)(nullptr, data.address + 2, 5, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(CALL(cuStreamWriteValue64)(nullptr, data.address + 8, 5, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Memory, StreamsAndEventsDescribeThemselves) {
  CUstream stream = nullptr;
  ASSERT_CU(CALL(cuStreamCreateWithPriority)(&stream, CU_STREAM_NON_BLOCKING, -99));
  int priority = 0;
  unsigned int flags = 0;
  unsigned long long id = 0, other = 0;
  CUcontext of = nullptr;
  ASSERT_CU(CALL(cuStreamGetPriority)(stream, &priority));
  EXPECT_EQ(priority, -5);
  ASSERT_CU(CALL(cuStreamGetFlags)(stream, &flags));
  EXPECT_EQ(flags, unsigned{CU_STREAM_NON_BLOCKING});
  ASSERT_CU(CALL(cuStreamGetId)(stream, &id));
  ASSERT_CU(CALL(cuStreamGetId)(nullptr, &other));
  EXPECT_NE(id, other);
  ASSERT_CU((api().find<CUresult(CUstream, CUcontext*)>("cuStreamGetCtx")(stream, &of)));
  EXPECT_EQ(of, context_);

  int order = 0;
  std::pair<int*, CUresult> seen{&order, CUDA_ERROR_UNKNOWN};
  ASSERT_CU(CALL(cuStreamAddCallback)(
      stream,
      [](CUstream, CUresult status, void* user) {
        static_cast<std::pair<int*, CUresult>*>(user)->second = status;
      },
      &seen, 0));
  ASSERT_CU(api().stream_synchronize(stream));
  EXPECT_EQ(seen.second, CUDA_SUCCESS);

  CUevent first = nullptr, second = nullptr, untimed = nullptr;
  ASSERT_CU(api().event_create(&first, 0));
  ASSERT_CU(api().event_create(&second, CU_EVENT_BLOCKING_SYNC));
  ASSERT_CU(api().event_create(&untimed, CU_EVENT_DISABLE_TIMING));
  float milliseconds = -1;
  EXPECT_EQ(api().elapsed(&milliseconds, first, second), CUDA_ERROR_INVALID_HANDLE);
  ASSERT_CU(api().event_record(first, stream));
  Array<std::int32_t> data(std::vector<std::int32_t>(4096));
  CUfunction add = kernel_of(kTwoKernels, "add_one");
  ASSERT_CU(launch(add, {16}, {256}, 0, data.address, 4096u));
  ASSERT_CU(api().event_record(second, stream));
  ASSERT_CU(api().event_record(untimed, stream));
  ASSERT_CU(CALL(cuEventQuery)(second));
  ASSERT_CU(api().elapsed(&milliseconds, first, second));
  EXPECT_GE(milliseconds, 0);
  EXPECT_EQ(api().elapsed(&milliseconds, first, untimed), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(api().event_create(&first, 8), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(api().event_create(&first, CU_EVENT_INTERPROCESS), CUDA_ERROR_INVALID_VALUE);
}

// Two threads with one context, each with work of its own.
TEST_F(Memory, TwoThreadsShareAContext) {
  CUfunction add = kernel_of(kTwoKernels, "add_one");
  const auto work = [&] {
    ASSERT_CU(api().set_current(context_));
    for (int i = 0; i < 50; ++i) {
      Array<std::int32_t> data({i, i});
      ASSERT_CU(launch(add, {1}, {32}, 0, data.address, 2u));
      ASSERT_CU(data.fetch());
      ASSERT_EQ(data.host[0], i + 1);
      ASSERT_CU(api().free(data.address));
    }
  };
  std::thread one(work), two(work);
  one.join();
  two.join();
}

TEST_F(Memory, HostsMemoryHasARange) {
  void* pinned = nullptr;
  ASSERT_CU(CALL(cuMemHostAlloc)(&pinned, 100, 0));
  alignas(4096) static std::uint8_t own[8192];
  ASSERT_CU(CALL(cuMemHostRegister)(own, sizeof own, 0));
  const auto range = [](const void* at) {
    CUdeviceptr base = 0;
    std::size_t bytes = 0;
    EXPECT_CU(CALL(cuMemGetAddressRange)(&base, &bytes, reinterpret_cast<CUdeviceptr>(at)));
    return std::pair(base, bytes);
  };
  EXPECT_EQ(range(static_cast<std::uint8_t*>(pinned) + 99),
            std::pair(reinterpret_cast<CUdeviceptr>(pinned), std::size_t{100}));
  EXPECT_EQ(range(own + 5000), std::pair(reinterpret_cast<CUdeviceptr>(own), sizeof own));
  ASSERT_CU(CALL(cuMemHostUnregister)(own));
  ASSERT_CU(CALL(cuMemFreeHost)(pinned));
  CUdeviceptr base = 0;
  std::size_t bytes = 0;
  EXPECT_EQ(CALL(cuMemGetAddressRange)(&base, &bytes, reinterpret_cast<CUdeviceptr>(own)),
            CUDA_ERROR_NOT_FOUND);
}

TEST_F(Memory, CopyEnginesAreAsAnH200Has) {
  int engines = 0, overlap = 0;
  ASSERT_CU(CALL(cuDeviceGetAttribute)(&engines, CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT, 0));
  ASSERT_CU(CALL(cuDeviceGetAttribute)(&overlap, CU_DEVICE_ATTRIBUTE_GPU_OVERLAP, 0));
  EXPECT_EQ(engines, 3);
  EXPECT_EQ(overlap, 1);
}

}  // namespace
}  // namespace warpmark::test
