// Accesses of a cell beyond those that it has room for: writes that an atomic operation must not
// hide, and reads.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "inspect/races/epoch.hpp"

namespace warpmark::cpu {

/// The earlier writes of cells whose last write is strong: two strong writes do not race, so that
/// the last one says nothing about whether the others are in order with a plain access. Or the
/// reads of further warps, for cells that more than two warps have read. A hash table by the
/// address of the cell's record, for one launch. Most cells have one write here, which the table
/// itself holds, because threads that add to many places come here for each of them.
class FurtherRecords {
 public:
  /// The records of a cell. Valid until the table changes.
  struct Writes {
    std::span<const std::uint64_t> records;  ///< Record::bits, oldest first
    bool weak = false;  ///< true if one of them may race with an atomic operation
    explicit operator bool() const { return !records.empty(); }
  };
  /// `clock` gives the block of each record.
  explicit FurtherRecords(const Clock& clock) : clock_(&clock) {}

  /// The records of a cell besides its last write.
  [[nodiscard]] Writes find(const std::uint64_t* cell) const {
    const Cell* known = known_cell(cell);
    return known == nullptr ? Writes{} : writes(*known);
  }
  /// Remembers an access of a cell that is no longer its last one.
  void keep(const std::uint64_t* cell, std::uint64_t record);
  /// The same for a read, unless there are already reads by two lanes of its warp at that time: with
  /// a write by any lane, one of the two is another lane's.
  void keep_two_of_warp(const std::uint64_t* cell, std::uint64_t record);
  /// Keeps the record in place of all others of the cell. This suffices if its thread and that of
  /// the last write are ordered only by what orders all threads: a third thread that races with any
  /// write of the cell also races with one of these two.
  void keep_only(const std::uint64_t* cell, std::uint64_t record);
  /// Forgets the cell's records, with which later writes are ordered.
  void forget(const std::uint64_t* cell) {
    if (Cell* known = known_cell(cell)) empty(*known);
  }
  /// Forgets records before `oldest` (Record::bits), with which all new accesses are ordered.
  void forget_before(const std::uint64_t* cell, std::uint64_t oldest) {
    Cell* known = known_cell(cell);
    if (known == nullptr) return;
    const Writes all = writes(*known);
    if (all && all.records.front() < oldest) cut(*known, oldest);
  }
  /// Forgets the strong records of a cell.
  void forget_strong(const std::uint64_t* cell);
  /// True if there was no room for the oldest records of some cells.
  [[nodiscard]] bool full() const { return full_; }

  static constexpr std::uint64_t kMost = std::uint64_t{1} << 24;  ///< records of all cells

 private:
  /// Several records of a cell, or a weak one.
  struct Many {
    std::vector<std::uint64_t> records;
    bool weak = false;
    std::size_t next_merge = 64;  ///< number of records at which repetitions are merged
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
  std::uint64_t used_ = 0;  ///< used entries of cells_
  std::uint64_t records_ = 0;
  bool full_ = false;
};

}  // namespace warpmark::cpu
