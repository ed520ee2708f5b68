// Orders and filters of a class's page, which runs no script: radio buttons, and rules of
// kGradeStyle for what stands behind them.
#pragma once

#include <string>
#include <vector>

#include "results/grade_result.hpp"

namespace warpmark {

/// The buttons, to stand before and beside the tables and submissions that they order and filter.
std::string class_controls(const std::vector<GradeResult>& results);

/// The classes of a result's row and details: with which filters they are shown.
std::string shown_with(const GradeResult& result);

}  // namespace warpmark
