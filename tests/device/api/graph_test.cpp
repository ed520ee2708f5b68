// CUDA graphs, made by nodes and by capture.
#include "device/api/graphs.hpp"

#include <fstream>
#include <iterator>

namespace warpmark::test {
namespace {

TEST_F(Graphs, NodesRunInOrderOfDependencies) {
  CUgraph graph = nullptr;
  ASSERT_CU(CALL(cuGraphCreate)(&graph, 0));
  Array<std::int32_t> data({7, 7});
  std::uint32_t n = 2, factor = 3;
  // The nodes are added last to first, so that a launch in the order of adding would be wrong.
  CUgraphNode scaled = nullptr, filled = nullptr, host = nullptr, copied = nullptr;
  const CUDA_KERNEL_NODE_PARAMS kernel = scale_by(data.address, n, factor);
  ASSERT_CU(CALL(cuGraphAddKernelNode_v2)(&scaled, graph, nullptr, 0, &kernel));
  const CUDA_MEMSET_NODE_PARAMS fill = fill_with(data.address, 5, 2);
  ASSERT_CU(CALL(cuGraphAddMemsetNode)(&filled, graph, nullptr, 0, &fill, context_));
  const auto depend =
      api().find<CUresult(CUgraph, const CUgraphNode*, const CUgraphNode*, std::size_t)>(
          "cuGraphAddDependencies");
  ASSERT_CU(depend(graph, &filled, &scaled, 1));
  int calls = 0;
  const CUDA_HOST_NODE_PARAMS call{count_up, &calls};
  ASSERT_CU(CALL(cuGraphAddHostNode)(&host, graph, &scaled, 1, &call));
  std::int32_t result[2] = {};
  CUDA_MEMCPY3D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = data.address;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = result;
  copy.WidthInBytes = sizeof result;
  copy.Height = copy.Depth = 1;
  ASSERT_CU(CALL(cuGraphAddMemcpyNode)(&copied, graph, &host, 1, &copy, context_));

  CUgraphExec exec = nullptr;
  ASSERT_CU(CALL(cuGraphInstantiateWithFlags)(&exec, graph, 0));
  ASSERT_CU(CALL(cuGraphLaunch)(exec, stream_));
  ASSERT_CU(CALL(cuGraphLaunch)(exec, nullptr));
  ASSERT_CU(api().stream_synchronize(stream_));
  EXPECT_THAT(result, ::testing::ElementsAre(15, 15));
  EXPECT_EQ(calls, 2);

  // The executable has its own copy of the parameters; setting them changes only that copy.
  factor = 4;
  ASSERT_CU(CALL(cuGraphLaunch)(exec, stream_));
  EXPECT_EQ(result[0], 15);
  ASSERT_CU(CALL(cuGraphExecKernelNodeSetParams_v2)(exec, scaled, &kernel));
  ASSERT_CU(CALL(cuGraphLaunch)(exec, stream_));
  EXPECT_EQ(result[0], 20);
  CUDA_KERNEL_NODE_PARAMS read{};
  ASSERT_CU(CALL(cuGraphKernelNodeGetParams_v2)(scaled, &read));
  EXPECT_EQ(read.func, scale_);
  EXPECT_EQ(*static_cast<std::uint32_t*>(read.kernelParams[2]), 3u) << "the graph's own";
  ASSERT_CU(CALL(cuGraphNodeSetEnabled)(exec, scaled, 0));
  ASSERT_CU(CALL(cuGraphLaunch)(exec, stream_));
  EXPECT_EQ(result[0], 5);
  EXPECT_EQ(CALL(cuGraphNodeSetEnabled)(exec, host, 0), CUDA_ERROR_INVALID_VALUE);

  // An executable outlives its graph.
  ASSERT_CU(CALL(cuGraphDestroy)(graph));
  ASSERT_CU(CALL(cuGraphLaunch)(exec, stream_));
  ASSERT_CU(CALL(cuGraphExecDestroy)(exec));
  EXPECT_EQ(CALL(cuGraphLaunch)(exec, stream_), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(CALL(cuGraphDestroy)(graph), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(CALL(cuGraphDestroyNode)(scaled), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Graphs, StructureCanBeAskedForAndChanged) {
  CUgraph graph = nullptr;
  ASSERT_CU(CALL(cuGraphCreate)(&graph, 0));
  CUgraphNode a = nullptr, b = nullptr, c = nullptr;
  ASSERT_CU(CALL(cuGraphAddEmptyNode)(&a, graph, nullptr, 0));
  ASSERT_CU(CALL(cuGraphAddEmptyNode)(&b, graph, &a, 1));
  const CUgraphNode both[] = {a, b};
  ASSERT_CU(CALL(cuGraphAddEmptyNode)(&c, graph, both, 2));
  std::size_t count = 0;
  ASSERT_CU(CALL(cuGraphGetNodes)(graph, nullptr, &count));
  EXPECT_EQ(count, 3u);
  std::vector<CUgraphNode> nodes(5);
  count = nodes.size();
  ASSERT_CU(CALL(cuGraphGetNodes)(graph, nodes.data(), &count));
  EXPECT_EQ(count, 3u);
  EXPECT_THAT(nodes, ::testing::ElementsAre(a, b, c, nullptr, nullptr));
  CUgraphNode root = nullptr;
  count = 1;
  ASSERT_CU(CALL(cuGraphGetRootNodes)(graph, &root, &count));
  EXPECT_EQ(root, a);
  std::vector<CUgraphNode> from(3), to(3);
  const auto edges =
      api().find<CUresult(CUgraph, CUgraphNode*, CUgraphNode*, std::size_t*)>("cuGraphGetEdges");
  count = 3;
  ASSERT_CU(edges(graph, from.data(), to.data(), &count));
  EXPECT_THAT(from, ::testing::UnorderedElementsAre(a, a, b));
  EXPECT_THAT(to, ::testing::UnorderedElementsAre(b, c, c));
  const auto add =
      api().find<CUresult(CUgraph, const CUgraphNode*, const CUgraphNode*, std::size_t)>(
          "cuGraphAddDependencies");
  const auto remove =
      api().find<CUresult(CUgraph, const CUgraphNode*, const CUgraphNode*, std::size_t)>(
          "cuGraphRemoveDependencies");
  EXPECT_EQ(add(graph, &a, &b, 1), CUDA_ERROR_INVALID_VALUE) << "is there already";
  EXPECT_EQ(add(graph, &a, &a, 1), CUDA_ERROR_INVALID_VALUE);
  ASSERT_CU(remove(graph, &a, &c, 1));
  EXPECT_EQ(remove(graph, &a, &c, 1), CUDA_ERROR_INVALID_VALUE);

  CUgraph clone = nullptr;
  CUgraphNode twin = nullptr;
  ASSERT_CU(CALL(cuGraphClone)(&clone, graph));
  ASSERT_CU(CALL(cuGraphNodeFindInClone)(&twin, b, clone));
  EXPECT_NE(twin, b);
  EXPECT_EQ(CALL(cuGraphNodeFindInClone)(&twin, twin, clone), CUDA_ERROR_INVALID_VALUE);

  ASSERT_CU(add(graph, &c, &a, 1));  // a cycle is found when it matters
  CUgraphExec exec = nullptr;
  EXPECT_EQ(CALL(cuGraphInstantiateWithFlags)(&exec, graph, 0), CUDA_ERROR_INVALID_VALUE);
  ASSERT_CU(CALL(cuGraphDestroyNode)(b));
  ASSERT_CU(CALL(cuGraphInstantiateWithFlags)(&exec, graph, 0));
  ASSERT_CU(CALL(cuGraphExecDestroy)(exec));
  ASSERT_CU(CALL(cuGraphDestroy)(clone));
  ASSERT_CU(CALL(cuGraphDestroy)(graph));
}

TEST_F(Graphs, ChildGraphsAreCopies) {
  Array<std::int32_t> data({1, 1});
  CUgraph inner = nullptr, outer = nullptr, held = nullptr;
  CUgraphNode fill = nullptr, child = nullptr, kernel = nullptr;
  ASSERT_CU(CALL(cuGraphCreate)(&inner, 0));
  ASSERT_CU(CALL(cuGraphCreate)(&outer, 0));
  CUDA_MEMSET_NODE_PARAMS five = fill_with(data.address, 5, 2);
  ASSERT_CU(CALL(cuGraphAddMemsetNode)(&fill, inner, nullptr, 0, &five, context_));
  ASSERT_CU(CALL(cuGraphAddChildGraphNode)(&child, outer, nullptr, 0, inner));
  std::uint32_t n = 2, factor = 10;
  const CUDA_KERNEL_NODE_PARAMS scale = scale_by(data.address, n, factor);
  ASSERT_CU(CALL(cuGraphAddKernelNode_v2)(&kernel, outer, &child, 1, &scale));
  ASSERT_CU(CALL(cuGraphChildGraphNodeGetGraph)(child, &held));
  EXPECT_NE(held, inner);
  EXPECT_EQ(CALL(cuGraphDestroy)(held), CUDA_ERROR_INVALID_VALUE) << "it is the node's";
  ASSERT_CU(CALL(cuGraphDestroy)(inner));
  CUgraphExec exec = nullptr;
  ASSERT_CU(CALL(cuGraphInstantiateWithFlags)(&exec, outer, 0));
  ASSERT_CU(CALL(cuGraphLaunch)(exec, stream_));
  ASSERT_CU(data.fetch());
  EXPECT_THAT(data.host, ::testing::ElementsAre(50, 50));
  ASSERT_CU(CALL(cuGraphExecDestroy)(exec));
  ASSERT_CU(CALL(cuGraphDestroy)(outer));
}

TEST_F(Graphs, UpdateWantsTheSameShape) {
  Array<std::int32_t> data({0, 0});
  CUgraph one = nullptr, two = nullptr;
  CUgraphNode node = nullptr;
  ASSERT_CU(CALL(cuGraphCreate)(&one, 0));
  ASSERT_CU(CALL(cuGraphCreate)(&two, 0));
  CUDA_MEMSET_NODE_PARAMS fill = fill_with(data.address, 1, 2);
  ASSERT_CU(CALL(cuGraphAddMemsetNode)(&node, one, nullptr, 0, &fill, context_));
  fill.value = 9;
  ASSERT_CU(CALL(cuGraphAddMemsetNode)(&node, two, nullptr, 0, &fill, context_));
  CUgraphExec exec = nullptr;
  ASSERT_CU(CALL(cuGraphInstantiateWithFlags)(&exec, one, 0));
  CUgraphExecUpdateResultInfo info{};
  ASSERT_CU(CALL(cuGraphExecUpdate_v2)(exec, two, &info));
  ASSERT_CU(CALL(cuGraphLaunch)(exec, stream_));
  ASSERT_CU(data.fetch());
  EXPECT_EQ(data.host[0], 9);
  CUgraphNode more = nullptr;
  ASSERT_CU(CALL(cuGraphAddEmptyNode)(&more, two, &node, 1));
  EXPECT_EQ(CALL(cuGraphExecUpdate_v2)(exec, two, &info), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  EXPECT_EQ(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
  ASSERT_CU(CALL(cuGraphExecDestroy)(exec));
  ASSERT_CU(CALL(cuGraphDestroy)(one));
  ASSERT_CU(CALL(cuGraphDestroy)(two));
}

TEST_F(Graphs, ACaptureRecordsAndDoesNothing) {
  Array<std::int32_t> data({1, 2});
  ASSERT_CU(CALL(cuStreamBeginCapture)(stream_, CU_STREAM_CAPTURE_MODE_GLOBAL));
  CUstreamCaptureStatus status{};
  ASSERT_CU(CALL(cuStreamIsCapturing)(stream_, &status));
  EXPECT_EQ(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  ASSERT_CU(add_one_async(data.address, stream_));
  ASSERT_CU(CALL(cuMemsetD32Async)(data.address, 7, 1, stream_));
  std::int32_t result[2] = {};
  ASSERT_CU(api().to_host_async(result, data.address, 8, stream_));
  int calls = 0;
  ASSERT_CU(CALL(cuLaunchHostFunc)(stream_, count_up, &calls));
  CUgraph graph = nullptr;
  ASSERT_CU(CALL(cuStreamEndCapture)(stream_, &graph));
  ASSERT_CU(data.fetch());
  EXPECT_THAT(data.host, ::testing::ElementsAre(1, 2));
  EXPECT_EQ(calls, 0);
  std::size_t count = 0;
  ASSERT_CU(CALL(cuGraphGetNodes)(graph, nullptr, &count));
  EXPECT_EQ(count, 4u);
  CUgraphExec exec = nullptr;
  ASSERT_CU(CALL(cuGraphInstantiateWithFlags)(&exec, graph, 0));
  ASSERT_CU(CALL(cuGraphLaunch)(exec, stream_));
  EXPECT_THAT(result, ::testing::ElementsAre(7, 3));
  EXPECT_EQ(calls, 1);
  ASSERT_CU(CALL(cuGraphExecDestroy)(exec));
  ASSERT_CU(CALL(cuGraphDestroy)(graph));
  EXPECT_EQ(CALL(cuStreamEndCapture)(stream_, &graph), CUDA_ERROR_ILLEGAL_STATE);
}

TEST_F(Graphs, EventsForkAndJoinACapture) {
  Array<std::int32_t> data({1, 2}), other({10, 20});
  CUstream second = nullptr;
  CUevent fork = nullptr, join = nullptr;
  ASSERT_CU(api().stream_create(&second, CU_STREAM_NON_BLOCKING));
  ASSERT_CU(api().event_create(&fork, CU_EVENT_DISABLE_TIMING));
  ASSERT_CU(api().event_create(&join, CU_EVENT_DISABLE_TIMING));
  ASSERT_CU(CALL(cuStreamBeginCapture)(stream_, CU_STREAM_CAPTURE_MODE_RELAXED));
  ASSERT_CU(add_one_async(data.address, stream_));
  ASSERT_CU(api().event_record(fork, stream_));
  ASSERT_CU(CALL(cuStreamWaitEvent)(second, fork, 0));
  ASSERT_CU(add_one_async(other.address, second));
  EXPECT_EQ(CALL(cuEventQuery)(fork), CUDA_ERROR_CAPTURED_EVENT);
  CUgraph graph = nullptr;
  EXPECT_EQ(CALL(cuStreamEndCapture)(second, &graph), CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
  EXPECT_EQ(CALL(cuStreamEndCapture)(stream_, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED)
      << "the query spoiled it";

  ASSERT_CU(CALL(cuStreamBeginCapture)(stream_, CU_STREAM_CAPTURE_MODE_RELAXED));
  ASSERT_CU(add_one_async(data.address, stream_));
  ASSERT_CU(api().event_record(fork, stream_));
  ASSERT_CU(CALL(cuStreamWaitEvent)(second, fork, 0));
  ASSERT_CU(add_one_async(other.address, second));
  EXPECT_EQ(CALL(cuStreamEndCapture)(stream_, &graph), CUDA_ERROR_STREAM_CAPTURE_UNJOINED);

  ASSERT_CU(CALL(cuStreamBeginCapture)(stream_, CU_STREAM_CAPTURE_MODE_RELAXED));
  ASSERT_CU(add_one_async(data.address, stream_));
  ASSERT_CU(api().event_record(fork, stream_));
  ASSERT_CU(CALL(cuStreamWaitEvent)(second, fork, 0));
  ASSERT_CU(add_one_async(other.address, second));
  ASSERT_CU(api().event_record(join, second));
  ASSERT_CU(CALL(cuStreamWaitEvent)(stream_, join, 0));
  ASSERT_CU(CALL(cuStreamEndCapture)(stream_, &graph));
  CUgraphExec exec = nullptr;
  ASSERT_CU(CALL(cuGraphInstantiateWithFlags)(&exec, graph, 0));
  ASSERT_CU(CALL(cuGraphLaunch)(exec, nullptr));
  ASSERT_CU(data.fetch());
  ASSERT_CU(other.fetch());
  EXPECT_THAT(data.host, ::testing::ElementsAre(2, 3));
  EXPECT_THAT(other.host, ::testing::ElementsAre(11, 21));
  ASSERT_CU(CALL(cuGraphExecDestroy)(exec));
  ASSERT_CU(CALL(cuGraphDestroy)(graph));
}

// Nodes and graphs that go while streams and events still remember them.
TEST_F(Graphs, CapturesForgetWhatIsDestroyed) {
  Array<std::int32_t> data({1, 2});
  CUevent event = nullptr;
  ASSERT_CU(api().event_create(&event, CU_EVENT_DISABLE_TIMING));
  CUgraph graph = nullptr;
  CUgraphNode node = nullptr;
  ASSERT_CU(CALL(cuGraphCreate)(&graph, 0));
  ASSERT_CU(CALL(cuGraphAddEmptyNode)(&node, graph, nullptr, 0));
  ASSERT_CU(CALL(cuStreamBeginCaptureToGraph)(stream_, graph, &node, nullptr, 1,
                                              CU_STREAM_CAPTURE_MODE_RELAXED));
  ASSERT_CU(api().event_record(event, stream_));
  ASSERT_CU(CALL(cuGraphDestroyNode)(node));
  ASSERT_CU(add_one_async(data.address, stream_));
  CUgraph ended = nullptr;
  ASSERT_CU(CALL(cuStreamEndCapture)(stream_, &ended));
  EXPECT_EQ(ended, graph);
  EXPECT_EQ(CALL(cuStreamWaitEvent)(stream_, event, 0), CUDA_ERROR_CAPTURED_EVENT);
  ASSERT_CU(api().event_record(event, stream_));
  ASSERT_CU(CALL(cuStreamWaitEvent)(stream_, event, 0)) << "recorded anew";

  ASSERT_CU(CALL(cuStreamBeginCaptureToGraph)(stream_, graph, nullptr, nullptr, 0,
                                              CU_STREAM_CAPTURE_MODE_RELAXED));
  ASSERT_CU(add_one_async(data.address, stream_));
  ASSERT_CU(CALL(cuGraphDestroy)(graph));
  EXPECT_EQ(add_one_async(data.address, stream_), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  EXPECT_EQ(CALL(cuStreamEndCapture)(stream_, &ended), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);

  // A context that goes while one of its streams captures.
  CUcontext other = nullptr;
  CUstream stream = nullptr;
  ASSERT_CU(api().create_context(&other, 0, 0));
  ASSERT_CU(api().stream_create(&stream, CU_STREAM_NON_BLOCKING));
  ASSERT_CU(CALL(cuStreamBeginCapture)(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
  int calls = 0;
  ASSERT_CU(CALL(cuLaunchHostFunc)(stream, count_up, &calls));
  ASSERT_CU(api().destroy_context(other));
  EXPECT_EQ(calls, 0);
}

TEST_F(Graphs, WhatACaptureForbids) {
  CUgraph graph = nullptr;
  CUdeviceptr address = 0;
  EXPECT_EQ(CALL(cuStreamBeginCapture)(nullptr, CU_STREAM_CAPTURE_MODE_GLOBAL),
            CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED)
      << "the legacy default stream cannot be captured";
  const auto spoiled = [&](auto call, CUresult expected) {
    ASSERT_CU(CALL(cuStreamBeginCapture)(stream_, CU_STREAM_CAPTURE_MODE_GLOBAL));
    EXPECT_EQ(call(), expected);
    EXPECT_EQ(CALL(cuStreamEndCapture)(stream_, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    EXPECT_EQ(graph, nullptr);
  };
  spoiled([&] { return api().stream_synchronize(stream_); }, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  spoiled([&] { return api().synchronize(); }, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  spoiled([&] { return api().alloc(&address, 4); }, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  ASSERT_CU(CALL(cuStreamBeginCapture)(stream_, CU_STREAM_CAPTURE_MODE_RELAXED));
  ASSERT_CU(api().alloc(&address, 4));
  EXPECT_EQ(CALL(cuStreamBeginCapture)(stream_, CU_STREAM_CAPTURE_MODE_RELAXED),
            CUDA_ERROR_ILLEGAL_STATE);
  ASSERT_CU(CALL(cuStreamEndCapture)(stream_, &graph));
  ASSERT_CU(CALL(cuGraphDestroy)(graph));

  CUstream blocking = nullptr;
  ASSERT_CU(api().stream_create(&blocking, CU_STREAM_DEFAULT));
  ASSERT_CU(CALL(cuStreamBeginCapture)(blocking, CU_STREAM_CAPTURE_MODE_RELAXED));
  EXPECT_EQ(api().fill32(address, 0, 1), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  EXPECT_EQ(CALL(cuStreamEndCapture)(blocking, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);

  // Per-thread default streams can be captured, by the null stream of their functions.
  const auto begin =
      api().find<CUresult(CUstream, CUstreamCaptureMode)>("cuStreamBeginCapture_v2_ptsz");
  const auto end = api().find<CUresult(CUstream, CUgraph*)>("cuStreamEndCapture_ptsz");
  ASSERT_CU(begin(nullptr, CU_STREAM_CAPTURE_MODE_RELAXED));
  ASSERT_CU(end(nullptr, &graph));
  ASSERT_CU(CALL(cuGraphDestroy)(graph));
}

// The words and shapes are those of the driver 580 on an H200.
TEST_F(Graphs, APictureHasNodesAndEdges) {
  CUgraph graph = nullptr, child = nullptr;
  ASSERT_CU(CALL(cuGraphCreate)(&graph, 0));
  ASSERT_CU(CALL(cuGraphCreate)(&child, 0));
  Array<std::int32_t> data(8);
  std::uint32_t n = 2, factor = 3;
  CUgraphNode empty = nullptr, filled = nullptr, scaled = nullptr, inner = nullptr;
  ASSERT_CU(CALL(cuGraphAddEmptyNode)(&empty, graph, nullptr, 0));
  const CUDA_MEMSET_NODE_PARAMS fill = fill_with(data.address, 7, 8);
  ASSERT_CU(CALL(cuGraphAddMemsetNode)(&filled, graph, &empty, 1, &fill, context_));
  const CUDA_KERNEL_NODE_PARAMS kernel = scale_by(data.address, n, factor);
  ASSERT_CU(CALL(cuGraphAddKernelNode_v2)(&scaled, graph, &filled, 1, &kernel));
  ASSERT_CU(CALL(cuGraphAddEmptyNode)(&inner, child, nullptr, 0));
  ASSERT_CU(CALL(cuGraphAddChildGraphNode)(&inner, graph, &empty, 1, child));
  const std::string path = ::testing::TempDir() + "warpmark_graph.dot";
  const auto picture = [&](unsigned int flags) {
    EXPECT_CU(CALL(cuGraphDebugDotPrint)(graph, path.c_str(), flags));
    std::ifstream file(path);
    return std::string((std::istreambuf_iterator<char>(file)), {});
  };
  using ::testing::ContainsRegex;
  const std::string plain = picture(0);
  EXPECT_THAT(plain, ::testing::StartsWith("digraph dot {\nsubgraph cluster_"));
  for (const char* part :
       {"graph_[0-9]+_node_0\"\\[style=\"solid\" shape=\"rectangle\" label=\"0\nEMPTY\n\"\\];",
        "shape=\"invtrapezium\" label=\"1\nMEMSET\n\\(7,32\\)\n\"",
        "style=\"bold\" shape=\"octagon\" label=\"2\nscale\n\"", "label=\"3\ngraph_[0-9]+\n\"",
        "\"graph_[0-9]+_node_0\" -> \"graph_[0-9]+_node_1\";\n\"graph_[0-9]+_node_0\" -> "
        "\"graph_[0-9]+_node_3\";\n\"graph_[0-9]+_node_1\" -> \"graph_[0-9]+_node_2\";\n}"})
    EXPECT_THAT(plain, ContainsRegex(part));
  EXPECT_THAT(plain, ::testing::Not(ContainsRegex("handle")));
  const std::string verbose = picture(CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE);
  EXPECT_THAT(verbose, ContainsRegex("node handle: 0x[0-9A-F]+\n"));
  EXPECT_THAT(verbose, ::testing::HasSubstr(R"(scale\<\<\<\{1,1,1\},\{32,1,1\},0\>\>\>)"));
  EXPECT_EQ(CALL(cuGraphDebugDotPrint)(graph, nullptr, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(CALL(cuGraphDebugDotPrint)(nullptr, path.c_str(), 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(CALL(cuGraphDebugDotPrint)(graph, "/no/such/folder/x.dot", 0),
            CUDA_ERROR_OPERATING_SYSTEM);
  std::remove(path.c_str());
  ASSERT_CU(CALL(cuGraphDestroy)(child));
  ASSERT_CU(CALL(cuGraphDestroy)(graph));
}

}  // namespace
}  // namespace warpmark::test
