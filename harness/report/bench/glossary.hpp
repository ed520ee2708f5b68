// Explanations of the columns and modes of a report's tables.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "report/page/report_table.hpp"

namespace warpmark {

/// Term and explanation, of the columns and modes that are in the tables.
std::vector<std::pair<std::string, std::string>> glossary(const std::vector<ReportTable>& tables);

}  // namespace warpmark
