// Grades for tests of records and reports: every state, hidden and visible, and a whole class.
#pragma once

#include <fmt/format.h>

#include <limits>
#include <random>
#include <string>
#include <vector>

#include "results/grade_result.hpp"

namespace warpmark::testing_results {

inline GradedItem item(const std::string& point, GradeWord word = GradeWord::pass) {
  GradedItem one;
  one.case_id = "doublify/double_array." + point;
  one.word = word;
  one.trials = 3;
  one.seconds = 0.25;
  if (word == GradeWord::not_launched) one.trials = 0;
  if (word == GradeWord::pass || word == GradeWord::not_launched) return one;
  one.trial = 1;
  one.explanation = word == GradeWord::wrong
                        ? "2 of 401 elements of `a` have the wrong value."
                        : fmt::format("Your kernel ended with a {}.", to_text(word));
  one.detail = "first: a[400] = 0.5, expected 1, error 0.5, bound 0\nlast: a[401]";
  one.reproduce = "warpmark try doubling my.cu --case " + one.case_id;
  if (word == GradeWord::wrong) {
    one.error = 0.5;
    one.bound = 0;
  }
  return one;
}

inline GradedCase graded_case(const std::string& name, double max_points,
                              std::vector<GradedItem> items,
                              Visibility visibility = Visibility::visible,
                              Credit credit = Credit::all) {
  GradedCase one;
  one.name = name;
  one.max_points = max_points;
  one.visibility = visibility;
  one.credit = credit;
  one.hint = "What if n is no multiple of 128?";
  one.items = std::move(items);
  double passed = 0;
  for (const GradedItem& each : one.items) passed += each.word == GradeWord::pass ? 1 : 0;
  const auto count = static_cast<double>(one.items.size());
  if (credit == Credit::each && count > 0) one.points = max_points * passed / count;
  if (credit == Credit::all && count > 0 && passed == count) one.points = max_points;
  return one;
}

inline void sum_up(GradeResult& result) {
  result.points = result.max_points = 0;
  for (const GradedCase& one : result.cases) {
    result.points += one.points;
    result.max_points += one.max_points;
  }
}

/// 6.67 of 20 points: a pass, a third of a case, and a race in a hidden one.
inline GradeResult graded(const std::string& student = "anna") {
  GradeResult result;
  result.assignment = "doubling";
  result.title = "Doubling an array";
  result.student = student;
  result.file = "double_array.cu";
  result.submission_sha256 = std::string(64, 'a');
  result.key = std::string(64, 'b');
  result.state = GradeState::graded;
  result.cases = {graded_case("small sizes", 5, {item("n=16"), item("n=400")}),
                  graded_case("odd sizes", 5,
                              {item("n=401", GradeWord::wrong), item("n=1"),
                               item("n=1000003", GradeWord::memory_error)},
                              Visibility::visible, Credit::each),
                  graded_case("other data", 10, {item("n=77"), item("n=78", GradeWord::race)},
                              Visibility::hidden)};
  sum_up(result);
  result.seconds = 2.5;
  result.context.warpmark = "1.2.3";
  result.context.assignment_sha256 = std::string(64, 'c');
  result.context.assignment_version = std::string(16, 'd');
  result.context.device = "Warpmark CPU device (sm_90)";
  result.context.driver_version = "13.0";
  result.context.nvrtc_version = "13.0";
  result.context.date = "2026-11-21T00:00:00Z";
  result.context.sandbox = {"seccomp", "landlock abi 7"};
  return result;
}

/// Dropped trials, degrees, performance by counters and by time, open points, a leaderboard: members
/// that only some assignments have. The cases "hidden degree" and "hidden speed" are hidden.
inline GradeResult with_credit(const std::string& student = "mia") {
  GradeResult result = graded(student);
  GradedItem dropped = item("n=16");
  dropped.dropped = {{1, GradeWord::wrong, "2 of 16 elements of `a` have the wrong value."}};
  GradedItem part = item("n=401", GradeWord::wrong);
  part.degree = Degree{0.8, "of the elements of `a` are right"};
  GradedItem counted = item("n=4096");
  counted.performance = Performance{4096, 1024, 4, 0, 0, 0, 0};
  GradedItem timed = item("n=8192");
  timed.performance = Performance{2e-5, 1e-5, 1.9, 2, 1.9, 2.1, 11};
  GradedItem open = item("n=5");
  open.open = "they depend on times on a GPU";
  const auto measured = [](const std::string& name, std::vector<GradedItem> items,
                           std::vector<std::string> counters, Visibility visibility) {
    GradedCase one = graded_case(name, 5, std::move(items), visibility);
    one.performance.emplace();
    one.performance->counters = std::move(counters);
    one.performance->zero = 6;
    return one;
  };
  const std::vector<std::string> sectors = {"global_store_sectors"};
  result.cases = {graded_case("dropped", 5, {dropped}),
                  graded_case("degree", 5, {part}, Visibility::visible, Credit::degree),
                  graded_case("hidden degree", 5, {part}, Visibility::hidden, Credit::degree),
                  measured("counted", {counted}, sectors, Visibility::visible),
                  measured("hidden speed", {counted}, sectors, Visibility::hidden),
                  measured("timed", {timed}, {}, Visibility::visible),
                  measured("open", {open}, {}, Visibility::visible)};
  result.cases[1].points = result.cases[2].points = 4;
  result.cases[1].from = result.cases[2].from = 0.5;
  result.cases[3].points = result.cases[4].points = 2;
  result.cases[5].performance->steps = {{1.25, 5}, {2, 3}};
  result.cases[5].points = 3;
  result.cases[6].points = 0;
  result.cases[6].open = "they depend on times on a GPU";
  result.leaderboard = LeaderboardEntry{"counted", "Fast Fox", "student-0123456789", 4, true, 10};
  sum_up(result);
  return result;
}

/// The same assignment with nothing run.
inline GradeResult not_graded(const std::string& student, GradeState state,
                              const std::string& message) {
  GradeResult result = graded(student);
  result.state = state;
  result.message = message;
  for (GradedCase& one : result.cases) {
    one.points = 0;
    for (GradedItem& each : one.items) {
      const std::string id = each.case_id;
      each = {};
      each.case_id = id;
      if (state != GradeState::grader_error) each.explanation = message;
    }
  }
  sum_up(result);
  return result;
}

inline GradeResult full_points(const std::string& student = "zoe") {
  GradeResult result = graded(student);
  for (GradedCase& one : result.cases) {
    for (GradedItem& each : one.items) {
      const std::string point = each.case_id.substr(each.case_id.find('.') + 1);
      each = item(point);
    }
    one.points = one.max_points;
  }
  sum_up(result);
  return result;
}

/// One of each state, and full points, a NaN bound, flags, no cases, no sandbox.
inline std::vector<GradeResult> every_state() {
  std::vector<GradeResult> all = {
      graded(),
      full_points(),
      not_graded("ben", GradeState::refused, "There is no file double_array.cu. Hand one in."),
      not_graded("cleo", GradeState::compile_error, "Your file does not compile."),
      not_graded("dora", GradeState::limit, "The compiler took longer than 20 s."),
      not_graded("emil", GradeState::fault, "The compiler crashed on your file."),
      not_graded("finn", GradeState::grader_error, "The grader failed. This is not your fault.")};
  all[0].flags = {"uses clock64"};
  all[0].ptx_prints = {"0123456789abcdef"};
  all[0].cases[1].items[0].error = std::numeric_limits<double>::quiet_NaN();
  all[0].cases[1].items[0].bound = std::numeric_limits<double>::infinity();
  all[2].submission_sha256.clear();
  all[3].log = "double_array.cu(3): error: expected a `;`\n1 error detected";
  all[6].staff = "worker 3 was killed";
  all[6].cases[0].items[0].note = "out of memory";
  all[6].context.no_sandbox = true;
  all[6].context.sandbox.clear();
  GradeResult empty;  // the skeleton that is written first
  empty.assignment = "doubling";
  empty.student = "gus";
  all.push_back(empty);
  return all;
}

/// A class with `cases` cases, equal for an equal seed: from a few with all points to a few with
/// none, and each state.
inline std::vector<GradeResult> class_of(size_t students, size_t cases, unsigned seed = 1) {
  constexpr GradeWord kWords[] = {GradeWord::wrong,   GradeWord::memory_error, GradeWord::race,
                                  GradeWord::barrier, GradeWord::limit,        GradeWord::wrong};
  const char* const names[] = {"small sizes", "odd sizes",   "powers of two", "one element",
                               "large",       "large, odd",  "denormals",     "infinities",
                               "other data",  "other sizes", "many blocks",   "cancellation"};
  const char* const people[] = {"adams",  "baker", "castro", "dimitriou", "eriksson", "fischer",
                                "garcia", "huang", "ito",    "jansen",    "kowalski", "lindqvist"};
  std::mt19937 random(seed);
  std::vector<GradeResult> all;
  for (size_t i = 0; i < students; ++i) {
    const std::string who = fmt::format("{}_{:03}", people[i % std::size(people)], i);
    if (i % 17 == 6) {
      GradeState state = GradeState::compile_error;
      if (i % 4 == 1) state = GradeState::refused;
      if (i % 4 == 3) state = GradeState::grader_error;
      all.push_back(not_graded(who, state, "Your file does not compile: a `;` is missing."));
      all.back().log = "double_array.cu(3): error: expected a `;`\n    a[i] *= 2\n             ^\n";
    } else {
      all.push_back(graded(who));
    }
    GradeResult& result = all.back();
    const bool ran = result.state == GradeState::graded;
    const double skill = std::uniform_real_distribution<>(0, 1.4)(random);
    result.cases.clear();
    for (size_t k = 0; k < cases; ++k) {
      std::vector<GradedItem> items;
      for (int n = 1; n <= 3; ++n) {
        const double hard = std::uniform_real_distribution<>(0, 1)(random) * (0.4 + 0.08 * k);
        const bool pass = hard < skill;
        const GradeWord word = !ran   ? GradeWord::not_launched
                               : pass ? GradeWord::pass
                                      : kWords[random() % std::size(kWords)];
        items.push_back(item(fmt::format("n={}", n * (k + 1)), word));
      }
      result.cases.push_back(graded_case(names[k % std::size(names)], k % 3 == 0 ? 5 : 10, items,
                                         k >= 8 ? Visibility::hidden : Visibility::visible,
                                         k % 2 == 1 ? Credit::each : Credit::all));
    }
    if (i % 9 == 2) result.flags = {"uses clock64", "writable_globals: cache"};
    sum_up(result);
  }
  return all;
}

/// Calls `change` with the path and the value of every member of `json` that is no list or object.
template <typename Change>
void for_each_leaf(nlohmann::ordered_json& json, const Change& change,
                   const std::string& path = "") {
  if (!json.is_structured()) return change(path, json);
  for (auto& member : json.items()) {
    for_each_leaf(member.value(), change, path + "/" + member.key());
  }
}

/// Returns whether the member at this path is one of a few known words, and not free text.
inline bool is_word(const std::string& path) {
  for (const char* word : {"/state", "/word", "/visibility", "/credit"}) {
    if (path.ends_with(word)) return true;
  }
  return false;
}

inline const std::string kHostile =
    "=<script>alert('x')</script>&\"]]>`\x1b[31m\u202E\xff;=1\r\n::error::forged\n  ::notice::x "
    "##[error]y\t-1,+2,\"@3\n";

/// One of each state, all of whose texts are hostile.
inline std::vector<GradeResult> hostile() {
  std::vector<GradeResult> all = every_state();
  for (GradeResult& result : all) {
    // The texts are set directly, since JSON would clean them.
    for (std::string* text :
         {&result.assignment, &result.title, &result.student, &result.file,
          &result.submission_sha256, &result.key, &result.message, &result.log, &result.staff,
          &result.context.warpmark, &result.context.assignment_sha256,
          &result.context.assignment_version, &result.context.device,
          &result.context.driver_version, &result.context.nvrtc_version, &result.context.date}) {
      *text = kHostile;
    }
    result.context.sandbox = result.flags = {kHostile, kHostile};
    for (GradedCase& one : result.cases) {
      one.name += kHostile;
      one.hint = kHostile;
      for (GradedItem& each : one.items) {
        each.case_id = each.explanation = each.detail = each.reproduce = each.note = kHostile;
      }
    }
  }
  return all;
}

}  // namespace warpmark::testing_results
