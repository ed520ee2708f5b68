// Results of benches as one HTML page that needs nothing else.
#pragma once

#include <string>
#include <vector>

#include "report/bench/suite_values.hpp"

namespace warpmark {

/// The page loads nothing and runs no script (its policy forbids both), follows the reader's dark
/// or light scheme, and escapes all that the results say. `remark` is shown above the tables.
std::string bench_page(const std::vector<NamedResult>& results, const PlotChoice& plots,
                       const std::string& remark = "");

}  // namespace warpmark
