// Nodes of graphs that copy memory.
#include "api.hpp"
#include "copy.hpp"
#include "registry.hpp"
#include "runtime.hpp"

namespace warpmark::cudart::api {
namespace {

cudaError_t linear(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                   CUDA_MEMCPY3D& copy) {
  if (!is_kind(kind)) return cudaErrorInvalidMemcpyDirection;
  copy = make_copy({to, bytes, 1, nullptr, 0, 0, 0}, {from, bytes, 1, nullptr, 0, 0, 0}, bytes, 1,
                   1, kind);
  return cudaSuccess;
}

// Operations on a node with the driver's form of a copy: add, set, set in an instance.
struct Add {
  cudaGraphNode_t* node;
  cudaGraph_t graph;
  const cudaGraphNode_t* dependencies;
  size_t count;
  CUresult operator()(const CUDA_MEMCPY3D& copy) const {
    return driver().cuGraphAddMemcpyNode(node, graph, dependencies, count, &copy,
                                         current_context());
  }
};
struct Set {
  cudaGraphNode_t node;
  CUresult operator()(const CUDA_MEMCPY3D& copy) const {
    return driver().cuGraphMemcpyNodeSetParams(node, &copy);
  }
};
struct SetInstance {
  cudaGraphExec_t exec;
  cudaGraphNode_t node;
  CUresult operator()(const CUDA_MEMCPY3D& copy) const {
    return driver().cuGraphExecMemcpyNodeSetParams(exec, node, &copy, current_context());
  }
};

template <typename Then>
cudaError_t with_box(const cudaMemcpy3DParms* parameters, const Then& then) {
  if (parameters == nullptr) return cudaErrorInvalidValue;
  CUDA_MEMCPY3D copy{};
  const cudaError_t result = convert_copy(*parameters, copy);
  return result != cudaSuccess ? result : error_of(then(copy));
}

template <typename Then>
cudaError_t with_bytes(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                       const Then& then) {
  CUDA_MEMCPY3D copy{};
  const cudaError_t result = linear(to, from, bytes, kind, copy);
  return result != cudaSuccess ? result : error_of(then(copy));
}

template <typename Then>
cudaError_t with_target(const void* symbol, const void* from, size_t bytes, size_t offset,
                        cudaMemcpyKind kind, const Then& then) {
  void* part = nullptr;
  const cudaError_t result = part_of_variable(symbol, bytes, offset, part);
  return result != cudaSuccess ? result : with_bytes(part, from, bytes, kind, then);
}

template <typename Then>
cudaError_t with_source(void* to, const void* symbol, size_t bytes, size_t offset,
                        cudaMemcpyKind kind, const Then& then) {
  void* part = nullptr;
  const cudaError_t result = part_of_variable(symbol, bytes, offset, part);
  return result != cudaSuccess ? result : with_bytes(to, part, bytes, kind, then);
}

}  // namespace

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* dependencies, size_t count,
                                   const cudaMemcpy3DParms* parameters) {
  return with_box(parameters, Add{node, graph, dependencies, count});
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* dependencies, size_t count, void* to,
                                     const void* from, size_t bytes, cudaMemcpyKind kind) {
  return with_bytes(to, from, bytes, kind, Add{node, graph, dependencies, count});
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                           const cudaGraphNode_t* dependencies, size_t count,
                                           const void* symbol, const void* from, size_t bytes,
                                           size_t offset, cudaMemcpyKind kind) {
  return with_target(symbol, from, bytes, offset, kind, Add{node, graph, dependencies, count});
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                             const cudaGraphNode_t* dependencies, size_t count,
                                             void* to, const void* symbol, size_t bytes,
                                             size_t offset, cudaMemcpyKind kind) {
  return with_source(to, symbol, bytes, offset, kind, Add{node, graph, dependencies, count});
}

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, cudaMemcpy3DParms* parameters) {
  if (parameters == nullptr) return cudaErrorInvalidValue;
  CUDA_MEMCPY3D copy{};
  const CUresult result = driver().cuGraphMemcpyNodeGetParams(node, &copy);
  return result != CUDA_SUCCESS ? error_of(result) : convert_back(copy, *parameters);
}

cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node,
                                         const cudaMemcpy3DParms* parameters) {
  return with_box(parameters, Set{node});
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* to, const void* from,
                                           size_t bytes, cudaMemcpyKind kind) {
  return with_bytes(to, from, bytes, kind, Set{node});
}

cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void* symbol,
                                                 const void* from, size_t bytes, size_t offset,
                                                 cudaMemcpyKind kind) {
  return with_target(symbol, from, bytes, offset, kind, Set{node});
}

cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void* to,
                                                   const void* symbol, size_t bytes, size_t offset,
                                                   cudaMemcpyKind kind) {
  return with_source(to, symbol, bytes, offset, kind, Set{node});
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaMemcpy3DParms* parameters) {
  return with_box(parameters, SetInstance{exec, node});
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void* to,
                                               const void* from, size_t bytes,
                                               cudaMemcpyKind kind) {
  return with_bytes(to, from, bytes, kind, SetInstance{exec, node});
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                     const void* symbol, const void* from,
                                                     size_t bytes, size_t offset,
                                                     cudaMemcpyKind kind) {
  return with_target(symbol, from, bytes, offset, kind, SetInstance{exec, node});
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                       void* to, const void* symbol, size_t bytes,
                                                       size_t offset, cudaMemcpyKind kind) {
  return with_source(to, symbol, bytes, offset, kind, SetInstance{exec, node});
}

}  // namespace warpmark::cudart::api
