// What the checks remember of an asynchronous copy while it is under way.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "inspect/epoch.hpp"
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
  Epoch mark = 0;                   ///< of the records that stand for it; 0: none
  std::vector<std::uint64_t> kept;  ///< what they took the place of, of a source in shared memory
};

/// The copies of a launch that are under way. Each has a mark of its own in place of an epoch,
/// later than all of those, so that whoever meets it has a closer look.
class Flights {
 public:
  Epoch depart(std::uint64_t block, bool reduces) {
    next_ = next_ == kLast ? Record::kLastEpoch + 1 : next_ + 1;
    blocks_[next_] = block;
    if (reduces) reductions_.insert(next_);
    return next_;
  }
  void land(Epoch mark) {
    blocks_.erase(mark);
    reductions_.erase(mark);
  }
  [[nodiscard]] bool empty() const { return blocks_.empty(); }
  [[nodiscard]] bool holds(Epoch mark) const { return blocks_.contains(mark); }
  /// It changes what is there, as atomic operations do.
  [[nodiscard]] bool reduces(Epoch mark) const { return reductions_.contains(mark); }
  /// Whose copy it is; that of a mark that is not held counts as the first block's.
  [[nodiscard]] std::uint64_t block(Epoch mark) const {
    const auto found = blocks_.find(mark);
    return found == blocks_.end() ? 0 : found->second;
  }

 private:
  static constexpr Epoch kLast = 0x7fffffff;
  Epoch next_ = Record::kLastEpoch;
  std::unordered_map<Epoch, std::uint64_t> blocks_;
  std::unordered_set<Epoch> reductions_;
};

}  // namespace warpmark::cpu
