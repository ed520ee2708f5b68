// CUDA graphs with nodes that other clients cannot see: memory of the graph's own, and conditions.
#include "device/api/graphs.hpp"

namespace warpmark::test {
namespace {

// The results of the calls are those of an H200.
TEST_F(Graphs, NodesAllocateAndFreeMemory) {
  const auto allocation = [](std::size_t bytes) {
    CUDA_MEM_ALLOC_NODE_PARAMS node{};
    node.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    node.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    node.bytesize = bytes;
    return node;
  };
  std::size_t before = 0, after = 0, total = 0;
  ASSERT_CU(api().info(&before, &total));
  CUgraph graph = nullptr, frees = nullptr, copy = nullptr;
  ASSERT_CU(CALL(cuGraphCreate)(&graph, 0));
  CUgraphNode made = nullptr, freed = nullptr, empty = nullptr;
  CUDA_MEM_ALLOC_NODE_PARAMS wanted = allocation(8);
  ASSERT_CU(CALL(cuGraphAddMemAllocNode)(&made, graph, nullptr, 0, &wanted));
  const CUdeviceptr address = wanted.dptr;
  CUDA_MEM_ALLOC_NODE_PARAMS wrong = allocation(0), read{};
  EXPECT_EQ(CALL(cuGraphAddMemAllocNode)(&empty, graph, nullptr, 0, &wrong),
            CUDA_ERROR_INVALID_VALUE);
  wrong = allocation(8);
  wrong.poolProps.location.id = 9;
  EXPECT_EQ(CALL(cuGraphAddMemAllocNode)(&empty, graph, nullptr, 0, &wrong),
            CUDA_ERROR_INVALID_VALUE);
  wrong = allocation(8);
  wrong.poolProps.handleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  EXPECT_EQ(CALL(cuGraphAddMemAllocNode)(&empty, graph, nullptr, 0, &wrong),
            CUDA_ERROR_NOT_SUPPORTED);
  ASSERT_CU(CALL(cuGraphMemAllocNodeGetParams)(made, &read));
  EXPECT_EQ(read.dptr, address);

  // One executable at a time; the memory is there from the launch on.
  CUgraphExec exec = nullptr, other = nullptr;
  ASSERT_CU(CALL(cuGraphInstantiateWithFlags)(&exec, graph, 0));
  EXPECT_EQ(CALL(cuGraphInstantiateWithFlags)(&other, graph, 0), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(api().fill32(address, 4, 2), CUDA_ERROR_INVALID_VALUE);
  ASSERT_CU(CALL(cuGraphLaunch)(exec, stream_));
  ASSERT_CU(api().fill32(address, 4, 2));
  ASSERT_CU(add_one_async(address, stream_));
  std::int32_t values[2] = {};
  ASSERT_CU(api().to_host(values, address, sizeof values));
  EXPECT_THAT(values, ::testing::ElementsAre(5, 5));
  EXPECT_EQ(CALL(cuGraphLaunch)(exec, stream_), CUDA_ERROR_INVALID_VALUE) << "not freed yet";
  ASSERT_CU(api().free(address));
  EXPECT_EQ(api().free(address), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(api().fill32(address, 4, 2), CUDA_ERROR_INVALID_VALUE);
  ASSERT_CU(CALL(cuGraphLaunch)(exec, stream_));

  // Another graph frees it.
  ASSERT_CU(CALL(cuGraphCreate)(&frees, 0));
  ASSERT_CU(CALL(cuGraphAddMemFreeNode)(&freed, frees, nullptr, 0, address));
  EXPECT_EQ(CALL(cuGraphAddMemFreeNode)(&empty, frees, nullptr, 0, address),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(CALL(cuGraphAddMemFreeNode)(&empty, frees, nullptr, 0, 12345),
            CUDA_ERROR_INVALID_VALUE);
  CUdeviceptr asked = 0;
  ASSERT_CU(CALL(cuGraphMemFreeNodeGetParams)(freed, &asked));
  EXPECT_EQ(asked, address);
  ASSERT_CU(CALL(cuGraphInstantiateWithFlags)(&other, frees, 0));
  std::uint64_t used = 0;
  ASSERT_CU(CALL(cuDeviceGetGraphMemAttribute)(0, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, &used));
  EXPECT_EQ(used, 8u);
  ASSERT_CU(CALL(cuGraphLaunch)(other, stream_));
  EXPECT_EQ(CALL(cuGraphLaunch)(other, stream_), CUDA_ERROR_INVALID_VALUE);
  ASSERT_CU(CALL(cuDeviceGetGraphMemAttribute)(0, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, &used));
  EXPECT_EQ(used, 0u);
  ASSERT_CU(CALL(cuDeviceGetGraphMemAttribute)(0, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &used));
  EXPECT_EQ(used, 8u);
  ASSERT_CU(CALL(cuGraphExecDestroy)(other));
  ASSERT_CU(CALL(cuGraphDestroy)(frees));

  // Operations that such a graph does not support.
  EXPECT_EQ(CALL(cuGraphClone)(&copy, graph), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(CALL(cuGraphDestroyNode)(made), CUDA_ERROR_NOT_SUPPORTED);
  ASSERT_CU(CALL(cuGraphCreate)(&copy, 0));
  EXPECT_EQ(CALL(cuGraphAddChildGraphNode)(&empty, copy, nullptr, 0, graph),
            CUDA_ERROR_NOT_SUPPORTED);
  ASSERT_CU(CALL(cuGraphDestroy)(copy));

  // With the flag, a launch frees what the one before has left; the last stays until it is freed.
  ASSERT_CU(CALL(cuGraphExecDestroy)(exec));
  ASSERT_CU(CALL(cuGraphInstantiateWithFlags)(&exec, graph,
                                              CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH));
  ASSERT_CU(CALL(cuGraphLaunch)(exec, stream_));
  ASSERT_CU(CALL(cuGraphLaunch)(exec, stream_));
  ASSERT_CU(CALL(cuGraphExecDestroy)(exec));
  ASSERT_CU(CALL(cuGraphDestroy)(graph));
  ASSERT_CU(api().fill32(address, 4, 2));
  ASSERT_CU(api().free(address));
  EXPECT_EQ(api().fill32(address, 4, 2), CUDA_ERROR_INVALID_VALUE);
  ASSERT_CU(api().info(&after, &total));
  EXPECT_EQ(before, after);
}

TEST_F(Graphs, ACaptureAllocatesAndFrees) {
  CUgraph graph = nullptr;
  CUdeviceptr address = 0;
  Array<std::int32_t> result({1, 1});
  ASSERT_CU(CALL(cuStreamBeginCapture)(stream_, CU_STREAM_CAPTURE_MODE_GLOBAL));
  ASSERT_CU(CALL(cuMemAllocAsync)(&address, 8, stream_));
  ASSERT_CU(CALL(cuMemsetD32Async)(address, 20, 2, stream_));
  ASSERT_CU(add_one_async(address, stream_));
  ASSERT_CU(CALL(cuMemcpyDtoDAsync_v2)(result.address, address, 8, stream_));
  ASSERT_CU(CALL(cuMemFreeAsync)(address, stream_));
  ASSERT_CU(CALL(cuStreamEndCapture)(stream_, &graph));
  std::size_t count = 0;
  ASSERT_CU(CALL(cuGraphGetNodes)(graph, nullptr, &count));
  EXPECT_EQ(count, 5u);
  CUgraphExec exec = nullptr;
  ASSERT_CU(CALL(cuGraphInstantiateWithFlags)(&exec, graph, 0));
  for (int i = 0; i < 2; ++i) {
    ASSERT_CU(api().fill32(result.address, 0, 2));
    ASSERT_CU(CALL(cuGraphLaunch)(exec, stream_));
    ASSERT_CU(result.fetch());
    EXPECT_THAT(result.host, ::testing::ElementsAre(21, 21));
  }
  EXPECT_EQ(api().fill32(address, 4, 2), CUDA_ERROR_INVALID_VALUE) << "freed";
  ASSERT_CU(CALL(cuGraphExecDestroy)(exec));
  ASSERT_CU(CALL(cuGraphDestroy)(graph));
}

// The code that NVRTC makes of kernels with conditions; elsewhere libcudadevrt.a is linked.
const char* const kConditions = R"(
.version 8.3
.target sm_90
.address_size 64
.extern .func cudaGraphSetConditional (.param .b64 h, .param .b32 v);
.func set(.param .b64 handle, .param .b32 value)
{
  .reg .b32 %r<2>; .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [handle]; ld.param.u32 %r1, [value];
  { .param .b64 param0; st.param.b64 [param0+0], %rd1; .param .b32 param1;
    st.param.b32 [param1+0], %r1; call.uni cudaGraphSetConditional, (param0, param1); }
  ret;
}
// Counts data[0] down, and says whether there is more.
.visible .entry count_down(.param .u64 data, .param .u64 handle)
{
  .reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [data]; ld.param.u64 %rd2, [handle];
  ld.global.u32 %r1, [%rd1]; sub.u32 %r1, %r1, 1; st.global.u32 [%rd1], %r1;
  { .param .b64 param0; st.param.b64 [param0+0], %rd2; .param .b32 param1;
    st.param.b32 [param1+0], %r1; call.uni cudaGraphSetConditional, (param0, param1); }
  ret;
}
.visible .entry choose(.param .u64 data, .param .u64 handle)
{
  .reg .b32 %r<2>; .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [data]; ld.param.u64 %rd2, [handle]; ld.global.u32 %r1, [%rd1];
  { .param .b64 param0; st.param.b64 [param0+0], %rd2; .param .b32 param1;
    st.param.b32 [param1+0], %r1; call.uni set, (param0, param1); }
  ret;
}
)";

class Conditions : public Graphs {
 protected:
  void SetUp() override {
    Graphs::SetUp();
    ASSERT_CU(CALL(cuGraphCreate)(&graph_, 0));
    ASSERT_CU(api().load(&module_, kConditions));
  }
  CUgraphConditionalHandle condition(unsigned int initial, unsigned int flags) {
    CUgraphConditionalHandle made = 0;
    EXPECT_CU(CALL(cuGraphConditionalHandleCreate)(&made, graph_, context_, initial, flags));
    return made;
  }
  static CUresult add(CUgraph graph, const CUgraphNode* before, CUgraphNodeParams& parameters,
                      CUgraphNode* node) {
    return CALL(cuGraphAddNode_v2)(node, graph, before, nullptr, before == nullptr ? 0 : 1,
                                   &parameters);
  }
  // The bodies of a new conditional node, and the node.
  std::vector<CUgraph> conditional(CUgraphConditionalHandle handle, CUgraphConditionalNodeType type,
                                   unsigned int size, const CUgraphNode* before = nullptr) {
    CUgraphNodeParams parameters{};
    parameters.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
    parameters.conditional.handle = handle;
    parameters.conditional.type = type;
    parameters.conditional.size = size;
    parameters.conditional.ctx = context_;
    CUgraphNode node = nullptr;
    EXPECT_CU(add(graph_, before, parameters, &node));
    CUgraphNodeType found{};
    EXPECT_CU(CALL(cuGraphNodeGetType)(node, &found));
    EXPECT_EQ(found, CU_GRAPH_NODE_TYPE_CONDITIONAL);
    return {parameters.conditional.phGraph_out, parameters.conditional.phGraph_out + size};
  }
  CUgraphNode kernel(CUgraph graph, const char* name, CUdeviceptr data,
                     CUgraphConditionalHandle handle) {
    CUgraphNodeParams parameters{};
    parameters.type = CU_GRAPH_NODE_TYPE_KERNEL;
    EXPECT_CU(api().function(&parameters.kernel.func, module_, name));
    parameters.kernel.gridDimX = parameters.kernel.gridDimY = parameters.kernel.gridDimZ = 1;
    parameters.kernel.blockDimX = parameters.kernel.blockDimY = parameters.kernel.blockDimZ = 1;
    void* pointers[] = {&data, &handle};
    parameters.kernel.kernelParams = pointers;
    CUgraphNode node = nullptr;
    EXPECT_CU(add(graph, nullptr, parameters, &node));
    return node;
  }
  void write(CUgraph graph, CUdeviceptr to, unsigned int value) {
    CUgraphNode node = nullptr;
    const CUDA_MEMSET_NODE_PARAMS fill = fill_with(to, value, 1);
    EXPECT_CU(CALL(cuGraphAddMemsetNode)(&node, graph, nullptr, 0, &fill, context_));
  }
  void instantiate() { ASSERT_CU(CALL(cuGraphInstantiateWithFlags)(&exec_, graph_, 0)); }
  CUmodule module_ = nullptr;
  CUgraph graph_ = nullptr;
  CUgraphExec exec_ = nullptr;
};

TEST_F(Conditions, ALoopEndsWhenAKernelSaysSo) {
  Array<std::int32_t> data({5, 0});
  const auto handle = condition(1, CU_GRAPH_COND_ASSIGN_DEFAULT);
  const std::vector<CUgraph> body = conditional(handle, CU_GRAPH_COND_TYPE_WHILE, 1);
  kernel(body[0], "count_down", data.address, handle);
  instantiate();
  ASSERT_CU(CALL(cuGraphLaunch)(exec_, stream_));
  ASSERT_CU(data.fetch());
  EXPECT_EQ(data.host[0], 0);
  ASSERT_CU(api().fill32(data.address, 3, 1));
  ASSERT_CU(CALL(cuGraphLaunch)(exec_, stream_)) << "the default is assigned anew";
  ASSERT_CU(data.fetch());
  EXPECT_EQ(data.host[0], 0);
  ASSERT_CU(CALL(cuGraphExecDestroy)(exec_));
  ASSERT_CU(CALL(cuGraphDestroy)(graph_));
  EXPECT_EQ(CALL(cuGraphDestroy)(body[0]), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Conditions, IfElseAndSwitchChooseABody) {
  Array<std::int32_t> data({0, 0, 0});
  const auto which = condition(0, 0), chosen = condition(0, 0);
  // Through a function of its own, in another order than that of adding.
  const CUgraphNode first = kernel(graph_, "choose", data.address, which);
  const CUgraphNode second = kernel(graph_, "choose", data.address, chosen);
  const std::vector<CUgraph> branches = conditional(which, CU_GRAPH_COND_TYPE_IF, 2, &first);
  const std::vector<CUgraph> cases = conditional(chosen, CU_GRAPH_COND_TYPE_SWITCH, 3, &second);
  write(branches[0], data.address + 4, 10);
  write(branches[1], data.address + 4, 20);
  for (unsigned int i = 0; i < 3; ++i) write(cases[i], data.address + 8, 100 + i);
  instantiate();
  for (const unsigned int value : {0u, 1u, 2u, 3u}) {
    const std::uint32_t words[3] = {value, 0, 0};
    ASSERT_CU(api().to_device(data.address, words, sizeof words));
    ASSERT_CU(CALL(cuGraphLaunch)(exec_, stream_));
    ASSERT_CU(data.fetch());
    EXPECT_EQ(data.host[1], value != 0 ? 10 : 20) << value;
    EXPECT_EQ(data.host[2], value < 3 ? 100 + static_cast<int>(value) : 0) << value;
  }
  ASSERT_CU(CALL(cuGraphExecDestroy)(exec_));
  ASSERT_CU(CALL(cuGraphDestroy)(graph_));
}

TEST_F(Conditions, ALoopWithoutEndEndsAtTheWallLimit) {
  Array<std::int32_t> data(1);
  configure(R"({"wall_limit_ms": 20})");
  const auto handle = condition(1, CU_GRAPH_COND_ASSIGN_DEFAULT);
  const std::vector<CUgraph> body = conditional(handle, CU_GRAPH_COND_TYPE_WHILE, 1);
  write(body[0], data.address, 1);
  instantiate();
  ASSERT_CU(CALL(cuGraphLaunch)(exec_, stream_));
  EXPECT_EQ(api().synchronize(), CUDA_ERROR_LAUNCH_TIMEOUT);
}

TEST_F(Conditions, WhatIsWrongWithThem) {
  CUgraphConditionalHandle handle = 0;
  EXPECT_EQ(CALL(cuGraphConditionalHandleCreate)(&handle, graph_, context_, 0, 8),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(CALL(cuGraphConditionalHandleCreate)(nullptr, graph_, context_, 0, 0),
            CUDA_ERROR_INVALID_VALUE);
  handle = condition(1, CU_GRAPH_COND_ASSIGN_DEFAULT);
  CUgraphNodeParams parameters{};
  parameters.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
  parameters.conditional.handle = handle;
  parameters.conditional.ctx = context_;
  CUgraphNode node = nullptr;
  EXPECT_EQ(add(graph_, nullptr, parameters, &node), CUDA_ERROR_INVALID_VALUE) << "no body";
  parameters.conditional.type = CU_GRAPH_COND_TYPE_WHILE;
  parameters.conditional.size = 2;
  EXPECT_EQ(add(graph_, nullptr, parameters, &node), CUDA_ERROR_INVALID_VALUE);
  parameters.conditional.size = 1;
  parameters.conditional.handle = 12345;
  EXPECT_EQ(add(graph_, nullptr, parameters, &node), CUDA_ERROR_INVALID_VALUE);
  const std::vector<CUgraph> body = conditional(handle, CU_GRAPH_COND_TYPE_WHILE, 1);
  parameters.conditional.handle = handle;
  EXPECT_EQ(add(graph_, nullptr, parameters, &node), CUDA_ERROR_INVALID_VALUE) << "used twice";
  int calls = 0;
  const CUDA_HOST_NODE_PARAMS call{count_up, &calls};
  CUgraphExec exec = nullptr;
  ASSERT_CU(CALL(cuGraphAddHostNode)(&node, body[0], nullptr, 0, &call));
  EXPECT_EQ(CALL(cuGraphInstantiateWithFlags)(&exec, graph_, 0), CUDA_ERROR_NOT_SUPPORTED);
  ASSERT_CU(CALL(cuGraphDestroy)(graph_));
}

}  // namespace
}  // namespace warpmark::test
