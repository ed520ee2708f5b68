// Stream capture.
#include "api.hpp"
#include "runtime.hpp"

namespace warpmark::cudart::api {

// Edge data and the states of a capture have the driver's layout and numbers.

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return error_of(driver().cuStreamBeginCapture(stream, static_cast<CUstreamCaptureMode>(mode)));
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                          const cudaGraphNode_t* dependencies,
                                          const cudaGraphEdgeData* edges, size_t count,
                                          cudaStreamCaptureMode mode) {
  return error_of(driver().cuStreamBeginCaptureToGraph(stream, graph, dependencies,
                                                       same<const CUgraphEdgeData>(edges), count,
                                                       static_cast<CUstreamCaptureMode>(mode)));
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  return error_of(driver().cuThreadExchangeStreamCaptureMode(same<CUstreamCaptureMode>(mode)));
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  return error_of(driver().cuStreamEndCapture(stream, graph));
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  return error_of(driver().cuStreamIsCapturing(stream, same<CUstreamCaptureStatus>(status)));
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

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t* dependencies,
                                                const cudaGraphEdgeData* edges, size_t count,
                                                unsigned int flags) {
  return error_of(driver().cuStreamUpdateCaptureDependencies(
      stream, dependencies, same<const CUgraphEdgeData>(edges), count, flags));
}

}  // namespace warpmark::cudart::api
