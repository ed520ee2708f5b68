// Detects whether blocks that ran at the same time used the same global memory, and undoes their
// writes if so.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

namespace warpmark::cpu {

class Arena;
class Speculation;

/// The global memory that one thread's blocks have used: three bits for each granule.
class Footprint {
 public:
  /// Atomic accesses of several threads do not disturb each other, as their results are used only
  /// in the blocks' order (Program::ordered).
  enum class Use : std::uint8_t { read, write, atomic };

  static constexpr int kPageShift = 12;
  static constexpr std::uint64_t kPage = std::uint64_t{1} << kPageShift;

  explicit Footprint(Speculation& launch);
  /// Begins a launch. Granules have 1 << shift bytes; no access is smaller.
  void begin(int shift);

  /// Notes an access to [address, address + bytes), which is not empty, before it takes place.
  void note(Use use, std::uint64_t address, std::uint64_t bytes) {
    const std::uint64_t begin = address & (kPage - 1);
    const std::uint64_t first = begin >> shift_, end = ((begin + bytes - 1) >> shift_) + 1;
    const Page* page = find(address);
    if (end > granules_ || page == nullptr || page->bits == nullptr ||
        (use != Use::read && page->kept == nullptr))
      return note_slowly(use, address, bytes);
    mark(page->bits + static_cast<std::uint64_t>(use) * words_, first, end - first);
  }

  /// Adds what another thread's blocks have used. False if one of them may have disturbed another.
  [[nodiscard]] bool absorb(const Footprint& other);

  /// The earlier contents of a page, saved before this thread has written to it.
  struct Kept {
    std::array<std::byte, kPage> bytes;
    std::array<std::uint8_t, kPage / 8> values;  ///< bits, as init_bits.hpp has them
    std::uint64_t order;                         ///< among the pages that threads have saved
  };
  /// Those of a page; null if this thread has not written to it.
  [[nodiscard]] const Kept* kept(std::uint64_t page) const {
    const Page* found = find(page << kPageShift);
    return found == nullptr ? nullptr : found->kept;
  }
  /// The numbers of the pages that were used.
  [[nodiscard]] const std::vector<std::uint64_t>& pages() const { return pages_; }
  /// Calls body(address, bytes) for all that was written, in ascending order within a page.
  template <typename Body>
  void each_written(std::uint64_t page, Body body) const {
    const Page* found = find(page << kPageShift);
    if (found == nullptr || found->bits == nullptr) return;
    const std::uint64_t* written = bits_of(*found, Use::write);
    const std::uint64_t* changed = bits_of(*found, Use::atomic);
    for (std::uint64_t i = 0; i < granules_; ++i) {
      if (((written[i / 64] | changed[i / 64]) >> i % 64 & 1) != 0)
        body((page << kPageShift) + (i << shift_), std::uint64_t{1} << shift_);
    }
  }

 private:
  static constexpr std::uint64_t kLeaf = 512;  ///< pages of a leaf
  struct Page {
    std::uint64_t* bits = nullptr;  ///< words_ for each Use
    const Kept* kept = nullptr;
  };
  using Leaf = std::array<Page, kLeaf>;

  [[nodiscard]] const Page* find(std::uint64_t address) const {
    const std::uint64_t page = (address >> kPageShift) - first_page_;
    if (page / kLeaf >= leaves_.size()) return nullptr;
    const Leaf* leaf = leaves_[page / kLeaf].get();
    return leaf == nullptr ? nullptr : &(*leaf)[page % kLeaf];
  }
  static void mark(std::uint64_t* bits, std::uint64_t first, std::uint64_t count) {
    bits += first / 64;
    first %= 64;
    while (first + count > 64) {
      *bits++ |= ~std::uint64_t{0} << first;
      count -= 64 - first;
      first = 0;
    }
    *bits |= ~std::uint64_t{0} >> (64 - count) << first;
  }
  [[nodiscard]] const std::uint64_t* bits_of(const Page& page, Use use) const {
    return page.bits + static_cast<std::uint64_t>(use) * words_;
  }
  void note_slowly(Use use, std::uint64_t address, std::uint64_t bytes);
  /// The page of an address, made if need be; null outside of the arena.
  Page* make(std::uint64_t address);
  const Kept* keep(std::uint64_t page);

  Speculation& launch_;
  int shift_ = 0;
  std::uint64_t first_page_, granules_ = 0, words_ = 0;  ///< granules of a page; words for each Use
  std::vector<std::unique_ptr<Leaf>> leaves_;
  std::vector<std::uint64_t> pages_;  ///< numbers of the pages that were used
  std::vector<std::unique_ptr<std::uint64_t[]>> slabs_;
  std::uint64_t used_words_ = 0;  ///< used words of the slabs
  std::vector<std::unique_ptr<Kept[]>> kept_;
  std::size_t used_kept_ = 0;  ///< of the pages in them
};

/// A launch with checks whose blocks several threads run at the same time. Its results are valid if
/// no block has found a fault and no block has used memory that another thread's block writes: then
/// every check saw the same as if the blocks had run one after another. Otherwise undo() reverts
/// all writes, and the launch runs again on one thread. Kept from launch to launch for its memory.
class Speculation {
 public:
  explicit Speculation(Arena& arena) : arena_(arena) {}

  /// Begins a launch with `threads` threads, whose accesses are of 1 << shift bytes or more.
  void begin(std::size_t threads, int shift);
  /// The footprint of a thread.
  [[nodiscard]] Footprint& footprint(std::size_t thread) { return footprints_[thread]; }

  // --- while the threads run, by any of them
  /// Notes that the launch has to run again on one thread, so that its blocks can stop.
  void abandon() { abandoned_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] bool abandoned() const { return abandoned_.load(std::memory_order_relaxed); }
  /// Counts the pages that threads have saved. Abandons the launch if they are too many.
  std::uint64_t count_kept() {
    const std::uint64_t before = kept_.fetch_add(1);
    if (before >= kMostPages) abandon();
    return before;
  }

  // --- after all have ended
  /// Returns whether no thread's blocks have used memory that another's write.
  [[nodiscard]] bool apart();
  /// Restores all memory that was written.
  void undo();

  [[nodiscard]] Arena& arena() const { return arena_; }

 private:
  static constexpr std::uint64_t kMostPages = std::uint64_t{1} << 18;  ///< 1 GiB of memory

  void restore(std::uint64_t page, const Footprint::Kept& kept);

  Arena& arena_;
  std::deque<Footprint> footprints_;
  std::atomic<bool> abandoned_{false};
  std::atomic<std::uint64_t> kept_{0};
};

}  // namespace warpmark::cpu
