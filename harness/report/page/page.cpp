#include "report/page/page.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "report/page/markdown.hpp"
#include "report/page/text_line.hpp"

namespace warpmark {

namespace {

using Cells = std::vector<std::string>;
using Columns = std::vector<PageTable::Column>;

// The columns of the widest cells.
std::vector<size_t> widths_of(const Columns& titles, const std::vector<Cells>& rows, size_t least) {
  std::vector<size_t> widths;
  for (size_t i = 0; i < titles.size(); ++i) {
    size_t width = std::max(least, columns(titles[i].title));
    for (const Cells& row : rows) width = std::max(width, columns(row[i]));
    widths.push_back(width);
  }
  return widths;
}

std::string console_note(const PageNote& note, const ConsoleStyle& style) {
  const std::string text = coloured(style, note.colour, printable(note.text)) + "\n";
  if (note.kind == PageNote::Kind::warning) {
    return coloured(style, Colour::yellow, "WARNING") + " " + text;
  }
  return (note.kind == PageNote::Kind::note ? "note: " : "") + text;
}

std::string markdown_note(const PageNote& note) {
  const bool grave = note.kind == PageNote::Kind::warning;
  return (grave ? "**warning:** " : "") + markdown_text(note.text);
}

std::string markdown_cell(const PageCell& cell) {
  if (cell.text.empty()) return "";
  const std::string text = cell.is_code ? markdown_code(cell.text) : markdown_text(cell.text);
  return cell.is_strong ? "**" + text + "**" : text + markdown_text(cell.rest);
}

// The row as Markdown has it, some cells in others.
Cells markdown_row(const PageTable& table, const PageTable::Row& row) {
  Cells cells, notes;
  for (size_t i = 0; i < row.cells.size(); ++i) {
    const std::string cell = markdown_cell(row.cells[i]);
    switch (table.columns[i].place) {
      case PageTable::Place::own:
        cells.push_back(cell);
        break;
      case PageTable::Place::joined_to_last:
        if (!cell.empty()) cells.back() += " " + cell;
        break;
      case PageTable::Place::among_notes:
        if (!cell.empty()) notes.push_back(cell);
    }
  }
  for (const PageNote& note : row.notes) {
    if (note.kind != PageNote::Kind::source) notes.push_back(markdown_note(note));
  }
  if (!table.notes_title.empty()) cells.push_back(join(notes, "; "));
  return cells;
}

}  // namespace

PageNote page_note(const ComparisonNote& note) {
  return {note.text, note.grave ? PageNote::Kind::warning : PageNote::Kind::note};
}

std::string console_table(const PageTable& table, const ConsoleStyle& style) {
  std::vector<Cells> rows;
  for (const PageTable::Row& row : table.rows) {
    Cells& cells = rows.emplace_back();
    for (const PageCell& cell : row.cells) cells.push_back(in_one_line(cell.text));
  }
  Columns titles = table.columns;
  if (table.has_verdicts) titles.front().title.clear();
  const std::vector<size_t> widths = widths_of(titles, rows, 0);
  const auto line = [&](const auto& text_of, const auto& colour_of) {
    std::string text;
    for (size_t i = 0; i < widths.size(); ++i) {
      const std::string cell = padded(text_of(i), widths[i], titles[i].is_number);
      text += (i == 0 ? "" : "  ") + coloured(style, colour_of(i), cell);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
  };
  const std::string head =
      line([&](size_t i) { return titles[i].title; }, [](size_t) { return Colour::plain; });
  std::string text = coloured(style, Colour::dim, head) + "\n";
  const std::string indent((table.has_verdicts ? widths.front() : 0) + 4, ' ');
  for (size_t row = 0; row < rows.size(); ++row) {
    text += line([&](size_t i) { return rows[row][i]; },
                 [&](size_t i) { return table.rows[row].cells[i].colour; }) +
            "\n";
    for (const PageNote& note : table.rows[row].notes) text += indent + console_note(note, style);
  }
  return text;
}

std::string markdown_table(const PageTable& table) {
  Columns titles;
  for (const PageTable::Column& column : table.columns) {
    if (column.place != PageTable::Place::own) continue;
    titles.push_back({markdown_text(column.title), column.is_number});
  }
  if (!table.notes_title.empty()) titles.push_back({table.notes_title});
  std::vector<Cells> rows;
  for (const PageTable::Row& row : table.rows) rows.push_back(markdown_row(table, row));
  std::vector<size_t> widths = widths_of(titles, rows, 3);
  // The last column is often one of notes, which would stretch all others.
  if (!titles.back().is_number) widths.back() = columns(titles.back().title);
  std::string text, rule;
  for (size_t i = 0; i < titles.size(); ++i) {
    text += "| " + padded(titles[i].title, widths[i], titles[i].is_number) + " ";
    rule += "|" + std::string(widths[i] + 1, '-') + (titles[i].is_number ? ":" : "-");
  }
  text += "|\n" + rule + "|\n";
  for (const Cells& row : rows) {
    for (size_t i = 0; i < titles.size(); ++i) {
      text += "| " + padded(row[i], widths[i], titles[i].is_number) + " ";
    }
    text += "|\n";
  }
  return text;
}

std::string console_page(const Page& page, const ConsoleStyle& style) {
  const bool quiet = style.verbosity == Verbosity::quiet;
  std::vector<std::string> parts;
  if (!quiet) {
    std::string head = coloured(style, Colour::bold, page.command) + ": ";
    for (const std::string& fact : page.facts) head += printable(fact) + "\n";
    for (const PageNote& note : page.notes) head += console_note(note, style);
    parts.push_back(head);
  }
  for (const PageSection& section : page.sections) {
    if (!section.table.rows.empty()) parts.push_back(console_table(section.table, style));
  }
  std::string end = coloured(style, page.sum_colour, page.sum) + "\n";
  if (!quiet) {
    for (const std::string& line : page.advice) end += printable(line) + "\n";
    if (!page.method.empty()) end += page.method + "\n";
  }
  parts.push_back(end);
  return join(parts, "\n");
}

std::string markdown_page(const Page& page) {
  std::vector<std::string> parts;
  const auto add_list = [&](const Cells& lines) {
    if (!lines.empty()) parts.push_back("- " + join(lines, "\n- ") + "\n");
  };
  const std::string& subject = page.subject.empty() ? page.command : page.subject;
  parts.push_back(fmt::format("**{}**: {}\n", markdown_text(subject), markdown_text(page.sum)));
  Cells facts, advice;
  if (page.subject.empty()) {
    for (const std::string& fact : page.facts) facts.push_back(markdown_text(fact));
  }
  for (const PageNote& note : page.notes) facts.push_back(markdown_note(note));
  add_list(facts);
  for (const PageSection& section : page.sections) {
    if (section.table.rows.empty()) continue;
    if (!section.title.empty()) parts.push_back(section.title + "\n");
    const std::string table = markdown_table(section.table);
    parts.push_back(section.fold.empty()
                        ? table
                        : fmt::format("<details><summary>{}</summary>\n\n{}\n</details>\n",
                                      section.fold, table));
  }
  for (const std::string& line : page.advice) advice.push_back(markdown_text(line));
  add_list(advice);
  if (!page.method.empty()) parts.push_back(markdown_text(page.method) + "\n");
  return join(parts, "\n");
}

}  // namespace warpmark
