// A report that is made once, for the console, Markdown and HTML: facts, notes, tables, a sum, advice.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "report/page/style.hpp"
#include "results/bench_comparison.hpp"

namespace warpmark {

/// Plain text in a cell.
struct PageCell {
  PageCell(std::string cell_text, bool code = false) : text(std::move(cell_text)), is_code(code) {}

  std::string text;
  bool is_code = false;           ///< in Markdown
  std::string rest = "";          ///< plain text after code, in Markdown
  bool is_strong = false;         ///< in Markdown
  Colour colour = Colour::plain;  ///< on the console
};

/// A line of text about a report or a row of a table.
struct PageNote {
  enum class Kind : uint8_t {
    plain,
    note,     ///< marked as a note on the console
    warning,  ///< marked as one
    source    ///< a line for the console only
  };
  std::string text;
  Kind kind = Kind::plain;
  Colour colour = Colour::plain;  ///< on the console
};

PageNote page_note(const ComparisonNote& note);

struct PageTable {
  /// The place of a column in Markdown, which has no room for many.
  enum class Place : uint8_t { own, joined_to_last, among_notes };
  struct Column {
    std::string title;
    bool is_number = false;  ///< set to the right
    Place place = Place::own;
  };
  struct Row {
    std::vector<PageCell> cells;  ///< as many as there are columns
    std::vector<PageNote> notes = {};
  };

  std::vector<Column> columns = {};
  std::vector<Row> rows = {};
  std::string notes_title = "";  ///< of the column that notes have in Markdown; "" for none
  bool has_verdicts =
      false;  ///< the console has no title for the first column, and notes behind it
};

struct PageSection {
  PageTable table;
  std::string title = "";  ///< before the table
  std::string fold = "";   ///< the title under which Markdown and HTML fold the table away
};

struct Page {
  std::string command;       ///< what the console's report begins with
  std::string subject = "";  ///< what that in Markdown begins with; "" for the command
  std::vector<std::string> facts = {};
  std::vector<PageNote> notes = {};
  std::vector<PageSection> sections = {};  ///< those without rows are left out
  std::string sum = "";
  Colour sum_colour = Colour::bold;
  std::vector<std::string> advice = {};
  std::string method = "";
};

/// Columns as wide as their cells, under a line of titles; notes below their rows.
std::string console_table(const PageTable& table, const ConsoleStyle& style);
/// A table in GitHub's form, padded so that it reads as a table in plain text, too.
std::string markdown_table(const PageTable& table);

/// Verbosity::quiet leaves the tables and the sum.
std::string console_page(const Page& page, const ConsoleStyle& style);
std::string markdown_page(const Page& page);
/// The values of a page for HTML: `sum`, `facts`, `notes`, and `sections` for page/section.html.
nlohmann::ordered_json html_values(const Page& page);

}  // namespace warpmark
