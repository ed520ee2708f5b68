// Four devices (WARPMARK_CPU_DEVICES=4), contexts on them, and what one may do with another's
// memory.
#include <cstdlib>
#include <set>

#include "device/api/api_call.hpp"

namespace warpmark::test {
namespace {

class Devices : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { setenv("WARPMARK_CPU_DEVICES", "4", 1); }  // before the library
  void SetUp() override {
    ASSERT_CU(api().init(0));
    for (int i = 0; i < 4; ++i) ASSERT_CU(api().create_context(&contexts_[i], 0, i));
  }
  void TearDown() override {
    for (CUcontext context : contexts_) EXPECT_CU(api().destroy_context(context));
  }
  void use(int device) { ASSERT_CU(api().set_current(contexts_[device])); }
  CUcontext contexts_[4] = {};
};

TEST_F(Devices, EachIsItsOwn) {
  int count = 0;
  ASSERT_CU(api().device_count(&count));
  ASSERT_EQ(count, 4);
  std::set<std::string> ids;
  std::set<std::string> uuids;
  for (int i = 0; i < 4; ++i) {
    CUdevice device = -1;
    ASSERT_CU(CALL(cuDeviceGet)(&device, i));
    EXPECT_EQ(device, i);
    char id[16];
    ASSERT_CU(CALL(cuDeviceGetPCIBusId)(id, sizeof id, i));
    ids.insert(id);
    ASSERT_CU(CALL(cuDeviceGetByPCIBusId)(&device, id));
    EXPECT_EQ(device, i);
    CUuuid uuid;
    ASSERT_CU(CALL(cuDeviceGetUuid_v2)(&uuid, i));
    uuids.insert(std::string(uuid.bytes, sizeof uuid.bytes));
    use(i);
    ASSERT_CU(api().context_device(&device));
    EXPECT_EQ(device, i);
  }
  EXPECT_EQ(ids.size(), 4u);
  EXPECT_EQ(uuids.size(), 4u);
  CUdevice device = 0;
  EXPECT_EQ(CALL(cuDeviceGet)(&device, 4), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(CALL(cuDeviceGetByPCIBusId)(&device, "0000:77:00.0"), CUDA_ERROR_INVALID_DEVICE);
  char tiny[4];
  EXPECT_EQ(CALL(cuDeviceGetPCIBusId)(tiny, sizeof tiny, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Devices, CopiesFindTheDeviceByTheAddress) {
  use(0);
  Array<std::int32_t> from({1, 2, 3});
  use(2);
  Array<std::int32_t> to({0, 0, 0});
  EXPECT_NE(from.address, to.address);
  ASSERT_CU(CALL(cuMemcpyPeer)(to.address, contexts_[2], from.address, contexts_[0], 12));
  ASSERT_CU(to.fetch());
  EXPECT_THAT(to.host, ::testing::ElementsAre(1, 2, 3));
  use(3);
  ASSERT_CU(api().copy(from.address, to.address + 8, 4)) << "unified addresses";
  ASSERT_CU(from.fetch());
  EXPECT_EQ(from.host[0], 3);
  int ordinal = -1;
  ASSERT_CU(CALL(cuPointerGetAttribute)(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, to.address));
  EXPECT_EQ(ordinal, 2);
  EXPECT_EQ(CALL(cuMemcpyPeer)(to.address, contexts_[2], from.address,
                               reinterpret_cast<CUcontext>(0x10), 12),
            CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(CALL(cuMemcpyPeer)(to.address, contexts_[2], from.address, contexts_[0], 13),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Devices, KernelsReachPeersOnceTheyMay) {
  int can = 0;
  ASSERT_CU(CALL(cuDeviceCanAccessPeer)(&can, 0, 1));
  EXPECT_EQ(can, 1);
  ASSERT_CU(CALL(cuDeviceCanAccessPeer)(&can, 1, 1));
  EXPECT_EQ(can, 0);
  EXPECT_EQ(CALL(cuDeviceCanAccessPeer)(&can, 0, 4), CUDA_ERROR_INVALID_DEVICE);
  use(1);
  Array<std::int32_t> data(std::vector<std::int32_t>{41});
  use(0);
  CUmodule module = nullptr;
  CUfunction add = nullptr;
  ASSERT_CU(api().load(&module, kTwoKernels));
  ASSERT_CU(api().function(&add, module, "add_one"));
  std::uint32_t n = 1;
  void* pointers[] = {&data.address, &n};
  ASSERT_CU(CALL(cuCtxEnablePeerAccess)(contexts_[1], 0));
  EXPECT_EQ(CALL(cuCtxEnablePeerAccess)(contexts_[1], 0), CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
  EXPECT_EQ(CALL(cuCtxEnablePeerAccess)(contexts_[0], 0), CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
  ASSERT_CU(api().launch(add, 1, 1, 1, 1, 1, 1, 0, nullptr, pointers, nullptr));
  ASSERT_CU(api().synchronize());
  ASSERT_CU(data.fetch());
  EXPECT_EQ(data.host[0], 42);
  ASSERT_CU(CALL(cuCtxDisablePeerAccess)(contexts_[1]));
  EXPECT_EQ(CALL(cuCtxDisablePeerAccess)(contexts_[1]), CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
  ASSERT_CU(api().launch(add, 1, 1, 1, 1, 1, 1, 0, nullptr, pointers, nullptr));
  EXPECT_EQ(api().synchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(api().synchronize(), CUDA_ERROR_ILLEGAL_ADDRESS) << "it sticks";
  use(1);
  ASSERT_CU(api().synchronize()) << "to that context only";
}

TEST_F(Devices, ContextsKnowWhatTheyAre) {
  CUcontext attached = nullptr, popped = nullptr;
  use(0);
  unsigned long long id = 0, other = 0;
  ASSERT_CU(CALL(cuCtxGetId)(nullptr, &id));
  ASSERT_CU(CALL(cuCtxGetId)(contexts_[1], &other));
  EXPECT_NE(id, other);
  ASSERT_CU(CALL(cuCtxAttach)(&attached, 0));
  EXPECT_EQ(attached, contexts_[0]);
  ASSERT_CU(CALL(cuCtxDetach)(attached));
  ASSERT_CU(api().synchronize()) << "still there";
  EXPECT_EQ(CALL(cuCtxDetach)(contexts_[1]), CUDA_ERROR_INVALID_CONTEXT) << "not the current one";
  CUcontext extra = nullptr;
  ASSERT_CU((api().find<CUresult(CUcontext*, CUexecAffinityParam*, int, unsigned, CUdevice)>(
      "cuCtxCreate_v3")(&extra, nullptr, 0, CU_CTX_SCHED_YIELD, 3)));
  unsigned int flags = 0;
  ASSERT_CU(CALL(cuCtxGetFlags)(&flags));
  EXPECT_EQ(flags, unsigned{CU_CTX_SCHED_YIELD});
  ASSERT_CU(CALL(cuCtxDetach)(extra));
  EXPECT_EQ(CALL(cuCtxGetId)(extra, &id), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(api().create_context(&extra, 0, 4), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(api().create_context(&extra, 0x40000000, 0), CUDA_ERROR_INVALID_VALUE);
  CUfunc_cache cache{};
  ASSERT_CU(CALL(cuCtxSetCacheConfig)(CU_FUNC_CACHE_PREFER_L1));
  ASSERT_CU(CALL(cuCtxGetCacheConfig)(&cache));
  EXPECT_EQ(cache, CU_FUNC_CACHE_PREFER_L1);
  std::size_t limit = 0;
  ASSERT_CU(CALL(cuCtxSetLimit)(CU_LIMIT_STACK_SIZE, 4096));
  ASSERT_CU(CALL(cuCtxGetLimit)(&limit, CU_LIMIT_STACK_SIZE));
  EXPECT_EQ(limit, 4096u);
  EXPECT_EQ(CALL(cuCtxGetLimit)(&limit, static_cast<CUlimit>(99)), CUDA_ERROR_INVALID_VALUE);
  for (int i = 0; i < 4; ++i) {
    CUcontext primary = nullptr;
    ASSERT_CU(api().retain(&primary, i));
    ASSERT_CU(api().push(primary));
    CUdevice device = -1;
    ASSERT_CU(api().context_device(&device));
    EXPECT_EQ(device, i);
    ASSERT_CU(api().pop(&popped));
    ASSERT_CU(api().release(i));
  }
}

// On all systems with unified addresses, pinned (portable or not), registered and managed memory is
// usable in every context.
TEST_F(Devices, HostsMemoryIsEverybodys) {
  use(1);
  void* pinned = nullptr;
  ASSERT_CU(CALL(cuMemHostAlloc)(&pinned, 8, 0));
  CUdeviceptr managed = 0;
  ASSERT_CU(CALL(cuMemAllocManaged)(&managed, 8, CU_MEM_ATTACH_GLOBAL));
  alignas(4096) static std::int32_t registered[1024];
  ASSERT_CU(CALL(cuMemHostRegister)(registered, sizeof registered, 0));
  std::uint32_t n = 1;
  for (int device : {0, 2}) {
    use(device);
    CUmodule module = nullptr;
    CUfunction add = nullptr;
    ASSERT_CU(api().load(&module, kTwoKernels));
    ASSERT_CU(api().function(&add, module, "add_one"));
    for (void* memory :
         {pinned, reinterpret_cast<void*>(managed), static_cast<void*>(registered)}) {
      CUdeviceptr address = reinterpret_cast<CUdeviceptr>(memory);
      void* pointers[] = {&address, &n};
      ASSERT_CU(api().launch(add, 1, 1, 1, 1, 1, 1, 0, nullptr, pointers, nullptr));
      ASSERT_CU(api().synchronize()) << device;
    }
  }
  EXPECT_EQ(*static_cast<std::int32_t*>(pinned), 2);
  EXPECT_EQ(*reinterpret_cast<std::int32_t*>(managed), 2);  // NOLINT(performance-no-int-to-ptr)
  EXPECT_EQ(registered[0], 2);
  ASSERT_CU(CALL(cuMemHostUnregister)(registered));
  ASSERT_CU(CALL(cuMemFreeHost)(pinned));
  ASSERT_CU(api().free(managed));
  // Freed memory is accessible in no context.
  CUmodule module = nullptr;
  CUfunction add = nullptr;
  ASSERT_CU(api().load(&module, kTwoKernels));
  ASSERT_CU(api().function(&add, module, "add_one"));
  CUdeviceptr address = reinterpret_cast<CUdeviceptr>(pinned);
  void* pointers[] = {&address, &n};
  ASSERT_CU(api().launch(add, 1, 1, 1, 1, 1, 1, 0, nullptr, pointers, nullptr));
  EXPECT_EQ(api().synchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST_F(Devices, PoolsCanBeOthers) {
  use(0);
  CUmemoryPool pool = nullptr;
  CUmemLocation here{};
  here.type = CU_MEM_LOCATION_TYPE_DEVICE;
  const auto pool_of = api().find<CUresult(CUmemoryPool*, CUmemLocation*, CUmemAllocationType)>(
      "cuMemGetDefaultMemPool");
  ASSERT_CU(pool_of(&pool, &here, CU_MEM_ALLOCATION_TYPE_PINNED));
  CUdeviceptr early = 0, late = 0;
  ASSERT_CU(CALL(cuMemAllocAsync)(&early, 4, nullptr));
  ASSERT_CU(CALL(cuMemsetD32)(early, 40, 1));
  CUmemAccessDesc access{};
  access.location = here;
  access.location.id = 1;
  const auto allow = [&](CUmemAccess_flags flags) {
    access.flags = flags;
    return CALL(cuMemPoolSetAccess)(pool, &access, 1);
  };
  ASSERT_CU(allow(CU_MEM_ACCESS_FLAGS_PROT_READWRITE));
  ASSERT_CU(CALL(cuMemAllocAsync)(&late, 4, nullptr));
  ASSERT_CU(CALL(cuMemsetD32)(late, 50, 1));
  Array<std::int32_t> other(std::vector<std::int32_t>{60});
  const auto add_one = [&](int device, CUdeviceptr address) {
    use(device);
    CUmodule module = nullptr;
    CUfunction add = nullptr;
    EXPECT_CU(api().load(&module, kTwoKernels));
    EXPECT_CU(api().function(&add, module, "add_one"));
    std::uint32_t n = 1;
    void* pointers[] = {&address, &n};
    EXPECT_CU(api().launch(add, 1, 1, 1, 1, 1, 1, 0, nullptr, pointers, nullptr));
    return api().synchronize();
  };
  ASSERT_CU(add_one(1, early));
  ASSERT_CU(add_one(1, late));
  // From a pool of another device than the stream's.
  use(0);
  CUmemoryPool second = nullptr;
  here.id = 3;
  ASSERT_CU(pool_of(&second, &here, CU_MEM_ALLOCATION_TYPE_PINNED));
  CUdeviceptr far = 0;
  ASSERT_CU(CALL(cuMemAllocFromPoolAsync)(&far, 4, second, nullptr));
  int ordinal = -1;
  ASSERT_CU(CALL(cuPointerGetAttribute)(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, far));
  EXPECT_EQ(ordinal, 3);
  EXPECT_EQ(add_one(2, early), CUDA_ERROR_ILLEGAL_ADDRESS) << "not allowed";
  EXPECT_EQ(add_one(3, other.address), CUDA_ERROR_ILLEGAL_ADDRESS) << "of no pool";
  use(0);
  std::int32_t seen = 0;
  ASSERT_CU(api().to_host(&seen, early, 4));
  EXPECT_EQ(seen, 41);
  ASSERT_CU(api().to_host(&seen, late, 4));
  EXPECT_EQ(seen, 51);
  ASSERT_CU(allow(CU_MEM_ACCESS_FLAGS_PROT_READ));
  EXPECT_EQ(add_one(1, early), CUDA_ERROR_ILLEGAL_ADDRESS) << "read only";
  // Another context of that device, and no access any more.
  ASSERT_CU(api().destroy_context(contexts_[1]));
  ASSERT_CU(api().create_context(&contexts_[1], 0, 1));
  ASSERT_CU(allow(CU_MEM_ACCESS_FLAGS_PROT_READWRITE));
  ASSERT_CU(add_one(1, early));
  ASSERT_CU(allow(CU_MEM_ACCESS_FLAGS_PROT_NONE));
  EXPECT_EQ(add_one(1, early), CUDA_ERROR_ILLEGAL_ADDRESS);
  use(0);
  ASSERT_CU(CALL(cuMemFreeAsync)(early, nullptr));
  ASSERT_CU(CALL(cuMemFreeAsync)(late, nullptr));
}

}  // namespace
}  // namespace warpmark::test
