// Nodes of graphs by parameters of any kind: cudaGraphNodeParams.
#include "cudart/graphs.hpp"

namespace warpmark::test {
namespace {

class GraphParams : public GraphTest {
 protected:
  static cudaGraphNodeParams of(cudaGraphNodeType type) {
    cudaGraphNodeParams parameters{};
    parameters.type = type;
    return parameters;
  }
  static cudaGraphNodeParams fill_of(void* to, unsigned int value) {
    cudaGraphNodeParams parameters = of(cudaGraphNodeTypeMemset);
    parameters.memset.dst = to;
    parameters.memset.value = value;
    parameters.memset.elementSize = 4;
    parameters.memset.width = parameters.memset.height = 1;
    return parameters;
  }
  static cudaGraphNodeParams copy_of(void* to, void* from, size_t bytes) {
    cudaGraphNodeParams parameters = of(cudaGraphNodeTypeMemcpy);
    parameters.memcpy.copyParams.srcPtr = {from, bytes, bytes, 1};
    parameters.memcpy.copyParams.dstPtr = {to, bytes, bytes, 1};
    parameters.memcpy.copyParams.extent = {bytes, 1, 1};
    parameters.memcpy.copyParams.kind = cudaMemcpyDefault;
    return parameters;
  }
  static cudaGraphNodeParams kernel_of(void** arguments, unsigned int threads) {
    cudaGraphNodeParams parameters = of(cudaGraphNodeTypeKernel);
    parameters.kernel.func = reinterpret_cast<void*>(&scale);
    parameters.kernel.gridDim = {1, 1, 1};
    parameters.kernel.blockDim = {threads, 1, 1};
    parameters.kernel.kernelParams = arguments;
    return parameters;
  }
  static cudaGraphNodeParams call_of(int* count) {
    cudaGraphNodeParams parameters = of(cudaGraphNodeTypeHost);
    parameters.host.fn = [](void* user) { ++*static_cast<int*>(user); };
    parameters.host.userData = count;
    return parameters;
  }
  // Each node after the one before.
  cudaGraphNode_t add(cudaGraphNodeParams& parameters) {
    cudaGraphNode_t node = nullptr;
    const cudaGraphEdgeData edge{};
    EXPECT_CUDA(
        cudaGraphAddNode(&node, graph, &last_, &edge, last_ == nullptr ? 0 : 1, &parameters));
    last_ = node;
    cudaGraphNodeType type{};
    EXPECT_CUDA(cudaGraphNodeGetType(node, &type));
    EXPECT_EQ(type, parameters.type);
    return node;
  }
  cudaGraphNode_t add(cudaGraphNodeParams&& parameters) { return add(parameters); }

  // One node of each kind of work, in this order.
  struct Work {
    cudaGraphNode_t fill, kernel, copy, call;
  };
  Work add_work() {
    return {add(fill_of(data, 5)), add(kernel_of(arguments_, 1)), add(copy_of(data + 2, data, 4)),
            add(call_of(&first_))};
  }
  // Each node gets other work by `set`, which is of a graph or of an instance.
  template <typename Set>
  void change(const Work& work, Set set) {
    cudaGraphNodeParams parameters = fill_of(data + 1, 4);
    ASSERT_CUDA(set(work.fill, parameters));
    parameters = kernel_of(arguments_, 2);
    ASSERT_CUDA(set(work.kernel, parameters));
    parameters = copy_of(data + 3, data + 1, 4);
    ASSERT_CUDA(set(work.copy, parameters));
    parameters = call_of(&second_);
    ASSERT_CUDA(set(work.call, parameters));
  }
  void expect_changed() const {
    EXPECT_EQ(words(4), (Words{0, 12, 0, 12}));
    EXPECT_EQ(first_, 0);
    EXPECT_EQ(second_, 1);
  }

 private:
  cudaGraphNode_t last_ = nullptr;
  unsigned int count_ = 2;
  void* arguments_[2] = {&data, &count_};
  int first_ = 0, second_ = 0;  // calls of the host's function before and after the change
};

TEST_F(GraphParams, WorkIsAdded) {
  unsigned int count = 1;
  void* arguments[] = {&data, &count};
  int calls = 0;
  add(fill_of(data, 5));
  add(kernel_of(arguments, 1));
  add(copy_of(data + 1, data, 4));
  add(of(cudaGraphNodeTypeEmpty));
  add(call_of(&calls));
  run(Instance(graph));
  EXPECT_EQ(words(3), (Words{15, 15, 0}));
  EXPECT_EQ(calls, 1);
  cudaGraphNode_t node = nullptr;
  EXPECT_EQ(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, nullptr), cudaErrorInvalidValue);
}

TEST_F(GraphParams, WorkOfANodeIsChanged) {
  const Work work = add_work();
  change(work, [](cudaGraphNode_t node, cudaGraphNodeParams& parameters) {
    return cudaGraphNodeSetParams(node, &parameters);
  });
  run(Instance(graph));
  expect_changed();
  cudaGraphNodeParams copy = copy_of(data, data + 1, 4);
  EXPECT_EQ(cudaGraphNodeSetParams(work.fill, &copy), cudaErrorInvalidValue) << "a fill is no copy";
  EXPECT_EQ(cudaGraphNodeSetParams(work.fill, nullptr), cudaErrorInvalidValue);
}

TEST_F(GraphParams, WorkOfAnInstanceIsChanged) {
  const Work work = add_work();
  const Instance instance(graph);
  change(work, [&](cudaGraphNode_t node, cudaGraphNodeParams& parameters) {
    return cudaGraphExecNodeSetParams(instance.exec, node, &parameters);
  });
  run(instance);
  expect_changed();
  EXPECT_EQ(cudaGraphExecNodeSetParams(instance.exec, work.fill, nullptr), cudaErrorInvalidValue);
}

TEST_F(GraphParams, EventsAreAddedAndChanged) {
  cudaEvent_t first = nullptr, second = nullptr, found = nullptr;
  ASSERT_CUDA(cudaEventCreate(&first));
  ASSERT_CUDA(cudaEventCreate(&second));
  cudaGraphNodeParams wait = of(cudaGraphNodeTypeWaitEvent);
  wait.eventWait.event = first;
  const cudaGraphNode_t waits = add(wait);
  cudaGraphNodeParams record = of(cudaGraphNodeTypeEventRecord);
  record.eventRecord.event = first;
  const cudaGraphNode_t records = add(record);
  wait.eventWait.event = record.eventRecord.event = second;
  ASSERT_CUDA(cudaGraphNodeSetParams(waits, &wait));
  ASSERT_CUDA(cudaGraphNodeSetParams(records, &record));
  ASSERT_CUDA(cudaGraphEventWaitNodeGetEvent(waits, &found));
  EXPECT_EQ(found, second);
  ASSERT_CUDA(cudaGraphEventRecordNodeGetEvent(records, &found));
  EXPECT_EQ(found, second);
  const Instance instance(graph);
  wait.eventWait.event = record.eventRecord.event = first;
  ASSERT_CUDA(cudaGraphExecNodeSetParams(instance.exec, waits, &wait));
  ASSERT_CUDA(cudaGraphExecNodeSetParams(instance.exec, records, &record));
  run(instance);
  float milliseconds = 0;
  EXPECT_CUDA(cudaEventElapsedTime(&milliseconds, first, first));
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, second, second), cudaErrorInvalidResourceHandle)
      << "the instance does not record it";
  EXPECT_CUDA(cudaEventDestroy(first));
  EXPECT_CUDA(cudaEventDestroy(second));
}

TEST_F(GraphParams, ChildrenAreAddedAndChanged) {
  cudaGraphNodeParams parameters = of(cudaGraphNodeTypeGraph);
  ASSERT_CUDA(cudaGraphCreate(&parameters.graph.graph, 0));
  const cudaGraph_t child = parameters.graph.graph;
  const cudaGraphNode_t fill = add_fill(child, 1);
  const cudaGraphNode_t node = add(parameters);
  const Instance instance(graph);
  run(instance);
  EXPECT_EQ(word(), 1u);
  cudaGraphNodeParams other = fill_of(data, 2);
  ASSERT_CUDA(cudaGraphNodeSetParams(fill, &other));
  parameters = of(cudaGraphNodeTypeGraph);
  parameters.graph.graph = child;
  const cudaError_t result = cudaGraphExecNodeSetParams(instance.exec, node, &parameters);
  EXPECT_CUDA(cudaGraphDestroy(child));
  if (result == cudaErrorNotSupported) GTEST_SKIP() << "the driver changes no child of an instance";
  ASSERT_CUDA(result);
  run(instance);
  EXPECT_EQ(word(), 2u);
}

TEST_F(GraphParams, MemoryIsAddedAndStays) {
  cudaGraphNodeParams parameters = of(cudaGraphNodeTypeMemAlloc);
  parameters.alloc.poolProps.allocType = cudaMemAllocationTypePinned;
  parameters.alloc.poolProps.location = {cudaMemLocationTypeDevice, 0};
  parameters.alloc.bytesize = kBytes;
  const cudaGraphNode_t allocate = add(parameters);
  void* const memory = parameters.alloc.dptr;
  ASSERT_NE(memory, nullptr);
  add(fill_of(memory, 6));
  add(copy_of(data, memory, 4));
  cudaGraphNodeParams release = of(cudaGraphNodeTypeMemFree);
  release.free.dptr = memory;
  add(release);
  const Instance instance(graph);
  run(instance);
  EXPECT_EQ(word(), 6u);
  EXPECT_NE(cudaGraphNodeSetParams(allocate, &parameters), cudaSuccess);
  EXPECT_NE(cudaGraphExecNodeSetParams(instance.exec, allocate, &parameters), cudaSuccess);
}

TEST_F(GraphParams, AConditionChoosesABody) {
  for (const unsigned int value : {0u, 1u}) {
    cudaGraph_t chooses = nullptr;
    ASSERT_CUDA(cudaGraphCreate(&chooses, 0));
    cudaGraphNodeParams parameters = of(cudaGraphNodeTypeConditional);
    ASSERT_CUDA(cudaGraphConditionalHandleCreate(&parameters.conditional.handle, chooses, value,
                                                 cudaGraphCondAssignDefault));
    parameters.conditional.type = cudaGraphCondTypeIf;
    parameters.conditional.size = 1;
    cudaGraphNode_t node = nullptr;
    ASSERT_CUDA(cudaGraphAddNode(&node, chooses, nullptr, nullptr, 0, &parameters));
    ASSERT_NE(parameters.conditional.phGraph_out, nullptr);
    add_fill(parameters.conditional.phGraph_out[0], 8);
    run(Instance(chooses));
    EXPECT_EQ(word(), 8 * value);
    EXPECT_CUDA(cudaGraphDestroy(chooses));
  }
  cudaGraphConditionalHandle handle = 0;
  EXPECT_EQ(cudaGraphConditionalHandleCreate(&handle, graph, 0, 2), cudaErrorInvalidValue)
      << "there is no such flag";
}

}  // namespace
}  // namespace warpmark::test
