// Two runs in one report that opens with what changed from one to the other.
#pragma once

#include <string>
#include <vector>

#include "report/bench/suite_values.hpp"
#include "report/comparison/comparison_report.hpp"

namespace warpmark {

/// One HTML page: the sum and the changed cases, with what is the same folded away; then each suite
/// with its plots, those with changes first, and all figures of both runs folded away. It loads
/// nothing and runs no script. `results` are the baseline and the contender.
std::string changes_page(const ComparedBenches& compared, const std::vector<NamedResult>& results,
                         const PlotChoice& plots);

/// The same as Markdown, without plots.
std::string changes_markdown(const ComparedBenches& compared,
                             const std::vector<NamedResult>& results);

}  // namespace warpmark
