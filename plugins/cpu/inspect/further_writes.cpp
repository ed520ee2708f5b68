// A table that grows with the cells that several threads change by atomic operations.
#include "inspect/further_writes.hpp"

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

FurtherWrites::Cell& FurtherWrites::make(const std::uint64_t* cell) {
  if (2 * (used_ + 1) > cells_.size()) grow();
  Cell& made = slot(cell);
  if (made.key == nullptr) {
    made.key = cell;
    ++used_;
  }
  return made;
}

void FurtherWrites::grow() {
  constexpr std::size_t kFirst = 256;
  std::vector<Cell> old = std::exchange(cells_, {});
  cells_.resize(std::max(kFirst, 2 * old.size()));
  shift_ = 64 - std::countr_zero(cells_.size());
  for (Cell& cell : old) {
    if (cell.key != nullptr) slot(cell.key) = std::move(cell);
  }
}

void FurtherWrites::keep(const std::uint64_t* cell, std::uint64_t record) {
  Cell& known = make(cell);
  if (records_ >= kMost) {
    full_ = true;
    records_ -= known.records.size();
    known.records.clear();
  }
  known.records.push_back(record);
  ++records_;
  known.weak = known.weak || !is_strong(record);
  if (known.records.size() >= known.next_merge) merge(known);
}

void FurtherWrites::cut(Cell& cell, std::uint64_t oldest) {
  records_ -=
      std::erase_if(cell.records, [oldest](std::uint64_t record) { return record < oldest; });
  cell.weak = !std::all_of(cell.records.begin(), cell.records.end(), is_strong);
}

// A thread's own writes are in order, so that of equal strength the last one is enough.
void FurtherWrites::merge(Cell& cell) {
  using Key = std::pair<std::uint64_t, std::uint32_t>;
  std::set<Key> seen;
  const auto repeated = [&](std::uint64_t bits) {
    const Record record{bits};
    if (record.in_flight()) return false;
    const std::uint32_t who = record.thread() << 1 | static_cast<std::uint32_t>(record.strong());
    return !seen.insert({clock_->block(record.moment()), who}).second;
  };
  records_ -= cell.records.size();
  std::vector<std::uint64_t> kept;
  for (auto record = cell.records.rbegin(); record != cell.records.rend(); ++record) {
    if (!repeated(*record)) kept.push_back(*record);
  }
  std::reverse(kept.begin(), kept.end());
  cell.records = std::move(kept);
  records_ += cell.records.size();
  cell.next_merge = std::max<std::size_t>(64, 2 * cell.records.size());
}

void FurtherWrites::keep_only(const std::uint64_t* cell, std::uint64_t record) {
  Cell& known = make(cell);
  if (known.records.size() == 1 && !known.weak && is_strong(record)) {
    known.records[0] = record;
    return;
  }
  empty(known);
  keep(cell, record);
}

void FurtherWrites::forget_strong(const std::uint64_t* cell) {
  Cell* known = find(cell);
  if (known == nullptr) return;
  if (!known->weak) return empty(*known);
  records_ -= std::erase_if(known->records, is_strong);
}

}  // namespace warpmark::cpu
