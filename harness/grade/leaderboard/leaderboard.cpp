#include "grade/leaderboard/leaderboard.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/log_text.hpp"
#include "report/grade_style.hpp"
#include "report/grades_csv.hpp"
#include "report/html.hpp"
#include "report/text_line.hpp"

namespace warpmark {
namespace {

std::string value_text(const LeaderboardEntry& entry) {
  return entry.ascending ? fmt::format("{:.3g}", entry.value) : points_text(entry.value);
}

// How a name looks to somebody who reads quickly.
std::string folded(const std::string& name) {
  std::string text;
  for (const char c : name) {
    if (c >= 'A' && c <= 'Z') {
      text += static_cast<char>(c - 'A' + 'a');
    } else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c & 0x80) != 0) {
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

// Of all results that have an entry, the best first. A name that somebody chose and that is the
// name of another student, or that two chose, gets a part of the pseudonym behind it.
std::vector<LeaderboardPlace> leaderboard_places(const std::vector<GradeResult>& results) {
  std::vector<const GradeResult*> order;
  std::map<std::string, size_t> taken;  // names of students, and chosen ones, by their looks
  for (const GradeResult& result : results) {
    ++taken[folded(result.student)];
    if (!result.leaderboard) continue;
    order.push_back(&result);
    if (folded(result.leaderboard->name) != folded(result.student)) {
      ++taken[folded(result.leaderboard->name)];
    }
  }
  std::stable_sort(order.begin(), order.end(), [](const GradeResult* a, const GradeResult* b) {
    const double left = a->leaderboard->value, right = b->leaderboard->value;
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
    if (result.leaderboard) top = result.leaderboard->top;
  }
  std::vector<LeaderboardPlace> all = leaderboard_places(results);
  std::erase_if(all, [&](const LeaderboardPlace& one) { return one.place > top; });
  return all;
}

const LeaderboardEntry* first_entry(const std::vector<GradeResult>& results) {
  for (const GradeResult& result : results) {
    if (result.leaderboard) return &*result.leaderboard;
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
  const std::string title =
      "Leaderboard of " + (first.title.empty() ? first.assignment : first.title);
  std::string page = html_head(title, kGradeStyle) + "<h1>" + html_text(title) + "</h1>\n";
  page += fmt::format("<p class=\"lead\">By {}, {} first</p>\n", html_text(in_one_line(entry->by)),
                      entry->ascending ? "the least" : "the most");
  page += "<div class=\"scroll\"><table class=\"context\"><tbody>\n";
  for (const LeaderboardPlace& one : top_of(results)) {
    page += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td></tr>\n", one.place,
                        html_text(one.name), html_text(one.value));
  }
  return without_commands(page + "</tbody></table></div>\n</body>\n</html>\n");
}

}  // namespace warpmark
