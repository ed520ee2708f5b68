// Copies of rectangles and boxes between host, device and array memory.
#pragma once

#include "api/state.hpp"

namespace warpmark::cpu {

/// A 2D copy as a 3D one, which is what check_copy and perform_copy (work.hpp) take.
CUDA_MEMCPY3D box_of(const CUDA_MEMCPY2D& copy);

}  // namespace warpmark::cpu
