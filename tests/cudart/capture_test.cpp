// Captures of streams: where they are, what comes next, and what threads may do meanwhile.
#include <thread>

#include "cudart/graphs.hpp"

namespace warpmark::test {
namespace {

class Captures : public GraphTest {};

TEST_F(Captures, ACaptureTellsWhereItIs) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusActive;
  ASSERT_CUDA(
      cudaStreamGetCaptureInfo(stream, &status, nullptr, nullptr, nullptr, nullptr, nullptr));
  EXPECT_EQ(status, cudaStreamCaptureStatusNone);
  unsigned long long ids[2] = {};
  for (unsigned long long& id : ids) {
    ASSERT_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    ASSERT_CUDA(cudaMemsetAsync(data, 1, 4, stream));
    cudaGraph_t growing = nullptr, made = nullptr;
    const cudaGraphNode_t* last = nullptr;
    const cudaGraphEdgeData* edges = nullptr;
    size_t count = 0;
    ASSERT_CUDA(cudaStreamGetCaptureInfo(stream, &status, &id, &growing, &last, &edges, &count));
    EXPECT_EQ(status, cudaStreamCaptureStatusActive);
    ASSERT_EQ(count, 1u);
    EXPECT_EQ(type_of(last[0]), cudaGraphNodeTypeMemset);
    EXPECT_EQ(count_of(growing), 1u);
    ASSERT_CUDA(cudaStreamEndCapture(stream, &made));
    EXPECT_EQ(made, growing);
    EXPECT_CUDA(cudaGraphDestroy(made));
  }
  EXPECT_NE(ids[0], ids[1]);
}

TEST_F(Captures, TheDependenciesOfACaptureAreChanged) {
  ASSERT_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  ASSERT_CUDA(cudaMemsetAsync(data, 1, 4, stream));
  cudaStreamCaptureStatus status{};
  cudaGraph_t growing = nullptr;
  const cudaGraphNode_t* last = nullptr;
  size_t count = 0;
  ASSERT_CUDA(cudaStreamGetCaptureInfo(stream, &status, nullptr, &growing, &last, nullptr, &count));
  ASSERT_EQ(count, 1u);
  const cudaGraphNode_t fill = last[0];
  cudaGraphNode_t set = add_empty(growing), added = add_empty(growing);
  ASSERT_CUDA(cudaStreamUpdateCaptureDependencies(stream, &set, nullptr, 1,
                                                  cudaStreamSetCaptureDependencies));
  ASSERT_CUDA(cudaStreamUpdateCaptureDependencies(stream, &added, nullptr, 1,
                                                  cudaStreamAddCaptureDependencies));
  ASSERT_CUDA(cudaMemsetAsync(data + 1, 2, 4, stream));
  ASSERT_CUDA(cudaStreamGetCaptureInfo(stream, &status, nullptr, nullptr, &last, nullptr, &count));
  ASSERT_EQ(count, 1u);
  cudaGraphNode_t before[3] = {};
  count = 3;
  ASSERT_CUDA(cudaGraphNodeGetDependencies(last[0], before, nullptr, &count));
  EXPECT_EQ(count, 2u);
  EXPECT_EQ(Nodes(before, before + 2), (Nodes{set, added})) << "not " << fill;
  cudaGraph_t made = nullptr;
  ASSERT_CUDA(cudaStreamEndCapture(stream, &made));
  EXPECT_CUDA(cudaGraphDestroy(made));
  EXPECT_EQ(cudaStreamUpdateCaptureDependencies(stream, nullptr, nullptr, 0, 0),
            cudaErrorIllegalState)
      << "it no longer captures";
}

TEST_F(Captures, ACaptureContinuesAGraph) {
  const cudaGraphNode_t first = add_fill(graph, 1);
  ASSERT_CUDA(cudaStreamBeginCaptureToGraph(stream, graph, &first, nullptr, 1,
                                            cudaStreamCaptureModeThreadLocal));
  ASSERT_CUDA(launch(scale, {1}, {32}, stream, data, 1u));
  cudaGraph_t same = nullptr;
  ASSERT_CUDA(cudaStreamEndCapture(stream, &same));
  EXPECT_EQ(same, graph);
  cudaGraphNode_t kernel = nullptr;
  size_t count = 1;
  ASSERT_CUDA(cudaGraphNodeGetDependentNodes(first, &kernel, nullptr, &count));
  ASSERT_EQ(count, 1u);
  EXPECT_EQ(type_of(kernel), cudaGraphNodeTypeKernel);
  run(Instance(graph));
  EXPECT_EQ(word(), 3u);
}

TEST(CapturesOfNewPrograms, TheFirstLaunchMayBeCaptured) {
  ASSERT_CUDA(cudaDeviceReset());  // so that the kernel is not loaded
  unsigned int* data = nullptr;
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  ASSERT_CUDA(cudaMalloc(reinterpret_cast<void**>(&data), 4));
  ASSERT_CUDA(cudaStreamCreate(&stream));
  ASSERT_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  ASSERT_CUDA(cudaMemsetAsync(data, 1, 4, stream));
  ASSERT_CUDA(launch(scale, {1}, {1}, stream, data, 1u));
  ASSERT_CUDA(cudaStreamEndCapture(stream, &graph));
  {
    const Instance instance(graph);
    ASSERT_CUDA(cudaGraphLaunch(instance.exec, stream));
    ASSERT_CUDA(cudaStreamSynchronize(stream));
  }
  unsigned int value = 0;
  ASSERT_CUDA(cudaMemcpy(&value, data, 4, cudaMemcpyDeviceToHost));
  EXPECT_EQ(value, 0x03030303u);
  EXPECT_CUDA(cudaGraphDestroy(graph));
  EXPECT_CUDA(cudaStreamDestroy(stream));
  EXPECT_CUDA(cudaFree(data));
}

TEST_F(Captures, AThreadExchangesItsCaptureMode) {
  std::thread([] {
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    ASSERT_CUDA(cudaThreadExchangeStreamCaptureMode(&mode));
    EXPECT_EQ(mode, cudaStreamCaptureModeGlobal) << "the default of a thread";
    mode = cudaStreamCaptureModeThreadLocal;
    ASSERT_CUDA(cudaThreadExchangeStreamCaptureMode(&mode));
    EXPECT_EQ(mode, cudaStreamCaptureModeRelaxed);
  }).join();
}

TEST_F(Captures, ARelaxedThreadAllocatesDuringACapture) {
  void* memory = nullptr;
  cudaGraph_t made = nullptr;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  ASSERT_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  ASSERT_CUDA(cudaThreadExchangeStreamCaptureMode(&mode));
  EXPECT_CUDA(cudaMalloc(&memory, 64));
  ASSERT_CUDA(cudaThreadExchangeStreamCaptureMode(&mode));
  ASSERT_CUDA(cudaStreamEndCapture(stream, &made));
  EXPECT_CUDA(cudaGraphDestroy(made));
  EXPECT_CUDA(cudaFree(memory));
  ASSERT_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  EXPECT_EQ(cudaMalloc(&memory, 64), cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(cudaStreamEndCapture(stream, &made), cudaErrorStreamCaptureInvalidated);
}

}  // namespace
}  // namespace warpmark::test
