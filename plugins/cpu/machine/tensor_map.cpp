// The rules for all tensor maps.
#include "machine/tensor_map.hpp"

#include <algorithm>
#include <cstring>

namespace warpmark::cpu {
namespace {

// FNV-1a, begun with a number of our own: maps of other makers are no maps.
std::uint64_t seal_of(const TensorMap& map) {
  std::array<std::uint8_t, sizeof(TensorMap)> bytes;
  std::memcpy(bytes.data(), &map, sizeof map);
  std::uint64_t hash = 0x7761'7270'6d61'726b;
  for (std::size_t i = sizeof map.seal; i < bytes.size(); ++i)
    hash = (hash ^ bytes[i]) * 0x100000001b3;
  return hash;
}

}  // namespace

std::uint32_t TensorMap::element_bytes() const {
  switch (type) {
    case Type::u8:
      return 1;
    case Type::u16:
    case Type::f16:
    case Type::bf16:
      return 2;
    case Type::u64:
    case Type::s64:
    case Type::f64:
      return 8;
    default:
      return 4;
  }
}

std::uint64_t TensorMap::box_bytes() const {
  std::uint64_t bytes = element_bytes();
  if (im2col != 0) return bytes * box[0] * pixels;
  for (std::uint32_t d = 0; d < rank; ++d) bytes *= count(d);
  return bytes;
}

// cuda.h, cuTensorMapEncodeTiled.
const char* TensorMap::wrong() const {
  constexpr std::uint64_t kStrideEnd = std::uint64_t{1} << 40;
  if (type > Type::tf32_ftz) return "the data type is invalid";
  if (rank == 0 || rank > kMostRank) return "a tensor has 1 to 5 dimensions";
  if (interleave != 0) return "it is of an interleaved tensor, which this device has not";
  if (address % 16 != 0) return "the global address must be a multiple of 16";
  for (std::uint32_t d = 0; d + 1 < rank; ++d) {
    if (strides[d] % 16 != 0 || strides[d] >= kStrideEnd)
      return "a stride must be a multiple of 16 and below 2^40";
  }
  if (const char* reason = im2col != 0 ? wrong_pixels() : nullptr; reason != nullptr) return reason;
  for (std::uint32_t d = 0; d < rank; ++d) {
    if (box[d] == 0 || box[d] > kMostBox) return "a box has 1 to 256 elements in each dimension";
    if (steps[d] == 0 || steps[d] > kMostStep) return "an element stride is 1 to 8";
  }
  const std::uint32_t inner = box[0] * element_bytes();
  if (inner % 16 != 0) return "the box's inner dimension must be a multiple of 16 bytes";
  if (swizzle > Swizzle::bytes_128) return "the swizzle is invalid";
  if (swizzle != Swizzle::none && inner > 16u << static_cast<unsigned>(swizzle))
    return "the box's inner dimension must not be more than the swizzle's span";
  if (nan_outside > 1 || (nan_outside == 1 && !is_real()))
    return "only real numbers are filled with NaN";
  return nullptr;
}

// cuda.h, cuTensorMapEncodeIm2col: the more dimensions, the fewer bits corners have.
const char* TensorMap::wrong_pixels() const {
  if (im2col > 1 || rank < 3) return "im2col needs 3 to 5 dimensions";
  if (pixels == 0 || pixels > kMostPixels) return "a column has 1 to 1024 pixels";
  const std::int32_t most = rank == 3 ? 32768 : rank == 4 ? 128 : 16;
  for (std::uint32_t d = 0; d < spatial(); ++d) {
    if (lower[d] < -most || lower[d] >= most || upper[d] < -most || upper[d] >= most)
      return "a corner of the bounding box is too far away";
    if (std::int64_t{last[d + 1]} + upper[d] < lower[d]) return "the bounding box is empty";
  }
  return nullptr;
}

void TensorMap::make_seal() {
  seal = seal_of(*this);
}

bool TensorMap::is_sealed() const {
  return seal == seal_of(*this);
}

const char* TensorMap::complaint() const {
  if (!is_sealed())
    return "it was not made by cuTensorMapEncodeTiled of this device, or was changed since";
  return wrong();
}

}  // namespace warpmark::cpu
