// Records of the last accesses to each piece of memory, for finding races.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "inspect/races/epoch.hpp"

namespace warpmark::cpu {

/// Granules are 1 << so many bytes, if no access is to less than `bytes` bytes.
constexpr int granule_shift(std::uint32_t bytes) {
  return bytes >= 4 ? 2 : bytes == 2 ? 1 : 0;
}

/// The last accesses of a run of cells, one cell for each granule of memory: the last write, the
/// last read, and another read. The other read is preferably of another block than the last one,
/// else of another warp, unless the block's barrier came after it, else the newest of another
/// thread; among reads of one block a plain one is preferred to a strong one. Two readers are enough
/// to find that some reader races with a writer, whichever block and warp it is in, unless parts of
/// a block are put in order: then FurtherRecords keeps the reads that lose their place. `other` is
/// of a launch only if `read` is.
struct RaceCells {
  std::uint64_t *write = nullptr, *read = nullptr, *other = nullptr;  ///< Record::bits
  RaceCells operator+(std::uint64_t cells) const {
    return {write + cells, read + cells, other + cells};
  }
  explicit operator bool() const { return write != nullptr; }
};

/// The records of kRowCells cells beside each other. Warps mostly access whole rows in the order of
/// their lanes: then the record of the first cell says all, and those of the cells are out of date.
/// A row is spread over its cells before one of them is used by itself.
struct RaceRow {
  std::uint64_t write = 0, read = 0, other = 0;  ///< of the first cell, as in RaceCells
  Epoch spread = 0;  ///< 0: the above holds; else when cells were last used by themselves
  /// Each lane has 1 << shape cells: the record of cell c is greater by
  /// (c >> shape) << Record::kThreadShift, unless the first is zero.
  std::uint8_t write_shape = 0, read_shape = 0, other_shape = 0;
  std::uint8_t spreads = 0;  ///< how often it was spread; 0: the cells are zero
  /// True if a row that is spread may be one again, once its records are old. One that was spread
  /// again and again stays so.
  [[nodiscard]] bool may_join() const { return spreads < 4; }
};
static_assert(sizeof(RaceRow) == 32);
constexpr std::uint64_t kRowCells = 32;

/// Writes the records of a row to its cells.
void spread(RaceRow& row, const RaceCells& cells);
/// Makes the cells [first, first + count) usable by themselves. `now` is an epoch after which all
/// records that are older than it stop to matter.
inline void spread_rows(RaceRow* rows, const RaceCells& all, std::uint64_t first,
                        std::uint64_t count, Epoch now) {
  const std::uint64_t last = (first + count - 1) / kRowCells;
  for (std::uint64_t row = first / kRowCells; row <= last; ++row) {
    if (rows[row].spread >= now) continue;
    if (rows[row].spread == 0) spread(rows[row], all + row * kRowCells);
    rows[row].spread = now;
  }
}

/// The cells of an address range, made where they are used: memory in proportion to what kernels
/// touch, six bytes and more for one of the device's, up to a limit.
class RaceMemory {
 public:
  /// For addresses from `begin` on, in granules of 1 << shift bytes. `most` bytes are the limit.
  RaceMemory(std::uint64_t begin, int shift, std::uint64_t most)
      : begin_(begin), shift_(shift), most_(most) {}

  /// The cells of [address, address + bytes); none if the limit is reached, or if the range lies in
  /// two chunks, so that each granule must be asked for by itself.
  RaceCells find(std::uint64_t address, std::uint64_t bytes) {
    const std::uint64_t cell = (address - begin_) >> shift_;
    const std::uint64_t cells = (bytes + (std::uint64_t{1} << shift_) - 1) >> shift_;
    const std::uint64_t chunk = cell / kChunk, at = cell % kChunk;
    if (at + cells > kChunk) return {};
    RaceRow* const rows = rows_of(chunk);
    if (rows == nullptr) return {};
    const RaceCells all = cells_of(rows);
    spread_rows(rows, all, at, std::max<std::uint64_t>(cells, 1), launch_);
    return all + at;
  }
  /// The rows of [address, address + bytes); null if the range does not begin and end with rows of
  /// one chunk, or if there is no room.
  RaceRow* find_rows(std::uint64_t address, std::uint64_t bytes) {
    const std::uint64_t cell = (address - begin_) >> shift_, cells = bytes >> shift_;
    const std::uint64_t chunk = cell / kChunk, at = cell % kChunk;
    if ((cell | cells) % kRowCells != 0 || at + cells > kChunk) return nullptr;
    RaceRow* const rows = rows_of(chunk);
    return rows == nullptr ? nullptr : rows + at / kRowCells;
  }
  /// Forgets all accesses to [address, address + bytes).
  void forget(std::uint64_t address, std::uint64_t bytes);
  [[nodiscard]] int shift() const { return shift_; }
  /// True if there was no room for some accesses since begin_launch().
  [[nodiscard]] bool full() const { return full_; }
  /// Starts a launch whose records have the epoch `first` or later ones.
  void begin_launch(Epoch first) {
    full_ = false;
    launch_ = first;
  }
  void clear() {
    chunks_.clear();
    far_.clear();
    slabs_.clear();
    used_ = 0;
    full_ = false;
  }

 private:
  static constexpr std::uint64_t kChunk = 1 << 11;  ///< cells
  static constexpr std::uint64_t kRowBytes = 4096;  ///< a page, which alone most chunks need
  static constexpr std::uint64_t kChunkBytes = kRowBytes + 3 * kChunk * sizeof(std::uint64_t);
  static_assert(kChunk / kRowCells * sizeof(RaceRow) <= kRowBytes);
  static constexpr std::uint64_t kSlab = 128;  ///< chunks that are mapped at a time
  struct Unmap {
    void operator()(std::byte* slab) const;
  };
  static RaceCells cells_of(RaceRow* rows) {
    auto* const first =
        reinterpret_cast<std::uint64_t*>(reinterpret_cast<std::byte*>(rows) + kRowBytes);
    return {first, first + kChunk, first + 2 * kChunk};
  }
  /// The chunks of the device's own memory are in a table. Memory of peers and of the program may
  /// lie anywhere, so its chunks are in a map.
  static constexpr std::uint64_t kNear = std::uint64_t{1} << 25;  ///< chunks: 64 GiB and more
  [[nodiscard]] RaceRow* chunk_at(std::uint64_t chunk) const {
    if (chunk < chunks_.size()) return chunks_[chunk];
    if (chunk < kNear) return nullptr;
    const auto found = far_.find(chunk);
    return found == far_.end() ? nullptr : found->second;
  }
  /// The rows of a chunk, which is made if need be.
  RaceRow* rows_of(std::uint64_t chunk) {
    RaceRow* const rows = chunk_at(chunk);
    return rows != nullptr ? rows : make(chunk);
  }
  /// Makes a chunk. Returns null, and sets full_, if there is no room.
  RaceRow* make(std::uint64_t chunk);

  std::uint64_t begin_;
  int shift_;
  std::uint64_t most_, used_ = 0;
  bool full_ = false;
  Epoch launch_ = 1;              ///< the first of the launch
  std::vector<RaceRow*> chunks_;  ///< their rows, which the cells follow
  std::unordered_map<std::uint64_t, RaceRow*> far_;
  std::vector<std::unique_ptr<std::byte[], Unmap>> slabs_;
};

}  // namespace warpmark::cpu
