#include "report/comparison/changes_page.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "base/text.hpp"
#include "report/bench/bench_markdown.hpp"
#include "report/bench/glossary.hpp"
#include "report/page/html.hpp"

namespace warpmark {

namespace {

using Json = nlohmann::ordered_json;

const char* meaning_of(ChangeVerdict verdict, bool counted) {
  switch (verdict) {
    case ChangeVerdict::slower:
      return counted ? "some counters grew, and none shrank"
                     : "shown to take longer, by what counts or more";
    case ChangeVerdict::faster:
      return counted ? "some counters shrank, and none grew"
                     : "shown to take less time, by what counts or more";
    case ChangeVerdict::lost:
      return "has figures in the baseline, and none now";
    case ChangeVerdict::missing:
      return "in the baseline only: the contender has no such case";
    case ChangeVerdict::mixed:
      return "some counters grew and others shrank";
    case ChangeVerdict::inconclusive:
      return "neither a change nor sameness is shown";
    case ChangeVerdict::same:
      return counted ? "no counter changed by what counts or more"
                     : "shown to differ by less than what counts";
    case ChangeVerdict::deselected:
      return "left out of the contender by its options";
    case ChangeVerdict::added:
      break;
  }
  return "without figures in the baseline";
}

Json terms_of(const BenchComparison& comparison, const std::vector<ReportTable>& tables) {
  std::vector<std::pair<std::string, std::string>> terms;
  for (const ChangeVerdict verdict : kChangeVerdicts) {
    if (comparison.count(verdict) == 0) continue;
    terms.emplace_back(to_text(verdict), meaning_of(verdict, comparison.counted));
  }
  for (auto& term : glossary(tables)) terms.push_back(std::move(term));
  return glossary_values(terms);
}

std::set<std::string> changed_suites(const BenchComparison& comparison) {
  std::set<std::string> changed;
  for (const ComparedPoint& point : comparison.points) {
    if (is_change(point.verdict)) changed.insert(point.suite);
  }
  return changed;
}

Page report_page(const ComparedBenches& compared) {
  Page page = changes_first(compared);
  page.command = "warpmark report";
  page.advice.clear();
  return page;
}

}  // namespace

std::string changes_page(const ComparedBenches& compared, const std::vector<NamedResult>& results,
                         const PlotChoice& plots) {
  const BenchComparison& comparison = compared.comparison;
  const std::vector<ReportTable> tables = report_tables(results);
  const std::set<std::string> changed = changed_suites(comparison);
  Json changed_values = Json::array(), others = Json::array();
  for (Json& suite : suite_values(results, tables, plots)) {
    suite["folded"] = "All figures of both runs, " + counted(suite["rows"].size(), "row");
    (changed.contains(suite["name"]) ? changed_values : others).push_back(std::move(suite));
  }
  Json links = Json::array();
  for (const Json* list : {&changed_values, &others}) {
    for (const Json& suite : *list) {
      links.push_back({{"number", suite["number"]}, {"name", suite["name"]}});
    }
  }
  Json values = html_values(report_page(compared));
  const std::string& before = compared.baseline.device_name;
  const std::string& after = compared.contender.device_name;
  values.update({{"title", "Changes on " + (before == after ? after : before + " and " + after)},
                 {"changed", !changed.empty()},
                 {"names", {results[0].name, results[1].name}},
                 {"runs", fact_values(results)},
                 {"several_suites", links.size() > 1},
                 {"links", std::move(links)},
                 {"unchanged", others.empty() ? "" : counted(others.size(), "suite")},
                 {"suites", std::move(changed_values)},
                 {"others", std::move(others)},
                 {"glossary", terms_of(comparison, tables)}});
  return html_page("report/comparison/changes", std::move(values), "report/bench/bench");
}

std::string changes_markdown(const ComparedBenches& compared,
                             const std::vector<NamedResult>& results) {
  return fmt::format("{}\n<details><summary>All figures of both runs</summary>\n\n{}\n</details>\n",
                     markdown_page(report_page(compared)), bench_markdown(results));
}

}  // namespace warpmark
