// Numbers that are no enumerator where the interface has an enumeration: the driver's answer is
// CUDA_ERROR_INVALID_VALUE or another refusal, and it never reads them as the enumeration, which
// the undefined-behaviour sanitizer would report. The numbers are those of clients in C: any at
// all.
#include "device/api/api_call.hpp"

namespace warpmark::test {
namespace {

class Enumerations : public DeviceTest {};

constexpr unsigned int kNumbers[] = {0x7fffffff, 0x80000000, 0xffffffff, 1000003};

template <typename Field>
void put_number(Field& field, unsigned int number) {
  static_assert(sizeof field == sizeof number);
  std::memcpy(&field, &number, sizeof number);
}

// An entry point whose enumerations are passed as plain numbers: the ABI does not distinguish them.
template <typename... Arguments>
CUresult call(const char* name, Arguments... arguments) {
  return api().find<CUresult(Arguments...)>(name)(arguments...);
}

TEST_F(Enumerations, AsParameters) {
  CUdeviceptr managed = 0, plain = 0;
  ASSERT_CU(CALL(cuMemAllocManaged)(&managed, 16, CU_MEM_ATTACH_GLOBAL));
  ASSERT_CU(api().alloc(&plain, 16));
  CUstream stream = nullptr;
  ASSERT_CU(api().stream_create(&stream, 0));
  CUfunction kernel = kernel_of(kTwoKernels, "add_one");
  CUmemoryPool pool = nullptr;
  ASSERT_CU(CALL(cuDeviceGetDefaultMemPool)(&pool, 0));
  std::uint64_t words[16] = {};
  void* out = words;
  for (const unsigned int number : kNumbers) {
    SCOPED_TRACE(number);
    const auto refused = [](CUresult result) { return result == CUDA_ERROR_INVALID_VALUE; };
    EXPECT_TRUE(refused(call("cuDeviceGetAttribute", out, number, CUdevice{0})));
    EXPECT_TRUE(refused(call("cuDeviceGetExecAffinitySupport", out, number, CUdevice{0})));
    EXPECT_TRUE(refused(call("cuCtxGetLimit", out, number)));
    EXPECT_TRUE(refused(call("cuCtxSetLimit", number, std::size_t{1})));
    EXPECT_TRUE(refused(call("cuCtxSetCacheConfig", number)));
    EXPECT_TRUE(refused(call("cuCtxSetSharedMemConfig", number)));
    EXPECT_TRUE(refused(call("cuCtxGetExecAffinity", out, number)));
    EXPECT_TRUE(refused(call("cuFuncGetAttribute", out, number, kernel)));
    EXPECT_TRUE(refused(call("cuFuncSetAttribute", kernel, number, 0)));
    EXPECT_TRUE(refused(call("cuMemAdvise", managed, std::size_t{16}, number, CUdevice{0})));
    EXPECT_TRUE(refused(
        call("cuMemRangeGetAttribute", out, std::size_t{4}, number, managed, std::size_t{16})));
    EXPECT_TRUE(refused(call("cuPointerGetAttribute", out, number, plain)));
    EXPECT_TRUE(refused(call("cuPointerSetAttribute", out, number, plain)));
    EXPECT_TRUE(refused(call("cuMemPoolGetAttribute", pool, number, out)));
    EXPECT_TRUE(refused(call("cuMemPoolSetAttribute", pool, number, out)));
    EXPECT_TRUE(refused(call("cuStreamBeginCapture_v2", stream, number)));
    EXPECT_TRUE(refused(call("cuStreamGetAttribute", stream, number, out)));
    EXPECT_TRUE(refused(call("cuStreamSetAttribute", stream, number, out)));
  }
}

TEST_F(Enumerations, InArrays) {
  CUdeviceptr managed = 0;
  ASSERT_CU(CALL(cuMemAllocManaged)(&managed, 16, CU_MEM_ATTACH_GLOBAL));
  std::uint64_t words[2] = {};
  for (unsigned int number : kNumbers) {
    SCOPED_TRACE(number);
    void* data[] = {words};
    std::size_t size = 4;
    EXPECT_EQ(call("cuMemRangeGetAttributes", &data[0], &size, &number, std::size_t{1}, managed,
                   std::size_t{16}),
              CUDA_ERROR_INVALID_VALUE);
    words[0] = 1;  // what is unknown of an address is answered by zero
    ASSERT_CU(call("cuPointerGetAttributes", 1u, &number, &data[0], managed));
    EXPECT_EQ(words[0], 0u);
    unsigned int mode = number;
    EXPECT_EQ(call("cuThreadExchangeStreamCaptureMode", &mode), CUDA_ERROR_INVALID_VALUE);
    CUmodule module = nullptr;  // options that nobody knows are passed over
    void* value = nullptr;
    ASSERT_CU(call("cuModuleLoadDataEx", &module, kTwoKernels, 1u, &number, &value));
  }
}

TEST_F(Enumerations, InStructures) {
  CUdeviceptr memory = 0;
  ASSERT_CU(api().alloc(&memory, 256));
  CUmemoryPool pool = nullptr;
  ASSERT_CU(CALL(cuDeviceGetDefaultMemPool)(&pool, 0));
  CUgraph graph = nullptr;
  ASSERT_CU(CALL(cuGraphCreate)(&graph, 0));
  CUfunction kernel = kernel_of(kTwoKernels, "add_one");
  for (const unsigned int number : kNumbers) {
    SCOPED_TRACE(number);
    CUDA_ARRAY_DESCRIPTOR flat{16, 1, CU_AD_FORMAT_FLOAT, 1};
    put_number(flat.Format, number);
    CUarray array = nullptr;
    EXPECT_EQ(CALL(cuArrayCreate)(&array, &flat), CUDA_ERROR_INVALID_VALUE);

    CUDA_RESOURCE_DESC resource{};
    CUDA_TEXTURE_DESC sampler{};
    CUtexObject texture = 0;
    CUsurfObject surface = 0;
    put_number(resource.resType, number);
    EXPECT_EQ(CALL(cuTexObjectCreate)(&texture, &resource, &sampler, nullptr),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(CALL(cuSurfObjectCreate)(&surface, &resource), CUDA_ERROR_INVALID_VALUE);
    resource.resType = CU_RESOURCE_TYPE_LINEAR;
    resource.res.linear = {memory, CU_AD_FORMAT_FLOAT, 1, 256};
    put_number(resource.res.linear.format, number);
    EXPECT_EQ(CALL(cuTexObjectCreate)(&texture, &resource, &sampler, nullptr),
              CUDA_ERROR_INVALID_VALUE);
    resource.res.linear.format = CU_AD_FORMAT_FLOAT;
    put_number(sampler.filterMode, number);
    EXPECT_EQ(CALL(cuTexObjectCreate)(&texture, &resource, &sampler, nullptr),
              CUDA_ERROR_INVALID_VALUE);

    CUDA_MEMCPY3D_PEER peer{};
    put_number(peer.srcMemoryType, number);
    put_number(peer.dstMemoryType, number);
    ASSERT_CU(api().get_current(&peer.srcContext));
    peer.dstContext = peer.srcContext;
    peer.WidthInBytes = peer.Height = peer.Depth = 1;
    EXPECT_EQ(CALL(cuMemcpy3DPeer)(&peer), CUDA_ERROR_INVALID_VALUE);

    CUmemPoolProps properties{};
    CUmemoryPool made = nullptr;
    put_number(properties.allocType, number);
    EXPECT_EQ(CALL(cuMemPoolCreate)(&made, &properties), CUDA_ERROR_INVALID_VALUE);
    CUmemAccessDesc access{};
    put_number(access.location.type, number);
    EXPECT_EQ(CALL(cuMemPoolSetAccess)(pool, &access, 1), CUDA_ERROR_INVALID_VALUE);
    access.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    put_number(access.flags, number);
    EXPECT_EQ(CALL(cuMemPoolSetAccess)(pool, &access, 1), CUDA_ERROR_INVALID_VALUE);

    CUstreamBatchMemOpParams operation{};
    put_number(operation.operation, number);
    EXPECT_EQ(CALL(cuStreamBatchMemOp)(nullptr, 1, &operation, 0), CUDA_ERROR_INVALID_VALUE);

    CUgraphNodeParams parameters{};
    CUgraphNode node = nullptr;
    put_number(parameters.type, number);
    EXPECT_NE(call("cuGraphAddNode", &node, graph, static_cast<CUgraphNode*>(nullptr),
                   std::size_t{0}, &parameters),
              CUDA_SUCCESS);

    CUlaunchAttribute attribute{};
    put_number(attribute.id, number);
    CUlaunchConfig config{1, 1, 1, 1, 1, 1, 0, nullptr, &attribute, 1};
    CUdeviceptr data = memory;
    unsigned int count = 0;
    void* arguments[] = {&data, &count};
    EXPECT_EQ(CALL(cuLaunchKernelEx)(&config, kernel, arguments, nullptr),
              CUDA_ERROR_NOT_SUPPORTED);
  }
}

}  // namespace
}  // namespace warpmark::test
