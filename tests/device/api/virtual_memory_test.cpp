// Virtual memory management: reserved addresses, memory without one, mapping, and access. Two
// devices (WARPMARK_CPU_DEVICES=2).
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>

#include "device/api/api_call.hpp"

namespace warpmark::test {
namespace {

constexpr std::size_t kUnit = std::size_t{2} << 20;
constexpr auto kFile = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;

// Looks at a byte, in a way that shows whether it has a value.
const char* const kLook = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .entry look(.param .u64 at) {
  .reg .b16 %h; .reg .b64 %rd; .reg .pred %p;
  ld.param.u64 %rd, [at];
  ld.global.u8 %h, [%rd];
  setp.eq.u16 %p, %h, 77;
  @%p trap;
  ret;
}
// One thread reads 16 bytes that begin where it is told, and adds 1 to the first word of them.
.visible .entry wide(.param .u64 at) {
  .reg .b32 %r<5>; .reg .b64 %rd;
  ld.param.u64 %rd, [at];
  ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd];
  add.u32 %r1, %r1, 1;
  st.global.u32 [%rd], %r1;
  ret;
}
)";

CUmemAllocationProp properties(int device = 0, int types = CU_MEM_HANDLE_TYPE_NONE) {
  CUmemAllocationProp made{};
  made.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  made.location = {CU_MEM_LOCATION_TYPE_DEVICE, {device}};
  made.requestedHandleTypes = static_cast<CUmemAllocationHandleType>(types);
  return made;
}
CUmemAccessDesc access(CUmemAccess_flags flags, int device = 0) {
  CUmemAccessDesc made{};
  made.location = {CU_MEM_LOCATION_TYPE_DEVICE, {device}};
  made.flags = flags;
  return made;
}

class VirtualMemory : public DeviceTest {
 protected:
  static void SetUpTestSuite() { setenv("WARPMARK_CPU_DEVICES", "2", 1); }  // before the library

  static CUmemGenericAllocationHandle create(std::size_t bytes, int types = 0, int device = 0) {
    CUmemGenericAllocationHandle handle = 0;
    const CUmemAllocationProp prop = properties(device, types);
    EXPECT_CU(CALL(cuMemCreate)(&handle, bytes, &prop, 0));
    return handle;
  }
  static CUdeviceptr reserve(std::size_t bytes) {
    CUdeviceptr address = 0;
    EXPECT_CU(CALL(cuMemAddressReserve)(&address, bytes, 0, 0, 0));
    return address;
  }
  static CUresult allow(CUdeviceptr address, std::size_t bytes,
                        CUmemAccess_flags flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
                        int device = 0) {
    const CUmemAccessDesc desc = access(flags, device);
    return CALL(cuMemSetAccess)(address, bytes, &desc, 1);
  }
  static std::size_t free_bytes() {
    std::size_t free = 0, total = 0;
    EXPECT_CU(api().info(&free, &total));
    return free;
  }
  // The one report of a failed launch on `address`.
  std::string fault_at(CUdeviceptr address) {
    CUfunction kernel = kernel_of(kLook, "wide");
    EXPECT_CU(launch(kernel, {1}, {1}, 0, address));
    EXPECT_EQ(api().synchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    const std::vector<Json> all = reports();
    return all.empty() ? "" : all.front().value("message", "");
  }
  // The context is lost by a fault.
  void begin_anew() {
    TearDown();
    SetUp();
  }
};

TEST_F(VirtualMemory, TheDeviceSaysSo) {
  const std::pair<CUdevice_attribute, int> known[] = {
      {CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 1},
      {CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED, 1},
      {CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_HANDLE_SUPPORTED, 0},
      {CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED, 0}};
  for (const auto& [attribute, expected] : known) {
    int value = -1;
    ASSERT_CU(CALL(cuDeviceGetAttribute)(&value, attribute, 0));
    EXPECT_EQ(value, expected) << attribute;
  }
  std::size_t unit = 0;
  const CUmemAllocationProp prop = properties();
  for (const auto option :
       {CU_MEM_ALLOC_GRANULARITY_MINIMUM, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED}) {
    ASSERT_CU(CALL(cuMemGetAllocationGranularity)(&unit, &prop, option));
    EXPECT_EQ(unit, kUnit);
  }
}

TEST_F(VirtualMemory, MappingsBesideEachOtherAreOneAllocation) {
  CUfunction add = kernel_of(kTwoKernels, "add_one");
  const std::size_t before = free_bytes();
  const CUdeviceptr at = reserve(3 * kUnit);
  EXPECT_EQ(free_bytes(), before) << "addresses are no memory";
  const CUmemGenericAllocationHandle first = create(kUnit), second = create(2 * kUnit);
  EXPECT_EQ(free_bytes(), before - 3 * kUnit);
  ASSERT_CU(CALL(cuMemMap)(at, kUnit, 0, first, 0));
  ASSERT_CU(CALL(cuMemMap)(at + kUnit, 2 * kUnit, 0, second, 0));
  ASSERT_CU(allow(at, 3 * kUnit));
  // New memory is zero, and copies cross the border between allocations.
  std::vector<std::int32_t> values(8, -1);
  ASSERT_CU(api().to_host(values.data(), at + kUnit - 16, 32));
  EXPECT_EQ(values, std::vector<std::int32_t>(8, 0));
  for (int i = 0; i < 8; ++i) values[i] = i;
  ASSERT_CU(api().to_device(at + kUnit - 16, values.data(), 32));
  ASSERT_CU(launch(add, {1}, {32}, 0, at + kUnit - 16, 8u));
  ASSERT_CU(api().synchronize());
  ASSERT_CU(api().to_host(values.data(), at + kUnit - 16, 32));
  EXPECT_THAT(values, ::testing::ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
  ASSERT_CU(CALL(cuMemsetD32)(at + kUnit - 8, 9, 4));
  ASSERT_CU(api().to_host(values.data(), at + kUnit - 16, 32));
  EXPECT_THAT(values, ::testing::ElementsAre(1, 2, 9, 9, 9, 9, 7, 8));
  EXPECT_EQ(CALL(cuMemsetD8)(at + 3 * kUnit - 1, 1, 2), CUDA_ERROR_INVALID_VALUE);

  // A range of several mappings may be unmapped at once, but no part of one.
  EXPECT_EQ(CALL(cuMemUnmap)(at + kUnit, kUnit), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(CALL(cuMemUnmap)(at, 2 * kUnit), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(CALL(cuMemUnmap)(at + 2 * kUnit, kUnit), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(CALL(cuMemAddressFree)(at, 3 * kUnit), CUDA_ERROR_INVALID_VALUE) << "still mapped";
  ASSERT_CU(CALL(cuMemUnmap)(at, 3 * kUnit));
  EXPECT_EQ(CALL(cuMemUnmap)(at, 3 * kUnit), CUDA_SUCCESS) << "nothing is left, as on an H200";
  EXPECT_EQ(free_bytes(), before - 3 * kUnit);
  ASSERT_CU(CALL(cuMemRelease)(first));
  EXPECT_EQ(CALL(cuMemRelease)(first), CUDA_ERROR_INVALID_VALUE);
  ASSERT_CU(CALL(cuMemRelease)(second));
  EXPECT_EQ(free_bytes(), before);
  EXPECT_EQ(CALL(cuMemAddressFree)(at, kUnit), CUDA_ERROR_INVALID_VALUE) << "another size";
  ASSERT_CU(CALL(cuMemAddressFree)(at, 3 * kUnit));
  EXPECT_EQ(CALL(cuMemAddressFree)(at, 3 * kUnit), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(VirtualMemory, TwoMappingsOfOneMemoryAreTheSame) {
  const CUdeviceptr at = reserve(2 * kUnit), other = reserve(kUnit);
  const CUmemGenericAllocationHandle handle = create(kUnit);
  ASSERT_CU(CALL(cuMemMap)(at, kUnit, 0, handle, 0));
  ASSERT_CU(CALL(cuMemMap)(other, kUnit, 0, handle, 0));
  EXPECT_EQ(CALL(cuMemMap)(at, kUnit, 0, handle, 0), CUDA_ERROR_INVALID_VALUE) << "mapped already";
  ASSERT_CU(allow(at, kUnit));
  ASSERT_CU(allow(other, kUnit));
  const std::int32_t value = 41;
  ASSERT_CU(api().to_device(at + 64, &value, 4));
  ASSERT_CU(launch(kernel_of(kLook, "wide"), {1}, {1}, 0, other + 64));
  ASSERT_CU(api().synchronize());
  std::int32_t seen = 0;
  ASSERT_CU(api().to_host(&seen, at + 64, 4));
  EXPECT_EQ(seen, 42);
  // Released while it is mapped, it stays until nothing maps it; it can be held again.
  const std::size_t before = free_bytes();
  ASSERT_CU(CALL(cuMemRelease)(handle));
  EXPECT_EQ(CALL(cuMemMap)(at + kUnit, kUnit, 0, handle, 0), CUDA_ERROR_INVALID_VALUE);
  CUmemGenericAllocationHandle again = 0;
  ASSERT_CU(CALL(cuMemRetainAllocationHandle)(&again, reinterpret_cast<void*>(other + 5)));
  EXPECT_EQ(again, handle);
  EXPECT_EQ(CALL(cuMemRetainAllocationHandle)(&again, reinterpret_cast<void*>(at + kUnit)),
            CUDA_ERROR_INVALID_VALUE);
  ASSERT_CU(CALL(cuMemRelease)(again));
  ASSERT_CU(CALL(cuMemUnmap)(at, kUnit));
  ASSERT_CU(api().to_host(&seen, other + 64, 4));
  EXPECT_EQ(seen, 42);
  EXPECT_EQ(free_bytes(), before);
  ASSERT_CU(CALL(cuMemUnmap)(other, kUnit));
  EXPECT_EQ(free_bytes(), before + kUnit);
  ASSERT_CU(CALL(cuMemAddressFree)(at, 2 * kUnit));
  ASSERT_CU(CALL(cuMemAddressFree)(other, kUnit));
}

TEST_F(VirtualMemory, WhatIsNotMappedOrNotAllowedFaults) {
  const CUdeviceptr at = reserve(2 * kUnit);
  const CUmemGenericAllocationHandle handle = create(kUnit);
  const std::int32_t one = 1;
  EXPECT_EQ(api().to_device(at, &one, 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_THAT(reports().front().value("message", ""),
              ::testing::HasSubstr("that is reserved, not mapped"));
  EXPECT_THAT(fault_at(at), ::testing::HasSubstr("reserved, not mapped"));
  begin_anew();
  ASSERT_CU(CALL(cuMemMap)(at, kUnit, 0, handle, 0));
  EXPECT_THAT(fault_at(at), ::testing::HasSubstr("mapped, without access for this device"));
  begin_anew();
  ASSERT_CU(allow(at, kUnit, CU_MEM_ACCESS_FLAGS_PROT_READ));
  EXPECT_THAT(fault_at(at), ::testing::HasSubstr("read-only"));
  begin_anew();
  std::int32_t seen = 1;
  ASSERT_CU(api().to_host(&seen, at, 4));
  EXPECT_EQ(seen, 0);
  EXPECT_EQ(api().to_device(at, &one, 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(CALL(cuMemsetD8)(at, 1, 4), CUDA_ERROR_INVALID_VALUE);
  reports();
  ASSERT_CU(allow(at, kUnit));
  EXPECT_THAT(fault_at(at + kUnit), ::testing::HasSubstr("reserved, not mapped"));
  begin_anew();
  ASSERT_CU(allow(at, kUnit, CU_MEM_ACCESS_FLAGS_PROT_NONE));
  EXPECT_THAT(fault_at(at), ::testing::HasSubstr("mapped, without access"));
  begin_anew();
  ASSERT_CU(allow(at, kUnit));
  ASSERT_CU(CALL(cuMemUnmap)(at, kUnit));
  EXPECT_THAT(fault_at(at), ::testing::HasSubstr("reserved, not mapped"));
  begin_anew();
  // A new mapping begins without access.
  ASSERT_CU(CALL(cuMemMap)(at, kUnit, 0, handle, 0));
  EXPECT_THAT(fault_at(at), ::testing::HasSubstr("mapped, without access"));
  begin_anew();
  ASSERT_CU(CALL(cuMemUnmap)(at, kUnit));
  ASSERT_CU(CALL(cuMemRelease)(handle));
  ASSERT_CU(CALL(cuMemAddressFree)(at, 2 * kUnit));
  EXPECT_THAT(fault_at(at), ::testing::HasSubstr("freed (cuMemAddressFree)"));
}

// Its host's addresses are as closed as all of the device's.
TEST_F(VirtualMemory, TheHostHasNoAccess) {
  const CUdeviceptr at = reserve(kUnit);
  const CUmemGenericAllocationHandle handle = create(kUnit);
  ASSERT_CU(CALL(cuMemMap)(at, kUnit, 0, handle, 0));
  ASSERT_CU(allow(at, kUnit));
  const auto touch = [&] {
    *reinterpret_cast<volatile int*>(at) = 1;  // NOLINT(performance-no-int-to-ptr)
  };
  EXPECT_DEATH(touch(), "");
  ASSERT_CU(CALL(cuMemUnmap)(at, kUnit));
  ASSERT_CU(CALL(cuMemRelease)(handle));
  ASSERT_CU(CALL(cuMemAddressFree)(at, kUnit));
}

TEST_F(VirtualMemory, EachDeviceHasItsAccess) {
  const CUdeviceptr at = reserve(kUnit);
  const CUmemGenericAllocationHandle handle = create(kUnit, 0, 1);
  ASSERT_CU(CALL(cuMemMap)(at, kUnit, 0, handle, 0));
  ASSERT_CU(allow(at, kUnit, CU_MEM_ACCESS_FLAGS_PROT_READWRITE, 1));
  const CUmemLocation places[] = {{CU_MEM_LOCATION_TYPE_DEVICE, {0}},
                                  {CU_MEM_LOCATION_TYPE_DEVICE, {1}},
                                  {CU_MEM_LOCATION_TYPE_DEVICE, {2}}};
  unsigned long long flags = 77;
  ASSERT_CU(CALL(cuMemGetAccess)(&flags, &places[0], at + 3));
  EXPECT_EQ(flags, unsigned{CU_MEM_ACCESS_FLAGS_PROT_NONE});
  ASSERT_CU(CALL(cuMemGetAccess)(&flags, &places[1], at));
  EXPECT_EQ(flags, unsigned{CU_MEM_ACCESS_FLAGS_PROT_READWRITE});
  EXPECT_EQ(CALL(cuMemGetAccess)(&flags, &places[2], at), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(CALL(cuMemGetAccess)(&flags, &places[0], at + kUnit), CUDA_ERROR_INVALID_VALUE);
  EXPECT_THAT(fault_at(at), ::testing::HasSubstr("without access for this device"));
  begin_anew();
  CUcontext second = nullptr;
  ASSERT_CU(api().create_context(&second, 0, 1));
  ASSERT_CU(launch(kernel_of(kLook, "wide"), {1}, {1}, 0, at));
  ASSERT_CU(api().synchronize());
  std::int32_t seen = 0;
  ASSERT_CU(api().to_host(&seen, at, 4));
  EXPECT_EQ(seen, 1);
  ASSERT_CU(api().destroy_context(second));
  ASSERT_CU(api().set_current(context_));
  const CUmemAccessDesc both[] = {access(CU_MEM_ACCESS_FLAGS_PROT_READWRITE, 0),
                                  access(CU_MEM_ACCESS_FLAGS_PROT_READWRITE, 1)};
  ASSERT_CU(CALL(cuMemSetAccess)(at, kUnit, both, 2));
  ASSERT_CU(launch(kernel_of(kLook, "wide"), {1}, {1}, 0, at));
  ASSERT_CU(api().synchronize());
  ASSERT_CU(api().to_host(&seen, at, 4));
  EXPECT_EQ(seen, 2);
  ASSERT_CU(CALL(cuMemUnmap)(at, kUnit));
  ASSERT_CU(CALL(cuMemRelease)(handle));
  ASSERT_CU(CALL(cuMemAddressFree)(at, kUnit));
}

TEST_F(VirtualMemory, AddressesSayWhatTheyAre) {
  const CUdeviceptr at = reserve(4 * kUnit);
  const CUmemGenericAllocationHandle handle = create(kUnit, kFile, 1);
  ASSERT_CU(CALL(cuMemMap)(at + kUnit, kUnit, 0, handle, 0));
  ASSERT_CU(allow(at + kUnit, kUnit, CU_MEM_ACCESS_FLAGS_PROT_READ));
  const auto number = [&](CUpointer_attribute attribute, CUdeviceptr address) {
    std::uint64_t value = 0;
    EXPECT_CU(CALL(cuPointerGetAttribute)(&value, attribute, address)) << attribute;
    return value;
  };
  const CUdeviceptr inside = at + kUnit + 12;
  EXPECT_EQ(number(CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, inside), at);
  EXPECT_EQ(number(CU_POINTER_ATTRIBUTE_RANGE_SIZE, inside), 4 * kUnit);
  EXPECT_EQ(number(CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR, inside), at + kUnit);
  EXPECT_EQ(number(CU_POINTER_ATTRIBUTE_MAPPING_SIZE, inside), kUnit);
  EXPECT_EQ(number(CU_POINTER_ATTRIBUTE_MAPPED, inside), 1u);
  EXPECT_EQ(number(CU_POINTER_ATTRIBUTE_MAPPED, at), 0u);
  EXPECT_EQ(number(CU_POINTER_ATTRIBUTE_RANGE_SIZE, at), 4 * kUnit);
  EXPECT_EQ(number(CU_POINTER_ATTRIBUTE_MEMORY_TYPE, inside), unsigned{CU_MEMORYTYPE_DEVICE});
  EXPECT_EQ(number(CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, inside), 1u);
  EXPECT_EQ(number(CU_POINTER_ATTRIBUTE_CONTEXT, inside), 0u);
  EXPECT_EQ(number(CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES, inside), unsigned{kFile});
  EXPECT_EQ(number(CU_POINTER_ATTRIBUTE_ACCESS_FLAGS, inside),
            unsigned{CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READ});
  std::uint64_t value = 0;
  EXPECT_EQ(CALL(cuPointerGetAttribute)(&value, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, at),
            CUDA_ERROR_INVALID_VALUE);
  CUdeviceptr base = 0;
  std::size_t bytes = 0;
  ASSERT_CU(CALL(cuMemGetAddressRange)(&base, &bytes, inside));
  EXPECT_EQ(base, at + kUnit);
  EXPECT_EQ(bytes, kUnit);
  EXPECT_EQ(CALL(cuMemGetAddressRange)(&base, &bytes, at), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(api().free(at + kUnit), CUDA_ERROR_INVALID_VALUE);
  CUmemAllocationProp prop{};
  ASSERT_CU(CALL(cuMemGetAllocationPropertiesFromHandle)(&prop, handle));
  EXPECT_EQ(prop.type, CU_MEM_ALLOCATION_TYPE_PINNED);
  EXPECT_EQ(prop.requestedHandleTypes, kFile);
  EXPECT_EQ(prop.location.type, CU_MEM_LOCATION_TYPE_DEVICE);
  EXPECT_EQ(prop.location.id, 1);
  ASSERT_CU(CALL(cuMemUnmap)(at + kUnit, kUnit));
  ASSERT_CU(CALL(cuMemRelease)(handle));
  ASSERT_CU(CALL(cuMemAddressFree)(at, 4 * kUnit));
}

TEST_F(VirtualMemory, AddressesAreReservedAsAsked) {
  CUdeviceptr at = 0, next = 0;
  ASSERT_CU(CALL(cuMemAddressReserve)(&at, 4096, 64 * kUnit, 0, 0));
  EXPECT_EQ(at % (64 * kUnit), 0u);
  const CUdeviceptr wish = at + 640 * kUnit;
  ASSERT_CU(CALL(cuMemAddressReserve)(&next, 4 * kUnit, 0, wish, 0));
  EXPECT_EQ(next, wish);
  CUdeviceptr other = 0;
  ASSERT_CU(CALL(cuMemAddressReserve)(&other, 4 * kUnit, 0, wish, 0)) << "a hint, no more";
  EXPECT_NE(other, wish);
  EXPECT_EQ(CALL(cuMemAddressReserve)(&other, std::size_t{1} << 50, 0, 0, 0),
            CUDA_ERROR_OUT_OF_MEMORY);
  ASSERT_CU(CALL(cuMemAddressFree)(at, 4096));
  ASSERT_CU(CALL(cuMemAddressFree)(next, 4 * kUnit));
}

TEST_F(VirtualMemory, MemoryRunsOutWithTheDevices) {
  CUmemGenericAllocationHandle most = 0, more = 0;
  const CUmemAllocationProp prop = properties();
  constexpr std::size_t kAll = std::size_t{4} << 30;
  EXPECT_EQ(CALL(cuMemCreate)(&most, kAll + kUnit, &prop, 0), CUDA_ERROR_OUT_OF_MEMORY);
  const std::size_t whole = free_bytes() / kUnit * kUnit;
  ASSERT_CU(CALL(cuMemCreate)(&most, whole, &prop, 0));
  EXPECT_EQ(CALL(cuMemCreate)(&more, kUnit, &prop, 0), CUDA_ERROR_OUT_OF_MEMORY);
  CUdeviceptr address = 0;
  EXPECT_EQ(api().alloc(&address, kUnit), CUDA_ERROR_OUT_OF_MEMORY);
  const CUmemAllocationProp other = properties(1);
  ASSERT_CU(CALL(cuMemCreate)(&more, kUnit, &other, 0)) << "the other device's";
  ASSERT_CU(CALL(cuMemRelease)(more));
  ASSERT_CU(CALL(cuMemRelease)(most));
  ASSERT_CU(api().alloc(&address, kUnit));
  EXPECT_EQ(CALL(cuMemCreate)(&most, kAll, &prop, 0), CUDA_ERROR_OUT_OF_MEMORY);
  ASSERT_CU(api().free(address));
}

TEST_F(VirtualMemory, FilesStandForMemory) {
  const CUmemGenericAllocationHandle handle = create(kUnit, kFile), own = create(kUnit);
  int file = -1;
  EXPECT_EQ(CALL(cuMemExportToShareableHandle)(&file, own, kFile, 0), CUDA_ERROR_INVALID_VALUE)
      << "nobody asked for that";
  EXPECT_EQ(CALL(cuMemExportToShareableHandle)(&file, handle, kFile, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(CALL(cuMemExportToShareableHandle)(nullptr, handle, kFile, 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(CALL(cuMemExportToShareableHandle)(&file, handle, CU_MEM_HANDLE_TYPE_NONE, 0),
            CUDA_ERROR_INVALID_VALUE);
  ASSERT_CU(CALL(cuMemExportToShareableHandle)(&file, handle, kFile, 0));
  CUmemGenericAllocationHandle imported = 0;
  const auto import = [&](int descriptor) {
    return CALL(cuMemImportFromShareableHandle)(
        &imported, reinterpret_cast<void*>(static_cast<std::intptr_t>(descriptor)), kFile);
  };
  const int nothing = open("/dev/null", O_RDONLY);
  EXPECT_EQ(import(nothing), CUDA_ERROR_UNKNOWN);
  EXPECT_EQ(import(-1), CUDA_ERROR_UNKNOWN);
  close(nothing);
  ASSERT_CU(import(file));
  close(file);
  EXPECT_EQ(import(file), CUDA_ERROR_UNKNOWN) << "closed";
  const CUdeviceptr at = reserve(2 * kUnit);
  ASSERT_CU(CALL(cuMemMap)(at, kUnit, 0, handle, 0));
  ASSERT_CU(CALL(cuMemMap)(at + kUnit, kUnit, 0, imported, 0));
  ASSERT_CU(allow(at, 2 * kUnit));
  ASSERT_CU(CALL(cuMemsetD8)(at + 7, 5, 1));
  std::uint8_t seen = 0;
  ASSERT_CU(api().to_host(&seen, at + kUnit + 7, 1));
  EXPECT_EQ(seen, 5);
  CUmemAllocationProp prop{};
  ASSERT_CU(CALL(cuMemGetAllocationPropertiesFromHandle)(&prop, imported));
  EXPECT_EQ(prop.requestedHandleTypes, kFile);
  ASSERT_CU(CALL(cuMemUnmap)(at, 2 * kUnit));
  for (const CUmemGenericAllocationHandle one : {handle, own, imported})
    ASSERT_CU(CALL(cuMemRelease)(one));
  ASSERT_CU(CALL(cuMemAddressFree)(at, 2 * kUnit));
}

// The init check knows of each byte, by whatever address it was written.
TEST_F(VirtualMemory, NothingHasAValueAtFirst) {
  configure(R"({"checks": ["memory", "init"]})");
  const CUdeviceptr at = reserve(2 * kUnit), other = reserve(kUnit);
  const CUmemGenericAllocationHandle handle = create(kUnit), second = create(kUnit);
  ASSERT_CU(CALL(cuMemMap)(at, kUnit, 0, handle, 0));
  ASSERT_CU(CALL(cuMemMap)(at + kUnit, kUnit, 0, second, 0));
  ASSERT_CU(CALL(cuMemMap)(other, kUnit, 0, handle, 0));
  ASSERT_CU(allow(at, 2 * kUnit));
  ASSERT_CU(allow(other, kUnit));
  CUfunction look = kernel_of(kLook, "look"), add = kernel_of(kTwoKernels, "add_one");
  const auto undefined = [&](CUdeviceptr address) {
    EXPECT_CU(launch(look, {1}, {1}, 0, address));
    EXPECT_CU(api().synchronize());
    return !reports().empty();
  };
  EXPECT_TRUE(undefined(at + 100));
  EXPECT_TRUE(undefined(other + 100));
  ASSERT_CU(CALL(cuMemsetD8)(at + 100, 0, 1));
  EXPECT_FALSE(undefined(at + 100));
  EXPECT_FALSE(undefined(other + 100)) << "the same memory";
  EXPECT_TRUE(undefined(other + 101));
  // A whole allocation, over the border, and of a copy what the source has.
  ASSERT_CU(CALL(cuMemsetD8)(at, 0, 2 * kUnit));
  EXPECT_FALSE(undefined(other + 101));
  EXPECT_FALSE(undefined(at + 2 * kUnit - 1));
  const CUmemGenericAllocationHandle fresh = create(kUnit);
  ASSERT_CU(CALL(cuMemUnmap)(other, kUnit));
  ASSERT_CU(CALL(cuMemMap)(other, kUnit, 0, fresh, 0));
  ASSERT_CU(allow(other, kUnit));
  EXPECT_TRUE(undefined(other + 101));
  ASSERT_CU(api().copy(at + 4096, other, 8));
  EXPECT_TRUE(undefined(at + 4097));
  EXPECT_FALSE(undefined(at + 4095));
  ASSERT_CU(launch(add, {1}, {32}, 0, at + 8192, 2u));
  EXPECT_FALSE(undefined(at + 8192));
  // Values stay those of the memory when it is mapped elsewhere.
  ASSERT_CU(CALL(cuMemUnmap)(at, 2 * kUnit));
  ASSERT_CU(CALL(cuMemMap)(at + kUnit, kUnit, 0, handle, 0));
  ASSERT_CU(allow(at + kUnit, kUnit));
  EXPECT_TRUE(undefined(at + kUnit + 4097));
  EXPECT_FALSE(undefined(at + kUnit + 4095));
  ASSERT_CU(CALL(cuMemUnmap)(at + kUnit, kUnit));
  ASSERT_CU(CALL(cuMemUnmap)(other, kUnit));
  for (const CUmemGenericAllocationHandle one : {handle, second, fresh})
    ASSERT_CU(CALL(cuMemRelease)(one));
}

TEST_F(VirtualMemory, RacesAreFoundThere) {
  configure(R"({"checks": ["memory", "race"]})");
  const CUdeviceptr at = reserve(kUnit);
  const CUmemGenericAllocationHandle handle = create(kUnit);
  ASSERT_CU(CALL(cuMemMap)(at, kUnit, 0, handle, 0));
  ASSERT_CU(allow(at, kUnit));
  ASSERT_CU(launch(kernel_of(kLook, "wide"), {2}, {1}, 0, at));
  ASSERT_CU(api().synchronize());
  const std::vector<Json> found = reports();
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.front().value("kind", ""), "race");
  ASSERT_CU(CALL(cuMemUnmap)(at, kUnit));
  ASSERT_CU(CALL(cuMemRelease)(handle));
  ASSERT_CU(CALL(cuMemAddressFree)(at, kUnit));
}

// With no check an access is only kept inside the device's memory; mapped memory is still found.
TEST_F(VirtualMemory, NoCheckIsNeeded) {
  configure(R"({"check": "none"})");
  const CUdeviceptr at = reserve(kUnit);
  const CUmemGenericAllocationHandle handle = create(kUnit);
  ASSERT_CU(CALL(cuMemMap)(at, kUnit, 0, handle, 0));
  ASSERT_CU(allow(at, kUnit));
  ASSERT_CU(launch(kernel_of(kLook, "wide"), {1}, {1}, 0, at));
  ASSERT_CU(api().synchronize());
  std::int32_t seen = 0;
  ASSERT_CU(api().to_host(&seen, at, 4));
  EXPECT_EQ(seen, 1);
  ASSERT_CU(CALL(cuMemUnmap)(at, kUnit));
  ASSERT_CU(CALL(cuMemRelease)(handle));
}

}  // namespace
}  // namespace warpmark::test
