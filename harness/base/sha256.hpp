// SHA-256, for names of cache entries and seeds.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace warpmark {

/// FIPS 180-4. Feed in pieces, then finish once.
class Sha256 {
 public:
  Sha256();
  Sha256& add(std::string_view bytes);
  /// The length first, then the bytes, so that ("ab", "c") and ("a", "bc") differ.
  Sha256& add_field(std::string_view bytes);
  std::array<uint8_t, 32> finish();
  /// finish() as 64 lower-case hexadecimal digits.
  std::string finish_hex();

 private:
  void compress(const uint8_t* block);

  std::array<uint32_t, 8> state_;
  std::array<uint8_t, 64> block_{};
  uint64_t total_ = 0;  ///< bytes so far
};

std::string sha256_hex(std::string_view bytes);

}  // namespace warpmark
