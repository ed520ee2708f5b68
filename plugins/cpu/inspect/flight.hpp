// The asynchronous copies of a launch that are under way.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "inspect/races/epoch.hpp"

namespace warpmark::cpu {

/// The copies of a launch that are under way. Each has a unique mark in place of an epoch, later
/// than all epochs, so that every access that meets it gets a closer look. Marks are given one
/// after another, and their data is kept in that order, so that a copy costs no allocation.
class Flights {
 public:
  Epoch depart(std::uint64_t block, bool reduces) {
    next_ = next_ == kLast ? kFirst : next_ + 1;
    Group& group = group_of(next_);
    const std::uint64_t bit = bit_of(next_);
    if (group.held == 0) group.page = take_page();
    if ((group.held & bit) == 0) ++held_;
    group.held |= bit;
    group.reduces = reduces ? group.reduces | bit : group.reduces & ~bit;
    pages_[group.page][next_ % kMarks] = block;
    return next_;
  }
  void land(Epoch mark) {
    if (!holds(mark)) return;
    Group& group = group_of(mark);
    group.held &= ~bit_of(mark);
    --held_;
    if (group.held == 0) free_.push_back(group.page);
  }
  [[nodiscard]] bool empty() const { return held_ == 0; }
  [[nodiscard]] bool holds(Epoch mark) const {
    const Group* group = find(mark);
    return group != nullptr && (group->held & bit_of(mark)) != 0;
  }
  /// True if the copy changes the old value, as atomic operations do.
  [[nodiscard]] bool reduces(Epoch mark) const {
    return holds(mark) && (find(mark)->reduces & bit_of(mark)) != 0;
  }
  /// The block that made the copy; a mark that is not held counts as the first block's.
  [[nodiscard]] std::uint64_t block(Epoch mark) const {
    return holds(mark) ? pages_[find(mark)->page][mark % kMarks] : 0;
  }

 private:
  static constexpr Epoch kFirst = Record::kLastEpoch + 1, kLast = 0x7fffffff;
  static constexpr std::uint32_t kMarks = 64;  ///< marks of a group
  /// A group of neighbouring marks. Their blocks are in a page while any mark is held.
  struct Group {
    std::uint64_t held = 0, reduces = 0;  ///< one bit for each mark
    std::uint32_t page = 0;
  };
  static std::uint64_t bit_of(Epoch mark) { return std::uint64_t{1} << mark % kMarks; }
  Group& group_of(Epoch mark) {
    const std::size_t group = (mark - kFirst) / kMarks;
    if (group >= groups_.size()) groups_.resize(group + 1);
    return groups_[group];
  }
  [[nodiscard]] const Group* find(Epoch mark) const {
    const std::size_t group = (mark - kFirst) / kMarks;
    return mark < kFirst || group >= groups_.size() ? nullptr : &groups_[group];
  }
  std::uint32_t take_page() {
    if (free_.empty()) {
      pages_.emplace_back();
      return static_cast<std::uint32_t>(pages_.size() - 1);
    }
    const std::uint32_t page = free_.back();
    free_.pop_back();
    return page;
  }

  Epoch next_ = Record::kLastEpoch;
  std::uint64_t held_ = 0;
  std::vector<Group> groups_;  ///< from the first mark on
  std::vector<std::array<std::uint64_t, kMarks>> pages_;
  std::vector<std::uint32_t> free_;  ///< free entries of pages_
};

}  // namespace warpmark::cpu
