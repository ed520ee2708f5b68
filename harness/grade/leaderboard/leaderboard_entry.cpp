// What of a result goes onto the leaderboard of an assignment.
#include <algorithm>
#include <cmath>
#include <optional>

#include "base/text.hpp"
#include "grade/leaderboard/leaderboard.hpp"
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

// Scripts with letters that look like those of ASCII, by the first bytes of UTF-8: phonetic and
// combining characters, Greek, Cyrillic, Armenian, Cherokee, letters in circles, full width, and
// letters of mathematics.
bool is_of_look_alikes(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  const auto second = text.size() > 1 ? static_cast<unsigned char>(text[1]) : 0;
  return (first >= 0xCA && first <= 0xD6) || first == 0xE1 || first == 0xEA || first == 0xEF ||
         first == 0xF0 || (first == 0xE2 && second >= 0x84 && second <= 0x93);
}

// How a name begins to somebody who reads quickly: ASCII letters in lower case, "?" for a letter of
// the extended Latin alphabets, which may be any with an accent; nothing of what is neither. Nothing
// at all for a name in which scripts are mixed, whose letters look like those of another.
std::optional<std::string> skeleton(std::string_view name) {
  std::string text;
  bool has_ascii = false, has_others = false;
  for (size_t at = 0; at < name.size(); ++at) {
    const auto byte = static_cast<unsigned char>(name[at]);
    if (byte < 0x80) {
      const std::string letter = lower_case(name.substr(at, 1));
      if (letter[0] >= 'a' && letter[0] <= 'z') text += letter;
      has_ascii = has_ascii || (letter[0] >= 'a' && letter[0] <= 'z');
    } else if (byte >= 0xC3 && byte <= 0xC9) {  // U+00C0 to U+024F
      text += '?';
      ++at;
    } else {
      has_others = has_others || is_of_look_alikes(name.substr(at));
    }
  }
  if (has_ascii && has_others) return std::nullopt;
  return text;
}

bool looks_like_a_pseudonym(std::string_view name) {
  const std::optional<std::string> text = skeleton(name);
  if (!text) return true;
  constexpr std::string_view kBegin = "student";
  for (size_t i = 0; i < kBegin.size(); ++i) {
    if (i >= text->size() || ((*text)[i] != kBegin[i] && (*text)[i] != '?')) return false;
  }
  return true;
}

// The name that a submission asks for in a comment `// leaderboard: NAME`; "" if it asks for none.
// One line without control characters, of at most 24 characters. "" for a name that looks like a
// pseudonym, "student-1f0e3dad99", whatever letters it is written with.
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
    // In brackets stands a part of the pseudonym, where two chose one name.
    std::erase_if(name, [](char c) { return c == '(' || c == ')'; });
    // The last character may have been cut.
    name = trim(printable(name));
    return looks_like_a_pseudonym(name) ? "" : name;
  }
  return "";
}

}  // namespace

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
