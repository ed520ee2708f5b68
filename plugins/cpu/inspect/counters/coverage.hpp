// Counts which instructions run and which ways branches go: much cheaper than traffic.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "inspect/counters/traffic.hpp"

namespace warpmark::cpu {

/// The instructions of one program that visits of blocks do not count, made once for its launches.
class CoverageMap {
 public:
  explicit CoverageMap(const Program& program);

  /// The guarded instructions of a block, as indices in Program::code, in ascending order.
  [[nodiscard]] std::span<const std::uint32_t> guarded(std::uint32_t block) const {
    return std::span(guarded_).subspan(first_[block], first_[block + 1] - first_[block]);
  }
  /// The place of the first of them in guarded(), and of the first that is not before `at`.
  [[nodiscard]] std::uint32_t first(std::uint32_t block) const { return first_[block]; }
  [[nodiscard]] std::uint32_t place(std::uint32_t block, std::uint32_t at) const {
    std::uint32_t place = first_[block];
    while (place < first_[block + 1] && guarded_[place] < at) ++place;
    return place;
  }
  /// Those of all blocks, one block after another.
  [[nodiscard]] const std::vector<std::uint32_t>& guarded() const { return guarded_; }
  [[nodiscard]] std::size_t blocks() const { return first_.size() - 1; }

 private:
  std::vector<std::uint32_t> guarded_;
  std::vector<std::uint32_t> first_;  ///< by block, and one more for the end
};

/// One worker's counts. All count lanes.
class CoverageCounts {
 public:
  explicit CoverageCounts(const CoverageMap& map)
      : map_(map), held_(map.guarded().size()), sides_(map.blocks()) {}

  [[nodiscard]] const CoverageMap& map() const { return map_; }
  /// Called before an instruction of map().guarded() runs, which may overwrite its own guard.
  void before(std::uint32_t place, const Lanes& w, const Instruction& i, std::uint32_t mask) {
    held_[place] += lanes(w, i.guard, i.guard_negated, mask);
  }
  /// Called at the end of a block that branches.
  void part(std::uint32_t block, const Lanes& w, const BasicBlock& node, std::uint32_t mask) {
    const std::uint64_t taken = lanes(w, node.predicate, node.negated, mask);
    sides_[block].taken += taken;
    sides_[block].other += static_cast<std::uint64_t>(__builtin_popcount(mask)) - taken;
  }
  /// Puts the counts since the last call into a profile; `tally` has the visits.
  void take(const Tally& tally, Profile& profile);

 private:
  static std::uint64_t lanes(const Lanes& w, std::uint32_t slot, bool negated, std::uint32_t mask) {
    const auto predicate = read_lane<std::uint32_t>(w.registers, slot, 0);
    return static_cast<std::uint64_t>(
        __builtin_popcount(mask & (negated ? ~predicate : predicate)));
  }

  const CoverageMap& map_;
  std::vector<std::uint64_t> held_;
  std::vector<Sides> sides_;
};

}  // namespace warpmark::cpu
