#include "grade/leaderboard/leaderboard.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/characters.hpp"
#include "base/log_text.hpp"
#include "base/text.hpp"
#include "report/grade/grade_text.hpp"
#include "report/grade/grades_csv.hpp"
#include "report/page/html.hpp"
#include "report/page/text_line.hpp"

namespace warpmark {
namespace {

std::string value_text(const LeaderboardEntry& entry) {
  const double value = entry.value.value_or(0);
  return entry.ascending ? fmt::format("{:.3g}", value) : points_text(value);
}

// How a name looks to somebody who reads quickly.
std::string folded(const std::string& name) {
  std::string text;
  for (const char c : name) {
    if (c >= 'A' && c <= 'Z') {
      text += static_cast<char>(c - 'A' + 'a');
    } else if ((c >= 'a' && c <= 'z') || is_digit(c) || (c & 0x80) != 0) {
      text += c;
    }
  }
  return text;
}

struct LeaderboardPlace {
  size_t place = 1;  // equal values have equal places
  std::string name;  // that no other student has, nor is called by
  std::string value;
  std::string student;  // whose it is: for nobody else
};

bool has_place(const GradeResult& result) {
  return result.leaderboard && result.leaderboard->value;
}

// Returns the places of all results that have a value, the best first. A chosen name that is
// another student's name, or that two students chose, gets a part of the pseudonym appended.
std::vector<LeaderboardPlace> leaderboard_places(const std::vector<GradeResult>& results) {
  std::vector<const GradeResult*> order;
  std::map<std::string, size_t> taken;  // names of students, and chosen ones, by their looks
  for (const GradeResult& result : results) {
    ++taken[folded(result.student)];
    if (!has_place(result)) continue;
    order.push_back(&result);
    if (folded(result.leaderboard->name) != folded(result.student)) {
      ++taken[folded(result.leaderboard->name)];
    }
  }
  std::ranges::stable_sort(order, [](const GradeResult* a, const GradeResult* b) {
    const double left = *a->leaderboard->value, right = *b->leaderboard->value;
    if (left != right) return a->leaderboard->ascending ? left < right : left > right;
    // By what says nothing of the order of names.
    return a->leaderboard->pseudonym < b->leaderboard->pseudonym;
  });
  std::vector<LeaderboardPlace> all;
  for (size_t i = 0; i < order.size(); ++i) {
    const LeaderboardEntry& entry = *order[i]->leaderboard;
    LeaderboardPlace one;
    const bool equal = i > 0 && value_text(entry) == all.back().value;
    one.place = equal ? all.back().place : i + 1;
    one.name = in_one_line(entry.name);
    if (entry.name != entry.pseudonym && taken[folded(entry.name)] > 1) {
      constexpr size_t kDigits = 4;
      const size_t size = entry.pseudonym.size();
      one.name += " (" + entry.pseudonym.substr(size - std::min(size, kDigits)) + ")";
    }
    one.value = value_text(entry);
    one.student = order[i]->student;
    all.push_back(std::move(one));
  }
  return all;
}

std::vector<LeaderboardPlace> top_of(const std::vector<GradeResult>& results) {
  uint64_t top = 0;
  for (const GradeResult& result : results) {
    if (has_place(result)) top = result.leaderboard->top;
  }
  std::vector<LeaderboardPlace> all = leaderboard_places(results);
  std::erase_if(all, [&](const LeaderboardPlace& one) { return one.place > top; });
  return all;
}

const LeaderboardEntry* first_entry(const std::vector<GradeResult>& results) {
  for (const GradeResult& result : results) {
    if (has_place(result)) return &*result.leaderboard;
  }
  return nullptr;
}

}  // namespace

std::map<std::string, std::string> own_standings(const std::vector<GradeResult>& results) {
  const std::vector<LeaderboardPlace> all = leaderboard_places(results);
  std::map<std::string, std::string> standings;
  for (const LeaderboardPlace& own : all) {
    standings.emplace(own.student,
                      fmt::format("place {} of {} by {}, as {}: {}", own.place, all.size(),
                                  in_one_line(first_entry(results)->by), own.name, own.value));
  }
  return standings;
}

std::string leaderboard_csv(const std::vector<GradeResult>& results) {
  const LeaderboardEntry* entry = first_entry(results);
  if (entry == nullptr) return "";
  std::string csv = "\"place\",\"name\"," + csv_cell(entry->by) + "\r\n";
  for (const LeaderboardPlace& one : top_of(results)) {
    csv += fmt::format("{},{},{}\r\n", one.place, csv_cell(one.name), one.value);
  }
  return without_commands(csv);
}

std::string leaderboard_page(const std::vector<GradeResult>& results) {
  const LeaderboardEntry* entry = first_entry(results);
  if (entry == nullptr) return "";
  const GradeResult& first = results.front();
  nlohmann::ordered_json places = nlohmann::ordered_json::array();
  for (const LeaderboardPlace& one : top_of(results)) {
    places.push_back({{"place", one.place}, {"name", one.name}, {"value", one.value}});
  }
  return without_commands(html_page(
      "grade/leaderboard/leaderboard",
      {{"title", "Leaderboard of " + (first.title.empty() ? first.assignment : first.title)},
       {"by", in_one_line(entry->by)},
       {"ascending", entry->ascending},
       {"places", std::move(places)}},
      "report/grade/grade"));
}

namespace {

// Leaving out a bound makes a kernel faster, and wrong in other cases.
bool is_right(const GradeResult& result) {
  return std::ranges::all_of(result.cases, [](const GradedCase& one) {
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

// True if the case waits for times, and nothing else is missing.
bool may_get_a_ratio(const GradeResult& result, const std::string& name) {
  const GradedCase* one = find_case(result, name);
  return is_right(result) && one != nullptr && !one->open.empty();
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
  LeaderboardEntry entry;
  entry.by = rule.by_points() ? "points" : rule.by;
  // Not as on pages without names, from which nobody must find a place here.
  entry.pseudonym = pseudonyms.of("leaderboard " + result.student);
  entry.name = rule.chosen ? chosen_name(source) : "";
  if (entry.name.empty()) entry.name = entry.pseudonym;
  entry.ascending = !rule.by_points();
  entry.top = rule.top;
  result.leaderboard = std::move(entry);
  renew_leaderboard(result);
  if (!result.leaderboard->value && !may_get_a_ratio(result, rule.by)) result.leaderboard.reset();
}

void renew_leaderboard(GradeResult& result) {
  if (!result.leaderboard) return;
  LeaderboardEntry& entry = *result.leaderboard;
  entry.value = entry.ascending ? ratio_of(result, entry.by) : std::optional(result.final_points());
}

}  // namespace warpmark
