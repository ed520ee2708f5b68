// Data for single bytes of a memory in which most bytes have none.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <unordered_map>
#include <utility>
#include <vector>

namespace warpmark::cpu {

/// A T for each byte of a memory, kNone unless it was set. Takes room for the pages of 256 bytes in
/// which any was.
template <typename T, T kNone>
class SparseBytes {
  static constexpr std::uint64_t kPage = 256;
  using Page = std::array<T, kPage>;
  using Pages = std::unordered_map<std::uint64_t, Page>;

 public:
  [[nodiscard]] bool empty() const { return pages_.empty(); }
  [[nodiscard]] T get(std::uint64_t address) const {
    if (pages_.empty()) return kNone;
    const auto page = pages_.find(address / kPage);
    return page == pages_.end() ? kNone : page->second[address % kPage];
  }
  void set(std::uint64_t address, T value) {
    auto page = pages_.find(address / kPage);
    if (page == pages_.end()) {
      if (value == kNone) return;
      page = pages_.emplace(address / kPage, Page{}).first;
      page->second.fill(kNone);
    }
    page->second[address % kPage] = value;
  }
  /// The bytes [address, address + bytes) become kNone.
  void forget(std::uint64_t address, std::uint64_t bytes) {
    if (pages_.empty() || bytes == 0) return;
    const std::uint64_t first = address / kPage, last = (address + bytes - 1) / kPage;
    // Returns the page behind it.
    const auto clear = [&](typename Pages::iterator page) {
      const std::uint64_t number = page->first;
      const std::uint64_t begin = std::max(address, number * kPage) - number * kPage;
      const std::uint64_t end = std::min(address + bytes - number * kPage, kPage);
      if (begin == 0 && end == kPage) return pages_.erase(page);
      std::fill(page->second.begin() + static_cast<std::ptrdiff_t>(begin),
                page->second.begin() + static_cast<std::ptrdiff_t>(end), kNone);
      return std::next(page);
    };
    if (last - first >= pages_.size()) {
      for (auto page = pages_.begin(); page != pages_.end();)
        page = page->first >= first && page->first <= last ? clear(page) : std::next(page);
      return;
    }
    for (std::uint64_t number = first; number <= last; ++number) {
      const auto page = pages_.find(number);
      if (page != pages_.end()) clear(page);
    }
  }
  /// Bytes [to, to + bytes) become what those at `from` of `source` are.
  void copy(std::uint64_t to, const SparseBytes& source, std::uint64_t from, std::uint64_t bytes) {
    std::vector<std::pair<std::uint64_t, T>> known;
    for (const auto& [number, page] : source.pages_) {
      for (std::uint64_t i = 0; i < kPage; ++i) {
        const std::uint64_t at = number * kPage + i;
        if (page[i] != kNone && at >= from && at < from + bytes)
          known.emplace_back(at - from, page[i]);
      }
    }
    forget(to, bytes);
    for (const auto& [offset, value] : known) set(to + offset, value);
  }
  void clear() { pages_.clear(); }

 private:
  Pages pages_;
};

/// Beside a map with one bit for each byte (init_bits.hpp), which is clear if any bit of the byte
/// is undefined: the undefined bits of those bytes that have defined ones, too. Of a byte whose bit
/// is set it says nothing.
using PartialBytes = SparseBytes<std::uint8_t, 0xff>;

}  // namespace warpmark::cpu
