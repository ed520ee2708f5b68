// Tensors and their maps, as cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col have them.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "device/machine/machine.hpp"

namespace warpmark::test {

// With numbers in place of enumerations, which may be none of their values.
using Encode = CUresult (*)(CUtensorMap*, unsigned, unsigned, void*, const cuuint64_t*,
                            const cuuint64_t*, const cuuint32_t*, const cuuint32_t*, unsigned,
                            unsigned, unsigned, unsigned);
using EncodeColumns = CUresult (*)(CUtensorMap*, unsigned, unsigned, void*, const cuuint64_t*,
                                   const cuuint64_t*, const int*, const int*, cuuint32_t,
                                   cuuint32_t, const cuuint32_t*, unsigned, unsigned, unsigned,
                                   unsigned);

/// A tensor and its boxes, as cuTensorMapEncodeTiled has them.
struct Tensor {
  unsigned type = CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
  std::vector<cuuint64_t> dims, strides;
  std::vector<cuuint32_t> box, steps;
  unsigned interleave = CU_TENSOR_MAP_INTERLEAVE_NONE;
  unsigned swizzle = CU_TENSOR_MAP_SWIZZLE_NONE;
  unsigned promotion = CU_TENSOR_MAP_L2_PROMOTION_NONE;
  unsigned fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
  bool no_strides = false;  ///< a null pointer

  [[nodiscard]] unsigned rank() const { return static_cast<unsigned>(dims.size()); }
  [[nodiscard]] unsigned element() const {
    constexpr unsigned kBytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
    return kBytes[type];
  }
  [[nodiscard]] unsigned count(unsigned d) const {
    return d == 0 ? box[0] : (box[d] + steps[d] - 1) / steps[d];
  }
  [[nodiscard]] std::size_t box_bytes() const {
    std::size_t bytes = element();
    for (unsigned d = 0; d < rank(); ++d) bytes *= count(d);
    return bytes;
  }
  /// Bytes of shared memory from one row to the next.
  [[nodiscard]] std::size_t pitch() const {
    return swizzle == CU_TENSOR_MAP_SWIZZLE_NONE ? std::size_t{box[0]} * element() : 16u << swizzle;
  }
  [[nodiscard]] std::size_t bytes() const {
    return rank() == 1 ? dims[0] * element() : dims.back() * strides.back();
  }
  CUresult encode(const Machine& machine, CUtensorMap* map, CUdeviceptr address) const {
    // The driver wants a pointer to strides even where there are none.
    static const cuuint64_t none = 0;
    const cuuint64_t* between = no_strides ? nullptr : strides.empty() ? &none : strides.data();
    return machine.call<Encode>("cuTensorMapEncodeTiled")(
        map, type, rank(), reinterpret_cast<void*>(address), dims.data(), between, box.data(),
        steps.data(), interleave, swizzle, promotion, fill);
  }
};

// Rows behind each other, each dimension after the last, but for `padding` bytes behind each row.
inline Tensor tensor(unsigned type, std::vector<cuuint64_t> dims, std::vector<cuuint32_t> box,
                     unsigned padding = 0) {
  Tensor made;
  made.type = type;
  made.dims = std::move(dims);
  made.box = std::move(box);
  made.steps.assign(made.dims.size(), 1);
  cuuint64_t stride = made.dims[0] * made.element() + padding;
  for (std::size_t d = 1; d < made.dims.size(); ++d) {
    made.strides.push_back(stride);
    stride *= made.dims[d];
  }
  return made;
}

inline constexpr auto kF32 = CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
inline constexpr auto kF16 = CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
inline constexpr auto kU8 = CU_TENSOR_MAP_DATA_TYPE_UINT8;

/// Columns of pixels, as cuTensorMapEncodeIm2col has them: channels, dimensions of space, images.
struct Columns {
  Tensor tensor;  ///< its box is not used
  std::vector<int> lower, upper;
  cuuint32_t channels = 16, pixels = 16;

  [[nodiscard]] unsigned spatial() const { return tensor.rank() - 2; }
  [[nodiscard]] std::size_t bytes() const {
    return std::size_t{channels} * pixels * tensor.element();
  }
  CUresult encode(const Machine& machine, CUtensorMap* map, CUdeviceptr address) const {
    return machine.call<EncodeColumns>("cuTensorMapEncodeIm2col")(
        map, tensor.type, tensor.rank(), reinterpret_cast<void*>(address), tensor.dims.data(),
        tensor.strides.data(), lower.data(), upper.data(), channels, pixels, tensor.steps.data(),
        tensor.interleave, tensor.swizzle, tensor.promotion, tensor.fill);
  }
};

}  // namespace warpmark::test
