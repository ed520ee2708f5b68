// Memory pools: those of a device, of the host and of managed memory.
#include <set>
#include <utility>

#include "device/api/api_call.hpp"

namespace warpmark::test {
namespace {

constexpr CUmemAllocationType kPinned = CU_MEM_ALLOCATION_TYPE_PINNED;
constexpr auto kManaged = static_cast<CUmemAllocationType>(2);  // of CUDA 13

class Pools : public DeviceTest {
 protected:
  static CUmemPoolProps properties(unsigned int place, int id = 0,
                                   CUmemAllocationType type = kPinned) {
    CUmemPoolProps made{};
    made.allocType = type;
    made.location.type = static_cast<CUmemLocationType>(place);
    made.location.id = id;
    return made;
  }
  static CUmemoryPool create(const CUmemPoolProps& properties) {
    CUmemoryPool pool = nullptr;
    EXPECT_CU(CALL(cuMemPoolCreate)(&pool, &properties));
    return pool;
  }
  static CUresult refused(const CUmemPoolProps& properties) {
    CUmemoryPool pool = nullptr;
    return CALL(cuMemPoolCreate)(&pool, &properties);
  }
  static CUdeviceptr allocate(CUmemoryPool pool, std::size_t bytes) {
    CUdeviceptr address = 0;
    EXPECT_CU(CALL(cuMemAllocFromPoolAsync)(&address, bytes, pool, nullptr));
    return address;
  }
  static CUresult set_access(CUmemoryPool pool, unsigned int place, CUmemAccess_flags flags,
                             int id = 0) {
    CUmemAccessDesc access{};
    access.location.type = static_cast<CUmemLocationType>(place);
    access.location.id = id;
    access.flags = flags;
    return CALL(cuMemPoolSetAccess)(pool, &access, 1);
  }
  static CUmemAccess_flags access_of(CUmemoryPool pool, unsigned int place) {
    CUmemLocation location{};
    location.type = static_cast<CUmemLocationType>(place);
    CUmemAccess_flags flags{};
    EXPECT_CU(CALL(cuMemPoolGetAccess)(&flags, pool, &location));
    return flags;
  }
  template <typename T>
  static T attribute(CUpointer_attribute which, CUdeviceptr address) {
    T value{};
    EXPECT_CU(CALL(cuPointerGetAttribute)(&value, which, address));
    return value;
  }
  static std::int32_t& at(CUdeviceptr address) {
    return *reinterpret_cast<std::int32_t*>(address);  // NOLINT(performance-no-int-to-ptr)
  }
  CUresult add_one(CUdeviceptr address) {
    EXPECT_CU(launch(kernel_of(kTwoKernels, "add_one"), {1}, {1}, 0, address, 1u));
    return api().synchronize();
  }
};

TEST_F(Pools, PoolsKeepCount) {
  CUmemoryPool pool = nullptr, current = nullptr, standard = nullptr;
  CUmemPoolProps properties{};
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, {}};
  properties.location.id = 0;
  ASSERT_CU(CALL(cuMemPoolCreate)(&pool, &properties));
  ASSERT_CU(CALL(cuDeviceGetDefaultMemPool)(&standard, 0));
  ASSERT_CU(CALL(cuDeviceGetMemPool)(&current, 0));
  EXPECT_EQ(current, standard);
  ASSERT_CU(CALL(cuDeviceSetMemPool)(0, pool));
  CUstream stream = nullptr;
  ASSERT_CU(api().stream_create(&stream, 0));
  CUdeviceptr one = 0, two = 0;
  ASSERT_CU(CALL(cuMemAllocAsync)(&one, 1000, stream));
  ASSERT_CU(CALL(cuMemAllocFromPoolAsync)(&two, 500, pool, stream));
  std::uint64_t used = 0, most = 0;
  ASSERT_CU(CALL(cuMemPoolGetAttribute)(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
  EXPECT_EQ(used, 1500u);
  CUmemoryPool of = nullptr;
  ASSERT_CU(CALL(cuPointerGetAttribute)(&of, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, one));
  EXPECT_EQ(of, pool);
  ASSERT_CU(CALL(cuMemFreeAsync)(one, stream));
  EXPECT_EQ(CALL(cuMemFreeAsync)(one, stream), CUDA_ERROR_INVALID_VALUE);
  ASSERT_CU(api().free(two));
  ASSERT_CU(CALL(cuMemPoolGetAttribute)(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
  ASSERT_CU(CALL(cuMemPoolGetAttribute)(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &most));
  EXPECT_EQ(used, 0u);
  EXPECT_EQ(most, 1500u);
  EXPECT_EQ(CALL(cuMemPoolDestroy)(standard), CUDA_ERROR_INVALID_VALUE);
  ASSERT_CU(CALL(cuMemPoolDestroy)(pool));
  EXPECT_EQ(CALL(cuMemAllocFromPoolAsync)(&two, 500, pool, stream), CUDA_ERROR_INVALID_VALUE);
  ASSERT_CU(CALL(cuDeviceGetMemPool)(&current, 0));
  EXPECT_EQ(current, standard);
  int supported = 0;
  ASSERT_CU(api().device_attribute(&supported, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, 0));
  EXPECT_EQ(supported, 1);
}

TEST_F(Pools, PoolsAreFoundByPlace) {
  using Get = CUresult(CUmemoryPool*, CUmemLocation*, CUmemAllocationType);
  const auto first = api().find<Get>("cuMemGetDefaultMemPool");
  const auto now = api().find<Get>("cuMemGetMemPool");
  const auto set =
      api().find<CUresult(CUmemLocation*, CUmemAllocationType, CUmemoryPool)>("cuMemSetMemPool");
  CUmemLocation place{};
  place.type = CU_MEM_LOCATION_TYPE_DEVICE;
  constexpr auto pinned = CU_MEM_ALLOCATION_TYPE_PINNED;
  CUmemoryPool known = nullptr, found = nullptr, own = nullptr;
  ASSERT_CU(CALL(cuDeviceGetDefaultMemPool)(&known, 0));
  ASSERT_CU(first(&found, &place, pinned));
  EXPECT_EQ(found, known);
  CUmemPoolProps properties{};
  properties.allocType = pinned;
  properties.location = place;
  ASSERT_CU(CALL(cuMemPoolCreate)(&own, &properties));
  ASSERT_CU(set(&place, pinned, own));
  ASSERT_CU(now(&found, &place, pinned));
  EXPECT_EQ(found, own);
  ASSERT_CU(CALL(cuDeviceGetMemPool)(&found, 0));
  EXPECT_EQ(found, own);
  ASSERT_CU(CALL(cuMemPoolDestroy)(own));
  ASSERT_CU(now(&found, &place, pinned));
  EXPECT_EQ(found, known);
  EXPECT_EQ(set(&place, pinned, own), CUDA_ERROR_INVALID_VALUE) << "it is gone";
  EXPECT_EQ(first(nullptr, &place, pinned), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(first(&found, nullptr, pinned), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(first(&found, &place, CU_MEM_ALLOCATION_TYPE_INVALID), CUDA_ERROR_INVALID_VALUE);
  place.id = 7;
  EXPECT_EQ(first(&found, &place, pinned), CUDA_ERROR_INVALID_DEVICE);
  place.type = CU_MEM_LOCATION_TYPE_INVALID;
  EXPECT_EQ(now(&found, &place, pinned), CUDA_ERROR_INVALID_VALUE);
}

// By default the host alone may use it; copies go there all the same.
TEST_F(Pools, OfTheHostAreTheDevicesIfItHasAccess) {
  for (const unsigned int place : {CU_MEM_LOCATION_TYPE_HOST, CU_MEM_LOCATION_TYPE_HOST_NUMA}) {
    CUmemoryPool pool = create(properties(place));
    const CUdeviceptr address = allocate(pool, 4);
    EXPECT_EQ(attribute<unsigned int>(CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address),
              unsigned{CU_MEMORYTYPE_HOST});
    EXPECT_EQ(attribute<CUmemoryPool>(CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, address), pool);
    EXPECT_EQ(attribute<unsigned int>(CU_POINTER_ATTRIBUTE_ACCESS_FLAGS, address), 0u);
    EXPECT_EQ(access_of(pool, CU_MEM_LOCATION_TYPE_DEVICE), CU_MEM_ACCESS_FLAGS_PROT_NONE);
    EXPECT_EQ(access_of(pool, place), CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    at(address) = 40;
    Array<std::int32_t> device({7});
    ASSERT_CU(api().copy(device.address, address, 4));
    ASSERT_CU(device.fetch());
    EXPECT_EQ(device.host[0], 40);
    ASSERT_CU(set_access(pool, CU_MEM_LOCATION_TYPE_DEVICE, CU_MEM_ACCESS_FLAGS_PROT_READWRITE));
    EXPECT_EQ(access_of(pool, CU_MEM_LOCATION_TYPE_DEVICE), CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    ASSERT_CU(add_one(address));
    const CUdeviceptr later = allocate(pool, 4);
    ASSERT_CU(add_one(later));
    EXPECT_EQ(at(address), 41);
    EXPECT_EQ(at(later), 1);
    EXPECT_EQ(CALL(cuMemFreeHost)(&at(later)), CUDA_ERROR_INVALID_VALUE) << "it is the pool's";
    ASSERT_CU(CALL(cuMemFreeAsync)(later, nullptr));
    ASSERT_CU(api().free(address));
    EXPECT_EQ(CALL(cuMemFreeAsync)(address, nullptr), CUDA_ERROR_INVALID_VALUE);
    std::uint64_t used = 1;
    ASSERT_CU(CALL(cuMemPoolGetAttribute)(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
    EXPECT_EQ(used, 0u);
    ASSERT_CU(CALL(cuMemPoolDestroy)(pool));
  }
}

TEST_F(Pools, OfTheHostAreClosedToKernelsWithoutAccess) {
  configure(R"({"checks": ["memory"]})");
  (void)reports();
  const CUdeviceptr address = allocate(create(properties(CU_MEM_LOCATION_TYPE_HOST)), 4);
  at(address) = 1;
  EXPECT_EQ(add_one(address), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(at(address), 1);
  const std::vector<Json> found = reports();
  ASSERT_FALSE(found.empty());
  for (const Json& report : found) {  // the read and the write
    EXPECT_THAT(report["message"].get<std::string>(),
                ::testing::HasSubstr("to which the device has no access (cuMemPoolSetAccess)"));
  }
}

TEST_F(Pools, OfTheHostCanBeReadOnly) {
  CUmemoryPool pool = create(properties(CU_MEM_LOCATION_TYPE_HOST));
  const CUdeviceptr address = allocate(pool, 4);
  ASSERT_CU(set_access(pool, CU_MEM_LOCATION_TYPE_DEVICE, CU_MEM_ACCESS_FLAGS_PROT_READ));
  CUfunction read = body("ld.global.u32 %r1, [%rd1];");
  ASSERT_CU(launch(read, {1}, {1}, 0, address));
  ASSERT_CU(api().synchronize());
  EXPECT_EQ(add_one(address), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(at(address), 0);
}

TEST_F(Pools, OfManagedMemoryAreBothSides) {
  const std::pair<unsigned int, int> preferred[] = {
      {0u, CU_DEVICE_INVALID},
      {CU_MEM_LOCATION_TYPE_DEVICE, 0},
      {CU_MEM_LOCATION_TYPE_HOST, CU_DEVICE_CPU},
      {CU_MEM_LOCATION_TYPE_HOST_NUMA, CU_DEVICE_CPU}};
  for (const auto& [place, device] : preferred) {
    CUmemoryPool pool = create(properties(place, 0, kManaged));
    const CUdeviceptr address = allocate(pool, 4);
    EXPECT_EQ(attribute<int>(CU_POINTER_ATTRIBUTE_IS_MANAGED, address), 1);
    EXPECT_EQ(attribute<CUmemoryPool>(CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, address), pool);
    int location = 7;
    ASSERT_CU(CALL(cuMemRangeGetAttribute)(&location, 4, CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION,
                                           address, 4));
    EXPECT_EQ(location, device);
    at(address) = 1;
    ASSERT_CU(add_one(address));
    EXPECT_EQ(at(address), 2);
    EXPECT_EQ(access_of(pool, CU_MEM_LOCATION_TYPE_DEVICE), CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    EXPECT_EQ(set_access(pool, CU_MEM_LOCATION_TYPE_DEVICE, CU_MEM_ACCESS_FLAGS_PROT_NONE),
              CUDA_ERROR_INVALID_VALUE);
    ASSERT_CU(CALL(cuMemFreeAsync)(address, nullptr));
    EXPECT_EQ(CALL(cuMemRangeGetAttribute)(&location, 4, CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION,
                                           address, 4),
              CUDA_ERROR_INVALID_VALUE);
    ASSERT_CU(CALL(cuMemPoolDestroy)(pool));
  }
  CUdeviceptr plain = 0;
  ASSERT_CU(CALL(cuMemAllocManaged)(&plain, 4, CU_MEM_ATTACH_GLOBAL));
  EXPECT_EQ(CALL(cuMemFreeAsync)(plain, nullptr), CUDA_ERROR_INVALID_VALUE) << "of no pool";
}

TEST_F(Pools, EachPlaceHasADefaultAndACurrentOne) {
  using Get = CUresult(CUmemoryPool*, CUmemLocation*, CUmemAllocationType);
  const auto first = api().find<Get>("cuMemGetDefaultMemPool");
  const auto now = api().find<Get>("cuMemGetMemPool");
  const auto set =
      api().find<CUresult(CUmemLocation*, CUmemAllocationType, CUmemoryPool)>("cuMemSetMemPool");
  std::set<CUmemoryPool> known;
  for (const CUmemAllocationType type : {kPinned, kManaged}) {
    for (unsigned int place = type == kPinned ? 1 : 0; place < 4; ++place) {
      CUmemPoolProps asked = properties(place, 0, type);
      CUmemoryPool standard = nullptr, found = nullptr;
      ASSERT_CU(first(&standard, &asked.location, type));
      EXPECT_TRUE(known.insert(standard).second);
      EXPECT_EQ(CALL(cuMemPoolDestroy)(standard), CUDA_ERROR_INVALID_VALUE);
      ASSERT_CU(now(&found, &asked.location, type));
      EXPECT_EQ(found, standard);
      CUmemoryPool own = create(asked);
      ASSERT_CU(set(&asked.location, type, own));
      ASSERT_CU(now(&found, &asked.location, type));
      EXPECT_EQ(found, own);
      asked.location.type = static_cast<CUmemLocationType>(place == 1 ? 2 : 1);
      EXPECT_EQ(set(&asked.location, type, own), CUDA_ERROR_INVALID_VALUE) << "another place";
      asked.location.type = static_cast<CUmemLocationType>(place);
      const CUdeviceptr address = allocate(own, 4);
      ASSERT_CU(CALL(cuMemPoolDestroy)(own));
      ASSERT_CU(now(&found, &asked.location, type));
      EXPECT_EQ(found, standard);
      EXPECT_EQ(attribute<CUmemoryPool>(CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, address), standard);
      ASSERT_CU(CALL(cuMemFreeAsync)(address, nullptr));
    }
  }
}

TEST_F(Pools, WrongPlacesAreRefused) {
  constexpr unsigned int current = CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT;
  EXPECT_EQ(refused(properties(0)), CUDA_ERROR_INVALID_VALUE) << "no place of pinned memory";
  EXPECT_EQ(refused(properties(current)), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(refused(properties(current, 0, kManaged)), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(refused(properties(CU_MEM_LOCATION_TYPE_HOST_NUMA, 7)), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(refused(properties(CU_MEM_LOCATION_TYPE_DEVICE, 7, kManaged)),
            CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(refused(properties(1, 0, static_cast<CUmemAllocationType>(3))),
            CUDA_ERROR_INVALID_VALUE);
  CUmemPoolProps shared = properties(CU_MEM_LOCATION_TYPE_HOST);
  shared.handleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  EXPECT_EQ(refused(shared), CUDA_ERROR_INVALID_VALUE) << "the reference says so";
  shared.location.type = CU_MEM_LOCATION_TYPE_HOST_NUMA;
  EXPECT_EQ(refused(shared), CUDA_ERROR_NOT_SUPPORTED);
  CUmemoryPool of_device = create(properties(CU_MEM_LOCATION_TYPE_DEVICE));
  CUmemoryPool of_host = create(properties(CU_MEM_LOCATION_TYPE_HOST));
  constexpr auto all = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  EXPECT_EQ(set_access(of_device, CU_MEM_LOCATION_TYPE_HOST, all), CUDA_ERROR_INVALID_VALUE);
  ASSERT_CU(set_access(of_host, CU_MEM_LOCATION_TYPE_HOST, all));
  EXPECT_EQ(set_access(of_host, CU_MEM_LOCATION_TYPE_HOST, CU_MEM_ACCESS_FLAGS_PROT_NONE),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(set_access(of_host, CU_MEM_LOCATION_TYPE_DEVICE, all, 7), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(CALL(cuDeviceSetMemPool)(0, of_host), CUDA_ERROR_INVALID_VALUE);
  CUstream stream = nullptr;
  CUgraph graph = nullptr;
  CUdeviceptr address = 0;
  ASSERT_CU(api().stream_create(&stream, 0));
  ASSERT_CU(CALL(cuStreamBeginCapture)(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
  EXPECT_EQ(CALL(cuMemAllocFromPoolAsync)(&address, 4, of_host, stream), CUDA_ERROR_NOT_SUPPORTED);
  ASSERT_CU(CALL(cuStreamEndCapture)(stream, &graph));
  ASSERT_CU(CALL(cuMemPoolDestroy)(of_device));
  ASSERT_CU(CALL(cuMemPoolDestroy)(of_host));
}

TEST_F(Pools, HoldNoMoreThanTheirSize) {
  for (const unsigned int place : {CU_MEM_LOCATION_TYPE_DEVICE, CU_MEM_LOCATION_TYPE_HOST}) {
    CUmemPoolProps small = properties(place);
    small.maxSize = 1000;
    CUmemoryPool pool = create(small);
    const CUdeviceptr some = allocate(pool, 600);
    CUdeviceptr more = 0;
    EXPECT_EQ(CALL(cuMemAllocFromPoolAsync)(&more, 401, pool, nullptr), CUDA_ERROR_OUT_OF_MEMORY);
    ASSERT_CU(CALL(cuMemFreeAsync)(some, nullptr));
    more = allocate(pool, 1000);
    ASSERT_CU(CALL(cuMemFreeAsync)(more, nullptr));
    ASSERT_CU(CALL(cuMemPoolDestroy)(pool));
  }
}

TEST_F(Pools, TheDeviceSaysWhichThereAre) {
  for (const int attribute : {142, 144}) {  // …HOST_NUMA_MEMORY_POOLS_… and …HOST_MEMORY_POOLS_…
    int supported = 0;
    ASSERT_CU(api().device_attribute(&supported, static_cast<CUdevice_attribute>(attribute), 0));
    EXPECT_EQ(supported, 1);
  }
}

}  // namespace
}  // namespace warpmark::test
