// How long a search may take.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace warpmark {

struct SearchLimits {
  std::optional<double> seconds;  ///< wall clock
  std::optional<uint64_t>
      cases;  ///< the most cases that are run, those that make a failure smaller
              ///< not counted
};

/// Reads "60s", "2m", "1h", or "500", a number of cases. Nothing if it is none of them, or 0.
std::optional<SearchLimits> parse_search_limits(std::string_view text);

}  // namespace warpmark
