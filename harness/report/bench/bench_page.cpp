#include "report/bench/bench_page.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "report/bench/glossary.hpp"
#include "report/page/html.hpp"

namespace warpmark {

std::string bench_page(const std::vector<NamedResult>& results, const PlotChoice& plots,
                       const std::string& remark) {
  std::vector<std::string> devices, names;
  size_t cases = 0;
  for (const NamedResult& named : results) {
    const std::string& name = named.result.device_name;
    if (std::ranges::find(devices, name) == devices.end()) devices.push_back(name);
    cases += named.result.cases.size();
    if (results.size() > 1) names.push_back(named.name);
  }
  const std::vector<ReportTable> tables = report_tables(results);
  nlohmann::ordered_json suites = suite_values(results, tables, plots);
  return html_page("report/bench/bench",
                   {{"title", "Benchmarks on " + join(devices, " and ")},
                    {"case_count", counted(cases, "case")},
                    {"run_count", results.size() == 1 ? "one run" : counted(results.size(), "run")},
                    {"names", names},
                    {"runs", fact_values(results)},
                    {"remark", remark},
                    {"several_suites", suites.size() > 1},
                    {"suites", std::move(suites)},
                    {"glossary", glossary_values(glossary(tables))}});
}

}  // namespace warpmark
