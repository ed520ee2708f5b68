#include "report/bench/bench_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "report/bench/glossary.hpp"
#include "report/page/html.hpp"

namespace warpmark {

namespace {

using Json = nlohmann::ordered_json;

// A row for each fact, with the values of all results.
Json fact_values(const std::vector<NamedResult>& results) {
  std::vector<std::string> names;
  std::vector<std::vector<std::pair<std::string, std::string>>> facts;
  for (const NamedResult& named : results) {
    facts.push_back(context_of(named.result));
    for (const auto& fact : facts.back()) {
      const std::string& name = fact.first;
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  Json rows = Json::array();
  for (const std::string& name : names) {
    Json values = Json::array();
    for (const auto& list : facts) {
      const auto found = std::find_if(list.begin(), list.end(),
                                      [&](const auto& fact) { return fact.first == name; });
      values.push_back(found == list.end() ? "" : found->second);
    }
    rows.push_back({{"name", name},
                    {"bad", name == "ended early"},
                    {"code", name == "command"},
                    {"values", std::move(values)}});
  }
  return rows;
}

Json picture_values(const std::vector<SuitePictures::Picture>& pictures) {
  Json values = Json::array();
  for (const SuitePictures::Picture& one : pictures) {
    values.push_back({{"caption", one.caption}, {"svg", one.svg}});
  }
  return values;
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

Json suite_values(const ReportTable& table, const std::vector<NamedResult>& results,
                  const SuitePictures& pictures) {
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
          {"lines", picture_values(pictures.lines)},
          {"left_out", pictures.left_out > 0 ? counted(pictures.left_out, "picture") : ""},
          {"strips", picture_values(pictures.strips)}};
}

}  // namespace

std::string bench_page(const std::vector<NamedResult>& results,
                       const std::vector<SuitePictures>& pictures, const std::string& no_pictures) {
  std::vector<std::string> devices, names;
  size_t cases = 0;
  for (const NamedResult& named : results) {
    const std::string& name = named.result.device_name;
    if (std::find(devices.begin(), devices.end(), name) == devices.end()) devices.push_back(name);
    cases += named.result.cases.size();
    if (results.size() > 1) names.push_back(named.name);
  }
  Json suites = Json::array(), terms = Json::array();
  const std::vector<ReportTable> tables = report_tables(results);
  for (const ReportTable& table : tables) {
    const auto found = std::ranges::find(pictures, table.suite, &SuitePictures::suite);
    Json suite = suite_values(table, results, found == pictures.end() ? SuitePictures() : *found);
    suite["number"] = suites.size();
    suites.push_back(std::move(suite));
  }
  for (const auto& [name, text] : glossary(tables))
    terms.push_back({{"name", name}, {"text", text}});
  return html_page("report/bench/bench",
                   {{"title", "Benchmarks on " + join(devices, " and ")},
                    {"case_count", counted(cases, "case")},
                    {"run_count", results.size() == 1 ? "one run" : counted(results.size(), "run")},
                    {"names", names},
                    {"facts", fact_values(results)},
                    {"no_pictures", no_pictures},
                    {"several_suites", suites.size() > 1},
                    {"suites", std::move(suites)},
                    {"glossary", std::move(terms)}});
}

}  // namespace warpmark
