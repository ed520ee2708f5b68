// Makes a failing point smaller, as a person would have written it.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "check/search_space.hpp"

namespace warpmark {

/// Says whether a point fails in the same way as the first one.
using FailsToo = std::function<bool(const SearchPoint& point)>;

/// The smallest point that still fails, as far as `most` questions show: trial 0 and the suite's own
/// values if they fail, too; else the simplest pattern; the least number of each range, or the least
/// of `edges` (SearchSpace::edges), or one that is as far beyond a multiple of one of `sizes`, or a
/// number of which the next smaller ones pass; equal numbers together, too; and the first kind.
/// Always answers the same.
SearchPoint shrunk(const SearchSpace& space, SearchPoint point,
                   const std::vector<std::vector<int64_t>>& edges,
                   const std::vector<int64_t>& sizes, size_t most, const FailsToo& fails);

}  // namespace warpmark
