// Reads of a block's shared memory whose records are not needed yet.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpmark::cpu {

class BlockRaces;
class FurtherRecords;

/// A range of shared memory, which grows.
struct SharedRange {
  std::uint64_t begin = ~std::uint64_t{0}, end = 0;
  [[nodiscard]] bool meets(std::uint64_t first, std::uint64_t last) const {
    return first < end && begin < last;
  }
  void add(std::uint64_t first, std::uint64_t last) {
    begin = std::min(begin, first);
    end = std::max(end, last);
  }
};

/// The reads since the block's last barrier of a range in which nothing else has happened since.
/// They race with nothing before, and after the next barrier with nothing at all: most kernels fill
/// a tile, wait, and read it many times. Only if something else happens in the range before that
/// barrier are the records made that it must be compared with.
class DeferredReads {
 public:
  /// One access of a warp, by offsets in shared memory.
  struct Read {
    enum class Kind : std::uint8_t {
      contiguous,  ///< all lanes in order from starts[0] on
      broadcast,   ///< the lanes of `mask` at starts[0]
      rows,        ///< groups of 8 lanes from `starts` on, in order or, if `at_one` says so, at one
      scattered    ///< the lanes of `mask`, at the offsets of the Places number starts[0]
    };
    Kind kind = Kind::contiguous;
    std::uint8_t at_one = 0;
    std::uint32_t bytes = 0;  ///< of each lane
    std::uint32_t mask = 0xffffffff;
    std::array<std::uint32_t, 4> starts{};
    std::uint64_t record = 0;           ///< of lane 0, as BlockRaces::record() gives it
    FurtherRecords* readers = nullptr;  ///< as BlockRaces::readers() gives it
  };
  using Places = std::array<std::uint32_t, 32>;

  /// The range of all reads.
  [[nodiscard]] const SharedRange& range() const { return range_; }
  /// True if the next read had better be recorded at once: there is no room, or too many reads had
  /// to be recorded after all.
  [[nodiscard]] bool refuses() const { return reads_.size() >= kMost || made_ > 1000 + spared_; }
  /// Adds a read in [begin, end).
  void add(const Read& read, std::uint64_t begin, std::uint64_t end) {
    reads_.push_back(read);
    range_.add(begin, end);
  }
  void add(Read read, const Places& places, std::uint64_t begin, std::uint64_t end) {
    read.starts[0] = static_cast<std::uint32_t>(places_.size());
    places_.push_back(places);
    add(read, begin, end);
  }
  /// Makes the records of these reads, and forgets them.
  void record(BlockRaces& races);
  void forget() {
    spared_ += reads_.size();
    reads_.clear();
    places_.clear();
    range_ = {};
  }

 private:
  static constexpr std::size_t kMost = 4096;  ///< what a nearest cache but one holds
  SharedRange range_;
  std::uint64_t spared_ = 0, made_ = 0;  ///< reads that needed no record, or one
  std::vector<Read> reads_;
  std::vector<Places> places_;
};

}  // namespace warpmark::cpu
