// The console's report of a history.
#include <algorithm>

#include "base/file.hpp"
#include "base/text.hpp"
#include "report/history/history_report.hpp"
#include "report/history/history_rows.hpp"
#include "report/page/text_line.hpp"

namespace warpmark {

namespace {

// Rows of cells with as much room as the widest of each column needs.
class Table {
 public:
  explicit Table(std::vector<bool> to_the_right) : to_the_right_(std::move(to_the_right)) {}

  size_t add(std::vector<std::string> cells) {
    widths_.resize(std::max(widths_.size(), cells.size()));
    for (size_t i = 0; i < cells.size(); ++i) {
      cells[i] = in_one_line(cells[i]);
      widths_[i] = std::max(widths_[i], columns(cells[i]));
    }
    rows_.push_back(std::move(cells));
    return rows_.size() - 1;
  }

  std::string line(size_t row) const {
    std::string text;
    for (size_t i = 0; i < rows_[row].size(); ++i) {
      text += (i == 0 ? "" : "  ") + padded(rows_[row][i], widths_[i], to_the_right_[i]);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
  }

 private:
  std::vector<bool> to_the_right_;
  std::vector<size_t> widths_;
  std::vector<std::vector<std::string>> rows_;
};

std::string runs_text(const BenchHistory& history, const ConsoleStyle& style) {
  Table table({false, false, false});
  table.add({"run", "date", "file"});
  for (const HistoryRun& run : history.runs) {
    table.add({run.label, run.result.date, display_path(run.result.file)});
  }
  std::string text = coloured(style, Colour::dim, table.line(0)) + "\n";
  for (size_t i = 0; i < history.runs.size(); ++i) {
    text += table.line(i + 1) + "\n";
    for (const ComparisonNote& note : history.runs[i].notes) {
      text += "    " + (note.grave ? coloured(style, Colour::yellow, "WARNING") + " " : "note: ");
      text += printable(note.text) + "\n";
    }
  }
  return text;
}

Colour colour_of(const HistoryPoint& point) {
  if (point.drift) return is_worse(*point.drift) ? Colour::red : Colour::green;
  if (point.changes.empty()) return Colour::plain;
  return is_worse(point.changes.back().ratio) ? Colour::red : Colour::green;
}

}  // namespace

std::string history_text(const BenchHistory& history, const ConsoleStyle& style) {
  std::string text = coloured(style, Colour::bold, "warpmark report") + ": " +
                     printable(subject_text(history)) + "\n\n" + runs_text(history, style) + "\n";
  Table table({false, false, true, true, true, true});
  table.add({"case", history.counted ? "counter" : "mode", "first", "last", "", "change"});
  const std::vector<const HistoryPoint*> points = by_change(history);
  for (const HistoryPoint* point : points) {
    const HistoryValue* first = first_value(*point);
    const HistoryValue* last = last_value(*point);
    table.add({point->id, what_text(*point),
               first != nullptr ? value_text(*point, first->value) : "-",
               last != nullptr ? value_text(*point, last->value) : "-",
               last != nullptr ? half_width_text(*last) : "", whole_change_text(*point)});
  }
  text += coloured(style, Colour::dim, table.line(0)) + "\n";
  for (size_t i = 0; i < points.size(); ++i) {
    text += table.line(i + 1) + "\n";
    for (const std::string& line : change_lines(history, *points[i])) {
      text += "    " + coloured(style, colour_of(*points[i]), printable(line)) + "\n";
    }
    const std::string gaps = gap_text(history, *points[i]);
    if (!gaps.empty()) text += "    " + coloured(style, Colour::dim, printable(gaps)) + "\n";
  }
  return text + "\n" + coloured(style, Colour::bold, sum_text(history)) + "\n" +
         method_text(history) + "\n";
}

}  // namespace warpmark
