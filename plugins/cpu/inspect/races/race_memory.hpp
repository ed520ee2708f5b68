// Records of the last accesses to each piece of memory, for finding races.
#pragma once

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
/// else of another warp, else of another thread; among reads of one block a plain one is preferred
/// to a strong one. Two readers are enough to find that some reader races with a writer, whichever
/// block and warp it is in. `other` is of a launch only if `read` is. FurtherRecords keeps further
/// writes.
struct RaceCells {
  std::uint64_t *write = nullptr, *read = nullptr, *other = nullptr;  ///< Record::bits
  RaceCells operator+(std::uint64_t cells) const {
    return {write + cells, read + cells, other + cells};
  }
  explicit operator bool() const { return write != nullptr; }
};

/// The cells of an address range, made where they are used: memory in proportion to what kernels
/// touch, six bytes and more for one of the device's, up to a limit.
class RaceMemory {
 public:
  /// For addresses from `begin` on, in granules of 1 << shift bytes. `most` bytes are the limit.
  RaceMemory(std::uint64_t begin, int shift, std::uint64_t most)
      : begin_(begin), shift_(shift), most_(most) {}

  /// The cells of [address, address + bytes); none if the limit is reached, or if the range lies in
  /// two chunks, so that each granule must be asked for by itself. `stores`: what they are for.
  RaceCells find(std::uint64_t address, std::uint64_t bytes, bool stores = false) {
    const std::uint64_t cell = (address - begin_) >> shift_;
    const std::uint64_t cells = (bytes + (std::uint64_t{1} << shift_) - 1) >> shift_;
    const std::uint64_t chunk = cell / kChunk, at = cell % kChunk;
    if (at + cells > kChunk) return {};
    std::uint64_t* first = chunk_at(chunk);
    if (first == nullptr && (first = make(chunk, cells, stores)) == nullptr) return {};
    first += at;
    return {first, first + kChunk, first + 2 * kChunk};
  }
  /// Forgets all accesses to [address, address + bytes).
  void forget(std::uint64_t address, std::uint64_t bytes);
  [[nodiscard]] int shift() const { return shift_; }
  /// True if there was no room for some accesses since begin_launch().
  [[nodiscard]] bool full() const { return full_; }
  void begin_launch() { full_ = false; }
  void clear() {
    chunks_.clear();
    far_.clear();
    slabs_.clear();
    used_ = 0;
    full_ = false;
  }

 private:
  static constexpr std::uint64_t kChunk = 1 << 11;  ///< cells
  static constexpr std::uint64_t kChunkBytes = 3 * kChunk * sizeof(std::uint64_t);
  static constexpr std::uint64_t kSlab = 128;  ///< chunks that are mapped at a time
  struct Unmap {
    void operator()(std::uint64_t* cells) const;
  };
  /// The chunks of the device's own memory are in a table. Memory of peers and of the program may
  /// lie anywhere, so its chunks are in a map.
  static constexpr std::uint64_t kNear = std::uint64_t{1} << 25;  ///< chunks: 64 GiB and more
  [[nodiscard]] std::uint64_t* chunk_at(std::uint64_t chunk) const {
    if (chunk < chunks_.size()) return chunks_[chunk];
    if (chunk < kNear) return nullptr;
    const auto found = far_.find(chunk);
    return found == far_.end() ? nullptr : found->second;
  }
  /// Makes a chunk. Returns null, and sets full_, if there is no room.
  std::uint64_t* make(std::uint64_t chunk, std::uint64_t cells, bool stores);

  std::uint64_t begin_;
  int shift_;
  std::uint64_t most_, used_ = 0;
  bool full_ = false;
  std::vector<std::uint64_t*> chunks_;
  std::unordered_map<std::uint64_t, std::uint64_t*> far_;
  std::vector<std::unique_ptr<std::uint64_t[], Unmap>> slabs_;
};

}  // namespace warpmark::cpu
