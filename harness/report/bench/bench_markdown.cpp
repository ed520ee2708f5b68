#include "report/bench/bench_markdown.hpp"

#include <fmt/format.h>

#include "report/page/markdown.hpp"

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
    std::vector<MarkdownTable::Column> columns;
    for (const ReportColumn& column : suite.columns) {
      const std::string prefix =
          single || !column.of_result ? "" : markdown_text(results[column.result].name) + " ";
      columns.push_back({prefix + column.title, column.is_number});
    }
    MarkdownTable table(std::move(columns));
    for (const std::vector<std::string>& row : suite.rows) {
      std::vector<std::string> cells;
      for (size_t i = 0; i < row.size(); ++i) {
        cells.push_back(i == 0 ? markdown_code(row[i]) : markdown_text(row[i]));
      }
      table.add(std::move(cells));
    }
    text += table.text();
    if (!suite.notes.empty()) text += "\n";
    for (const std::string& note : suite.notes) text += "- " + markdown_text(note) + "\n";
  }
  return text;
}

}  // namespace warpmark
