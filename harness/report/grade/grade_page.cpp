#include "report/grade/grade_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <set>

#include "base/log_text.hpp"
#include "base/text.hpp"
#include "report/grade/credit_lines.hpp"
#include "report/grade/grade_blocks.hpp"
#include "report/grade/grade_text.hpp"
#include "report/grade/item_analysis.hpp"
#include "report/page/html.hpp"
#include "report/page/style.hpp"
#include "report/page/text_line.hpp"
#include "report/run/case_text.hpp"

namespace warpmark {
namespace {

using Json = nlohmann::ordered_json;
using Results = std::vector<GradeResult>;

bool has_lost(const GradeResult& result) {
  return has_points(result) && result.final_points() < result.max_points - 1e-9;
}
bool has_stopped(const GradeResult& result) {
  return result.state != GradeState::graded;
}
bool is_flagged(const GradeResult& result) {
  return !result.flags.empty();
}

size_t count_of(const Results& results, bool (*condition)(const GradeResult&)) {
  return static_cast<size_t>(std::ranges::count_if(results, condition));
}

// How a case went over the class: the mean share of its points, 0 for submissions that did not compile.
Json case_totals(const Results& results, const std::string& name) {
  double max_points = 0, share = 0;
  bool hidden = false;
  size_t graded = 0;
  for (const GradeResult& result : results) {
    const GradedCase* one = find_case(result, name);
    if (one == nullptr) continue;
    max_points = one->max_points;
    hidden = one->visibility == Visibility::hidden;
    if (!has_points(result) || !one->open.empty()) continue;
    ++graded;
    if (one->max_points > 0) share += one->points / one->max_points;
  }
  return {{"name", name},
          {"max_points", points_text(max_points)},
          {"hidden", hidden},
          {"share",
           graded == 0 ? "" : fmt::format("{:.0f} %", 100 * share / static_cast<double>(graded))}};
}

// Results that say nothing of a student.
Json not_graded(const Results& results) {
  std::vector<std::string> names;
  for (const GradeResult& result : results) {
    if (!has_points(result)) names.push_back(in_one_line(result.student));
  }
  if (names.empty()) return nullptr;
  return {{"count", count_text(names.size(), "submission")}, {"names", join(names, ", ")}};
}

// For a single submission the tiles would only repeat its points.
Json tile_values(const Results& results, const ClassTotals& totals) {
  Json tiles = Json::array();
  if (results.size() < 2) return tiles;
  const auto tile = [&](const std::string& number, const std::string& what) {
    tiles.push_back({{"number", number}, {"what", what}});
  };
  const auto some = [&](size_t number, const char* what) {
    if (number > 0) tile(std::to_string(number), what);
  };
  tile(std::to_string(totals.submissions), "submissions");
  if (totals.graded > 0) {
    tile(points_text(totals.median), "median of " + points_text(totals.max_points));
    tile(points_text(totals.mean), "mean");
    tile(std::to_string(totals.full), "with full points");
  }
  some(
      count_of(results, [](const GradeResult& one) { return has_points(one) && has_stopped(one); }),
      "did not compile or run");
  some(totals.submissions - totals.graded, "not graded");
  some(count_of(results, is_flagged), "flagged");
  return tiles;
}

// With fewer than 8 submissions the histogram would only repeat the heat map.
Json bar_values(const Results& results, const ClassTotals& totals) {
  Json values = Json::array();
  if (totals.graded < 8 || totals.max_points <= 0) return values;
  std::array<size_t, 10> bars = {};
  for (const GradeResult& result : results) {
    if (!has_points(result)) continue;
    const double share = std::clamp(result.final_points() / totals.max_points, 0.0, 1.0);
    ++bars[std::min<size_t>(static_cast<size_t>(share * 10), 9)];
  }
  const auto most = static_cast<double>(*std::ranges::max_element(bars));
  for (const size_t bar : bars) {
    values.push_back({{"count", bar == 0 ? "" : std::to_string(bar)},
                      {"height", fmt::format("{:.1f}", 80.0 * static_cast<double>(bar) / most)}});
  }
  return values;
}

// The CSS classes of a result's row and details: the filters with which they are shown.
std::string shown_with(const GradeResult& result) {
  std::vector<std::string> classes;
  if (has_lost(result)) classes.emplace_back("is-lost");
  if (has_stopped(result)) classes.emplace_back("is-stopped");
  if (is_flagged(result)) classes.emplace_back("is-flagged");
  return join(classes, " ");
}

// A row of the heat map.
Json heat_values(const GradeResult& result, const std::vector<std::string>& names) {
  Json cells = Json::array();
  for (const std::string& name : names) {
    Json& cell = cells.emplace_back(Json::object());
    const GradedCase* one = find_case(result, name);
    if (one == nullptr) continue;
    const GradeWord word = one->word();
    cell = {{"heat", has_points(result) ? heat_class(*one, word) : "none"},
            {"name", case_title(*one)},
            {"word", to_text(word)},
            {"points", case_points_text(*one)},
            {"letter", cell_text(word)}};
  }
  return cells;
}

Json badge_values(const GradeResult& result) {
  Json badges = Json::array();
  if (has_stopped(result)) {
    badges.push_back(
        {{"kind", has_points(result) ? "lost" : "flag"}, {"text", state_title(result.state)}});
  }
  for (const std::string& flag : result.flags) badges.push_back({{"kind", "flag"}, {"text", flag}});
  return badges;
}

// All that there is of a submission.
Json student_values(const GradeResult& result, const std::vector<std::string>& names,
                    size_t number) {
  std::vector<std::string> passed;
  Json cases = Json::array();
  for (const GradedCase& one : result.cases) {
    const GradeWord word = one.word();
    if (word == GradeWord::pass && credit_lines(one).empty()) {
      passed.push_back(fmt::format("{} ({})", one.name, points_text(one.points)));
    } else if (!has_stopped(result) || !has_points(result)) {
      cases.push_back(case_values(result, one, word, true));
    }
  }
  return {{"shown", shown_with(result)},
          {"number", number},
          {"name", result.student},
          {"points", has_points(result) ? points_text(result.final_points()) : "–"},
          {"cells", heat_values(result, names)},
          {"total", total_text(result)},
          {"badges", badge_values(result)},
          {"adjustments", adjustment_texts(result)},
          {"has_points", has_points(result)},
          {"message", html_prose(message_text(result))},
          {"staff", trim(result.staff)},
          {"log", trim(result.log)},
          {"cases", std::move(cases)},
          {"passed", join(passed, ", ")},
          {"file", result.file},
          {"sha256", result.submission_sha256.substr(0, 16)},
          {"seconds", duration_text(result.seconds)}};
}

// The order of the most points first, those without any last.
std::vector<size_t> by_points(const Results& results) {
  std::vector<size_t> order(results.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const auto rank = [&](size_t i) {
    return has_points(results[i]) ? results[i].final_points() : -1.0;
  };
  std::ranges::stable_sort(order, [&](size_t a, size_t b) { return rank(a) > rank(b); });
  return order;
}

// Results of another day may be of another program or device: each different value is listed once.
Json fact_values(const Results& results) {
  std::vector<std::pair<const char*, std::set<std::string>>> rows = {
      {"assignment", {}}, {"assignment SHA-256", {}},
      {"Warpmark", {}},   {"device", {}},
      {"driver", {}},     {"NVRTC", {}},
      {"sandbox", {}},    {"date", {}}};
  for (const GradeResult& result : results) {
    const GradeContext& context = result.context;
    const std::string values[] = {result.assignment,
                                  context.assignment_sha256,
                                  context.warpmark,
                                  context.device,
                                  context.driver_version,
                                  context.nvrtc_version,
                                  context.no_sandbox ? "none" : join(context.sandbox, ", "),
                                  context.date};
    for (size_t i = 0; i < rows.size(); ++i) {
      if (!values[i].empty()) rows[i].second.insert(values[i]);
    }
  }
  Json facts = Json::array();
  for (const auto& [name, values] : rows) {
    if (values.empty()) continue;
    const bool dates = std::string_view(name) == "date" && values.size() > 1;
    facts.push_back({{"name", name},
                     {"value", dates ? *values.begin() + " to " + *values.rbegin()
                                     : join({values.begin(), values.end()}, "; ")}});
  }
  return facts;
}

}  // namespace

std::string grade_page(const std::vector<GradeResult>& results) {
  std::string title = "Grades";
  if (!results.empty()) {
    const GradeResult& first = results.front();
    title += " of " + (first.title.empty() ? first.assignment : first.title);
  }
  const std::vector<std::string> names = case_names(results);
  Json cases = Json::array(), students = Json::array(), ordered = Json::array();
  for (const std::string& name : names) cases.push_back(case_totals(results, name));
  for (size_t i = 0; i < results.size(); ++i) {
    students.push_back(student_values(results[i], names, i));
  }
  for (const size_t i : by_points(results)) ordered.push_back(students[i]);
  const ClassTotals totals = class_totals(results);
  const auto number = [](size_t count) { return count > 0 ? std::to_string(count) : ""; };
  const size_t no_sandbox =
      count_of(results, [](const GradeResult& one) { return one.context.no_sandbox; });
  return without_commands(
      html_page("report/grade/grade",
                {{"title", title},
                 {"no_sandbox", no_sandbox > 0 ? count_text(no_sandbox, "submission") : ""},
                 {"not_graded", not_graded(results)},
                 {"tiles", tile_values(results, totals)},
                 {"bars", bar_values(results, totals)},
                 {"max_points", points_text(totals.max_points)},
                 // More submissions than one screen shows at once.
                 {"is_long", results.size() > 25},
                 {"is_only", results.size() == 1},
                 {"all", results.size()},
                 {"lost", count_of(results, has_lost)},
                 {"stopped", count_of(results, has_stopped)},
                 {"flagged", number(count_of(results, is_flagged))},
                 {"cases", std::move(cases)},
                 {"words", word_values()},
                 {"by_points", std::move(ordered)},
                 {"items", items_table(analyse_items(results))},
                 {"students", std::move(students)},
                 {"facts", fact_values(results)},
                 {"shows_log", false}}));
}

}  // namespace warpmark
