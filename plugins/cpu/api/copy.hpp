// Copies of rectangles and boxes between host, device and array memory.
#pragma once

#include "api/state.hpp"

namespace warpmark::cpu {

/// Any copy as a 3D one, which is what check_copy and perform_copy (work.hpp) take. Copies name
/// memory by address here, which is one for all devices, so that contexts need not be named.
CUDA_MEMCPY3D box_of(const CUDA_MEMCPY2D& copy);
CUDA_MEMCPY3D box_of(const CUDA_MEMCPY3D& copy);
CUDA_MEMCPY3D box_of(const CUDA_MEMCPY3D_PEER& copy);

}  // namespace warpmark::cpu
