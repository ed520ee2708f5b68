// Which bytes have a value: each range of bits against a look at one bit after the other.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "memory/init_bits.hpp"

namespace warpmark::cpu {
namespace {

constexpr std::uint64_t kBits = 320;
using Map = std::array<std::uint8_t, kBits / 8>;

TEST(InitBits, ARangeIsSetIfEachBitIs) {
  for (std::uint64_t missing = 0; missing < kBits; ++missing) {
    Map map;
    map.fill(0xff);
    map[missing / 8] = static_cast<std::uint8_t>(~(1u << missing % 8));
    for (std::uint64_t from = 0; from < 20; ++from) {
      for (std::uint64_t count = 0; count <= 264; ++count) {
        const bool set = missing < from || missing >= from + count;
        ASSERT_EQ(all_set(map.data(), from, count), set) << missing << ' ' << from << ' ' << count;
      }
    }
    for (std::uint64_t count = 1; count <= 64; count *= 2) {
      for (std::uint64_t from = 0; from + count <= kBits; from += count) {
        const bool set = missing < from || missing >= from + count;
        ASSERT_EQ(all_set_aligned(map.data(), from, count), set)
            << missing << ' ' << from << ' ' << count;
      }
    }
  }
}

}  // namespace
}  // namespace warpmark::cpu
