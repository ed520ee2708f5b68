// Parameters of graphs' nodes as the driver has them.
#pragma once

#include "driver.hpp"

namespace warpmark::cudart {

cudaError_t convert_kernel(const cudaKernelNodeParams& from, CUDA_KERNEL_NODE_PARAMS& to);
CUDA_MEMSET_NODE_PARAMS convert_fill(const cudaMemsetParams& from);

}  // namespace warpmark::cudart
