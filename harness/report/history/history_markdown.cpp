// The report of a history as Markdown.
#include <fmt/format.h>

#include "base/file.hpp"
#include "base/text.hpp"
#include "report/history/history_report.hpp"
#include "report/history/history_rows.hpp"
#include "report/page/markdown.hpp"

namespace warpmark {

namespace {

std::string points_table(const BenchHistory& history,
                         const std::vector<const HistoryPoint*>& points) {
  MarkdownTable table({{"case"},
                       {history.counted ? "counter" : "mode"},
                       {"first", true},
                       {"last", true},
                       {"change", true},
                       {"changes and notes"}});
  for (const HistoryPoint* point : points) {
    const HistoryValue* first = first_value(*point);
    const HistoryValue* last = last_value(*point);
    std::vector<std::string> lines = change_lines(history, *point);
    const std::string gaps = gap_text(history, *point);
    if (!gaps.empty()) lines.push_back(gaps);
    std::string now = last != nullptr ? value_text(*point, last->value) : "-";
    if (last != nullptr && last->samples > 1) now += " " + half_width_text(*last);
    table.add({markdown_code(point->id), markdown_text(what_text(*point)),
               first != nullptr ? value_text(*point, first->value) : "-", now,
               whole_change_text(*point), markdown_text(join(lines, "; "))});
  }
  return table.text();
}

std::string runs_table(const BenchHistory& history) {
  MarkdownTable table({{"run"}, {"date"}, {"file"}, {"notes"}});
  for (const HistoryRun& run : history.runs) {
    std::vector<std::string> notes;
    for (const ComparisonNote& note : run.notes) {
      notes.push_back((note.grave ? "**warning:** " : "") + markdown_text(note.text));
    }
    table.add({markdown_code(run.label), markdown_text(run.result.date),
               markdown_code(display_path(run.result.file)), join(notes, "; ")});
  }
  return table.text();
}

}  // namespace

std::string history_markdown(const BenchHistory& history) {
  std::string text = fmt::format("**{}**: {}\n\n", markdown_text(subject_text(history)),
                                 markdown_text(sum_text(history)));
  text += runs_table(history);
  std::vector<const HistoryPoint*> changed, others;
  for (const HistoryPoint* point : by_change(history)) {
    (point->changed() ? changed : others).push_back(point);
  }
  if (!changed.empty()) text += "\n" + points_table(history, changed);
  if (!others.empty()) {
    text += fmt::format("\n<details><summary>{} without a change</summary>\n\n",
                        counted(others.size(), "point"));
    text += points_table(history, others) + "\n</details>\n";
  }
  return text + "\n" + markdown_text(method_text(history)) + "\n";
}

}  // namespace warpmark
