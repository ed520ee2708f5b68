// Values of reports for templates of HTML.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/page/page.hpp"

namespace warpmark {

namespace {

using Json = nlohmann::ordered_json;

// Longer texts are broken into lines.
constexpr size_t kLongCell = 52;

const char* colour_class(Colour colour) {
  return colour == Colour::red ? "red" : colour == Colour::green ? "green" : "";
}

// The places of the columns that are not empty: a page has room for all others.
std::vector<size_t> shown_columns(const PageTable& table) {
  std::vector<size_t> shown;
  for (size_t i = 0; i < table.columns.size(); ++i) {
    const bool any = std::ranges::any_of(
        table.rows, [&](const PageTable::Row& row) { return !row.cells[i].text.empty(); });
    if (any) shown.push_back(i);
  }
  return shown;
}

Json section_values(const PageSection& section) {
  const PageTable& table = section.table;
  const std::vector<size_t> shown = shown_columns(table);
  Json columns = Json::array(), rows = Json::array();
  const auto kind_of = [&](size_t i) { return table.columns[i].is_number ? "number" : ""; };
  for (const size_t i : shown) {
    columns.push_back({{"kind", kind_of(i)}, {"text", table.columns[i].title}});
  }
  bool any_notes = false;
  for (const PageTable::Row& row : table.rows) {
    Json cells = Json::array(), notes = Json::array();
    for (const size_t i : shown) {
      const PageCell& cell = row.cells[i];
      std::string kind = kind_of(i);
      const auto add_kind = [&](const std::string& more) {
        if (!more.empty()) kind += (kind.empty() ? "" : " ") + more;
      };
      add_kind(colour_class(cell.colour));
      if (cell.text.size() > kLongCell) add_kind("long");
      cells.push_back({{"kind", kind},
                       {"code", cell.is_code && !cell.text.empty()},
                       {"strong", cell.is_strong && !cell.text.empty()},
                       {"text", cell.text},
                       {"rest", cell.rest}});
    }
    for (const PageNote& note : row.notes) {
      if (note.kind != PageNote::Kind::source) notes.push_back(note.text);
    }
    any_notes = any_notes || !notes.empty();
    rows.push_back({{"cells", std::move(cells)}, {"row_notes", std::move(notes)}});
  }
  return {{"title", section.title},
          {"fold", section.fold},
          {"columns", std::move(columns)},
          {"any_notes", any_notes},
          {"rows", std::move(rows)}};
}

}  // namespace

nlohmann::ordered_json html_values(const Page& page) {
  Json notes = Json::array(), sections = Json::array();
  for (const PageNote& note : page.notes) {
    notes.push_back({{"grave", note.kind == PageNote::Kind::warning}, {"text", note.text}});
  }
  for (const PageSection& section : page.sections) {
    if (!section.table.rows.empty()) sections.push_back(section_values(section));
  }
  return {{"sum", page.sum},
          {"way", colour_class(page.sum_colour)},
          {"facts", page.facts},
          {"notes", std::move(notes)},
          {"sections", std::move(sections)}};
}

}  // namespace warpmark
