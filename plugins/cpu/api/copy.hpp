// Copies of rectangles and boxes between host, device and array memory.
#pragma once

#include <cstdint>
#include <vector>

#include "api/state.hpp"

namespace warpmark::cpu {

/// Any copy as a 3D one, which is what check_copy and perform_copy (work.hpp) take. Copies name
/// memory by address here, which is one for all devices, so that contexts need not be named.
CUDA_MEMCPY3D box_of(const CUDA_MEMCPY2D& copy);
CUDA_MEMCPY3D box_of(const CUDA_MEMCPY3D& copy);
CUDA_MEMCPY3D box_of(const CUDA_MEMCPY3D_PEER& copy);

/// Bytes that a copy reads or writes.
struct CopyRange {
  std::uint64_t place = 0;    ///< where they are in this process, by which ranges can be compared
  std::uint64_t address = 0;  ///< what programs call it
  std::size_t bytes = 0;
  bool write = false;
};
/// Adds those of a copy that check_copy accepts.
CUresult ranges_of(Context& context, const CUDA_MEMCPY3D& copy, std::vector<CopyRange>& ranges);

/// Reports a copy within device memory whose ranges overlap, and are not the same. Does nothing
/// without the check of memory.
void report_if_overlapping(Context& context, const char* call, const CUDA_MEMCPY3D& copy);

}  // namespace warpmark::cpu
