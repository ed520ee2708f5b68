// The forms that functions of CUDA 12 have, as the headers of its last release, 12.9, declare them:
// each by its form of CUDA 13.
#pragma once

#include "api.hpp"
#include "properties.hpp"
#include "runtime.hpp"

namespace warpmark::cudart::api::abi12 {

// CUDA 12 names a place by a device, -1 being the host.
inline cudaMemLocation place(int device) {
  if (device == cudaCpuDeviceId) return {cudaMemLocationTypeHost, 0};
  return {cudaMemLocationTypeDevice, device};
}

inline cudaError_t get_device_properties(Properties12* properties, int device) {
  return properties == nullptr ? cudaErrorInvalidValue : read_properties(*properties, device);
}

inline cudaError_t graph_add_dependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                          const cudaGraphNode_t* to, size_t count) {
  return api::cudaGraphAddDependencies(graph, from, to, nullptr, count);
}

inline cudaError_t graph_remove_dependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                             const cudaGraphNode_t* to, size_t count) {
  return api::cudaGraphRemoveDependencies(graph, from, to, nullptr, count);
}

inline cudaError_t graph_add_node(cudaGraphNode_t* node, cudaGraph_t graph,
                                  const cudaGraphNode_t* dependencies, size_t count,
                                  cudaGraphNodeParams* parameters) {
  return api::cudaGraphAddNode(node, graph, dependencies, nullptr, count, parameters);
}

inline cudaError_t graph_get_edges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                                   size_t* count) {
  return api::cudaGraphGetEdges(graph, from, to, nullptr, count);
}

inline cudaError_t graph_node_get_dependencies(cudaGraphNode_t node, cudaGraphNode_t* dependencies,
                                               size_t* count) {
  return api::cudaGraphNodeGetDependencies(node, dependencies, nullptr, count);
}

inline cudaError_t graph_node_get_dependent_nodes(cudaGraphNode_t node, cudaGraphNode_t* dependent,
                                                  size_t* count) {
  return api::cudaGraphNodeGetDependentNodes(node, dependent, nullptr, count);
}

inline cudaError_t mem_advise(const void* address, size_t bytes, cudaMemoryAdvise advice,
                              int device) {
  return api::cudaMemAdvise(address, bytes, advice, place(device));
}

inline cudaError_t mem_prefetch_async(const void* address, size_t bytes, int device,
                                      cudaStream_t stream) {
  return api::cudaMemPrefetchAsync(address, bytes, place(device), 0, stream);
}

// CUDA 12 also says which copy failed; SIZE_MAX is none in particular.
inline cudaError_t memcpy_3d_batch_async(size_t count, cudaMemcpy3DBatchOp* operations,
                                         size_t* failed, unsigned long long flags,
                                         cudaStream_t stream) {
  if (failed != nullptr) *failed = SIZE_MAX;
  return api::cudaMemcpy3DBatchAsync(count, operations, flags, stream);
}

inline cudaError_t memcpy_batch_async(void** to, void** from, size_t* bytes, size_t count,
                                      cudaMemcpyAttributes* attributes, size_t* attribute_indices,
                                      size_t attribute_count, size_t* failed, cudaStream_t stream) {
  if (failed != nullptr) *failed = SIZE_MAX;
  return api::cudaMemcpyBatchAsync(to, from, bytes, count, attributes, attribute_indices,
                                   attribute_count, stream);
}

// Devices have known double precision since before CUDA 12: there is nothing to convert.
inline cudaError_t set_double(double*) {
  return cudaSuccess;
}

inline cudaError_t stream_get_capture_info(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                           unsigned long long* id) {
  return api::cudaStreamGetCaptureInfo(stream, status, id, nullptr, nullptr, nullptr, nullptr);
}

inline cudaError_t stream_get_capture_info_v2(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                              unsigned long long* id, cudaGraph_t* graph,
                                              const cudaGraphNode_t** dependencies, size_t* count) {
  return api::cudaStreamGetCaptureInfo(stream, status, id, graph, dependencies, nullptr, count);
}

inline cudaError_t stream_update_capture_dependencies(cudaStream_t stream,
                                                      cudaGraphNode_t* dependencies, size_t count,
                                                      unsigned int flags) {
  return api::cudaStreamUpdateCaptureDependencies(stream, dependencies, nullptr, count, flags);
}

}  // namespace warpmark::cudart::api::abi12
