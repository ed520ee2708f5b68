// Distinguishes undefined bytes of a store that are results from copies of memory with gaps.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "memory/arena.hpp"

namespace warpmark::cpu {

/// Where an undefined value was loaded, with all elements that were loaded together.
struct Loaded {
  std::uint64_t address = 0, bytes = ~std::uint64_t{0};  ///< many if it was not loaded
};

/// The bytes of a store, of up to 32 bytes, that are undefined and are not stored back where they
/// were loaded.
class StoredBytes {
 public:
  /// `undefined` has a one for each undefined bit of the `bytes` bytes that lie `at` bytes behind
  /// the store's address.
  void add(std::uint64_t undefined, std::uint64_t at, std::uint32_t bytes, const Loaded& from) {
    for (std::uint32_t byte = 0; byte < bytes && at + byte < undefined_.size(); ++byte) {
      if ((undefined >> (8 * byte) & 0xff) != 0) undefined_.at(at + byte) = from;
    }
  }
  /// The beginning of the first undefined element that should have a value, in bytes from the
  /// store's address on. A vector may be copied with members that were never set: it is a result if
  /// none of its bytes has a value, or if it was put together.
  [[nodiscard]] std::optional<std::uint64_t> result(const Allocation& to, std::uint64_t address,
                                                    std::uint32_t bytes) const {
    const std::uint64_t whole = to.whole_bytes.value_or(0), number = to.element_bytes();
    if (whole == 0) return std::nullopt;
    const std::uint64_t start = address - to.label_address;
    for (std::uint64_t from = 0, end = 0; from < bytes; from = end) {
      end = std::min<std::uint64_t>(bytes, from + whole - (start + from) % whole);
      bool all = true, result = whole == number;
      std::optional<std::uint64_t> first;
      for (std::uint64_t byte = from; byte < end; ++byte) {
        const std::optional<Loaded>& loaded = undefined_.at(byte);
        all = all && loaded;
        if (!loaded) continue;
        if (!first) first = byte;
        result = result || is_put_together(*loaded, (start + byte) % whole, whole);
      }
      if (first && (result || all)) return *first - (number == 0 ? 0 : (start + *first) % number);
    }
    return std::nullopt;
  }

 private:
  // Returns whether a byte of a vector was loaded without the others, and from another place in a
  // vector: a compiler that knows the other members loads only the one that it does not know.
  static bool is_put_together(const Loaded& loaded, std::uint64_t place, std::uint64_t whole) {
    // No load reads more than 16 bytes of a larger vector at once.
    if (loaded.bytes >= std::min<std::uint64_t>(whole, 16)) return false;
    const std::uint64_t begin = loaded.address % whole;
    return place < begin || place >= begin + loaded.bytes;
  }

  std::array<std::optional<Loaded>, 32> undefined_;  ///< where each undefined byte was loaded
};

}  // namespace warpmark::cpu
