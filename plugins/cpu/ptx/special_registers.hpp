// The special registers of PTX by their names.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace warpmark::cpu {

/// The values of special registers.
enum class Special : std::uint8_t {
#define SPECIAL(name, target, bits, value) value,
#define SAME(name, target, bits, value)
#define NUMBERED(stem, count, suffix, target, bits, value)
#include "ptx/special_registers.def"
  block_memory_high,  ///< the upper half of one that is read as two
};

/// One line of special_registers.def.
struct SpecialRegister {
  std::string_view name;     ///< with its component: %tid.x; of numbered ones all to the number
  std::string_view suffix;   ///< what stands behind the number
  std::uint32_t count = 0;   ///< of numbered ones, which begin at 0; else 0
  std::uint32_t target = 0;  ///< the least: 90 for sm_90
  std::uint32_t bits = 0;    ///< 32, 64, or 0 for both
  Special value = Special::zero;
};

/// All of them, in the order of the file.
std::span<const SpecialRegister> special_registers();
/// The one of that name, or null.
const SpecialRegister* special_register(std::string_view name);

}  // namespace warpmark::cpu
