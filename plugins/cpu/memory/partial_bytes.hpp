// Bytes of a memory of which only some bits have a value.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>

namespace warpmark::cpu {

/// Beside a map with one bit for each byte (init_bits.hpp), which is clear if any bit of the byte
/// is undefined: the undefined bits of those bytes that have some defined ones. What it holds of
/// bytes whose bit is set does not count.
class PartialBytes {
 public:
  [[nodiscard]] bool empty() const { return pages_.empty(); }
  /// The undefined bits of a byte that is not defined as a whole.
  [[nodiscard]] std::uint8_t undefined(std::uint64_t address) const;
  /// A byte gets these undefined bits.
  void set(std::uint64_t address, std::uint8_t undefined);
  /// The bytes [address, address + bytes) become undefined as a whole.
  void forget(std::uint64_t address, std::uint64_t bytes);
  void clear() { pages_.clear(); }

 private:
  static constexpr std::uint64_t kPage = 256;
  using Page = std::array<std::uint8_t, kPage>;
  std::unordered_map<std::uint64_t, Page> pages_;
};

}  // namespace warpmark::cpu
