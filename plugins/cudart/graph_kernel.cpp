// Nodes of graphs that launch kernels, fill memory, call the host, allocate and free.
#include "api.hpp"
#include "graph_nodes.hpp"
#include "registry.hpp"
#include "runtime.hpp"

namespace warpmark::cudart {

cudaError_t convert_kernel(const cudaKernelNodeParams& from, CUDA_KERNEL_NODE_PARAMS& to) {
  to = {};
  to.gridDimX = from.gridDim.x;
  to.gridDimY = from.gridDim.y;
  to.gridDimZ = from.gridDim.z;
  to.blockDimX = from.blockDim.x;
  to.blockDimY = from.blockDim.y;
  to.blockDimZ = from.blockDim.z;
  to.sharedMemBytes = from.sharedMemBytes;
  to.kernelParams = from.kernelParams;
  to.extra = from.extra;
  return find_function(from.func, to.func);
}

CUDA_MEMSET_NODE_PARAMS convert_fill(const cudaMemsetParams& from) {
  CUDA_MEMSET_NODE_PARAMS to{};
  to.dst = address_of(from.dst);
  to.pitch = from.pitch;
  to.value = from.value;
  to.elementSize = from.elementSize;
  to.width = from.width;
  to.height = from.height;
  return to;
}

namespace api {
namespace {

// Calls `body` with the driver's form of a kernel node's parameters.
template <typename Body>
cudaError_t with_kernel(const cudaKernelNodeParams* parameters, Body body) {
  if (parameters == nullptr) return cudaErrorInvalidValue;
  CUDA_KERNEL_NODE_PARAMS converted{};
  const cudaError_t result = convert_kernel(*parameters, converted);
  return result != cudaSuccess ? result : error_of(body(converted));
}

template <typename Body>
cudaError_t with_fill(const cudaMemsetParams* parameters, Body body) {
  if (parameters == nullptr) return cudaErrorInvalidValue;
  const CUDA_MEMSET_NODE_PARAMS converted = convert_fill(*parameters);
  return error_of(body(converted));
}

}  // namespace

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* dependencies, size_t count,
                                   const cudaKernelNodeParams* parameters) {
  return with_kernel(parameters, [&](const CUDA_KERNEL_NODE_PARAMS& converted) {
    return driver().cuGraphAddKernelNode(node, graph, dependencies, count, &converted);
  });
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* parameters) {
  if (parameters == nullptr) return cudaErrorInvalidValue;
  CUDA_KERNEL_NODE_PARAMS found{};
  const CUresult result = driver().cuGraphKernelNodeGetParams(node, &found);
  if (result != CUDA_SUCCESS) return error_of(result);
  parameters->func = const_cast<void*>(host_function(found.func, found.kern));
  parameters->gridDim = {found.gridDimX, found.gridDimY, found.gridDimZ};
  parameters->blockDim = {found.blockDimX, found.blockDimY, found.blockDimZ};
  parameters->sharedMemBytes = found.sharedMemBytes;
  parameters->kernelParams = found.kernelParams;
  parameters->extra = found.extra;
  return cudaSuccess;
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                                         const cudaKernelNodeParams* parameters) {
  return with_kernel(parameters, [&](const CUDA_KERNEL_NODE_PARAMS& converted) {
    return driver().cuGraphKernelNodeSetParams(node, &converted);
  });
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* parameters) {
  return with_kernel(parameters, [&](const CUDA_KERNEL_NODE_PARAMS& converted) {
    return driver().cuGraphExecKernelNodeSetParams(exec, node, &converted);
  });
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* dependencies, size_t count,
                                   const cudaMemsetParams* parameters) {
  return with_fill(parameters, [&](const CUDA_MEMSET_NODE_PARAMS& converted) {
    return driver().cuGraphAddMemsetNode(node, graph, dependencies, count, &converted,
                                         current_context());
  });
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, cudaMemsetParams* parameters) {
  if (parameters == nullptr) return cudaErrorInvalidValue;
  CUDA_MEMSET_NODE_PARAMS found{};
  const CUresult result = driver().cuGraphMemsetNodeGetParams(node, &found);
  if (result != CUDA_SUCCESS) return error_of(result);
  *parameters = {pointer_to(found.dst), found.pitch, found.value,
                 found.elementSize,     found.width, found.height};
  return cudaSuccess;
}

cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams* parameters) {
  return with_fill(parameters, [&](const CUDA_MEMSET_NODE_PARAMS& converted) {
    return driver().cuGraphMemsetNodeSetParams(node, &converted);
  });
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaMemsetParams* parameters) {
  return with_fill(parameters, [&](const CUDA_MEMSET_NODE_PARAMS& converted) {
    return driver().cuGraphExecMemsetNodeSetParams(exec, node, &converted, current_context());
  });
}

}  // namespace api
}  // namespace warpmark::cudart
