// The forms that functions of CUDA 12 have, as the headers of its last release, 12.9, declare them.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

namespace warpmark::cudart {
struct Properties12;
}

namespace warpmark::cudart::api::abi12 {

cudaError_t get_device_properties(Properties12* properties, int device);
cudaError_t graph_add_dependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                   const cudaGraphNode_t* to, size_t count);
cudaError_t graph_remove_dependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                      const cudaGraphNode_t* to, size_t count);
cudaError_t graph_add_node(cudaGraphNode_t* node, cudaGraph_t graph,
                           const cudaGraphNode_t* dependencies, size_t count,
                           cudaGraphNodeParams* parameters);
cudaError_t graph_get_edges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                            size_t* count);
cudaError_t graph_node_get_dependencies(cudaGraphNode_t node, cudaGraphNode_t* dependencies,
                                        size_t* count);
cudaError_t graph_node_get_dependent_nodes(cudaGraphNode_t node, cudaGraphNode_t* dependent,
                                           size_t* count);
cudaError_t mem_advise(const void* address, size_t bytes, cudaMemoryAdvise advice, int device);
cudaError_t mem_prefetch_async(const void* address, size_t bytes, int device, cudaStream_t stream);
cudaError_t memcpy_3d_batch_async(size_t count, cudaMemcpy3DBatchOp* operations, size_t* failed,
                                  unsigned long long flags, cudaStream_t stream);
cudaError_t memcpy_batch_async(void** to, void** from, size_t* bytes, size_t count,
                               cudaMemcpyAttributes* attributes, size_t* attribute_indices,
                               size_t attribute_count, size_t* failed, cudaStream_t stream);
cudaError_t set_double(double* value);
cudaError_t stream_get_capture_info(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                    unsigned long long* id);
cudaError_t stream_get_capture_info_v2(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                       unsigned long long* id, cudaGraph_t* graph,
                                       const cudaGraphNode_t** dependencies, size_t* count);
cudaError_t stream_update_capture_dependencies(cudaStream_t stream, cudaGraphNode_t* dependencies,
                                               size_t count, unsigned int flags);

}  // namespace warpmark::cudart::api::abi12
