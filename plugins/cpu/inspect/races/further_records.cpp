// A table that grows with the cells that several threads change by atomic operations.
#include "inspect/races/further_records.hpp"

#include <algorithm>
#include <bit>
#include <set>
#include <utility>

namespace warpmark::cpu {
namespace {

bool is_strong(std::uint64_t record) {
  return Record{record}.strong() && !Record{record}.in_flight();
}

}  // namespace

FurtherRecords::Cell& FurtherRecords::make(const std::uint64_t* cell) {
  if (2 * (used_ + 1) > cells_.size()) grow();
  const auto key = reinterpret_cast<std::uintptr_t>(cell);
  Cell& made = cells_[slot(key)];
  if (made.key == 0) {
    made.key = key;
    ++used_;
  }
  return made;
}

void FurtherRecords::grow() {
  constexpr std::size_t kFirst = 256;
  std::vector<Cell> old = std::exchange(cells_, {});
  cells_.resize(std::max(kFirst, 2 * old.size()));
  shift_ = 64 - std::countr_zero(cells_.size() / kGroup);
  for (const Cell& cell : old) {
    if (cell.key != 0) cells_[slot(cell.key & ~kMany)] = cell;
  }
}

// Makes room for more than one record, or for a weak one.
FurtherRecords::Many& FurtherRecords::spread(Cell& cell) {
  if (cell.has_many()) return many_[cell.only];
  Many made;
  if (cell.only != 0) made.records.push_back(cell.only);
  cell.key |= kMany;
  cell.only = many_.size();
  return many_.emplace_back(std::move(made));
}

void FurtherRecords::keep_two_of_warp(const std::uint64_t* cell, std::uint64_t record) {
  const Record lost{record};
  int others = 0;
  for (const std::uint64_t bits : find(cell).records) {
    const Record known{bits};
    const bool says_less = known.strong() && !lost.strong();
    if (says_less || known.epoch() != lost.epoch() || known.warp() != lost.warp()) continue;
    if (known.thread() == lost.thread() || ++others == 2) return;
  }
  keep(cell, record);
}

void FurtherRecords::keep(const std::uint64_t* cell, std::uint64_t record) {
  Cell& known = make(cell);
  if (records_ >= kMost) {
    full_ = true;
    empty(known);
  }
  ++records_;
  if (!known.has_many() && known.only == 0 && is_strong(record)) {
    known.only = record;
    return;
  }
  Many& many = spread(known);
  many.records.push_back(record);
  many.weak = many.weak || !is_strong(record);
  if (many.records.size() >= many.next_merge) merge(many);
}

void FurtherRecords::keep_only(const std::uint64_t* cell, std::uint64_t record) {
  Cell& known = make(cell);
  if (!known.has_many() && known.only != 0 && is_strong(record)) {
    known.only = record;
    return;
  }
  empty(known);
  keep(cell, record);
}

void FurtherRecords::empty(Cell& cell) {
  records_ -= writes(cell).records.size();
  if (!cell.has_many()) {
    cell.only = 0;
    return;
  }
  many_[cell.only].records.clear();
  many_[cell.only].weak = false;
}

void FurtherRecords::cut(Cell& cell, std::uint64_t oldest) {
  if (!cell.has_many()) return empty(cell);
  Many& many = many_[cell.only];
  records_ -=
      std::erase_if(many.records, [oldest](std::uint64_t record) { return record < oldest; });
  many.weak = !std::all_of(many.records.begin(), many.records.end(), is_strong);
}

// A thread's own writes are in order, so that of equal strength the last one is enough.
void FurtherRecords::merge(Many& many) {
  using Key = std::pair<std::uint64_t, std::uint32_t>;
  std::set<Key> seen;
  const auto repeated = [&](std::uint64_t bits) {
    const Record record{bits};
    if (record.in_flight()) return false;
    const std::uint32_t who = record.thread() << 1 | static_cast<std::uint32_t>(record.strong());
    return !seen.insert({clock_->block(record.epoch()), who}).second;
  };
  records_ -= many.records.size();
  std::vector<std::uint64_t> kept;
  for (auto record = many.records.rbegin(); record != many.records.rend(); ++record) {
    if (!repeated(*record)) kept.push_back(*record);
  }
  std::reverse(kept.begin(), kept.end());
  many.records = std::move(kept);
  records_ += many.records.size();
  many.next_merge = std::max<std::size_t>(64, 2 * many.records.size());
}

void FurtherRecords::forget_strong(const std::uint64_t* cell) {
  Cell* known = known_cell(cell);
  if (known == nullptr) return;
  if (!writes(*known).weak) return empty(*known);
  records_ -= std::erase_if(many_[known->only].records, is_strong);
}

}  // namespace warpmark::cpu
