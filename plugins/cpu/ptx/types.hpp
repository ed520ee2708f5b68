// The types of PTX by their names.
#pragma once

#include <cstdint>
#include <string_view>

namespace warpmark::cpu {

/// The fundamental types of PTX that this device knows.
enum class Type : std::uint8_t {
  none,
  pred,
  b8,
  u8,
  s8,
  b16,
  u16,
  s16,
  f16,
  bf16,
  b32,
  u32,
  s32,
  f32,
  f16x2,
  bf16x2,
  b64,
  u64,
  s64,
  f64,
  b128
};

/// Bytes of one value of `type`; 0 for none and pred.
std::uint32_t bytes_of(Type type);
/// Types .b, .u and .s of 8 to 64 bits.
bool is_integer(Type type);
bool is_signed(Type type);
/// Types .f and .bf, pairs included.
bool is_floating(Type type);
/// "u32"; "" of Type::none.
std::string_view name_of(Type type);
/// The type of a name without its dot ("u32"), or Type::none.
Type type_named(std::string_view name);

}  // namespace warpmark::cpu
