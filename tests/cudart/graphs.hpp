// Shared by tests of graphs: a graph, a stream, and memory that graphs work on.
#pragma once

#include <set>
#include <vector>

#include "cudart/registered.hpp"

namespace warpmark::test {

/// An executable graph, destroyed at the end of its scope.
class Instance {
 public:
  explicit Instance(cudaGraph_t graph, unsigned long long flags = 0) {
    EXPECT_CUDA(cudaGraphInstantiateWithFlags(&exec, graph, flags));
  }
  ~Instance() { EXPECT_CUDA(cudaGraphExecDestroy(exec)); }
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;
  cudaGraphExec_t exec = nullptr;
};

class GraphTest : public ::testing::Test {
 protected:
  static constexpr size_t kWords = 16, kBytes = kWords * sizeof(unsigned int);
  using Words = std::vector<unsigned int>;
  using Nodes = std::set<cudaGraphNode_t>;  ///< in any order

  void SetUp() override {
    cudaGetLastError();
    ASSERT_CUDA(cudaGraphCreate(&graph, 0));
    ASSERT_CUDA(cudaStreamCreate(&stream));
    ASSERT_CUDA(cudaMalloc(reinterpret_cast<void**>(&data), kBytes));
    ASSERT_CUDA(cudaMallocHost(reinterpret_cast<void**>(&host), kBytes));
    ASSERT_CUDA(cudaMemset(data, 0, kBytes));
    for (size_t i = 0; i < kWords; ++i) host[i] = static_cast<unsigned int>(i) + 1;
  }
  void TearDown() override {
    EXPECT_CUDA(cudaGraphDestroy(graph));
    EXPECT_CUDA(cudaStreamDestroy(stream));
    EXPECT_CUDA(cudaFree(data));
    EXPECT_CUDA(cudaFreeHost(host));
    cudaGetLastError();
  }

  void run(cudaGraphExec_t exec) const {
    EXPECT_CUDA(cudaGraphLaunch(exec, stream));
    EXPECT_CUDA(cudaStreamSynchronize(stream));
  }
  void run(const Instance& instance) const { run(instance.exec); }
  /// Words of `data`, as they are now.
  [[nodiscard]] Words words(size_t count, size_t first = 0) const {
    Words found(count);
    EXPECT_CUDA(cudaMemcpy(found.data(), data + first, count * 4, cudaMemcpyDeviceToHost));
    return found;
  }
  [[nodiscard]] unsigned int word(size_t index = 0) const { return words(1, index)[0]; }

  /// Parameters that fill `count` words with a value.
  static cudaMemsetParams filling(void* to, unsigned int value, size_t count = 1) {
    cudaMemsetParams parameters{};
    parameters.dst = to;
    parameters.value = value;
    parameters.elementSize = 4;
    parameters.width = count;
    parameters.height = 1;
    return parameters;
  }
  /// A node that sets the first word of `data`.
  cudaGraphNode_t add_fill(cudaGraph_t to, unsigned int value,
                           const std::vector<cudaGraphNode_t>& after = {}) const {
    const cudaMemsetParams parameters = filling(data, value);
    cudaGraphNode_t node = nullptr;
    EXPECT_CUDA(cudaGraphAddMemsetNode(&node, to, after.data(), after.size(), &parameters));
    return node;
  }
  static cudaGraphNode_t add_empty(cudaGraph_t to, const std::vector<cudaGraphNode_t>& after = {}) {
    cudaGraphNode_t node = nullptr;
    EXPECT_CUDA(cudaGraphAddEmptyNode(&node, to, after.data(), after.size()));
    return node;
  }

  static size_t count_of(cudaGraph_t of) {
    size_t count = 0;
    EXPECT_CUDA(cudaGraphGetNodes(of, nullptr, &count));
    return count;
  }
  static cudaGraphNodeType type_of(cudaGraphNode_t node) {
    cudaGraphNodeType type{};
    EXPECT_CUDA(cudaGraphNodeGetType(node, &type));
    return type;
  }

  cudaGraph_t graph = nullptr;
  cudaStream_t stream = nullptr;
  unsigned int* data = nullptr;  ///< of the device, zero at first
  unsigned int* host = nullptr;  ///< pinned: 1, 2, 3 …
};

}  // namespace warpmark::test
