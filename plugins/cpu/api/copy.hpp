// Copies of rectangles and boxes between host, device and array memory.
#pragma once

#include "api/state.hpp"

namespace warpmark::cpu {

/// Executes a 3D copy; each side lies in the context given for it. Everything is checked to the
/// byte before anything is written. CUDA_ERROR_INVALID_VALUE for memory or an extent that is not
/// there, CUDA_ERROR_INVALID_HANDLE for an array that is none.
CUresult copy_box(Context& to, Context& from, const CUDA_MEMCPY3D& copy);
/// The same for a 2D copy.
CUDA_MEMCPY3D box_of(const CUDA_MEMCPY2D& copy);

}  // namespace warpmark::cpu
