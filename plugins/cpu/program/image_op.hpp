// The forms of texture and surface instructions in Instruction::imm.
#pragma once

#include <cstdint>

namespace warpmark::cpu {

/// The shape that an instruction assumes for its texture or surface.
enum class Geometry : std::uint8_t { d1, d2, d3, a1d, a2d, cube, acube };

constexpr bool is_layered(Geometry geometry) {
  return geometry == Geometry::a1d || geometry == Geometry::a2d || geometry == Geometry::acube;
}
/// Coordinates without the layer; a cube's are a direction.
constexpr std::uint32_t dimensions_of(Geometry geometry) {
  switch (geometry) {
    case Geometry::d1:
    case Geometry::a1d:
      return 1;
    case Geometry::d2:
    case Geometry::a2d:
      return 2;
    default:
      return 3;
  }
}

/// tex and tld4. Instruction: address = handle, d a b c = results. Operands from Instruction::more:
/// residency predicate (or kNone); layer, if layered; coordinates; then of `level` the level, of
/// `gradient` two vectors as long as the coordinates.
struct TextureOp {
  enum class Level : std::uint8_t { none, level, gradient };
  enum class Result : std::uint8_t { word, half, pair };  ///< 32 bits; f16; two of f16x2
  Geometry geometry = Geometry::d1;
  bool integer = false;  ///< coordinates are .s32
  Level level = Level::none;
  std::uint8_t component = 0;  ///< of tld4
  std::uint8_t offsets = 0;    ///< further operands at the end: texels to add to the coordinates
  Result result = Result::word;
  bool compares = false;  ///< with a depth, which no texture of the driver has
};

/// istypep: what a number may be the handle of.
enum class ImageType : std::uint8_t { texture, sampler, surface };

/// suld, sust and sured. Instruction: address = handle, d a b c = data, count of them. Operands
/// from Instruction::more: layer, if layered; coordinates.
struct SurfaceOp {
  enum class Boundary : std::uint8_t { trap, clamp, zero };
  enum class Type : std::uint8_t { bits, u32, s32, f32, u64, s64 };
  enum class Reduce : std::uint8_t { add, min, max, bit_and, bit_or };
  Geometry geometry = Geometry::d1;
  Boundary boundary = Boundary::trap;
  Type type = Type::bits;       ///< of the elements, where it matters
  Reduce reduce = Reduce::add;  ///< of sured
  bool formatted = false;       ///< .p: x counts texels, data are converted to their format
  std::uint8_t bytes = 4;       ///< of an element
};

/// txq and suq. Instruction: address = handle, d = result, a = level or kNone; imm is one of these.
enum class ImageQuery : std::uint8_t {
  width,
  height,
  depth,
  channel_data_type,
  channel_order,
  normalized_coords,
  array_size,
  num_mipmap_levels,
  num_samples,
  memory_layout,
  force_unnormalized_coords,
  filter_mode,
  addr_mode_0,
  addr_mode_1,
  addr_mode_2
};

}  // namespace warpmark::cpu
