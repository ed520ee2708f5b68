// The report of a history for the console, and as Markdown.
#include "base/file.hpp"
#include "base/text.hpp"
#include "report/history/history_report.hpp"
#include "report/history/history_rows.hpp"
#include "report/page/page.hpp"

namespace warpmark {

namespace {

PageTable run_table(const BenchHistory& history) {
  PageTable table{{{"run"}, {"date"}, {"file"}}, {}, "notes"};
  for (const HistoryRun& run : history.runs) {
    PageTable::Row& row = table.rows.emplace_back();
    row.cells = {{run.label, true}, run.result.date, {display_path(run.result.file), true}};
    for (const ComparisonNote& note : run.notes) row.notes.push_back(page_note(note));
  }
  return table;
}

Colour colour_of(const HistoryPoint& point) {
  if (point.drift) return is_worse(*point.drift) ? Colour::red : Colour::green;
  if (point.changes.empty()) return Colour::plain;
  return is_worse(point.changes.back().ratio) ? Colour::red : Colour::green;
}

PageTable::Row point_row(const BenchHistory& history, const HistoryPoint& point) {
  const HistoryValue* first = first_value(point);
  const HistoryValue* last = last_value(point);
  PageTable::Row row{{{point.id, true},
                      what_text(point),
                      first != nullptr ? value_text(point, first->value) : "-",
                      last != nullptr ? value_text(point, last->value) : "-",
                      last != nullptr ? half_width_text(*last) : "",
                      whole_change_text(point)}};
  for (const std::string& line : change_lines(history, point)) {
    row.notes.push_back({line, PageNote::Kind::plain, colour_of(point)});
  }
  const std::string gaps = gap_text(history, point);
  if (!gaps.empty()) row.notes.push_back({gaps, PageNote::Kind::plain, Colour::dim});
  return row;
}

PageTable point_table(const BenchHistory& history) {
  return {{{"case"},
           {history.counted ? "counter" : "mode"},
           {"first", true},
           {"last", true},
           {"", true, PageTable::Place::joined_to_last},
           {"change", true}},
          {},
          "changes and notes"};
}

Page page_of(const BenchHistory& history) {
  Page page;
  page.command = "warpmark report";
  page.facts = {subject_text(history)};
  page.subject = page.facts.front();
  page.sections = {{run_table(history)}};
  page.sum = sum_text(history);
  page.method = method_text(history);
  return page;
}

}  // namespace

std::string history_text(const BenchHistory& history, const ConsoleStyle& style) {
  Page page = page_of(history);
  PageTable table = point_table(history);
  for (const HistoryPoint* point : by_change(history)) {
    table.rows.push_back(point_row(history, *point));
  }
  page.sections.push_back({std::move(table)});
  return console_page(page, style);
}

std::string history_markdown(const BenchHistory& history) {
  Page page = page_of(history);
  PageTable changed = point_table(history), others = changed;
  for (const HistoryPoint* point : by_change(history)) {
    (point->changed() ? changed : others).rows.push_back(point_row(history, *point));
  }
  const std::string fold = counted(others.rows.size(), "point") + " without a change";
  page.sections.push_back({std::move(changed)});
  page.sections.push_back({std::move(others), "", fold});
  return markdown_page(page);
}

}  // namespace warpmark
