// The report of a comparison as Markdown, for a comment on a pull request.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "report/comparison/comparison_rows.hpp"
#include "report/page/markdown.hpp"

namespace warpmark {

namespace {

void add_table(const ComparedBenches& compared, const std::vector<ComparisonRow>& rows,
               std::string& text) {
  const bool counted = compared.comparison.counted;
  MarkdownTable table({{"verdict"},
                       {"case"},
                       {counted ? "counter" : "mode"},
                       {"baseline", true},
                       {"contender", true},
                       {"change", true},
                       {counted ? "notes" : "95 % interval and notes"}});
  for (const ComparisonRow& row : rows) {
    std::vector<std::string> last = row.notes;
    if (!row.interval.empty()) last.insert(last.begin(), row.interval);
    const bool bold = compared.fails(row.verdict);
    std::string word = row.first ? std::string(to_text(row.verdict)) : "";
    if (bold && row.first) word = "**" + word + "**";
    table.add({word, row.first ? markdown_code(row.id) : "", markdown_text(row.what),
               markdown_text(row.baseline), markdown_text(row.contender), markdown_text(row.change),
               markdown_text(join(last, "; "))});
  }
  text += table.text();
}

// The lines of a point that are shown.
std::vector<GrownLine> shown_lines(const ComparedPoint& point) {
  const auto count = static_cast<std::ptrdiff_t>(std::min(point.lines.size(), kMostGrownLines));
  return {point.lines.begin(), point.lines.begin() + count};
}

std::string place_of(const GrownLine& line) {
  return fmt::format("{}:{}", line.file, line.number);
}

void add_lines(const ComparedBenches& compared, std::string& text) {
  // Cases of one kernel grow at the same lines: the first has them, the others are counted.
  std::vector<std::pair<const ComparedPoint*, size_t>> shown;
  std::map<std::string, size_t> known;
  for (const ComparedPoint& point : compared.comparison.points) {
    if (point.lines.empty()) continue;
    std::vector<std::string> places;
    for (const GrownLine& line : shown_lines(point)) places.push_back(place_of(line));
    std::sort(places.begin(), places.end());
    const auto [at, is_new] = known.emplace(join(places, "\n"), shown.size());
    if (is_new) shown.emplace_back(&point, 0);
    shown[at->second].second += is_new ? 0 : 1;
  }
  if (shown.empty()) return;
  MarkdownTable table({{"case"}, {"line"}, {"grew by"}, {"source"}});
  for (const auto& [point, more] : shown) {
    std::string cases = markdown_code(point->id);
    if (more > 0) cases += fmt::format(" and {} more", more);
    for (const GrownLine& line : shown_lines(*point)) {
      const std::string grown =
          growth_text(line) + (has_growth(*point) ? "" : " now; the baseline has no lines");
      table.add({cases, markdown_code(place_of(line)), markdown_text(grown),
                 line.text.empty() ? "" : markdown_code(line.text)});
      cases.clear();
    }
  }
  text += "\nLines that grew most:\n\n" + table.text();
}

}  // namespace

std::string comparison_markdown(const ComparedBenches& compared) {
  const BenchComparison& comparison = compared.comparison;
  std::string text = fmt::format("**warpmark compare**: {}\n\n", markdown_text(sum_text(compared)));
  for (const std::string& line : head_lines(compared)) text += "- " + markdown_text(line) + "\n";
  for (const ComparisonNote& note : comparison.notes) {
    text += fmt::format("- {}{}\n", note.grave ? "**warning:** " : "", markdown_text(note.text));
  }
  std::vector<ComparisonRow> changed;
  for (const ChangeVerdict verdict : kChangeVerdicts) {
    if (verdict == ChangeVerdict::same || verdict == ChangeVerdict::deselected) continue;
    for (ComparisonRow& row : rows_of(comparison, verdict)) changed.push_back(std::move(row));
  }
  if (!changed.empty()) {
    text += "\n";
    add_table(compared, changed, text);
    add_lines(compared, text);
  }
  const std::vector<ComparisonRow> same = rows_of(comparison, ChangeVerdict::same);
  if (!same.empty()) {
    text += fmt::format("\n<details><summary>{} the same</summary>\n\n",
                        comparison.count(ChangeVerdict::same));
    add_table(compared, same, text);
    text += "\n</details>\n";
  }
  const std::vector<std::string> lines = advice(compared);
  if (!lines.empty()) text += "\n";
  for (const std::string& line : lines) text += "- " + markdown_text(line) + "\n";
  return text;
}

}  // namespace warpmark
