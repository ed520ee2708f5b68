// Markdown that data cannot break out of: escaped text, code, tables.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpmark {

/// The text as it is shown, in one line: what Markdown or HTML would read as markup is escaped.
std::string markdown_text(std::string_view text);

/// The text as code, in a cell of a table as well.
std::string markdown_code(std::string_view text);

/// A table in GitHub's form, padded so that it reads as a table in plain text, too.
class MarkdownTable {
 public:
  struct Column {
    std::string title;
    bool is_number = false;  ///< set to the right
  };
  explicit MarkdownTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

  /// Cells that are Markdown already, as many as there are columns.
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  std::string text() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace warpmark
