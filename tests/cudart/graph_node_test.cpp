// Nodes of graphs by what they do: kernels, fills, copies, host functions, memory.
#include <utility>

#include "cudart/graphs.hpp"

namespace warpmark::test {
namespace {

void count_call(void* user) {
  ++*static_cast<int*>(user);
}

// scale(data, count) by one block. Its parameters point into this object.
struct Scale {
  Scale(unsigned int* the_data, unsigned int the_count) : data(the_data), count(the_count) {
    parameters.func = reinterpret_cast<void*>(&scale);
    parameters.gridDim = {1};
    parameters.blockDim = {32};
    parameters.kernelParams = arguments;
  }
  Scale(const Scale&) = delete;
  Scale& operator=(const Scale&) = delete;
  unsigned int* data;
  unsigned int count;
  void* arguments[2] = {&data, &count};
  cudaKernelNodeParams parameters{};
};

class GraphNodes : public GraphTest {
 protected:
  static unsigned int total_now() {
    unsigned int value = 0;
    EXPECT_CUDA(cudaMemcpyFromSymbol(&value, &total, 4, 0, cudaMemcpyDeviceToHost));
    return value;
  }
  static cudaMemAllocNodeParams allocating(size_t bytes) {
    cudaMemAllocNodeParams parameters{};
    parameters.poolProps.allocType = cudaMemAllocationTypePinned;
    parameters.poolProps.location = {cudaMemLocationTypeDevice, 0};
    parameters.bytesize = bytes;
    return parameters;
  }
  static unsigned long long memory_of_graphs(cudaGraphMemAttributeType attribute) {
    unsigned long long bytes = ~0ull;
    EXPECT_CUDA(cudaDeviceGetGraphMemAttribute(0, attribute, &bytes));
    return bytes;
  }
  // Words 2 and 3 of both rows of four in `host`, closely into `data`.
  [[nodiscard]] cudaMemcpy3DParms box() const {
    cudaMemcpy3DParms copy{};
    copy.srcPtr = {host, 16, 16, 4};
    copy.srcPos = {8, 0, 0};
    copy.dstPtr = {data, 8, 8, 2};
    copy.extent = {8, 2, 1};
    copy.kind = cudaMemcpyHostToDevice;
    return copy;
  }
  // One row, which is what the copy of an instance can be changed to.
  static cudaMemcpy3DParms row(void* to, void* from, size_t bytes, cudaMemcpyKind kind) {
    cudaMemcpy3DParms copy{};
    copy.srcPtr = {from, bytes, bytes, 1};
    copy.dstPtr = {to, bytes, bytes, 1};
    copy.extent = {bytes, 1, 1};
    copy.kind = kind;
    return copy;
  }
};

TEST_F(GraphNodes, AKernelHasACopyOfItsArguments) {
  Scale kernel(data, 2);
  cudaGraphNode_t node = nullptr, fill = nullptr;
  const cudaMemsetParams ones = filling(data, 1, 4);
  ASSERT_CUDA(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &ones));
  ASSERT_CUDA(cudaGraphAddKernelNode(&node, graph, &fill, 1, &kernel.parameters));
  kernel.count = 3;
  cudaKernelNodeParams found{};
  ASSERT_CUDA(cudaGraphKernelNodeGetParams(node, &found));
  EXPECT_EQ(found.func, reinterpret_cast<void*>(&scale));
  EXPECT_EQ(found.blockDim.x, 32u);
  EXPECT_EQ(*static_cast<unsigned int*>(found.kernelParams[1]), 2u);
  run(Instance(graph));
  EXPECT_EQ(words(4), (Words{3, 3, 1, 1}));
  kernel.parameters.blockDim = {2};
  ASSERT_CUDA(cudaGraphKernelNodeSetParams(node, &kernel.parameters));
  ASSERT_CUDA(cudaGraphKernelNodeGetParams(node, &found));
  EXPECT_EQ(found.blockDim.x, 2u);
  const Instance instance(graph);
  run(instance);
  EXPECT_EQ(words(4), (Words{3, 3, 1, 1})) << "two threads only";
  kernel.parameters.gridDim = {2};
  ASSERT_CUDA(cudaGraphExecKernelNodeSetParams(instance.exec, node, &kernel.parameters));
  run(instance);
  EXPECT_EQ(words(4), (Words{3, 3, 3, 1}));
}

TEST_F(GraphNodes, KernelsOfNoImageAreRefused) {
  Scale kernel(data, 1);
  cudaGraphNode_t node = nullptr;
  kernel.parameters.func = host;
  EXPECT_EQ(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &kernel.parameters),
            cudaErrorInvalidResourceHandle);
  kernel.parameters.func = nullptr;
  EXPECT_EQ(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &kernel.parameters),
            cudaErrorInvalidDeviceFunction);
  EXPECT_EQ(cudaGraphAddKernelNode(&node, graph, nullptr, 0, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphKernelNodeGetParams(add_empty(graph), &kernel.parameters),
            cudaErrorInvalidValue)
      << "it is no kernel";
}

TEST_F(GraphNodes, AttributesOfKernelsAreCopied) {
  Scale kernel(data, 1);
  cudaGraphNode_t first = nullptr, second = nullptr;
  ASSERT_CUDA(cudaGraphAddKernelNode(&first, graph, nullptr, 0, &kernel.parameters));
  ASSERT_CUDA(cudaGraphAddKernelNode(&second, graph, &first, 1, &kernel.parameters));
  cudaKernelNodeAttrValue value{};
  value.cooperative = 1;
  const cudaError_t set =
      cudaGraphKernelNodeSetAttribute(first, cudaLaunchAttributeCooperative, &value);
  if (set == cudaErrorNotSupported) GTEST_SKIP() << "the driver has no attributes of nodes";
  ASSERT_CUDA(set);
  ASSERT_CUDA(cudaGraphKernelNodeGetAttribute(second, cudaLaunchAttributeCooperative, &value));
  EXPECT_EQ(value.cooperative, 0);
  ASSERT_CUDA(cudaGraphKernelNodeCopyAttributes(second, first));
  ASSERT_CUDA(cudaGraphKernelNodeGetAttribute(second, cudaLaunchAttributeCooperative, &value));
  EXPECT_EQ(value.cooperative, 1);
}

TEST_F(GraphNodes, RowsAreFilled) {
  cudaMemsetParams parameters = filling(data, 7, 2);
  parameters.pitch = 16;
  parameters.height = 2;
  cudaGraphNode_t node = nullptr;
  ASSERT_CUDA(cudaGraphAddMemsetNode(&node, graph, nullptr, 0, &parameters));
  run(Instance(graph));
  EXPECT_EQ(words(8), (Words{7, 7, 0, 0, 7, 7, 0, 0}));
  cudaMemsetParams found{};
  ASSERT_CUDA(cudaGraphMemsetNodeGetParams(node, &found));
  EXPECT_EQ(found.dst, data);
  EXPECT_EQ(found.pitch, 16u);
  EXPECT_EQ(found.value, 7u);
  EXPECT_EQ(found.elementSize, 4u);
  EXPECT_EQ(found.width, 2u);
  EXPECT_EQ(found.height, 2u);
  found.dst = data + 2;
  found.value = 0xab;
  found.elementSize = 1;
  found.width = 3;
  ASSERT_CUDA(cudaGraphMemsetNodeSetParams(node, &found));
  run(Instance(graph));
  EXPECT_EQ(words(8), (Words{7, 7, 0xababab, 0, 7, 7, 0xababab, 0}));
  found.elementSize = 3;
  EXPECT_EQ(cudaGraphMemsetNodeSetParams(node, &found), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphAddMemsetNode(&node, graph, nullptr, 0, nullptr), cudaErrorInvalidValue);
}

TEST_F(GraphNodes, AnInstanceFillsOtherMemory) {
  const cudaGraphNode_t node = add_fill(graph, 1);
  const Instance instance(graph);
  const cudaMemsetParams parameters = filling(data + 1, 2);
  ASSERT_CUDA(cudaGraphExecMemsetNodeSetParams(instance.exec, node, &parameters));
  run(instance);
  EXPECT_EQ(words(3), (Words{0, 2, 0}));
  cudaMemsetParams found{};
  ASSERT_CUDA(cudaGraphMemsetNodeGetParams(node, &found));
  EXPECT_EQ(found.dst, data) << "the node is as it was";
  EXPECT_EQ(found.value, 1u);
}

TEST_F(GraphNodes, BytesAreCopied) {
  cudaGraphNode_t node = nullptr;
  ASSERT_CUDA(
      cudaGraphAddMemcpyNode1D(&node, graph, nullptr, 0, data, host, 8, cudaMemcpyHostToDevice));
  cudaMemcpy3DParms found{};
  ASSERT_CUDA(cudaGraphMemcpyNodeGetParams(node, &found));
  EXPECT_EQ(found.srcPtr.ptr, host);
  EXPECT_EQ(found.dstPtr.ptr, data);
  EXPECT_EQ(found.extent.width, 8u);
  run(Instance(graph));
  EXPECT_EQ(words(4), (Words{1, 2, 0, 0}));
  ASSERT_CUDA(cudaGraphMemcpyNodeSetParams1D(node, data + 2, host + 4, 4, cudaMemcpyHostToDevice));
  const Instance instance(graph);
  run(instance);
  EXPECT_EQ(words(4), (Words{1, 2, 5, 0}));
  ASSERT_CUDA(cudaGraphExecMemcpyNodeSetParams1D(instance.exec, node, data + 3, host + 7, 4,
                                                 cudaMemcpyHostToDevice));
  run(instance);
  EXPECT_EQ(words(4), (Words{1, 2, 5, 8}));
  const auto no_kind = static_cast<cudaMemcpyKind>(7);
  EXPECT_EQ(cudaGraphMemcpyNodeSetParams1D(node, data, host, 4, no_kind),
            cudaErrorInvalidMemcpyDirection);
}

TEST_F(GraphNodes, BoxesAreCopied) {
  const cudaMemcpy3DParms copy = box();
  cudaGraphNode_t node = nullptr;
  ASSERT_CUDA(cudaGraphAddMemcpyNode(&node, graph, nullptr, 0, &copy));
  run(Instance(graph));
  EXPECT_EQ(words(5), (Words{3, 4, 7, 8, 0}));
  cudaMemcpy3DParms found{};
  ASSERT_CUDA(cudaGraphMemcpyNodeGetParams(node, &found));
  EXPECT_EQ(found.srcPtr.ptr, host);
  EXPECT_EQ(found.srcPtr.pitch, 16u);
  EXPECT_EQ(found.srcPos.x, 8u);
  EXPECT_EQ(found.dstPtr.ptr, data);
  EXPECT_EQ(found.extent.width, 8u);
  EXPECT_EQ(found.extent.height, 2u);
  EXPECT_EQ(found.srcPtr.xsize, 0u) << "no part of a node";
  found.srcPos = {0, 1, 0};
  found.dstPtr.ptr = data + 8;
  ASSERT_CUDA(cudaGraphMemcpyNodeSetParams(node, &found));
  run(Instance(graph));
  EXPECT_EQ(words(5, 8), (Words{5, 6, 9, 10, 0}));
  EXPECT_EQ(cudaGraphAddMemcpyNode(&node, graph, nullptr, 0, nullptr), cudaErrorInvalidValue);
}

TEST_F(GraphNodes, AnInstanceCopiesOtherRows) {
  cudaMemcpy3DParms copy = row(data, host, 8, cudaMemcpyHostToDevice);
  cudaGraphNode_t node = nullptr;
  ASSERT_CUDA(cudaGraphAddMemcpyNode(&node, graph, nullptr, 0, &copy));
  const Instance instance(graph);
  copy = row(data + 1, host + 8, 8, cudaMemcpyHostToDevice);
  ASSERT_CUDA(cudaGraphExecMemcpyNodeSetParams(instance.exec, node, &copy));
  run(instance);
  EXPECT_EQ(words(4), (Words{0, 9, 10, 0}));
  EXPECT_EQ(cudaGraphExecMemcpyNodeSetParams(instance.exec, node, nullptr), cudaErrorInvalidValue);
}

TEST_F(GraphNodes, ArraysAreCopied) {
  const cudaChannelFormatDesc format =
      cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindUnsigned);
  cudaMemcpy3DParms copy{};
  ASSERT_CUDA(cudaMalloc3DArray(&copy.dstArray, &format, {4, 2, 0}, 0));
  copy.srcPtr = {host, 16, 4, 2};
  copy.extent = {4, 2, 1};  // elements, because there is an array
  copy.kind = cudaMemcpyHostToDevice;
  cudaGraphNode_t in = nullptr, out = nullptr;
  ASSERT_CUDA(cudaGraphAddMemcpyNode(&in, graph, nullptr, 0, &copy));
  cudaMemcpy3DParms found{};
  ASSERT_CUDA(cudaGraphMemcpyNodeGetParams(in, &found));
  EXPECT_EQ(found.dstArray, copy.dstArray);
  EXPECT_EQ(found.extent.width, 4u);
  cudaMemcpy3DParms back{};
  back.srcArray = copy.dstArray;
  back.srcPos = {1, 1, 0};
  back.dstPtr = {data, 12, 3, 1};
  back.extent = {3, 1, 1};
  back.kind = cudaMemcpyDeviceToDevice;
  ASSERT_CUDA(cudaGraphAddMemcpyNode(&out, graph, &in, 1, &back));
  run(Instance(graph));
  EXPECT_EQ(words(4), (Words{6, 7, 8, 0}));
  EXPECT_CUDA(cudaFreeArray(copy.dstArray));
}

TEST_F(GraphNodes, VariablesAreWritten) {
  host[0] = 0x11112222;
  host[1] = 1000;
  host[2] = 0x3333;
  cudaGraphNode_t node = nullptr;
  ASSERT_CUDA(cudaGraphAddMemcpyNodeToSymbol(&node, graph, nullptr, 0, &total, host + 1, 4, 0,
                                             cudaMemcpyHostToDevice));
  run(Instance(graph));
  EXPECT_EQ(total_now(), 1000u);
  ASSERT_CUDA(
      cudaGraphMemcpyNodeSetParamsToSymbol(node, &total, host, 4, 0, cudaMemcpyHostToDevice));
  const Instance instance(graph);
  run(instance);
  EXPECT_EQ(total_now(), 0x11112222u);
  ASSERT_CUDA(cudaGraphExecMemcpyNodeSetParamsToSymbol(instance.exec, node, &total, host + 2, 2, 2,
                                                       cudaMemcpyHostToDevice));
  run(instance);
  EXPECT_EQ(total_now(), 0x33332222u) << "two bytes, behind the first two";
  EXPECT_EQ(cudaGraphMemcpyNodeSetParamsToSymbol(node, &total, host, 4, 2, cudaMemcpyHostToDevice),
            cudaErrorInvalidValue)
      << "past the end of the variable";
}

TEST_F(GraphNodes, VariablesAreRead) {
  const unsigned int value = 0x11112222;
  ASSERT_CUDA(cudaMemcpyToSymbol(&total, &value, 4, 0, cudaMemcpyHostToDevice));
  cudaGraphNode_t node = nullptr;
  ASSERT_CUDA(cudaGraphAddMemcpyNodeFromSymbol(&node, graph, nullptr, 0, host, &total, 4, 0,
                                               cudaMemcpyDeviceToHost));
  run(Instance(graph));
  EXPECT_EQ(host[0], value);
  ASSERT_CUDA(
      cudaGraphMemcpyNodeSetParamsFromSymbol(node, host + 1, &total, 4, 0, cudaMemcpyDeviceToHost));
  const Instance instance(graph);
  run(instance);
  EXPECT_EQ(host[1], value);
  ASSERT_CUDA(cudaGraphExecMemcpyNodeSetParamsFromSymbol(instance.exec, node, host + 2, &total, 2,
                                                         2, cudaMemcpyDeviceToHost));
  run(instance);
  EXPECT_EQ(host[2], 0x1111u) << "its upper half was 0";
  EXPECT_EQ(
      cudaGraphMemcpyNodeSetParamsFromSymbol(node, host, &total, 4, 2, cudaMemcpyDeviceToHost),
      cudaErrorInvalidValue);
}

TEST_F(GraphNodes, HostFunctionsAreCalled) {
  int first = 0, second = 0, third = 0;
  cudaHostNodeParams parameters{count_call, &first};
  cudaGraphNode_t node = nullptr;
  ASSERT_CUDA(cudaGraphAddHostNode(&node, graph, nullptr, 0, &parameters));
  run(Instance(graph));
  EXPECT_EQ(first, 1);
  parameters.userData = &second;
  ASSERT_CUDA(cudaGraphHostNodeSetParams(node, &parameters));
  cudaHostNodeParams found{};
  ASSERT_CUDA(cudaGraphHostNodeGetParams(node, &found));
  EXPECT_EQ(found.fn, &count_call);
  EXPECT_EQ(found.userData, &second);
  const Instance instance(graph);
  run(instance);
  parameters.userData = &third;
  ASSERT_CUDA(cudaGraphExecHostNodeSetParams(instance.exec, node, &parameters));
  run(instance);
  run(instance);
  EXPECT_EQ(first, 1);
  EXPECT_EQ(second, 1);
  EXPECT_EQ(third, 2);
  EXPECT_EQ(cudaGraphAddHostNode(&node, graph, nullptr, 0, nullptr), cudaErrorInvalidValue);
}

TEST_F(GraphNodes, MemoryOfAGraphIsThereWithinIt) {
  cudaMemAllocNodeParams parameters = allocating(kBytes);
  cudaGraphNode_t allocate = nullptr, fill = nullptr, copy = nullptr, release = nullptr;
  ASSERT_CUDA(cudaGraphAddMemAllocNode(&allocate, graph, nullptr, 0, &parameters));
  ASSERT_NE(parameters.dptr, nullptr);
  const cudaMemsetParams sevens = filling(parameters.dptr, 7, kWords);
  ASSERT_CUDA(cudaGraphAddMemsetNode(&fill, graph, &allocate, 1, &sevens));
  ASSERT_CUDA(cudaGraphAddMemcpyNode1D(&copy, graph, &fill, 1, data, parameters.dptr, kBytes,
                                       cudaMemcpyDeviceToDevice));
  ASSERT_CUDA(cudaGraphAddMemFreeNode(&release, graph, &copy, 1, parameters.dptr));
  cudaMemAllocNodeParams found{};
  ASSERT_CUDA(cudaGraphMemAllocNodeGetParams(allocate, &found));
  EXPECT_EQ(found.dptr, parameters.dptr);
  EXPECT_EQ(found.bytesize, kBytes);
  void* address = nullptr;
  ASSERT_CUDA(cudaGraphMemFreeNodeGetParams(release, &address));
  EXPECT_EQ(address, parameters.dptr);
  const Instance instance(graph);
  for (int i = 0; i < 2; ++i) {
    ASSERT_CUDA(cudaMemset(data, 0, kBytes));
    run(instance);
    EXPECT_EQ(words(kWords), Words(kWords, 7));
  }
  EXPECT_EQ(cudaGraphAddMemFreeNode(&release, graph, &copy, 1, parameters.dptr),
            cudaErrorInvalidValue)
      << "it is freed already";
  EXPECT_EQ(cudaGraphAddMemFreeNode(&release, graph, &copy, 1, data), cudaErrorInvalidValue)
      << "it is not of a graph";
}

TEST_F(GraphNodes, MemoryOfGraphsIsCounted) {
  cudaMemAllocNodeParams parameters = allocating(kBytes);
  cudaGraphNode_t allocate = nullptr, fill = nullptr;
  ASSERT_CUDA(cudaGraphAddMemAllocNode(&allocate, graph, nullptr, 0, &parameters));
  const cudaMemsetParams sevens = filling(parameters.dptr, 7, kWords);
  ASSERT_CUDA(cudaGraphAddMemsetNode(&fill, graph, &allocate, 1, &sevens));
  {
    const Instance instance(graph, cudaGraphInstantiateFlagAutoFreeOnLaunch);
    run(instance);
    run(instance);  // its memory of the first launch is freed before
    ASSERT_CUDA(cudaMemcpy(host, parameters.dptr, kBytes, cudaMemcpyDeviceToHost));
    EXPECT_EQ(host[kWords - 1], 7u) << "it is there after the launch";
    EXPECT_GE(memory_of_graphs(cudaGraphMemAttrUsedMemCurrent), kBytes);
    EXPECT_GE(memory_of_graphs(cudaGraphMemAttrReservedMemCurrent), kBytes);
    ASSERT_CUDA(cudaFree(parameters.dptr));
  }
  const unsigned long long reserved = memory_of_graphs(cudaGraphMemAttrReservedMemCurrent);
  EXPECT_CUDA(cudaDeviceGraphMemTrim(0));
  EXPECT_LE(memory_of_graphs(cudaGraphMemAttrReservedMemCurrent), reserved);
  for (const auto& [most, now] :
       {std::pair(cudaGraphMemAttrUsedMemHigh, cudaGraphMemAttrUsedMemCurrent),
        std::pair(cudaGraphMemAttrReservedMemHigh, cudaGraphMemAttrReservedMemCurrent)}) {
    EXPECT_GE(memory_of_graphs(most), kBytes);
    unsigned long long none = 0;
    EXPECT_CUDA(cudaDeviceSetGraphMemAttribute(0, most, &none));
    EXPECT_LE(memory_of_graphs(most), memory_of_graphs(now));
  }
  EXPECT_EQ(cudaDeviceSetGraphMemAttribute(1000, cudaGraphMemAttrUsedMemHigh, &host[0]),
            cudaErrorInvalidDevice);
}

}  // namespace
}  // namespace warpmark::test
