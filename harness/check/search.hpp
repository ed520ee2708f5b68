// `check --search`: looks for cases that fail among all that a suite's ranges and contents allow.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "check/check.hpp"
#include "check/search_limits.hpp"
#include "suite/case.hpp"

namespace warpmark {

/// A failure, made as small as the search could.
struct FoundFailure {
  Case which;
  uint64_t trial = 0;
  std::string listed;    ///< the point as an element of `cases`
  std::string first_id;  ///< the case that failed first
  uint64_t tried = 0;    ///< cases up to that one
  uint64_t smaller = 0;  ///< cases that made it smaller
};

struct SearchResult {
  std::vector<FoundFailure> found;  ///< one for each way to fail
  uint64_t tried = 0;               ///< cases, those that made failures smaller not counted
  bool whole = false;               ///< every point was tried
  bool all_fail = false;            ///< it ended because one case after the other failed
  bool has_points = true;           ///< the suite has a range, or contents
  /// The greatest number that was tried of each range, if it is not the range's greatest: "n up to
  /// 4096".
  std::vector<std::string> up_to;
};

/// Tries the points of a suite in an order that only `seed` and the outcomes decide: numbers beside
/// the ends of ranges, powers of two, and the sizes of blocks and of constants in the kernel's
/// source, ascending; and random ones among those up to there, some of them beside a point that
/// executed a line or a side of a branch for the first time, if the device counts coverage. Each
/// failure of a new kind is made smaller. `usual` are the suite's cases without a search. Ends early
/// when `stopped` is true. Throws what `runner` throws.
SearchResult search(const std::shared_ptr<const Suite>& suite, const std::vector<Case>& usual,
                    CaseRunner& runner, PluginLoader& plugins, const SearchLimits& limits,
                    uint64_t seed, const std::function<bool()>& stopped);

}  // namespace warpmark
