// When and by whom memory was accessed, in 64 bits, and which thread block a time belongs to.
#pragma once

#include <cstdint>
#include <vector>

namespace warpmark::cpu {

/// A time of a launch. Each belongs to one thread block: a block takes a new one when it starts and
/// whenever something puts its threads' accesses in order (barriers, fences). Later times are
/// greater, and those of earlier launches less than any of this one.
using Epoch = std::uint32_t;

/// One access: the epoch (32 bits), the thread in its block (10), whether others may meet it
/// without a race (1), and the statement (20). Zero is no access. Made so that the records of 32
/// lanes are compared a vector at a time; the sign stays clear, as AVX2 compares signed numbers.
struct Record {
  static constexpr int kEpochShift = 32, kThreadShift = 22, kWarpShift = 27, kStrongShift = 21;
  static constexpr Epoch kLastEpoch = 0x7effffff;         ///< later ones mark copies (flight.hpp)
  static constexpr std::uint32_t kStatements = 1u << 20;  ///< greater numbers read as the last

  std::uint64_t bits = 0;

  [[nodiscard]] Epoch epoch() const { return static_cast<Epoch>(bits >> kEpochShift); }
  /// True for a write of a copy that is under way, or a read if strong(); the copy's mark takes the
  /// place of the epoch.
  [[nodiscard]] bool in_flight() const { return epoch() > kLastEpoch; }
  [[nodiscard]] std::uint32_t thread() const {
    return static_cast<std::uint32_t>(bits >> kThreadShift) & 0x3ff;
  }
  [[nodiscard]] std::uint32_t warp() const { return thread() / 32; }
  [[nodiscard]] std::uint32_t lane() const { return thread() % 32; }
  /// Atomic, volatile, relaxed or stronger: two of these never race with each other.
  [[nodiscard]] bool strong() const { return (bits >> kStrongShift & 1) != 0; }
  [[nodiscard]] std::uint32_t statement() const {
    return static_cast<std::uint32_t>(bits) & (kStatements - 1);
  }
  static Record make(Epoch epoch, std::uint32_t thread, bool strong, std::uint32_t statement) {
    if (statement >= kStatements) statement = kStatements - 1;
    return {std::uint64_t{epoch} << kEpochShift | std::uint64_t{thread} << kThreadShift |
            std::uint64_t{strong} << kStrongShift | statement};
  }
};

/// Hands out epochs, and knows the block of each.
class Clock {
 public:
  /// Forgets the blocks of earlier launches' epochs. Returns true if the epochs begin anew, so that
  /// all records of them must be forgotten, too.
  bool begin_launch() {
    blocks_.clear();
    exhausted_ = false;
    first_ = next_;
    if (next_ < Record::kLastEpoch / 2) return false;
    next_ = first_ = 1;
    return true;
  }
  /// A new epoch of a block. If there are no more the last one is given again and again: accesses
  /// then count as simultaneous or by the same block, and some races are not found.
  Epoch take(std::uint64_t block) {
    if (next_ >= Record::kLastEpoch || blocks_.size() >= kMost) {
      exhausted_ = true;
      return next_ - 1;
    }
    blocks_.push_back(block);
    return next_++;
  }
  /// True if this launch has run out of epochs.
  [[nodiscard]] bool exhausted() const { return exhausted_; }
  /// The first epoch of the launch.
  [[nodiscard]] Epoch first() const { return first_; }
  [[nodiscard]] std::uint64_t block(Epoch epoch) const { return blocks_[epoch - first_]; }

 private:
  static constexpr std::size_t kMost = std::size_t{1} << 26;
  Epoch next_ = 1, first_ = 1;
  bool exhausted_ = false;
  std::vector<std::uint64_t> blocks_;  ///< by epoch, from first_ on
};

}  // namespace warpmark::cpu
