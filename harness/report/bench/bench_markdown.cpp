#include "report/bench/bench_markdown.hpp"

#include "report/page/markdown.hpp"
#include "report/page/page.hpp"

namespace warpmark {

namespace {

std::string facts_of(const NamedResult& named) {
  std::string text;
  for (const auto& [name, value] : context_of(named.result)) {
    if (name == "host" || name == "Warpmark" || name == "cases") continue;
    if (!text.empty()) text += "; ";
    if (name != "device") text += name + " ";
    text += name == "command" ? markdown_code(value) : markdown_text(value);
  }
  return text;
}

}  // namespace

std::string bench_markdown(const std::vector<NamedResult>& results) {
  const bool single = results.size() == 1;
  std::string text;
  for (const NamedResult& named : results) {
    text += (single ? "" : "- **" + markdown_text(named.name) + "**: ") + facts_of(named) + "\n";
  }
  for (const ReportTable& suite : report_tables(results)) {
    text += "\n" + markdown_code(suite.suite) + "\n\n";
    PageTable table;
    for (const ReportColumn& column : suite.columns) {
      const std::string prefix =
          single || !column.of_result ? "" : results[column.result].name + " ";
      table.columns.push_back({prefix + column.title, column.is_number});
    }
    for (const std::vector<std::string>& row : suite.rows) {
      table.rows.push_back({{row.begin(), row.end()}});
      table.rows.back().cells.front().is_code = true;
    }
    text += markdown_table(table);
    if (!suite.notes.empty()) text += "\n";
    for (const std::string& note : suite.notes) text += "- " + markdown_text(note) + "\n";
  }
  return text;
}

}  // namespace warpmark
