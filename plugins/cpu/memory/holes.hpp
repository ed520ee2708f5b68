// Free ranges of addresses, by their first: never two that touch.
#pragma once

#include <cstdint>
#include <iterator>
#include <map>

namespace warpmark::cpu {

using Holes = std::map<std::uint64_t, std::uint64_t>;  ///< bytes by address

/// Adds `bytes` that became free at `address`, joined with the holes right before and after.
inline void add_hole(Holes& holes, std::uint64_t address, std::uint64_t bytes) {
  auto hole = holes.emplace(address, bytes).first;
  if (auto after = std::next(hole);
      after != holes.end() && hole->first + hole->second == after->first) {
    hole->second += after->second;
    holes.erase(after);
  }
  if (hole != holes.begin()) {
    auto before = std::prev(hole);
    if (before->first + before->second == hole->first) {
      before->second += hole->second;
      holes.erase(hole);
    }
  }
}

}  // namespace warpmark::cpu
