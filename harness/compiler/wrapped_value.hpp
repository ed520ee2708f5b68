// Integers of 32 and 64 bits, and the numbers that they would be if registers had no end.
#pragma once

#include <cstdint>
#include <limits>

#include "ptx/types.hpp"

namespace warpmark::wrapped {

using cpu::Type;
__extension__ using Wide = __int128;

// No statement, and no argument.
inline constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();

/// The index that was meant where it was extended to 64 bits, and the one that it became.
struct Wrap {
  uint32_t statement = kNone;  ///< whose result left 32 bits
  int64_t meant = 0, computed = 0;
};

/// The contents of a register, and beside them the number that it had if registers had no end. Of 32
/// bits both are equal modulo 2^32.
struct Value {
  bool known = false;
  uint64_t bits = 0;
  Wide meant = 0;
  uint32_t array = kNone;   ///< the value is an offset from the address of this argument
  uint32_t origin = kNone;  ///< the statement whose result is no int any more
  Wrap wrap;
};

inline bool is_wide(Type type) {
  return cpu::bytes_of(type) == 8;
}
/// 8 and 16 bits are not evaluated.
inline bool is_evaluated(Type type) {
  return cpu::is_integer(type) && cpu::bytes_of(type) >= 4;
}

inline int64_t as_signed(const Value& value, Type type) {
  return is_wide(type) ? static_cast<int64_t>(value.bits)
                       : static_cast<int32_t>(static_cast<uint32_t>(value.bits));
}
inline uint64_t as_unsigned(const Value& value, Type type) {
  return is_wide(type) ? value.bits : static_cast<uint32_t>(value.bits);
}

/// A number that no arithmetic with limits has made.
inline Value exactly(Wide number, Type type) {
  Value value;
  value.known = true;
  value.bits = static_cast<uint64_t>(number);
  if (!is_wide(type)) value.bits = static_cast<uint32_t>(value.bits);
  value.meant = number;
  return value;
}
inline Value from_bits(uint64_t bits, Type type) {
  Value value = exactly(0, type);
  value.bits = is_wide(type) ? bits : static_cast<uint32_t>(bits);
  value.meant = as_signed(value, type);
  return value;
}

}  // namespace warpmark::wrapped
