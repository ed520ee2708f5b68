#include "grade/leaderboard_entry.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/text.hpp"
#include "report/grade_text.hpp"
#include "report/text_line.hpp"

namespace warpmark {

namespace {

// Leaving out a bound makes a kernel faster, and wrong in other cases.
bool is_right(const GradeResult& result) {
  return std::all_of(result.cases.begin(), result.cases.end(), [](const GradedCase& one) {
    return one.extra || one.word() == GradeWord::pass;
  });
}

// The greatest ratio of the items; nothing unless each has one, and the whole submission is right.
std::optional<double> ratio_of(const GradeResult& result, const std::string& name) {
  if (!is_right(result)) return std::nullopt;
  const GradedCase* one = find_case(result, name);
  if (one == nullptr || one->items.empty()) return std::nullopt;
  double worst = 0;
  for (const GradedItem& item : one->items) {
    if (item.word != GradeWord::pass || !item.performance) return std::nullopt;
    worst = std::max(worst, item.performance->ratio);
  }
  return std::isfinite(worst) ? std::optional(worst) : std::nullopt;
}

}  // namespace

std::string chosen_name(std::string_view source) {
  constexpr std::string_view kWord = "leaderboard:";
  constexpr size_t kMost = 24;
  for (const std::string& line : split(source, '\n')) {
    std::string_view rest = trim(line);
    if (!rest.starts_with("//")) continue;
    rest = trim(rest.substr(2));
    if (!rest.starts_with(kWord)) continue;
    std::string name = in_one_line(trim(rest.substr(kWord.size())));
    while (columns(name) > kMost) name.pop_back();
    // The last character may have been cut.
    return std::string(trim(printable(name)));
  }
  return "";
}

void set_leaderboard(const LeaderboardRule& rule, const Pseudonyms& pseudonyms,
                     std::string_view source, GradeResult& result) {
  result.leaderboard.reset();
  if (!has_points(result)) return;
  std::optional<double> value = result.final_points();
  if (!rule.by_points()) value = ratio_of(result, rule.by);
  if (!value) return;
  LeaderboardEntry entry;
  entry.by = rule.by_points() ? "points" : rule.by;
  // Not as on pages without names, from which nobody must find a place here.
  entry.pseudonym = pseudonyms.of("leaderboard " + result.student);
  entry.name = rule.chosen ? chosen_name(source) : "";
  if (entry.name.empty()) entry.name = entry.pseudonym;
  entry.value = *value;
  entry.ascending = !rule.by_points();
  entry.top = rule.top;
  result.leaderboard = std::move(entry);
}

}  // namespace warpmark
