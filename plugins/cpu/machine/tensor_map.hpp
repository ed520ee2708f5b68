// Tensor maps: the description of a tensor for a kernel's copies of its boxes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace warpmark::cpu {

/// The device's form of a CUtensorMap: 128 bytes that are opaque to programs. A kernel may be given
/// any bytes in its place, so every use must call complaint() first.
struct TensorMap {
  /// CUtensorMapDataType, in its order.
  enum class Type : std::uint8_t {
    u8,
    u16,
    u32,
    s32,
    u64,
    s64,
    f16,
    f32,
    f64,
    bf16,
    f32_ftz,
    tf32,
    tf32_ftz
  };
  /// CUtensorMapSwizzle: 16-byte chunks change places within spans of so many bytes.
  enum class Swizzle : std::uint8_t { none, bytes_32, bytes_64, bytes_128 };
  static constexpr std::uint32_t kMostRank = 5, kMostBox = 256, kMostStep = 8, kMostPixels = 1024;

  std::uint64_t seal = 0;  ///< of all that follows
  /// CUTLASS clears bit 21 of the second word, which means something to a GPU's driver up to 13.1.
  std::uint64_t cleared_by_others = 0;
  std::uint64_t address = 0;                           ///< of the tensor's first element
  std::array<std::uint64_t, kMostRank - 1> strides{};  ///< bytes, of the second dimension and on
  std::array<std::uint32_t, kMostRank> last{};         ///< greatest coordinate of each dimension
  std::array<std::uint16_t, kMostRank> box{};          ///< how far a box reaches, in elements
  std::array<std::uint8_t, kMostRank> steps{};         ///< step between a box's copied elements
  std::uint8_t rank = 0;
  Type type = Type::u8;
  Swizzle swizzle = Swizzle::none;
  std::uint8_t nan_outside = 0;  ///< elements beyond the tensor are NaN, not zero
  /// The dimensions are channels, up to three of space, and images. A box has consecutive pixels
  /// within each image's bounds: those of space, shifted by these corners.
  std::uint8_t im2col = 0;
  std::array<std::int16_t, 3> lower{}, upper{};
  std::uint16_t pixels = 0;
  std::uint8_t interleave = 0;  ///< CUtensorMapInterleave, which no copy of this device has
  std::array<std::uint8_t, 17> unused{};

  [[nodiscard]] std::uint32_t element_bytes() const;
  [[nodiscard]] bool is_real() const { return type >= Type::f16 && type <= Type::tf32_ftz; }
  /// Elements of a box along a dimension.
  [[nodiscard]] std::uint32_t count(std::uint32_t dimension) const {
    const std::uint32_t step = dimension == 0 ? 1 : steps[dimension];
    return (box[dimension] + step - 1) / step;
  }
  [[nodiscard]] std::uint64_t box_bytes() const;
  /// Dimensions of space of an im2col map.
  [[nodiscard]] std::uint32_t spatial() const { return rank - 2u; }
  /// The requirement of cuda.h that this map does not meet; null if it meets all.
  [[nodiscard]] const char* wrong() const;
  void make_seal();
  /// Returns whether nothing but this device has made or changed it.
  [[nodiscard]] bool is_sealed() const;
  /// Null, or why kernels cannot use these bytes: they were not sealed, or they are wrong().
  [[nodiscard]] const char* complaint() const;

 private:
  [[nodiscard]] const char* wrong_pixels() const;
};
static_assert(sizeof(TensorMap) == 128);

}  // namespace warpmark::cpu
