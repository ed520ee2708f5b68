// What the checks remember of an asynchronous copy while it is under way.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "inspect/moment.hpp"
#include "program/program.hpp"

namespace warpmark::cpu {

struct Lanes;

/// Who copies, and from where to where.
struct Flight {
  struct Side {
    Space space = Space::shared;
    std::uint64_t address = 0;     ///< of shared memory an offset in its window
    std::uint8_t* init = nullptr;  ///< of global memory: which bytes have a value; null: all
    std::uint64_t first = 0;       ///< … the first one's bit
  };
  Side from, to;
  Lanes* lanes = nullptr;  ///< of the warp; null: nobody looks
  const Instruction* instruction = nullptr;
  std::uint32_t lane = 0;
  Moment mark = 0;                  ///< of the records that stand for it; 0: none
  std::vector<std::uint64_t> kept;  ///< what they took the place of, of a source in shared memory
};

/// The copies of a launch that are under way. Each has a mark of its own in place of a moment,
/// later than all of those, so that whoever meets it has a closer look.
class Flights {
 public:
  Moment depart(std::uint64_t block, bool reduces) {
    next_ = next_ == kLast ? Record::kLastMoment + 1 : next_ + 1;
    blocks_[next_] = block;
    if (reduces) reductions_.insert(next_);
    return next_;
  }
  void land(Moment mark) {
    blocks_.erase(mark);
    reductions_.erase(mark);
  }
  [[nodiscard]] bool empty() const { return blocks_.empty(); }
  [[nodiscard]] bool holds(Moment mark) const { return blocks_.contains(mark); }
  /// It changes what is there, as atomic operations do.
  [[nodiscard]] bool reduces(Moment mark) const { return reductions_.contains(mark); }
  /// Whose copy it is; that of a mark that is not held counts as the first block's.
  [[nodiscard]] std::uint64_t block(Moment mark) const {
    const auto found = blocks_.find(mark);
    return found == blocks_.end() ? 0 : found->second;
  }

 private:
  static constexpr Moment kLast = 0x7fffffff;
  Moment next_ = Record::kLastMoment;
  std::unordered_map<Moment, std::uint64_t> blocks_;
  std::unordered_set<Moment> reductions_;
};

}  // namespace warpmark::cpu
