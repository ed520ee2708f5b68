// Memory, copies of every shape, arrays, texture objects, streams, events and graphs.
#include <cstring>
#include <numeric>
#include <vector>

#include "cudart/registered.hpp"

// For programs with a default stream for each thread; the header declares them only there.
extern "C" cudaError_t cudaMemcpyAsync_ptsz(void* to, const void* from, size_t bytes,
                                            cudaMemcpyKind kind, cudaStream_t stream);
extern "C" cudaError_t cudaMemcpy_ptds(void* to, const void* from, size_t bytes,
                                       cudaMemcpyKind kind);

namespace warpmark::test {
namespace {

std::vector<unsigned int> counted_numbers(size_t count) {
  std::vector<unsigned int> all(count);
  std::iota(all.begin(), all.end(), 1u);
  return all;
}

struct Memory : ::testing::Test {
  void SetUp() override { cudaGetLastError(); }
};

TEST_F(Memory, NothingIsAllocatedAndFreed) {
  void* address = &address;
  EXPECT_CUDA(cudaMalloc(&address, 0));
  EXPECT_EQ(address, nullptr);
  EXPECT_CUDA(cudaFree(nullptr));
  EXPECT_EQ(cudaMalloc(&address, size_t{1} << 50), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaFree(&address), cudaErrorInvalidValue);
  size_t available = 0, total = 0;
  EXPECT_CUDA(cudaMemGetInfo(&available, &total));
  EXPECT_LE(available, total);
}

TEST_F(Memory, KindsOfMemoryAreTold) {
  void *pinned = nullptr, *managed = nullptr, *device = nullptr;
  int own = 0;
  ASSERT_CUDA(cudaMallocHost(&pinned, 64));
  ASSERT_CUDA(cudaMallocManaged(&managed, 64, cudaMemAttachGlobal));
  cudaPointerAttributes attributes{};
  ASSERT_CUDA(cudaPointerGetAttributes(&attributes, pinned));
  EXPECT_EQ(attributes.type, cudaMemoryTypeHost);
  ASSERT_CUDA(cudaPointerGetAttributes(&attributes, managed));
  EXPECT_EQ(attributes.type, cudaMemoryTypeManaged);
  ASSERT_CUDA(cudaPointerGetAttributes(&attributes, &own));
  EXPECT_EQ(attributes.type, cudaMemoryTypeUnregistered);
  ASSERT_CUDA(cudaHostGetDevicePointer(&device, pinned, 0));
  EXPECT_EQ(device, pinned);
  cudaMemLocation place{cudaMemLocationTypeDevice, 0};
  EXPECT_CUDA(cudaMemPrefetchAsync(managed, 64, place, 0, nullptr));
  EXPECT_CUDA(cudaMemAdvise(managed, 64, cudaMemAdviseSetReadMostly, place));
  EXPECT_CUDA(cudaFreeHost(pinned));
  EXPECT_CUDA(cudaFree(managed));
}

TEST_F(Memory, BatchesAreCopied) {
  const std::vector<unsigned int> from = counted_numbers(8);
  std::vector<unsigned int> back(8);
  void* device = nullptr;
  cudaStream_t stream = nullptr;
  ASSERT_CUDA(cudaMalloc(&device, 32));
  ASSERT_CUDA(cudaStreamCreate(&stream));
  auto* const words = static_cast<unsigned int*>(device);
  void* const to[] = {words + 4, words};
  const void* const source[] = {from.data(), from.data() + 4};
  const size_t bytes[] = {16, 16};
  cudaMemcpyAttributes attributes{};
  attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  size_t first = 0;
  ASSERT_CUDA(cudaMemcpyBatchAsync(to, source, bytes, 2, &attributes, &first, 1, stream));
  EXPECT_EQ(cudaMemcpyBatchAsync(to, source, bytes, 2, &attributes, &first, 1, nullptr),
            cudaErrorInvalidValue)
      << "the legacy default stream takes none";
  cudaMemcpy3DBatchOp box{};
  box.src.type = box.dst.type = cudaMemcpyOperandTypePointer;
  box.src.op.ptr = {device, 0, 0, {}};
  box.dst.op.ptr = {back.data(), 0, 0, {}};
  box.extent = {16, 2, 1};
  box.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  ASSERT_CUDA(cudaMemcpy3DBatchAsync(1, &box, 0, stream));
  ASSERT_CUDA(cudaStreamSynchronize(stream));
  EXPECT_EQ(back, (std::vector<unsigned int>{5, 6, 7, 8, 1, 2, 3, 4}));
  ASSERT_CUDA(cudaStreamDestroy(stream));
  ASSERT_CUDA(cudaFree(device));
}

TEST_F(Memory, RowsAreCopied) {
  const std::vector<unsigned int> from = counted_numbers(12);
  std::vector<unsigned int> to(12);
  void* device = nullptr;
  size_t pitch = 0;
  ASSERT_CUDA(cudaMallocPitch(&device, &pitch, 16, 3));
  EXPECT_GE(pitch, 16u);
  ASSERT_CUDA(cudaMemset2D(device, pitch, 0xff, 16, 3));
  ASSERT_CUDA(cudaMemcpy2D(device, pitch, from.data(), 16, 12, 3, cudaMemcpyHostToDevice));
  ASSERT_CUDA(cudaMemcpy2D(to.data(), 16, device, pitch, 16, 3, cudaMemcpyDefault));
  EXPECT_EQ(to, (std::vector<unsigned int>{1, 2, 3, ~0u, 5, 6, 7, ~0u, 9, 10, 11, ~0u}));
  EXPECT_EQ(cudaMemcpy2D(device, 8, from.data(), 16, 12, 3, cudaMemcpyHostToDevice),
            cudaErrorInvalidPitchValue);
  EXPECT_EQ(cudaMemcpy(device, from.data(), 4, static_cast<cudaMemcpyKind>(7)),
            cudaErrorInvalidMemcpyDirection);
  EXPECT_CUDA(cudaFree(device));
}

TEST_F(Memory, BoxesAndArraysAreCopied) {
  const std::vector<unsigned int> from = counted_numbers(4 * 3 * 2);
  std::vector<unsigned int> to(from.size());
  const cudaChannelFormatDesc format =
      cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindUnsigned);
  cudaArray_t array = nullptr;
  ASSERT_CUDA(cudaMalloc3DArray(&array, &format, {4, 3, 2}, 0));
  cudaMemcpy3DParms copy{};
  copy.srcPtr = {const_cast<unsigned int*>(from.data()), 16, 4, 3};
  copy.dstArray = array;
  copy.extent = {4, 3, 2};  // elements, because there is an array
  copy.kind = cudaMemcpyHostToDevice;
  ASSERT_CUDA(cudaMemcpy3D(&copy));
  cudaMemcpy3DParms back{};
  back.srcArray = array;
  back.srcPos = {1, 0, 1};
  back.dstPtr = {to.data(), 16, 4, 3};
  back.extent = {2, 3, 1};
  back.kind = cudaMemcpyDeviceToHost;
  ASSERT_CUDA(cudaMemcpy3D(&back));
  EXPECT_EQ(to[0], from[12 + 1]);
  EXPECT_EQ(to[9], from[12 + 8 + 2]);
  cudaChannelFormatDesc found{};
  cudaExtent extent{};
  unsigned int flags = 1;
  ASSERT_CUDA(cudaArrayGetInfo(&found, &extent, &flags, array));
  EXPECT_EQ(found.x, 32);
  EXPECT_EQ(found.f, cudaChannelFormatKindUnsigned);
  EXPECT_EQ(extent.depth, 2u);
  EXPECT_EQ(flags, 0u);
  EXPECT_CUDA(cudaFreeArray(array));
  copy.srcPtr.ptr = nullptr;
  if (on_cpu_device()) {  // NVIDIA's library ends there
    EXPECT_EQ(cudaMemcpy3D(&copy), cudaErrorInvalidValue);
  }
}

TEST_F(Memory, BytesRunOnFromRowToRowOfAnArray) {
  const std::vector<unsigned int> from = counted_numbers(10);
  std::vector<unsigned int> to(10);
  const cudaChannelFormatDesc format =
      cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindSigned);
  cudaArray_t array = nullptr;
  ASSERT_CUDA(cudaMallocArray(&array, &format, 4, 4, 0));
  ASSERT_CUDA(cudaMemcpyToArray(array, 8, 0, from.data(), 40, cudaMemcpyHostToDevice));
  ASSERT_CUDA(cudaMemcpyFromArray(to.data(), array, 8, 0, 40, cudaMemcpyDeviceToHost));
  EXPECT_EQ(to, from);
  ASSERT_CUDA(cudaMemcpy2DFromArray(to.data(), 8, array, 0, 1, 8, 2, cudaMemcpyDeviceToHost));
  EXPECT_EQ(to[0], 3u);
  EXPECT_EQ(to[2], 7u);
  EXPECT_CUDA(cudaFreeArray(array));
}

TEST_F(Memory, TexturesSayWhatTheyAre) {
  const cudaChannelFormatDesc format =
      cudaCreateChannelDesc(8, 8, 0, 0, cudaChannelFormatKindUnsigned);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  ASSERT_CUDA(cudaMallocArray(&resource.res.array.array, &format, 4, 4, 0));
  cudaTextureDesc texture{};
  texture.addressMode[0] = cudaAddressModeWrap;
  texture.normalizedCoords = 1;
  texture.readMode = cudaReadModeNormalizedFloat;
  texture.filterMode = cudaFilterModeLinear;
  texture.borderColor[3] = 0.5f;
  cudaTextureObject_t object = 0;
  ASSERT_CUDA(cudaCreateTextureObject(&object, &resource, &texture, nullptr));
  cudaResourceDesc same_resource{};
  cudaTextureDesc same_texture{};
  ASSERT_CUDA(cudaGetTextureObjectResourceDesc(&same_resource, object));
  ASSERT_CUDA(cudaGetTextureObjectTextureDesc(&same_texture, object));
  EXPECT_EQ(same_resource.res.array.array, resource.res.array.array);
  EXPECT_EQ(same_texture.addressMode[0], texture.addressMode[0]);
  EXPECT_EQ(same_texture.normalizedCoords, 1);
  EXPECT_EQ(same_texture.readMode, texture.readMode);
  EXPECT_EQ(same_texture.filterMode, texture.filterMode);
  cudaResourceViewDesc view{};
  view.width = 1;
  ASSERT_CUDA(cudaGetTextureObjectResourceViewDesc(&view, object));
  EXPECT_EQ(view.format, cudaResViewFormatNone) << "it has none";
  EXPECT_EQ(view.width, 0u);
  EXPECT_CUDA(cudaDestroyTextureObject(object));
  texture.readMode = cudaReadModeElementType;
  EXPECT_EQ(cudaCreateTextureObject(&object, &resource, &texture, nullptr),
            cudaErrorInvalidFilterSetting);
  EXPECT_CUDA(cudaFreeArray(resource.res.array.array));
}

TEST_F(Memory, StreamsAndEventsWork) {
  cudaStream_t stream = nullptr;
  cudaEvent_t begin = nullptr, end = nullptr;
  ASSERT_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  ASSERT_CUDA(cudaEventCreate(&begin));
  ASSERT_CUDA(cudaEventCreateWithFlags(&end, cudaEventBlockingSync));
  ASSERT_CUDA(cudaEventRecord(begin, stream));
  unsigned int* data = nullptr;
  ASSERT_CUDA(cudaMallocAsync(reinterpret_cast<void**>(&data), 400, stream));
  ASSERT_CUDA(cudaMemsetAsync(data, 1, 400, stream));
  ASSERT_CUDA(launch(scale, {4}, {32}, stream, data, 100u));
  int called = 0;
  ASSERT_CUDA(cudaLaunchHostFunc(
      stream, [](void* user) { ++*static_cast<int*>(user); }, &called));
  ASSERT_CUDA(cudaStreamAddCallback(
      stream, [](cudaStream_t, cudaError_t, void* user) { ++*static_cast<int*>(user); }, &called,
      0));
  ASSERT_CUDA(cudaEventRecord(end, stream));
  ASSERT_CUDA(cudaEventSynchronize(end));
  float milliseconds = -1;
  ASSERT_CUDA(cudaEventElapsedTime(&milliseconds, begin, end));
  EXPECT_GE(milliseconds, 0.f);
  unsigned int value = 0;
  ASSERT_CUDA(cudaMemcpyAsync_ptsz(&value, data + 99, 4, cudaMemcpyDeviceToHost, nullptr));
  ASSERT_CUDA(cudaStreamSynchronize(cudaStreamPerThread));
  EXPECT_EQ(value, 0x03030303u);
  ASSERT_CUDA(cudaMemcpy_ptds(&value, data + 98, 4, cudaMemcpyDeviceToHost));
  ASSERT_CUDA(cudaFreeAsync(data, stream));
  ASSERT_CUDA(cudaStreamSynchronize(stream));
  EXPECT_EQ(called, 2);
  EXPECT_CUDA(cudaEventDestroy(begin));
  EXPECT_CUDA(cudaEventDestroy(end));
  EXPECT_CUDA(cudaStreamDestroy(stream));
  EXPECT_EQ(cudaStreamDestroy(nullptr), cudaErrorInvalidResourceHandle);
}

TEST_F(Memory, CapturedWorkIsAGraph) {
  cudaStream_t stream = nullptr;
  ASSERT_CUDA(cudaStreamCreate(&stream));
  unsigned int* data = nullptr;
  ASSERT_CUDA(cudaMalloc(reinterpret_cast<void**>(&data), 400));
  ASSERT_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  ASSERT_CUDA(cudaMemsetAsync(data, 1, 400, stream));
  ASSERT_CUDA(launch(scale, {4}, {32}, stream, data, 100u));
  cudaStreamCaptureStatus status{};
  ASSERT_CUDA(cudaStreamIsCapturing(stream, &status));
  EXPECT_EQ(status, cudaStreamCaptureStatusActive);
  cudaGraph_t graph = nullptr;
  ASSERT_CUDA(cudaStreamEndCapture(stream, &graph));
  cudaGraphNode_t nodes[4] = {};
  size_t count = 4;
  ASSERT_CUDA(cudaGraphGetNodes(graph, nodes, &count));
  ASSERT_EQ(count, 2u);
  cudaKernelNodeParams parameters{};
  ASSERT_CUDA(cudaGraphKernelNodeGetParams(nodes[1], &parameters));
  EXPECT_EQ(parameters.func, reinterpret_cast<void*>(&scale));
  EXPECT_EQ(parameters.gridDim.x, 4u);
  unsigned int value = 0;
  cudaGraphNode_t fetch = nullptr;
  ASSERT_CUDA(cudaGraphAddMemcpyNode1D(&fetch, graph, nodes + 1, 1, &value, data + 50, 4,
                                       cudaMemcpyDeviceToHost));
  cudaGraphExec_t exec = nullptr;
  ASSERT_CUDA(cudaGraphInstantiate(&exec, graph, 0));
  ASSERT_CUDA(cudaGraphLaunch(exec, stream));
  ASSERT_CUDA(cudaStreamSynchronize(stream));
  EXPECT_EQ(value, 0x03030303u);
  unsigned int few = 10;
  void* arguments[] = {&data, &few};
  parameters.kernelParams = arguments;
  parameters.gridDim = {1};
  ASSERT_CUDA(cudaGraphExecKernelNodeSetParams(exec, nodes[1], &parameters));
  ASSERT_CUDA(cudaGraphLaunch(exec, stream));
  ASSERT_CUDA(cudaStreamSynchronize(stream));
  EXPECT_EQ(value, 0x01010101u) << "the kernel no longer reaches it";
  EXPECT_CUDA(cudaGraphExecDestroy(exec));
  EXPECT_CUDA(cudaGraphDestroy(graph));
  EXPECT_CUDA(cudaFree(data));
  EXPECT_CUDA(cudaStreamDestroy(stream));
}

TEST_F(Memory, AStreamMayLeaveACaptureOnceItIsJoined) {
  cudaStream_t stream = nullptr;
  cudaEvent_t event = nullptr;
  ASSERT_CUDA(cudaStreamCreate(&stream));
  ASSERT_CUDA(cudaEventCreate(&event));
  void* data = nullptr;
  ASSERT_CUDA(cudaMalloc(&data, 64));
  for (const bool joined : {true, false}) {
    cudaStream_t other = nullptr;
    ASSERT_CUDA(cudaStreamCreate(&other));
    cudaGraph_t graph = nullptr;
    ASSERT_CUDA(cudaGraphCreate(&graph, 0));
    ASSERT_CUDA(cudaStreamBeginCaptureToGraph(stream, graph, nullptr, nullptr, 0,
                                              cudaStreamCaptureModeGlobal));
    ASSERT_CUDA(cudaEventRecord(event, stream));
    ASSERT_CUDA(cudaStreamWaitEvent(other, event, 0));
    ASSERT_CUDA(cudaMemsetAsync(data, 1, 64, other));
    if (joined) {
      ASSERT_CUDA(cudaEventRecord(event, other));
      ASSERT_CUDA(cudaStreamWaitEvent(stream, event, 0));
    }
    ASSERT_CUDA(cudaStreamDestroy(other));
    EXPECT_EQ(cudaStreamEndCapture(stream, nullptr),
              joined ? cudaSuccess : cudaErrorStreamCaptureUnjoined);
    // A GPU's driver has destroyed a graph whose capture failed.
    EXPECT_TRUE(cudaGraphDestroy(graph) == cudaSuccess || !joined);
  }
  EXPECT_CUDA(cudaFree(data));
  EXPECT_CUDA(cudaEventDestroy(event));
  EXPECT_CUDA(cudaStreamDestroy(stream));
}

TEST_F(Memory, AUserObjectLivesAsLongAsItsGraphs) {
  int destroyed = 0;
  cudaUserObject_t object = nullptr;
  ASSERT_CUDA(cudaUserObjectCreate(
      &object, &destroyed, [](void* user) { ++*static_cast<int*>(user); }, 2,
      cudaUserObjectNoDestructorSync));
  cudaGraph_t graph = nullptr, clone = nullptr;
  cudaGraphExec_t exec = nullptr;
  ASSERT_CUDA(cudaGraphCreate(&graph, 0));
  ASSERT_CUDA(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove));
  ASSERT_CUDA(cudaUserObjectRelease(object, 1));
  if (on_cpu_device()) {  // a GPU's driver does not count, and fails later
    EXPECT_EQ(cudaUserObjectRelease(object, 1), cudaErrorInvalidValue) << "the graph has the last";
  }
  ASSERT_CUDA(cudaGraphClone(&clone, graph));
  ASSERT_CUDA(cudaGraphInstantiate(&exec, graph, 0));
  ASSERT_CUDA(cudaGraphReleaseUserObject(graph, object, 1));
  ASSERT_CUDA(cudaGraphDestroy(graph));
  ASSERT_CUDA(cudaGraphDestroy(clone));
  EXPECT_EQ(destroyed, 0);
  ASSERT_CUDA(cudaGraphExecDestroy(exec));
  EXPECT_EQ(destroyed, 1);
  EXPECT_EQ(cudaUserObjectRetain(object, 1), cudaErrorInvalidValue);
}

TEST_F(Memory, PoolsAreFoundByPlaceAndShared) {
  if (!on_cpu_device()) GTEST_SKIP() << "of warpmark-cpu --devices 2";
  cudaMemLocation place{cudaMemLocationTypeDevice, 0};
  cudaMemPool_t pool = nullptr, usual = nullptr;
  ASSERT_CUDA(cudaDeviceGetDefaultMemPool(&usual, 0));
  ASSERT_CUDA(cudaMemGetDefaultMemPool(&pool, &place, cudaMemAllocationTypePinned));
  EXPECT_EQ(pool, usual);
  ASSERT_CUDA(cudaMemGetMemPool(&pool, &place, cudaMemAllocationTypePinned));
  EXPECT_EQ(pool, usual);
  EXPECT_CUDA(cudaMemSetMemPool(&place, cudaMemAllocationTypePinned, pool));
  EXPECT_EQ(cudaMemGetMemPool(&pool, nullptr, cudaMemAllocationTypePinned), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemGetMemPool(&pool, &place, cudaMemAllocationTypeInvalid), cudaErrorInvalidValue);
  cudaMemAccessDesc access{{cudaMemLocationTypeDevice, 1}, cudaMemAccessFlagsProtReadWrite};
  ASSERT_CUDA(cudaMemPoolSetAccess(usual, &access, 1));
  cudaMemAccessFlags flags{};
  ASSERT_CUDA(cudaMemPoolGetAccess(&flags, usual, &access.location));
  EXPECT_EQ(flags, cudaMemAccessFlagsProtReadWrite);
  access.flags = cudaMemAccessFlagsProtNone;
  ASSERT_CUDA(cudaMemPoolSetAccess(usual, &access, 1));
  cudaGetLastError();
}

TEST_F(Memory, HandlesForOtherProcessesAreNotForThisOne) {
  void *made = nullptr, *opened = nullptr;
  ASSERT_CUDA(cudaMalloc(&made, 64));
  cudaIpcMemHandle_t handle{};
  ASSERT_CUDA(cudaIpcGetMemHandle(&handle, made));
  EXPECT_EQ(cudaIpcOpenMemHandle(&opened, handle, cudaIpcMemLazyEnablePeerAccess),
            cudaErrorDeviceUninitialized);
  EXPECT_EQ(cudaIpcOpenMemHandle(&opened, handle, 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaIpcOpenMemHandle(nullptr, handle, cudaIpcMemLazyEnablePeerAccess),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaIpcCloseMemHandle(made), cudaErrorInvalidValue);
  EXPECT_EQ(cudaIpcGetMemHandle(&handle, &handle), cudaErrorInvalidValue);
  cudaEvent_t event = nullptr;
  ASSERT_CUDA(cudaEventCreateWithFlags(&event, cudaEventInterprocess | cudaEventDisableTiming));
  cudaIpcEventHandle_t name{};
  ASSERT_CUDA(cudaIpcGetEventHandle(&name, event));
  cudaEvent_t other = nullptr;
  EXPECT_EQ(cudaIpcOpenEventHandle(&other, name), cudaErrorDeviceUninitialized);
  ASSERT_CUDA(cudaEventDestroy(event));
  int supported = 0, engines = 0;
  ASSERT_CUDA(cudaDeviceGetAttribute(&supported, cudaDevAttrIpcEventSupport, 0));
  ASSERT_CUDA(cudaDeviceGetAttribute(&engines, cudaDevAttrAsyncEngineCount, 0));
  EXPECT_EQ(supported, 1);
  EXPECT_EQ(engines, 3);
  ASSERT_CUDA(cudaFree(made));
  cudaGetLastError();
}

TEST_F(Memory, WhatIsNotThereSaysSoOnce) {
  if (!on_cpu_device()) GTEST_SKIP() << "a GPU has it";
  ::testing::internal::CaptureStderr();
  cudaExternalMemory_t memory = nullptr;
  cudaExternalMemoryHandleDesc description{};
  EXPECT_EQ(cudaImportExternalMemory(&memory, &description), cudaErrorNotSupported);
  EXPECT_EQ(cudaImportExternalMemory(&memory, &description), cudaErrorNotSupported);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "warpmark's CUDA runtime: cudaImportExternalMemory: not supported; it returns "
            "cudaErrorNotSupported\n");
  EXPECT_EQ(cudaGetLastError(), cudaErrorNotSupported);
}

}  // namespace
}  // namespace warpmark::test
