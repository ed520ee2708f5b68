// Nodes of graphs by parameters of any kind: cudaGraphNodeParams.
#include <cstring>

#include "api.hpp"
#include "copy.hpp"
#include "graph_nodes.hpp"
#include "registry.hpp"
#include "runtime.hpp"

namespace warpmark::cudart::api {
namespace {

// The form of cudaGraphNodeParams without it.
cudaKernelNodeParams plain(const cudaKernelNodeParamsV2& from) {
  return {from.func,           from.gridDim,      from.blockDim,
          from.sharedMemBytes, from.kernelParams, from.extra};
}
cudaMemsetParams plain(const cudaMemsetParamsV2& from) {
  return {from.dst, from.pitch, from.value, from.elementSize, from.width, from.height};
}

cudaError_t convert_kernel_node(const cudaKernelNodeParamsV2& from, CUgraphNodeParams& to) {
  CUDA_KERNEL_NODE_PARAMS kernel{};
  const cudaError_t result = convert_kernel(plain(from), kernel);
  to.kernel.func = kernel.func;
  to.kernel.gridDimX = kernel.gridDimX;
  to.kernel.gridDimY = kernel.gridDimY;
  to.kernel.gridDimZ = kernel.gridDimZ;
  to.kernel.blockDimX = kernel.blockDimX;
  to.kernel.blockDimY = kernel.blockDimY;
  to.kernel.blockDimZ = kernel.blockDimZ;
  to.kernel.sharedMemBytes = kernel.sharedMemBytes;
  to.kernel.kernelParams = kernel.kernelParams;
  to.kernel.extra = kernel.extra;
  return result;
}

cudaError_t convert(const cudaGraphNodeParams& from, CUgraphNodeParams& to) {
  to = {};
  to.type = static_cast<CUgraphNodeType>(from.type);
  switch (from.type) {
    case cudaGraphNodeTypeKernel:
      return convert_kernel_node(from.kernel, to);
    case cudaGraphNodeTypeMemcpy:
      to.memcpy.flags = from.memcpy.flags;
      to.memcpy.copyCtx = current_context();
      return convert_copy(from.memcpy.copyParams, to.memcpy.copyParams);
    case cudaGraphNodeTypeMemset: {
      const CUDA_MEMSET_NODE_PARAMS fill = convert_fill(plain(from.memset));
      to.memset.dst = fill.dst;
      to.memset.pitch = fill.pitch;
      to.memset.value = fill.value;
      to.memset.elementSize = fill.elementSize;
      to.memset.width = fill.width;
      to.memset.height = fill.height;
      to.memset.ctx = current_context();
      return cudaSuccess;
    }
    case cudaGraphNodeTypeConditional:
      to.conditional.handle = from.conditional.handle;
      to.conditional.type = static_cast<CUgraphConditionalNodeType>(from.conditional.type);
      to.conditional.size = from.conditional.size;
      to.conditional.ctx = current_context();
      return cudaSuccess;
    default:  // the same layout
      static_assert(sizeof from.reserved1 == sizeof to.reserved1);
      std::memcpy(to.reserved1, from.reserved1, sizeof to.reserved1);
      return cudaSuccess;
  }
}

// Converts the members that the driver fills in to the runtime's form.
void convert_answer(const CUgraphNodeParams& from, cudaGraphNodeParams& to) {
  if (to.type == cudaGraphNodeTypeConditional)
    to.conditional.phGraph_out = from.conditional.phGraph_out;
  if (to.type == cudaGraphNodeTypeMemAlloc) to.alloc.dptr = pointer_to(from.alloc.dptr);
}

}  // namespace

cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph,
                             const cudaGraphNode_t* dependencies, const cudaGraphEdgeData* edges,
                             size_t count, cudaGraphNodeParams* parameters) {
  if (parameters == nullptr) return cudaErrorInvalidValue;
  CUgraphNodeParams converted{};
  const cudaError_t result = convert(*parameters, converted);
  if (result != cudaSuccess) return result;
  const CUresult outcome = driver().cuGraphAddNode(
      node, graph, dependencies, same<const CUgraphEdgeData>(edges), count, &converted);
  if (outcome == CUDA_SUCCESS) convert_answer(converted, *parameters);
  return error_of(outcome);
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, cudaGraphNodeParams* parameters) {
  if (parameters == nullptr) return cudaErrorInvalidValue;
  switch (parameters->type) {
    case cudaGraphNodeTypeKernel: {
      const cudaKernelNodeParams kernel = plain(parameters->kernel);
      return api::cudaGraphKernelNodeSetParams(node, &kernel);
    }
    case cudaGraphNodeTypeMemcpy:
      return api::cudaGraphMemcpyNodeSetParams(node, &parameters->memcpy.copyParams);
    case cudaGraphNodeTypeMemset: {
      const cudaMemsetParams fill = plain(parameters->memset);
      return api::cudaGraphMemsetNodeSetParams(node, &fill);
    }
    case cudaGraphNodeTypeHost: {
      const cudaHostNodeParams host{parameters->host.fn, parameters->host.userData};
      return api::cudaGraphHostNodeSetParams(node, &host);
    }
    case cudaGraphNodeTypeEventRecord:
      return api::cudaGraphEventRecordNodeSetEvent(node, parameters->eventRecord.event);
    case cudaGraphNodeTypeWaitEvent:
      return api::cudaGraphEventWaitNodeSetEvent(node, parameters->eventWait.event);
    default:
      return cudaErrorNotSupported;
  }
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                       cudaGraphNodeParams* parameters) {
  if (parameters == nullptr) return cudaErrorInvalidValue;
  switch (parameters->type) {
    case cudaGraphNodeTypeKernel: {
      const cudaKernelNodeParams kernel = plain(parameters->kernel);
      return api::cudaGraphExecKernelNodeSetParams(exec, node, &kernel);
    }
    case cudaGraphNodeTypeMemcpy:
      return api::cudaGraphExecMemcpyNodeSetParams(exec, node, &parameters->memcpy.copyParams);
    case cudaGraphNodeTypeMemset: {
      const cudaMemsetParams fill = plain(parameters->memset);
      return api::cudaGraphExecMemsetNodeSetParams(exec, node, &fill);
    }
    case cudaGraphNodeTypeHost: {
      const cudaHostNodeParams host{parameters->host.fn, parameters->host.userData};
      return api::cudaGraphExecHostNodeSetParams(exec, node, &host);
    }
    case cudaGraphNodeTypeGraph:
      return api::cudaGraphExecChildGraphNodeSetParams(exec, node, parameters->graph.graph);
    case cudaGraphNodeTypeEventRecord:
      return api::cudaGraphExecEventRecordNodeSetEvent(exec, node, parameters->eventRecord.event);
    case cudaGraphNodeTypeWaitEvent:
      return api::cudaGraphExecEventWaitNodeSetEvent(exec, node, parameters->eventWait.event);
    default:
      return cudaErrorNotSupported;
  }
}

}  // namespace warpmark::cudart::api
