#include "report/bench/suite_values.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "report/bench/bench_plots.hpp"
#include "report/bench/draw_plots.hpp"

namespace warpmark {

namespace {

using Json = nlohmann::ordered_json;

Json plot_values(const DrawnPlot& plot) {
  Json keys = Json::array();
  for (const DrawnPlot::Key& key : plot.keys) {
    keys.push_back({{"sample", key.sample}, {"label", key.label}});
  }
  return {{"caption", plot.caption},
          {"svg", plot.svg},
          {"keys", std::move(keys)},
          {"points", plot.points},
          {"remark", plot.remark}};
}

// True if the column is the main number of a result, which a failed case does not have.
bool leads(const ReportColumn& column) {
  return column.title == "time" || column.title == "thread instructions";
}

bool same_result(const ReportColumn& a, const ReportColumn& b) {
  return a.of_result == b.of_result && a.result == b.result;
}

// Returns the CSS classes of a column's cells, with `group` where the columns of a result begin.
std::string class_of(const ReportTable& table, size_t i, bool several) {
  const ReportColumn& column = table.columns[i];
  std::string name = column.is_number ? "number" : column.title;
  if (leads(column)) name += " time";
  const bool begins = several && i > 0 && !same_result(column, table.columns[i - 1]);
  return begins ? name + " group" : name;
}

// The names of the results, each over its columns.
Json group_values(const ReportTable& table, const std::vector<NamedResult>& results) {
  Json groups = Json::array();
  if (results.size() == 1) return groups;
  for (size_t i = 0; i < table.columns.size(); ++i) {
    const ReportColumn& column = table.columns[i];
    if (i == 0 || !same_result(column, table.columns[i - 1])) {
      groups.push_back({{"of", column.of_result ? results[column.result].name : ""}, {"span", 0}});
    }
    groups.back()["span"] = groups.back()["span"].get<size_t>() + 1;
  }
  return groups;
}

// The plots of a suite that a page shows: above its table, and folded away below it.
struct PlotValues {
  Json lines = Json::array(), strips = Json::array();
  size_t left_out = 0;
};

PlotValues plots_of(const SuitePlots& plots) {
  PlotValues values;
  values.left_out = plots.lines.left_out;
  for (const CaptionedLines& one : plots.lines.plots) {
    DrawnPlot drawn = draw(one.plot);
    drawn.caption = one.caption;
    values.lines.push_back(plot_values(drawn));
  }
  if (plots.roofline) {
    DrawnPlot drawn = draw(*plots.roofline);
    drawn.caption = "roofline";
    values.lines.push_back(plot_values(drawn));
  }
  for (const StripPlot& one : plots.strips) values.strips.push_back(plot_values(draw(one)));
  return values;
}

Json values_of(const ReportTable& table, const std::vector<NamedResult>& results,
               PlotValues plots) {
  const bool several = results.size() > 1;
  Json columns = Json::array(), rows = Json::array();
  for (size_t i = 0; i < table.columns.size(); ++i) {
    columns.push_back({{"kind", class_of(table, i, several)}, {"text", table.columns[i].title}});
  }
  for (const std::vector<std::string>& row : table.rows) {
    Json cells = Json::array();
    for (size_t i = 0; i < row.size(); ++i) {
      std::string name = class_of(table, i, several);
      const bool no_time =
          leads(table.columns[i]) && row[i].find_first_of("0123456789") == std::string::npos;
      if (no_time) name += " bad";
      if (row[i] == "best") name += " best";
      cells.push_back({{"kind", name}, {"text", row[i]}});
    }
    rows.push_back(std::move(cells));
  }
  return {{"name", table.suite},
          {"groups", group_values(table, results)},
          {"columns", std::move(columns)},
          {"rows", std::move(rows)},
          {"notes", table.notes},
          {"folded", ""},
          {"lines", std::move(plots.lines)},
          {"left_out", plots.left_out > 0 ? counted(plots.left_out, "picture") : ""},
          {"strips", std::move(plots.strips)}};
}

}  // namespace

nlohmann::ordered_json fact_values(const std::vector<NamedResult>& results) {
  std::vector<std::string> names;
  std::vector<std::vector<std::pair<std::string, std::string>>> facts;
  for (const NamedResult& named : results) {
    facts.push_back(context_of(named.result));
    for (const auto& fact : facts.back()) {
      const std::string& name = fact.first;
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
  }
  Json rows = Json::array();
  for (const std::string& name : names) {
    Json values = Json::array();
    for (const auto& list : facts) {
      const auto found =
          std::ranges::find_if(list, [&](const auto& fact) { return fact.first == name; });
      values.push_back(found == list.end() ? "" : found->second);
    }
    rows.push_back({{"name", name},
                    {"bad", name == "ended early"},
                    {"code", name == "command"},
                    {"values", std::move(values)}});
  }
  return rows;
}

nlohmann::ordered_json suite_values(const std::vector<NamedResult>& results,
                                    const std::vector<ReportTable>& tables,
                                    const PlotChoice& choice) {
  std::vector<SuitePlots> plots;
  if (choice.wanted) plots = suite_plots(results, choice.x_axis);
  Json suites = Json::array();
  for (const ReportTable& table : tables) {
    const auto found = std::ranges::find(plots, table.suite, &SuitePlots::suite);
    suites.push_back(
        values_of(table, results, found == plots.end() ? PlotValues() : plots_of(*found)));
    suites.back()["number"] = suites.size() - 1;
  }
  return suites;
}

nlohmann::ordered_json glossary_values(
    const std::vector<std::pair<std::string, std::string>>& terms) {
  Json values = Json::array();
  for (const auto& [name, text] : terms) values.push_back({{"name", name}, {"text", text}});
  return values;
}

}  // namespace warpmark
