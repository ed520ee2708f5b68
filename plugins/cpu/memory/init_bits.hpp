// Which bytes of a memory have a value: one bit for each.
#pragma once

#include <cstdint>
#include <cstring>

namespace warpmark::cpu {

/// Bits [from, from + count) of a map; the least significant bit of a byte is the first. Other
/// threads may set other bits meanwhile.
[[gnu::always_inline]] inline bool all_set(const std::uint8_t* map, std::uint64_t from,
                                           std::uint64_t count) {
  map += from / 8;
  unsigned offset = from % 8;
  if (offset == 0) {
    std::uint64_t missing = 0;
    for (; count >= 64; count -= 64, map += 8) {
      std::uint64_t word;
      std::memcpy(&word, map, 8);
      missing |= ~word;
    }
    if (count >= 32) {  // eight lanes of 4 bytes
      std::uint32_t word;
      std::memcpy(&word, map, 4);
      missing |= static_cast<std::uint32_t>(~word);
      count -= 32;
      map += 4;
    }
    if (missing != 0) return false;
  }
  while (count > 0) {
    const std::uint64_t here = count < 8u - offset ? count : 8u - offset;
    const unsigned wanted = ((1u << here) - 1) << offset;
    if ((__atomic_load_n(map, __ATOMIC_RELAXED) & wanted) != wanted) return false;
    count -= here;
    offset = 0;
    ++map;
  }
  return true;
}

template <bool Value = true>
[[gnu::always_inline]] inline void set_bits(std::uint8_t* map, std::uint64_t from,
                                            std::uint64_t count) {
  map += from / 8;
  unsigned offset = from % 8;
  if (offset == 0 && count >= 8) {
    std::memset(map, Value ? 0xff : 0, count / 8);
    map += count / 8;
    count %= 8;
  }
  while (count > 0) {
    const std::uint64_t here = count < 8u - offset ? count : 8u - offset;
    // NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): it is at most 8
    const unsigned bits = ((1u << here) - 1) << offset;
    *map = static_cast<std::uint8_t>(Value ? *map | bits : *map & ~bits);
    count -= here;
    offset = 0;
    ++map;
  }
}

/// Sets them while other threads may set other bits of the same bytes.
inline void share_bits(std::uint8_t* map, std::uint64_t from, std::uint64_t count) {
  map += from / 8;
  unsigned offset = from % 8;
  if (offset == 0 && count >= 8) {
    std::memset(map, 0xff, count / 8);
    map += count / 8;
    count %= 8;
  }
  while (count > 0) {
    const std::uint64_t here = count < 8u - offset ? count : 8u - offset;
    // NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): it is at most 8
    const auto bits = static_cast<std::uint8_t>(((1u << here) - 1) << offset);
    if ((__atomic_load_n(map, __ATOMIC_RELAXED) & bits) != bits)
      __atomic_fetch_or(map, bits, __ATOMIC_RELAXED);
    count -= here;
    offset = 0;
    ++map;
  }
}

/// The same where `count` is a power of two, up to 64, and divides `from`.
[[gnu::always_inline]] inline bool all_set_aligned(const std::uint8_t* map, std::uint64_t from,
                                                   std::uint64_t count) {
  if (count > 8) return all_set(map, from, count);
  const unsigned wanted = ((1u << count) - 1) << (from % 8);
  return (__atomic_load_n(map + from / 8, __ATOMIC_RELAXED) & wanted) == wanted;
}
[[gnu::always_inline]] inline void set_bits_aligned(std::uint8_t* map, std::uint64_t from,
                                                    std::uint64_t count) {
  if (count > 8) return set_bits(map, from, count);
  map[from / 8] = static_cast<std::uint8_t>(map[from / 8] | ((1u << count) - 1) << (from % 8));
}

/// Bits [from, from + count) of one map become bits [to, to + count) of another, or of the same.
inline void copy_bits(std::uint8_t* target, std::uint64_t to, const std::uint8_t* source,
                      std::uint64_t from, std::uint64_t count) {
  if (to % 8 == 0 && from % 8 == 0) {
    std::memmove(target + to / 8, source + from / 8, count / 8);
    to += count / 8 * 8;
    from += count / 8 * 8;
    count %= 8;
  }
  const auto copy = [&](std::uint64_t i) {
    const bool set = (source[(from + i) / 8] >> ((from + i) % 8) & 1) != 0;
    const auto bit = static_cast<unsigned>(1u << ((to + i) % 8));
    std::uint8_t& byte = target[(to + i) / 8];
    byte = static_cast<std::uint8_t>(set ? byte | bit : byte & ~bit);
  };
  if (target != source || to <= from) {
    for (std::uint64_t i = 0; i < count; ++i) copy(i);
  } else {
    for (std::uint64_t i = count; i > 0; --i) copy(i - 1);
  }
}

/// Bits [from, from + 8), the first one the least significant; beyond `size` bits they are set.
inline std::uint8_t eight_bits(const std::uint8_t* map, std::uint64_t from, std::uint64_t size) {
  unsigned result = 0;
  for (unsigned i = 0; i < 8; ++i) {
    const std::uint64_t at = from + i;
    if (at >= size || (map[at / 8] >> (at % 8) & 1) != 0) result |= 1u << i;
  }
  return static_cast<std::uint8_t>(result);
}

}  // namespace warpmark::cpu
