#include "report/page/markdown.hpp"

#include <algorithm>

#include "base/escape.hpp"
#include "report/page/text_line.hpp"

namespace warpmark {

std::string markdown_text(std::string_view text) {
  // CommonMark: a backslash before any ASCII punctuation makes it plain. `@` would call a user, and
  // `#` link an issue, which a backslash does not stop everywhere.
  return escape(in_one_line(text), {{'<', "&lt;"},
                                    {'>', "&gt;"},
                                    {'&', "&amp;"},
                                    {'@', "&#64;"},
                                    {'#', "&#35;"},
                                    {'\\', "\\\\"},
                                    {'`', "\\`"},
                                    {'*', "\\*"},
                                    {'[', "\\["},
                                    {']', "\\]"},
                                    {'|', "\\|"},
                                    {'~', "\\~"}});
}

std::string markdown_code(std::string_view text) {
  // A fence may not be escaped inside code, and no case id has one; a bar ends a cell even there.
  return "`" + escape(in_one_line(text), {{'`', "'"}, {'|', "\\|"}}) + "`";
}

std::string MarkdownTable::text() const {
  std::vector<size_t> widths;
  for (const Column& column : columns_) {
    size_t width = std::max<size_t>(3, columns(column.title));
    for (const std::vector<std::string>& row : rows_) {
      width = std::max(width, columns(row.at(widths.size())));
    }
    widths.push_back(width);
  }
  // The last column is often one of notes, which would stretch all others.
  if (!columns_.back().is_number) widths.back() = columns(columns_.back().title);
  std::string text, rule;
  for (size_t i = 0; i < columns_.size(); ++i) {
    text += "| " + padded(columns_[i].title, widths[i], columns_[i].is_number) + " ";
    rule += "|" + std::string(widths[i] + 1, '-') + (columns_[i].is_number ? ":" : "-");
  }
  text += "|\n" + rule + "|\n";
  for (const std::vector<std::string>& row : rows_) {
    for (size_t i = 0; i < columns_.size(); ++i) {
      text += "| " + padded(row[i], widths[i], columns_[i].is_number) + " ";
    }
    text += "|\n";
  }
  return text;
}

}  // namespace warpmark
