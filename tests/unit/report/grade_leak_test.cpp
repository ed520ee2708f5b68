// Nothing of what is hidden reaches what students get.
#include <gtest/gtest.h>

#include <sstream>

#include "report/grade/feedback_text.hpp"
#include "report/grade/grade_console.hpp"
#include "report/grade/grade_junit.hpp"
#include "report/grade/grade_page.hpp"
#include "report/grade/grades_csv.hpp"
#include "report/grade/gradescope.hpp"
#include "unit/results/example_grade.hpp"

namespace warpmark {
namespace {

using Json = nlohmann::ordered_json;
using testing_results::every_state;
using testing_results::for_each_leaf;
using testing_results::is_word;

/// Everything that a student may be given.
std::vector<std::pair<std::string, std::string>> for_students(const GradeResult& whole) {
  const StudentView view(whole);
  std::vector<std::pair<std::string, std::string>> all = {{"json", to_json(view).dump()},
                                                          {"gradescope", gradescope_json(view)},
                                                          {"page", student_page(view)},
                                                          {"feedback", feedback_text(view)}};
  for (const Verbosity verbosity : {Verbosity::quiet, Verbosity::normal, Verbosity::verbose}) {
    ConsoleStyle style;
    style.verbosity = verbosity;
    std::ostringstream out;
    print_grade(out, style, view);
    all.emplace_back("console", out.str());
  }
  return all;
}

/// Returns whether a student may see the member at this path of result.json. A member that is not
/// named here is hidden: a new one fails these tests until someone decides.
bool may_be_seen(const std::string& path, const Json& whole) {
  for (const char* open :
       {"/grade", "/assignment", "/title", "/student", "/file", "/submission_sha256", "/state",
        "/message", "/log", "/points", "/max_points", "/handed_in", "/final_points",
        "/context/warpmark", "/context/assignment_version", "/context/device",
        "/context/driver_version", "/context/nvrtc_version", "/context/date"}) {
    if (path == open) return true;
  }
  if (path.starts_with("/adjustments/") || path.starts_with("/files/")) return true;
  if (path.starts_with("/leaderboard/")) return true;  // the student's own
  if (!path.starts_with("/cases/")) return false;
  const std::string one = path.substr(0, path.find('/', 7));
  const std::string member = path.substr(one.size() + 1);
  for (const char* open : {"name", "points", "max_points", "visibility", "credit", "from", "hint",
                           "extra", "word", "open"}) {
    if (member == open) return true;
  }
  const bool hidden = whole.at(Json::json_pointer(one + "/visibility")) == "hidden";
  return !hidden && !member.ends_with("/note");
}

/// Every state, with hidden and visible cases, items that failed and that passed.
std::vector<Json> wholes() {
  std::vector<Json> all;
  std::vector<GradeResult> results = every_state();
  results.push_back(testing_results::with_credit());
  for (GradeResult result : results) {
    result.staff = result.key = "x";
    result.flags = {"x"};
    result.adjustments = {{"late", -1, "x"}};
    result.files = {{"x", "x", "x"}};
    for (GradedCase& one : result.cases) {
      for (GradedItem& item : one.items) item.note = item.explanation = item.detail = "x";
    }
    all.push_back(to_json(result));
  }
  return all;
}

TEST(GradeLeak, NoHiddenTextIsInWhatStudentsGet) {
  size_t hidden = 0, seen = 0;
  for (Json whole : wholes()) {
    std::vector<std::pair<std::string, std::string>> secrets, shown;
    for_each_leaf(whole, [&](const std::string& path, Json& value) {
      if (!value.is_string() || is_word(path)) return;
      if (path.ends_with("/error") || path.ends_with("/bound")) return;
      if (path.ends_with("/performance/by") || path.ends_with("/order"))
        return;  // one of two words
      const std::string token = fmt::format("token{:04}x", secrets.size() + shown.size());
      value = token;
      (may_be_seen(path, whole) ? shown : secrets).emplace_back(path, token);
    });
    const GradeResult result = grade_result_from_json(whole);
    const auto renderings = for_students(result);
    for (const auto& [name, text] : renderings) {
      for (const auto& [path, token] : secrets) {
        EXPECT_EQ(text.find(token), std::string::npos) << path << " is in the " << name;
      }
    }
    // The test would notice a leak: all that may be shown is at least in the JSON.
    for (const auto& [path, token] : shown) {
      EXPECT_NE(renderings[0].second.find(token), std::string::npos) << path;
    }
    hidden += secrets.size();
    seen += shown.size();
  }
  EXPECT_GT(hidden, 100U);
  EXPECT_GT(seen, 100U);
}

// Stronger than the search for words: whatever is hidden may change, and not a byte does.
TEST(GradeLeak, WhatStudentsGetDependsOnNothingHidden) {
  size_t changed = 0;
  for (const Json& whole : wholes()) {
    const auto before = for_students(grade_result_from_json(whole));
    Json copy = whole;
    for_each_leaf(copy, [&](const std::string& path, const Json&) {
      if (may_be_seen(path, whole) || path.ends_with("/word")) return;
      Json other = whole;
      Json& value = other.at(Json::json_pointer(path));
      if (path.ends_with("/credit")) {
        value = value == "all" ? "each" : "all";
      } else if (path.ends_with("/degree/share") || path.ends_with("/from")) {
        value = 0.25;
      } else if (value.is_boolean()) {
        value = !value.get<bool>();
      } else if (value.is_string() && !path.ends_with("/error") && !path.ends_with("/bound")) {
        value = "another";
      } else {
        value = 4711;
      }
      ++changed;
      const auto after = for_students(grade_result_from_json(other));
      for (size_t i = 0; i < before.size(); ++i) {
        EXPECT_EQ(after[i].second, before[i].second) << path << " shows in the " << before[i].first;
      }
    });
  }
  EXPECT_GT(changed, 100U);
}

TEST(GradeLeak, TheNumberOfHiddenItemsDoesNotShow) {
  GradeResult whole = every_state()[0];
  const auto before = for_students(whole);
  GradedCase& hidden = whole.cases[2];
  hidden.items.insert(hidden.items.end(), 5, testing_results::item("n=9"));
  hidden.items.push_back(testing_results::item("n=10", GradeWord::wrong));  // not the first word
  EXPECT_EQ(for_students(whole), before);
}

TEST(GradeLeak, StaffSeeIt) {
  GradeResult whole = every_state()[0];
  whole.staff = "staff text";
  whole.cases[2].items[1].explanation = "hidden explanation";
  const std::string page = grade_page({whole});
  for (const char* part : {"staff text", "hidden explanation", "uses clock64", "n=78"}) {
    EXPECT_NE(page.find(part), std::string::npos) << part;
  }
  EXPECT_NE(grade_junit({whole}).find("hidden explanation"), std::string::npos);
  EXPECT_NE(grades_csv({whole}).find("uses clock64"), std::string::npos);
}

}  // namespace
}  // namespace warpmark
