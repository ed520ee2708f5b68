// The values of pages that show benches: for runs.html, suite.html and a glossary.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "report/page/report_table.hpp"

namespace warpmark {

struct PlotChoice {
  bool wanted = true;
  std::string x_axis = "";  ///< that of lines; "" for what line_plots() chooses
};

/// A row for each fact about the runs, with the values of all results.
nlohmann::ordered_json fact_values(const std::vector<NamedResult>& results);

/// For each table the suite's name, table, notes and plots, under numbers from 0.
nlohmann::ordered_json suite_values(const std::vector<NamedResult>& results,
                                    const std::vector<ReportTable>& tables,
                                    const PlotChoice& choice);

/// Terms with their texts.
nlohmann::ordered_json glossary_values(
    const std::vector<std::pair<std::string, std::string>>& terms);

}  // namespace warpmark
