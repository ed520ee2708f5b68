// The console's report of a comparison.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "report/comparison/comparison_rows.hpp"

namespace warpmark {

namespace {

Colour colour_of(ChangeVerdict verdict) {
  switch (verdict) {
    case ChangeVerdict::slower:
    case ChangeVerdict::lost:
    case ChangeVerdict::missing:
    case ChangeVerdict::mixed:
      return Colour::red;
    case ChangeVerdict::faster:
      return Colour::green;
    case ChangeVerdict::inconclusive:
      return Colour::yellow;
    case ChangeVerdict::same:
    case ChangeVerdict::added:
    case ChangeVerdict::deselected:
      break;
  }
  return Colour::plain;
}

// Columns that a text takes: one for each code point, which is right for all texts of this report.
size_t columns(const std::string& text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

std::string padded(const std::string& text, size_t width, bool to_the_right = false) {
  const std::string space(width > columns(text) ? width - columns(text) : 0, ' ');
  return to_the_right ? space + text : text + space;
}

struct Widths {
  size_t verdict = 0, id = 0, what = 0, baseline = 0, contender = 0, change = 0;
};

class Table {
 public:
  Table(std::vector<ComparisonRow> rows, const ConsoleStyle& style, bool counted)
      : rows_(std::move(rows)), style_(style) {
    ComparisonRow title;
    title.id = "case";
    title.what = counted ? "counter" : "mode";
    title.baseline = "baseline";
    title.contender = "contender";
    title.change = "change";
    title.interval = counted ? "" : "95 % interval";
    measure(title, "");
    for (const ComparisonRow& row : rows_) measure(row, to_text(row.verdict));
    text_ = coloured(style_, Colour::dim, line("", title)) + "\n";
  }

  std::string text() {
    for (const ComparisonRow& row : rows_) {
      ComparisonRow shown = row;
      if (!row.first) shown.id.clear();
      const std::string word = row.first ? std::string(to_text(row.verdict)) : "";
      text_ += coloured(style_, colour_of(row.verdict), padded(word, widths_.verdict)) +
               line(word, shown).substr(widths_.verdict) + "\n";
      for (const std::string& note : row.notes) {
        text_ += std::string(widths_.verdict + 4, ' ') +
                 coloured(style_, Colour::dim, printable(note)) + "\n";
      }
      for (const std::string& source_line : row.lines) {
        text_ += std::string(widths_.verdict + 4, ' ') + printable(source_line) + "\n";
      }
    }
    return text_;
  }

 private:
  void measure(const ComparisonRow& row, std::string_view word) {
    const auto widen = [](size_t& width, size_t needed) { width = std::max(width, needed); };
    widen(widths_.verdict, word.size());
    widen(widths_.id, columns(row.id));
    widen(widths_.what, columns(row.what));
    widen(widths_.baseline, columns(row.baseline));
    widen(widths_.contender, columns(row.contender));
    widen(widths_.change, columns(row.change));
  }

  std::string line(const std::string& word, const ComparisonRow& row) const {
    std::string text = padded(word, widths_.verdict) + "  " + padded(row.id, widths_.id) + "  " +
                       padded(row.what, widths_.what) + "  " +
                       padded(row.baseline, widths_.baseline, true) + "  " +
                       padded(row.contender, widths_.contender, true) + "  " +
                       padded(row.change, widths_.change, true) + "  " + row.interval;
    text.erase(text.find_last_not_of(' ') + 1);
    return printable(text);
  }

  std::vector<ComparisonRow> rows_;
  const ConsoleStyle& style_;
  Widths widths_;
  std::string text_;
};

}  // namespace

bool ComparedBenches::fails(ChangeVerdict verdict) const {
  if (verdict == ChangeVerdict::slower || verdict == ChangeVerdict::lost ||
      verdict == ChangeVerdict::mixed)
    return true;
  return fail_on.contains(verdict) || (verdict == ChangeVerdict::missing && !allow_missing);
}

int ComparedBenches::exit_code() const {
  const bool any = std::any_of(comparison.points.begin(), comparison.points.end(),
                               [&](const auto& point) { return fails(point.verdict); });
  return any ? 1 : 0;
}

std::string comparison_text(const ComparedBenches& compared, const ConsoleStyle& style, bool all) {
  const BenchComparison& comparison = compared.comparison;
  std::string text;
  if (style.verbosity != Verbosity::quiet) {
    text = coloured(style, Colour::bold, "warpmark compare") + ": ";
    for (const std::string& line : head_lines(compared)) text += printable(line) + "\n";
    for (const ComparisonNote& note : comparison.notes) {
      text += note.grave ? coloured(style, Colour::yellow, "WARNING") + " " : "note: ";
      text += printable(note.text) + "\n";
    }
  }
  const bool quiet = style.verbosity == Verbosity::quiet;
  std::vector<ComparisonRow> rows;
  for (const ChangeVerdict verdict : kChangeVerdicts) {
    // Cases that were not asked for are as little news as those that are the same.
    const bool dull = verdict == ChangeVerdict::same || verdict == ChangeVerdict::deselected;
    if ((dull && !all) || (quiet && !compared.fails(verdict))) continue;
    for (ComparisonRow& row : rows_of(comparison, verdict)) rows.push_back(std::move(row));
  }
  const bool any_rows = !rows.empty();
  if (any_rows) {
    text += (quiet ? "" : "\n") + Table(std::move(rows), style, comparison.counted).text();
  }
  if (!quiet || any_rows) text += "\n";
  const Colour colour = compared.exit_code() != 0 ? Colour::red : Colour::green;
  text += coloured(style, colour, sum_text(compared)) + "\n";
  if (quiet) return text;
  for (const std::string& line : advice(compared)) text += printable(line) + "\n";
  return text;
}

}  // namespace warpmark
