// Graphs and captures, as far as forwards.def has them not.
#include "api.hpp"
#include "runtime.hpp"

namespace warpmark::cudart::api {

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle* handle, cudaGraph_t graph,
                                             unsigned int value, unsigned int flags) {
  cuuint64_t made = 0;
  const CUresult result = driver().cuGraphConditionalHandleCreate(
      same<CUgraphConditionalHandle>(&made), graph, current_context(), value, flags);
  if (result == CUDA_SUCCESS) *handle = made;
  return error_of(result);
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                     unsigned long long* id, cudaGraph_t* graph,
                                     const cudaGraphNode_t** dependencies,
                                     const cudaGraphEdgeData** edges, size_t* count) {
  cuuint64_t number = 0;
  const CUresult result =
      driver().cuStreamGetCaptureInfo(stream, same<CUstreamCaptureStatus>(status), &number, graph,
                                      dependencies, same<const CUgraphEdgeData*>(edges), count);
  if (result == CUDA_SUCCESS && id != nullptr) *id = number;
  return error_of(result);
}

}  // namespace warpmark::cudart::api
