// Graphs as a whole: their structure, instances and updates, events, children.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "cudart/graphs.hpp"

namespace warpmark::test {
namespace {

class Graphs : public GraphTest {
 protected:
  static cudaEvent_t make_event() {
    cudaEvent_t event = nullptr;
    EXPECT_CUDA(cudaEventCreate(&event));
    return event;
  }
  static cudaError_t recorded(cudaEvent_t event) {
    float milliseconds = 0;
    return cudaEventElapsedTime(&milliseconds, event, event);
  }
};

TEST_F(Graphs, NodesAndRootsAreListed) {
  const cudaGraphNode_t first = add_empty(graph), second = add_empty(graph);
  const cudaGraphNode_t last = add_empty(graph, {first, second});
  size_t count = 0;
  ASSERT_CUDA(cudaGraphGetNodes(graph, nullptr, &count));
  ASSERT_EQ(count, 3u);
  cudaGraphNode_t nodes[4] = {first, first, first, first};
  count = 4;
  ASSERT_CUDA(cudaGraphGetNodes(graph, nodes, &count));
  EXPECT_EQ(count, 3u);
  EXPECT_EQ(Nodes(nodes, nodes + 3), (Nodes{first, second, last}));
  EXPECT_EQ(nodes[3], nullptr) << "there is no fourth node";
  ASSERT_CUDA(cudaGraphGetRootNodes(graph, nullptr, &count));
  ASSERT_EQ(count, 2u);
  ASSERT_CUDA(cudaGraphGetRootNodes(graph, nodes, &count));
  EXPECT_EQ(Nodes(nodes, nodes + 2), (Nodes{first, second}));
  EXPECT_EQ(cudaGraphGetNodes(graph, nodes, nullptr), cudaErrorInvalidValue);
}

TEST_F(Graphs, EdgesAreListedFromBothEnds) {
  const cudaGraphNode_t first = add_empty(graph), second = add_empty(graph);
  const cudaGraphNode_t last = add_empty(graph, {first, second});
  cudaGraphNode_t from[3] = {last, last, last}, to[3] = {last, last, last};
  cudaGraphEdgeData edges[3] = {};
  size_t count = 0;
  ASSERT_CUDA(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &count));
  EXPECT_EQ(count, 2u);
  count = 3;
  ASSERT_CUDA(cudaGraphGetEdges(graph, from, to, edges, &count));
  ASSERT_EQ(count, 2u);
  EXPECT_EQ(Nodes(from, from + 2), (Nodes{first, second}));
  EXPECT_EQ(Nodes(to, to + 2), Nodes{last});
  EXPECT_EQ(from[2], nullptr);
  EXPECT_EQ(edges[0].type, cudaGraphDependencyTypeDefault);
  count = 3;
  ASSERT_CUDA(cudaGraphNodeGetDependencies(last, from, edges, &count));
  ASSERT_EQ(count, 2u);
  EXPECT_EQ(Nodes(from, from + 2), (Nodes{first, second}));
  count = 3;
  ASSERT_CUDA(cudaGraphNodeGetDependentNodes(second, to, edges, &count));
  ASSERT_EQ(count, 1u);
  EXPECT_EQ(to[0], last);
}

TEST_F(Graphs, EdgesAreAddedAndRemoved) {
  const cudaGraphNode_t first = add_empty(graph), second = add_empty(graph);
  ASSERT_CUDA(cudaGraphAddDependencies(graph, &first, &second, nullptr, 1));
  EXPECT_EQ(cudaGraphAddDependencies(graph, &first, &second, nullptr, 1), cudaErrorInvalidValue)
      << "it is there already";
  size_t count = 0;
  ASSERT_CUDA(cudaGraphNodeGetDependencies(second, nullptr, nullptr, &count));
  EXPECT_EQ(count, 1u);
  const cudaGraphEdgeData edge{};
  ASSERT_CUDA(cudaGraphRemoveDependencies(graph, &first, &second, &edge, 1));
  ASSERT_CUDA(cudaGraphNodeGetDependencies(second, nullptr, nullptr, &count));
  EXPECT_EQ(count, 0u);
  EXPECT_EQ(cudaGraphRemoveDependencies(graph, &first, &second, nullptr, 1), cudaErrorInvalidValue);
}

TEST_F(Graphs, ADestroyedNodeTakesItsEdgesWithIt) {
  const cudaGraphNode_t first = add_fill(graph, 1), second = add_fill(graph, 2, {first});
  const cudaGraphNode_t last = add_empty(graph, {second});
  ASSERT_CUDA(cudaGraphDestroyNode(second));
  EXPECT_EQ(count_of(graph), 2u);
  size_t count = 1;
  ASSERT_CUDA(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &count));
  EXPECT_EQ(count, 0u);
  ASSERT_CUDA(cudaGraphNodeGetDependencies(last, nullptr, nullptr, &count));
  EXPECT_EQ(count, 0u);
  run(Instance(graph));
  EXPECT_EQ(word(), 1u);
}

TEST_F(Graphs, ACloneIsIndependentAndHasTheSameNodes) {
  const cudaGraphNode_t first = add_fill(graph, 1), second = add_fill(graph, 2, {first});
  cudaGraph_t clone = nullptr;
  ASSERT_CUDA(cudaGraphClone(&clone, graph));
  const cudaGraphNode_t later = add_fill(graph, 3, {second});
  EXPECT_EQ(count_of(clone), 2u);
  cudaGraphNode_t twin = nullptr, before = nullptr;
  ASSERT_CUDA(cudaGraphNodeFindInClone(&twin, first, clone));
  EXPECT_NE(twin, first);
  EXPECT_EQ(type_of(twin), cudaGraphNodeTypeMemset);
  cudaGraphNode_t second_twin = nullptr;
  ASSERT_CUDA(cudaGraphNodeFindInClone(&second_twin, second, clone));
  size_t count = 1;
  ASSERT_CUDA(cudaGraphNodeGetDependencies(second_twin, &before, nullptr, &count));
  EXPECT_EQ(before, twin);
  EXPECT_EQ(cudaGraphNodeFindInClone(&twin, later, clone), cudaErrorInvalidValue);
  run(Instance(clone));
  EXPECT_EQ(word(), 2u);
  run(Instance(graph));
  EXPECT_EQ(word(), 3u);
  EXPECT_CUDA(cudaGraphDestroy(clone));
}

TEST_F(Graphs, AnInstanceOutlivesItsGraph) {
  add_fill(graph, 4);
  const Instance instance(graph);
  ASSERT_CUDA(cudaGraphDestroy(graph));
  ASSERT_CUDA(cudaGraphCreate(&graph, 0));
  ASSERT_CUDA(cudaGraphUpload(instance.exec, stream));
  ASSERT_CUDA(cudaStreamSynchronize(stream));
  EXPECT_EQ(word(), 0u) << "an upload executes nothing";
  run(instance);
  EXPECT_EQ(word(), 4u);
}

TEST_F(Graphs, NodesAreSwitchedOffAndOn) {
  const cudaGraphNode_t first = add_fill(graph, 1), second = add_fill(graph, 2, {first});
  const cudaGraphNode_t empty = add_empty(graph);
  const Instance instance(graph);
  unsigned int enabled = 0;
  ASSERT_CUDA(cudaGraphNodeGetEnabled(instance.exec, second, &enabled));
  EXPECT_EQ(enabled, 1u);
  ASSERT_CUDA(cudaGraphNodeSetEnabled(instance.exec, second, 0));
  ASSERT_CUDA(cudaGraphNodeGetEnabled(instance.exec, second, &enabled));
  EXPECT_EQ(enabled, 0u);
  run(instance);
  EXPECT_EQ(word(), 1u);
  ASSERT_CUDA(cudaGraphNodeSetEnabled(instance.exec, second, 1));
  run(instance);
  EXPECT_EQ(word(), 2u);
  EXPECT_EQ(cudaGraphNodeSetEnabled(instance.exec, empty, 0), cudaErrorInvalidValue)
      << "only kernels, copies and fills";
}

TEST_F(Graphs, AnInstanceKnowsItsFlags) {
  add_fill(graph, 5);
  unsigned long long flags = 1;
  const Instance plain(graph);
  ASSERT_CUDA(cudaGraphExecGetFlags(plain.exec, &flags));
  EXPECT_EQ(flags, 0u);
  cudaGraphInstantiateParams parameters{};
  parameters.flags = cudaGraphInstantiateFlagUseNodePriority | cudaGraphInstantiateFlagUpload;
  parameters.uploadStream = stream;
  parameters.result_out = cudaGraphInstantiateError;
  cudaGraphExec_t exec = nullptr;
  ASSERT_CUDA(cudaGraphInstantiateWithParams(&exec, graph, &parameters));
  EXPECT_EQ(parameters.result_out, cudaGraphInstantiateSuccess);
  EXPECT_EQ(parameters.errNode_out, nullptr);
  ASSERT_CUDA(cudaGraphExecGetFlags(exec, &flags));
  EXPECT_EQ(flags, 0u) << "an H200 tells of neither";
  run(exec);
  EXPECT_EQ(word(), 5u);
  EXPECT_CUDA(cudaGraphExecDestroy(exec));
  const Instance freeing(graph, cudaGraphInstantiateFlagAutoFreeOnLaunch);
  ASSERT_CUDA(cudaGraphExecGetFlags(freeing.exec, &flags));
  EXPECT_EQ(flags, static_cast<unsigned long long>(cudaGraphInstantiateFlagAutoFreeOnLaunch));
  EXPECT_EQ(cudaGraphInstantiateWithFlags(&exec, graph, cudaGraphInstantiateFlagUpload),
            cudaErrorInvalidValue)
      << "to which stream?";
}

TEST_F(Graphs, AnInstanceTakesOverAGraphOfTheSameShape) {
  add_fill(graph, 1);
  const Instance instance(graph);
  cudaGraph_t other = nullptr;
  ASSERT_CUDA(cudaGraphCreate(&other, 0));
  const cudaGraphNode_t node = add_fill(other, 2);
  cudaGraphExecUpdateResultInfo info{cudaGraphExecUpdateError, node, node};
  ASSERT_CUDA(cudaGraphExecUpdate(instance.exec, other, &info));
  EXPECT_EQ(info.result, cudaGraphExecUpdateSuccess);
  run(instance);
  EXPECT_EQ(word(), 2u);
  add_empty(other, {node});
  EXPECT_EQ(cudaGraphExecUpdate(instance.exec, other, &info), cudaErrorGraphExecUpdateFailure);
  EXPECT_EQ(info.result, cudaGraphExecUpdateErrorTopologyChanged);
  EXPECT_EQ(info.errorNode, nullptr) << "the numbers of nodes differ";
  EXPECT_CUDA(cudaGraphDestroy(other));
  ASSERT_CUDA(cudaGraphCreate(&other, 0));
  const cudaGraphNode_t empty = add_empty(other);
  EXPECT_EQ(cudaGraphExecUpdate(instance.exec, other, &info), cudaErrorGraphExecUpdateFailure);
  EXPECT_EQ(info.result, cudaGraphExecUpdateErrorNodeTypeChanged);
  EXPECT_EQ(info.errorNode, empty);
  run(instance);
  EXPECT_EQ(word(), 2u) << "as before";
  EXPECT_CUDA(cudaGraphDestroy(other));
}

TEST_F(Graphs, EventsAreRecordedByNodes) {
  const cudaEvent_t first = make_event(), second = make_event(), third = make_event();
  cudaGraphNode_t node = nullptr;
  ASSERT_CUDA(cudaGraphAddEventRecordNode(&node, graph, nullptr, 0, first));
  EXPECT_EQ(type_of(node), cudaGraphNodeTypeEventRecord);
  cudaEvent_t found = nullptr;
  ASSERT_CUDA(cudaGraphEventRecordNodeGetEvent(node, &found));
  EXPECT_EQ(found, first);
  ASSERT_CUDA(cudaGraphEventRecordNodeSetEvent(node, second));
  ASSERT_CUDA(cudaGraphEventRecordNodeGetEvent(node, &found));
  EXPECT_EQ(found, second);
  const Instance instance(graph);
  run(instance);
  EXPECT_EQ(recorded(first), cudaErrorInvalidResourceHandle);
  EXPECT_CUDA(recorded(second));
  ASSERT_CUDA(cudaGraphExecEventRecordNodeSetEvent(instance.exec, node, third));
  EXPECT_EQ(recorded(third), cudaErrorInvalidResourceHandle);
  run(instance);
  EXPECT_CUDA(recorded(third));
  ASSERT_CUDA(cudaGraphEventRecordNodeGetEvent(node, &found));
  EXPECT_EQ(found, second) << "only the instance has another";
  EXPECT_EQ(cudaGraphEventWaitNodeGetEvent(node, &found), cudaErrorInvalidValue);
  for (const cudaEvent_t event : {first, second, third}) EXPECT_CUDA(cudaEventDestroy(event));
}

TEST_F(Graphs, EventsAreAwaitedByNodes) {
  const cudaEvent_t first = make_event(), second = make_event();
  cudaStream_t other = nullptr;
  ASSERT_CUDA(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  cudaGraphNode_t node = nullptr, copy = nullptr;
  ASSERT_CUDA(cudaGraphAddEventWaitNode(&node, graph, nullptr, 0, second));
  EXPECT_EQ(type_of(node), cudaGraphNodeTypeWaitEvent);
  ASSERT_CUDA(cudaGraphEventWaitNodeSetEvent(node, first));
  cudaEvent_t found = nullptr;
  ASSERT_CUDA(cudaGraphEventWaitNodeGetEvent(node, &found));
  EXPECT_EQ(found, first);
  ASSERT_CUDA(
      cudaGraphAddMemcpyNode1D(&copy, graph, &node, 1, host, data, 4, cudaMemcpyDeviceToHost));
  const Instance instance(graph);
  ASSERT_CUDA(cudaMemsetAsync(data, 1, 4, other));
  ASSERT_CUDA(cudaEventRecord(first, other));
  run(instance);
  EXPECT_EQ(host[0], 0x01010101u);
  ASSERT_CUDA(cudaGraphExecEventWaitNodeSetEvent(instance.exec, node, second));
  ASSERT_CUDA(cudaMemsetAsync(data, 2, 4, other));
  ASSERT_CUDA(cudaEventRecord(second, other));
  run(instance);
  EXPECT_EQ(host[0], 0x02020202u);
  EXPECT_EQ(cudaGraphAddEventWaitNode(nullptr, graph, nullptr, 0, first), cudaErrorInvalidValue);
  for (const cudaEvent_t event : {first, second}) EXPECT_CUDA(cudaEventDestroy(event));
  EXPECT_CUDA(cudaStreamDestroy(other));
}

TEST_F(Graphs, AChildGraphIsCopiedIntoItsNode) {
  cudaGraph_t child = nullptr, embedded = nullptr;
  ASSERT_CUDA(cudaGraphCreate(&child, 0));
  const cudaGraphNode_t fill = add_fill(child, 1);
  const cudaGraphNode_t before = add_fill(graph, 9);
  cudaGraphNode_t node = nullptr;
  ASSERT_CUDA(cudaGraphAddChildGraphNode(&node, graph, &before, 1, child));
  EXPECT_EQ(type_of(node), cudaGraphNodeTypeGraph);
  ASSERT_CUDA(cudaGraphChildGraphNodeGetGraph(node, &embedded));
  EXPECT_NE(embedded, child);
  const cudaMemsetParams parameters = filling(data, 2);
  ASSERT_CUDA(cudaGraphMemsetNodeSetParams(fill, &parameters));
  run(Instance(graph));
  EXPECT_EQ(word(), 1u) << "the node does not see what its original became";
  cudaGraphNode_t inner = nullptr;
  size_t count = 1;
  ASSERT_CUDA(cudaGraphGetNodes(embedded, &inner, &count));
  add_fill(embedded, 3, {inner});
  run(Instance(graph));
  EXPECT_EQ(word(), 3u) << "the embedded graph is the node's";
  EXPECT_CUDA(cudaGraphDestroy(child));
}

TEST_F(Graphs, AnInstanceTakesOverAChildOfTheSameShape) {
  cudaGraph_t child = nullptr;
  ASSERT_CUDA(cudaGraphCreate(&child, 0));
  const cudaGraphNode_t fill = add_fill(child, 1);
  const cudaGraphNode_t before = add_fill(graph, 9);
  cudaGraphNode_t node = nullptr;
  ASSERT_CUDA(cudaGraphAddChildGraphNode(&node, graph, &before, 1, child));
  const Instance instance(graph);
  const cudaMemsetParams parameters = filling(data, 2);
  ASSERT_CUDA(cudaGraphMemsetNodeSetParams(fill, &parameters));
  const cudaError_t result = cudaGraphExecChildGraphNodeSetParams(instance.exec, node, child);
  if (result == cudaErrorNotSupported) {
    EXPECT_CUDA(cudaGraphDestroy(child));
    GTEST_SKIP() << "the driver changes no child of an instance";
  }
  ASSERT_CUDA(result);
  run(instance);
  EXPECT_EQ(word(), 2u);
  run(Instance(graph));
  EXPECT_EQ(word(), 1u) << "the node is as it was";
  add_empty(child, {fill});
  EXPECT_NE(cudaGraphExecChildGraphNodeSetParams(instance.exec, node, child), cudaSuccess)
      << "it has another shape";
  EXPECT_CUDA(cudaGraphDestroy(child));
}

TEST_F(Graphs, APictureIsWritten) {
  cudaKernelNodeParams kernel{};
  unsigned int count = 1;
  void* arguments[] = {&data, &count};
  kernel.func = reinterpret_cast<void*>(&scale);
  kernel.gridDim = kernel.blockDim = {1};
  kernel.kernelParams = arguments;
  cudaGraphNode_t node = nullptr;
  ASSERT_CUDA(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &kernel));
  const std::string path = ::testing::TempDir() + "warpmark_graph_test.dot";
  ASSERT_CUDA(cudaGraphDebugDotPrint(graph, path.c_str(), cudaGraphDebugDotFlagsVerbose));
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_NE(text.find("digraph"), std::string::npos) << text;
  EXPECT_NE(text.find("scale"), std::string::npos) << "kernels are named: " << text;
  EXPECT_EQ(std::remove(path.c_str()), 0);
  EXPECT_EQ(cudaGraphDebugDotPrint(graph, nullptr, 0), cudaErrorInvalidValue);
}

}  // namespace
}  // namespace warpmark::test
