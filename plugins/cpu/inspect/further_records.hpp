// Accesses of a cell besides those that it has room for: writes that an atomic operation must not hide,
// and reads.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "inspect/epoch.hpp"

namespace warpmark::cpu {

/// The writes before the last one, of cells whose last write is strong: two strong writes do not
/// race, so that the last one says nothing about whether the others are in order with a plain
/// access. Or the reads of further warps, of cells that more than two have read. A hash table by the
/// address of the cell's record, for one launch. Most cells have one write here, which the table
/// itself holds: many threads that add to many places come by here with each of them.
class FurtherRecords {
 public:
  /// What is known of a cell. Valid until the table changes.
  struct Writes {
    std::span<const std::uint64_t> records;  ///< Record::bits, oldest first
    bool weak = false;                       ///< one of them may not meet an atomic operation
    explicit operator bool() const { return !records.empty(); }
  };
  /// `clock` knows whose the records are.
  explicit FurtherRecords(const Clock& clock) : clock_(&clock) {}

  /// What is known of a cell besides its last write.
  [[nodiscard]] Writes find(const std::uint64_t* cell) const {
    const Cell* known = known_cell(cell);
    return known == nullptr ? Writes{} : writes(*known);
  }
  /// Remembers an access of a cell that is no longer its last one.
  void keep(const std::uint64_t* cell, std::uint64_t record);
  /// The same, in the place of all others: of two threads that nothing orders but what orders all,
  /// any third thread has a race with one at least if it has one with any.
  void keep_only(const std::uint64_t* cell, std::uint64_t record);
  /// Later writes of the cell are in order with all before them.
  void forget(const std::uint64_t* cell) {
    if (Cell* known = known_cell(cell)) empty(*known);
  }
  /// What came before a time, as Record::bits has it, is in order with all that comes now.
  void forget_before(const std::uint64_t* cell, std::uint64_t oldest) {
    Cell* known = known_cell(cell);
    if (known == nullptr) return;
    const Writes all = writes(*known);
    if (all && all.records.front() < oldest) cut(*known, oldest);
  }
  /// The same of strong ones alone.
  void forget_strong(const std::uint64_t* cell);
  /// Of some cells the oldest records found no room.
  [[nodiscard]] bool full() const { return full_; }

  static constexpr std::uint64_t kMost = std::uint64_t{1} << 24;  ///< records of all cells

 private:
  /// Several records of a cell, or a weak one.
  struct Many {
    std::vector<std::uint64_t> records;
    bool weak = false;
    std::size_t next_merge = 64;  ///< so many records are looked over for repetitions
  };
  /// Small, as the table should fit in a processor's nearest cache.
  struct Cell {
    std::uintptr_t key = 0;  ///< the cell's address, or 0; with kMany, `only` is a place in many_
    std::uint64_t only = 0;  ///< its strong record, or 0
    [[nodiscard]] bool has_many() const { return (key & kMany) != 0; }
  };
  static constexpr std::uintptr_t kMany = 1;
  static constexpr std::uint64_t kGroup = 8;

  [[nodiscard]] std::uint64_t slot(std::uintptr_t key) const {
    // Cells lie 8 bytes apart. Those of eight neighbours stay together, for the cache. A step that
    // is odd comes by each slot, also where every eighth cell is changed.
    std::uint64_t at = ((key >> 6) * 0x9e3779b97f4a7c15u >> shift_) * kGroup + (key >> 3) % kGroup;
    while (cells_[at].key != 0 && (cells_[at].key & ~kMany) != key)
      at = (at + kGroup + 1) & (cells_.size() - 1);
    return at;
  }
  [[nodiscard]] const Cell* known_cell(const std::uint64_t* cell) const {
    if (used_ == 0) return nullptr;
    const Cell& found = cells_[slot(reinterpret_cast<std::uintptr_t>(cell))];
    return found.key == 0 ? nullptr : &found;
  }
  Cell* known_cell(const std::uint64_t* cell) {
    return const_cast<Cell*>(std::as_const(*this).known_cell(cell));
  }
  [[nodiscard]] Writes writes(const Cell& cell) const {
    if (!cell.has_many()) return {{&cell.only, cell.only == 0 ? 0u : 1u}, false};
    return {many_[cell.only].records, many_[cell.only].weak};
  }
  Cell& make(const std::uint64_t* cell);
  Many& spread(Cell& cell);
  void empty(Cell& cell);
  void merge(Many& many);
  void cut(Cell& cell, std::uint64_t oldest);
  void grow();

  const Clock* clock_;
  std::vector<Cell> cells_;  ///< a power of two
  std::vector<Many> many_;
  int shift_ = 64;          ///< 64 - log2 of the number of groups
  std::uint64_t used_ = 0;  ///< of cells_
  std::uint64_t records_ = 0;
  bool full_ = false;
};

}  // namespace warpmark::cpu
