// The report of a comparison for the console, and as Markdown for a comment on a pull request.
#include <fmt/format.h>

#include <algorithm>
#include <map>

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

// The points with verdicts that `wanted` selects, the gravest first.
template <typename Wanted>
PageTable change_table(const ComparedBenches& compared, const Wanted& wanted) {
  using Place = PageTable::Place;
  const bool counted = compared.comparison.counted;
  PageTable table;
  table.columns = {{"verdict"},
                   {"case"},
                   {counted ? "counter" : "mode"},
                   {"baseline", true},
                   {"contender", true},
                   {"change", true},
                   {counted ? "" : "95 % interval", false, Place::among_notes}};
  table.notes_title = counted ? "notes" : "95 % interval and notes";
  table.has_verdicts = true;
  for (const ChangeVerdict verdict : kChangeVerdicts) {
    if (!wanted(verdict)) continue;
    for (const ComparisonRow& row : rows_of(compared.comparison, verdict)) {
      PageCell word = row.first ? std::string(to_text(verdict)) : "";
      word.colour = colour_of(verdict);
      word.is_strong = compared.fails(verdict);
      PageTable::Row& shown = table.rows.emplace_back();
      shown.cells = {word,          {row.first ? row.id : "", true},
                     row.what,      row.baseline,
                     row.contender, row.change,
                     row.interval};
      for (const std::string& note : row.notes) {
        shown.notes.push_back({note, PageNote::Kind::plain, Colour::dim});
      }
      for (const std::string& line : row.lines) {
        shown.notes.push_back({line, PageNote::Kind::source});
      }
    }
  }
  return table;
}

// The lines of a point that are shown.
std::vector<GrownLine> shown_lines(const ComparedPoint& point) {
  const auto count = static_cast<std::ptrdiff_t>(std::min(point.lines.size(), kMostGrownLines));
  return {point.lines.begin(), point.lines.begin() + count};
}

std::string place_of(const GrownLine& line) {
  return fmt::format("{}:{}", line.file, line.number);
}

// Cases of one kernel grow at the same lines: the first has them, the others are counted.
PageTable line_table(const ComparedBenches& compared) {
  std::vector<std::pair<const ComparedPoint*, size_t>> shown;
  std::map<std::string, size_t> known;
  for (const ComparedPoint& point : compared.comparison.points) {
    if (point.lines.empty()) continue;
    std::vector<std::string> places;
    for (const GrownLine& line : shown_lines(point)) places.push_back(place_of(line));
    std::ranges::sort(places);
    const auto [at, is_new] = known.emplace(join(places, "\n"), shown.size());
    if (is_new) shown.emplace_back(&point, 0);
    shown[at->second].second += is_new ? 0 : 1;
  }
  PageTable table{{{"case"}, {"line"}, {"grew by"}, {"source"}}};
  for (const auto& [point, more] : shown) {
    PageCell cases(point->id, true);
    if (more > 0) cases.rest = fmt::format(" and {} more", more);
    for (const GrownLine& line : shown_lines(*point)) {
      table.rows.push_back(
          {{cases,
            {place_of(line), true},
            growth_text(line) + (has_growth(*point) ? "" : " now; the baseline has no lines"),
            {line.text, true}}});
      cases = std::string();
    }
  }
  return table;
}

Page bare_page(const ComparedBenches& compared) {
  Page page;
  page.command = "warpmark compare";
  page.facts = head_lines(compared);
  for (const ComparisonNote& note : compared.comparison.notes)
    page.notes.push_back(page_note(note));
  page.sum = sum_text(compared);
  page.sum_colour = compared.exit_code() != 0 ? Colour::red : Colour::green;
  page.advice = advice(compared);
  return page;
}

}  // namespace

bool is_change(ChangeVerdict verdict) {
  return verdict != ChangeVerdict::same && verdict != ChangeVerdict::inconclusive &&
         verdict != ChangeVerdict::deselected;
}

Page changes_first(const ComparedBenches& compared) {
  Page page = bare_page(compared);
  const auto only = [&](ChangeVerdict wanted) {
    return PageSection{
        change_table(compared, [&](ChangeVerdict verdict) { return verdict == wanted; }), "",
        fmt::format("{} {}", compared.comparison.count(wanted),
                    wanted == ChangeVerdict::same ? "the same" : to_text(wanted))};
  };
  page.sections = {{change_table(compared, is_change)},
                   {line_table(compared), "Lines that grew most:"},
                   only(ChangeVerdict::inconclusive),
                   only(ChangeVerdict::same)};
  return page;
}

std::string comparison_text(const ComparedBenches& compared, const ConsoleStyle& style, bool all) {
  Page page = bare_page(compared);
  page.sections = {{change_table(compared, [&](ChangeVerdict verdict) {
    // Cases that were not asked for are as little news as those that are the same.
    const bool dull = verdict == ChangeVerdict::same || verdict == ChangeVerdict::deselected;
    return (!dull || all) && (style.verbosity != Verbosity::quiet || compared.fails(verdict));
  })}};
  return console_page(page, style);
}

std::string comparison_markdown(const ComparedBenches& compared) {
  Page page = bare_page(compared);
  const size_t same = compared.comparison.count(ChangeVerdict::same);
  page.sections = {
      {change_table(compared,
                    [](ChangeVerdict verdict) {
                      return verdict != ChangeVerdict::same && verdict != ChangeVerdict::deselected;
                    })},
      {line_table(compared), "Lines that grew most:"},
      {change_table(compared, [](ChangeVerdict verdict) { return verdict == ChangeVerdict::same; }),
       "", fmt::format("{} the same", same)}};
  return markdown_page(page);
}

}  // namespace warpmark
