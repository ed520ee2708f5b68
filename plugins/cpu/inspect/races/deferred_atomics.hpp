// Atomic operations on a block's shared memory whose records are not needed yet.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "inspect/races/deferred_reads.hpp"

namespace warpmark::cpu {

/// The atomic operations since the block's last barrier on a range to which nothing else has
/// happened since. As DeferredReads, they race with nothing before, and after the next barrier with
/// nothing at all: most histograms are cleared, added to, and read, with barriers between.
class DeferredAtomics {
 public:
  /// The range of all operations.
  [[nodiscard]] const SharedRange& range() const { return range_; }
  /// True if the next operation had better be recorded at once, as DeferredReads::refuses().
  [[nodiscard]] bool refuses() const { return all_.size() >= kMost || made_ > 1000 + spared_; }
  /// Adds those of the lanes of `mask`, lane L's at at[L] in [begin, end). `record` is lane 0's.
  void add(std::uint64_t record, std::uint32_t mask, const std::uint64_t* at, std::uint64_t begin,
           std::uint64_t end) {
    One& one = all_.emplace_back();
    one.record = record;
    one.mask = mask;
    for (std::size_t lane = 0; lane < one.places.size(); ++lane)
      one.places[lane] = static_cast<std::uint32_t>(at[lane]);
    range_.add(begin, end);
  }
  /// Forgets all, and calls body(record, mask, at) for each in order.
  template <typename Body>
  void take(Body body) {
    const std::vector<One> all = std::exchange(all_, {});
    made_ += all.size();
    range_ = {};
    for (const One& one : all) {
      std::array<std::uint64_t, 32> at;
      for (std::size_t lane = 0; lane < at.size(); ++lane) at[lane] = one.places[lane];
      body(one.record, one.mask, at.data());
    }
  }
  void forget() {
    spared_ += all_.size();
    all_.clear();
    range_ = {};
  }

 private:
  static constexpr std::size_t kMost = 1024;  ///< what a nearest cache but one holds
  struct One {
    std::uint64_t record;
    std::uint32_t mask;
    std::array<std::uint32_t, 32> places;
    One() {}  // leaves them as they are
  };
  SharedRange range_;
  std::uint64_t spared_ = 0, made_ = 0;  ///< operations that needed no record, or one
  std::vector<One> all_;
};

}  // namespace warpmark::cpu
