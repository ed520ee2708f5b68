// Results of benches as Markdown tables, for documentation.
#pragma once

#include <string>
#include <vector>

#include "report/page/report_table.hpp"

namespace warpmark {

std::string bench_markdown(const std::vector<NamedResult>& results);

}  // namespace warpmark
