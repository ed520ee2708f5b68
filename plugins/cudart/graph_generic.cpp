// Nodes of graphs by parameters of any kind: cudaGraphNodeParams.
#include <bit>
#include <cstring>

#include "api.hpp"
#include "copy.hpp"
#include "graph_nodes.hpp"
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
  to.kernel = std::bit_cast<CUDA_KERNEL_NODE_PARAMS_v3>(kernel);  // other by its name alone
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
      to.memset = {fill.dst,   fill.pitch,  fill.value,       fill.elementSize,
                   fill.width, fill.height, current_context()};
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

// Calls the function for the kind of node: of a graph's node, or of an instance and a node.
template <auto kernel, auto copy, auto fill, auto host, auto record, auto wait, typename... Of>
cudaError_t set(const cudaGraphNodeParams* parameters, Of... of) {
  if (parameters == nullptr) return cudaErrorInvalidValue;
  switch (parameters->type) {
    case cudaGraphNodeTypeKernel: {
      const cudaKernelNodeParams launch = plain(parameters->kernel);
      return kernel(of..., &launch);
    }
    case cudaGraphNodeTypeMemcpy:
      return copy(of..., &parameters->memcpy.copyParams);
    case cudaGraphNodeTypeMemset: {
      const cudaMemsetParams bytes = plain(parameters->memset);
      return fill(of..., &bytes);
    }
    case cudaGraphNodeTypeHost: {
      const cudaHostNodeParams call{parameters->host.fn, parameters->host.userData};
      return host(of..., &call);
    }
    case cudaGraphNodeTypeEventRecord:
      return record(of..., parameters->eventRecord.event);
    case cudaGraphNodeTypeWaitEvent:
      return wait(of..., parameters->eventWait.event);
    default:
      return cudaErrorNotSupported;
  }
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
  return set<api::cudaGraphKernelNodeSetParams, api::cudaGraphMemcpyNodeSetParams,
             api::cudaGraphMemsetNodeSetParams, api::cudaGraphHostNodeSetParams,
             api::cudaGraphEventRecordNodeSetEvent, api::cudaGraphEventWaitNodeSetEvent>(parameters,
                                                                                         node);
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                       cudaGraphNodeParams* parameters) {
  if (parameters != nullptr && parameters->type == cudaGraphNodeTypeGraph)
    return api::cudaGraphExecChildGraphNodeSetParams(exec, node, parameters->graph.graph);
  return set<api::cudaGraphExecKernelNodeSetParams, api::cudaGraphExecMemcpyNodeSetParams,
             api::cudaGraphExecMemsetNodeSetParams, api::cudaGraphExecHostNodeSetParams,
             api::cudaGraphExecEventRecordNodeSetEvent, api::cudaGraphExecEventWaitNodeSetEvent>(
      parameters, exec, node);
}

}  // namespace warpmark::cudart::api
