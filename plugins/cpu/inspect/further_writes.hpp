// Writes of a cell besides its last one, which an atomic operation must not hide.
#pragma once

#include <cstdint>
#include <vector>

#include "inspect/moment.hpp"

namespace warpmark::cpu {

/// The writes before the last one, of cells whose last write is strong: two strong writes do not
/// race, so that the last one says nothing about whether the others are in order with a plain
/// access. A hash table by the cell's address (RaceCells::write), for one launch.
class FurtherWrites {
 public:
  struct Cell {
    const std::uint64_t* key = nullptr;
    bool weak = false;                   ///< one of them may not meet an atomic operation
    std::size_t next_merge = 64;         ///< so many records are looked over for repetitions
    std::vector<std::uint64_t> records;  ///< Record::bits, oldest first
  };
  /// `clock` knows whose the records are.
  explicit FurtherWrites(const Clock& clock) : clock_(&clock) {}

  /// What is known of a cell besides its last write; null: nothing. Valid until the next keep().
  Cell* find(const std::uint64_t* cell) {
    if (used_ == 0) return nullptr;
    Cell& found = slot(cell);
    return found.key == cell && !found.records.empty() ? &found : nullptr;
  }
  /// Remembers a write of a cell that is no longer its last one.
  void keep(const std::uint64_t* cell, std::uint64_t record);
  /// The same, in the place of all others: of two threads that nothing orders but what orders all,
  /// any third thread has a race with one at least if it has one with any.
  void keep_only(const std::uint64_t* cell, std::uint64_t record);
  /// Later writes of the cell are in order with all before them.
  void forget(const std::uint64_t* cell) {
    if (Cell* known = find(cell)) empty(*known);
  }
  /// What came before a time, as Record::bits has it, is in order with all that comes now.
  void forget_before(const std::uint64_t* cell, std::uint64_t oldest) {
    Cell* known = find(cell);
    if (known != nullptr && known->records.front() < oldest) cut(*known, oldest);
  }
  /// The same of strong ones alone.
  void forget_strong(const std::uint64_t* cell);
  /// Of some cells the oldest records found no room.
  [[nodiscard]] bool full() const { return full_; }

  static constexpr std::uint64_t kMost = std::uint64_t{1} << 24;  ///< records of all cells

 private:
  Cell& slot(const std::uint64_t* cell) {
    // Cells lie 8 bytes apart.
    std::uint64_t at =
        (reinterpret_cast<std::uintptr_t>(cell) >> 3) * 0x9e3779b97f4a7c15u >> shift_;
    while (cells_[at].key != nullptr && cells_[at].key != cell) at = (at + 1) & (cells_.size() - 1);
    return cells_[at];
  }
  Cell& make(const std::uint64_t* cell);
  void empty(Cell& cell) {
    records_ -= cell.records.size();
    cell.records.clear();
    cell.weak = false;
  }
  void merge(Cell& cell);
  void cut(Cell& cell, std::uint64_t oldest);
  void grow();

  const Clock* clock_;
  std::vector<Cell> cells_;  ///< a power of two
  int shift_ = 64;           ///< 64 - log2 of their number
  std::uint64_t used_ = 0;   ///< of cells_
  std::uint64_t records_ = 0;
  bool full_ = false;
};

}  // namespace warpmark::cpu
