// Sparse arrays, and arrays that memory is mapped into later: their tiles, and where these lie.
#pragma once

#include <cstdint>

#include "api/array.hpp"

namespace warpmark::cpu {

/// The flags of such arrays.
constexpr unsigned int kMappedFlags = CUDA_ARRAY3D_SPARSE | CUDA_ARRAY3D_DEFERRED_MAPPING;

/// CUDA_SUCCESS, or why an array with such flags cannot be made.
CUresult check_mapped(const CUDA_ARRAY3D_DESCRIPTOR& descriptor);

/// Tells an image, whose extents are known, its tiles.
void lay_out_tiles(Image& image);

/// The first level of a mipmapped array that is in the mip tail, because it is smaller than a tile in
/// some dimension; their number if none is.
unsigned int first_of_tail(const Images& images, const MipmappedArray& mipmap);

/// Lays the levels of a sparse mipmapped array out, from address 0 on: levels of tiles, then for each
/// layer the mip tail. Returns the bytes of all.
std::uint64_t lay_out_levels(std::vector<std::unique_ptr<ImageArray>>& levels);

}  // namespace warpmark::cpu
