// Masks of bits.
#pragma once

#include <cstdint>

namespace warpmark::cpu {

/// Ones in the lowest `width` bits, 0 to 64.
constexpr std::uint64_t low_bits(std::uint32_t width) {
  return width == 0 ? 0 : ~std::uint64_t{0} >> (64 - (width < 64 ? width : 64));
}

}  // namespace warpmark::cpu
