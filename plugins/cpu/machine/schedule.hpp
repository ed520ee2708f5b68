// The order in which a launch starts its blocks, and the texts of its limits.
#pragma once

#include <cstdint>
#include <numeric>
#include <string>

#include "machine/block.hpp"

namespace warpmark::cpu {

inline std::uint64_t blocks_of(const LaunchShape& shape) {
  return std::uint64_t{shape.grid[0]} * shape.grid[1] * shape.grid[2];
}

/// Returns whether blocks take turns before they have ended, since they may wait for each other.
bool in_rotation(const Program& program, const LaunchShape& shape);

inline std::string budget_text(std::uint64_t executed, const LaunchShape& shape) {
  return "the launch executed " + std::to_string(executed) +
         " thread-instructions, its budget is " + std::to_string(shape.instruction_budget);
}
inline std::string over_time(const LaunchShape& shape) {
  return "the launch took longer than its limit of " + std::to_string(shape.wall_limit_ms) + " ms";
}

/// The order in which a schedule's seed starts `count` blocks or clusters: i times a number that has
/// no common divisor with their count, and an offset.
class Order {
 public:
  Order(std::uint64_t seed, std::uint64_t count) : count_(count) {
    if (seed == 0) return;
    seed = (seed ^ seed >> 31) * 0x9e3779b97f4a7c15;
    offset_ = (seed >> 7) % count;
    factor_ = (seed >> 13) % count | 1;
    while (std::gcd(factor_, count) != 1) ++factor_;
  }
  // The product stays below 2^128: a grid has up to 2^63 blocks.
  [[nodiscard]] std::uint64_t operator()(std::uint64_t i) const {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((Wide{i} * factor_ + offset_) % count_);
  }

 private:
  std::uint64_t count_, factor_ = 1, offset_ = 0;
};

}  // namespace warpmark::cpu
