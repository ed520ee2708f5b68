// Shared memory that the products of a warpgroup (wgmma) read while nothing has waited for them.
#pragma once

#include <array>
#include <cstdint>
#include <deque>

#include "memory/async_copy.hpp"
#include "program/wgmma.hpp"

namespace warpmark::cpu {

struct WarpgroupReads {
  /// The part of one warp, as a copy to nowhere: its rows of a, or b, which the first of them reads
  /// for all.
  struct Part {
    std::uint64_t product = 0, group = 0;
    bool has_b = false;
    AsyncCopy reads;
  };
  /// How many products and groups each warp has had.
  std::array<std::uint64_t, WgmmaForm::kWarps> issued{}, committed{};
  std::deque<Part> under_way;
};

}  // namespace warpmark::cpu
