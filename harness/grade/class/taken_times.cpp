#include "grade/class/taken_times.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/file.hpp"
#include "base/text.hpp"
#include "grade/assignment/case_choice.hpp"
#include "grade/class/grade_files.hpp"
#include "grade/grader/grade_frame.hpp"
#include "report/grade/grade_text.hpp"

namespace warpmark {

namespace {

constexpr const char* kEarlierFile =
    "they depend on times on a GPU, and those that were taken are of an earlier file";

}  // namespace

std::shared_ptr<const Assignment> timed_cases(const Assignment& assignment) {
  std::vector<std::string> names;
  for (const AssignmentCase& one : assignment.cases) {
    if (is_timed(one)) names.push_back(one.name);
  }
  if (names.empty()) {
    throw usage_error("no case of the assignment has points for times", {},
                      "`performance: {by: gpu}` gives them");
  }
  auto timed = std::make_shared<Assignment>(*chosen_cases(assignment, names, true));
  timed->leaderboard.reset();
  return timed;
}

void take_times(GradeResult& result, const GradeResult& taken) {
  if (result.state != GradeState::graded || result.submission_sha256 != taken.submission_sha256 ||
      result.context.verdict_version.empty() ||
      result.context.verdict_version != taken.context.verdict_version)
    return;
  std::map<std::string, const GradedItem*> items;
  for (const GradedCase& one : taken.cases) {
    if (!is_timed(one)) continue;
    for (const GradedItem& item : one.items) items[item.case_id] = &item;
  }
  for (GradedCase& one : result.cases) {
    if (!is_timed(one)) continue;
    for (GradedItem& item : one.items) {
      const auto found = items.find(item.case_id);
      const bool is_own = item.timed_on.empty();  // nothing of another run yet
      if (found == items.end() || (is_own && (item.word != GradeWord::pass || item.performance)))
        continue;
      const GradedItem& other = *found->second;
      if (other.performance || (other.word != GradeWord::pass && other.note.empty())) {
        const std::string where = other.timed_on;
        item = other;
        if (where.empty())
          item.timed_on = fmt::format("{}, {}", taken.context.device, taken.context.date);
      } else if (is_own && !other.open.empty()) {
        item.open = other.open;
      }
    }
  }
  count_points(result);
}

void require_kind(const std::filesystem::path& folder, const std::vector<GradeResult>& earlier,
                  bool speed_only) {
  if (earlier.empty() || earlier.front().context.speed_only == speed_only) return;
  throw usage_error(fmt::format("the folder of -o, {}, has {}", display_path(folder),
                                speed_only ? "the grades of whole submissions" : "times alone"),
                    {}, "a run with --speed-only needs a separate folder, which --speed names");
}

TakenTimes::TakenTimes(const std::filesystem::path& folder, const std::string& assignment,
                       const std::set<std::string>& versions)
    : folder_(folder), taken_(read_grades(folder)) {
  const std::string name = display_path(folder);
  const auto refuse = [&](const std::string& why, const std::string& hint) {
    return usage_error(fmt::format("--speed: {} {}", name, why), {}, hint);
  };
  const std::string hint = "name the folder that `warpmark grade --speed-only` had as -o";
  if (taken_.empty()) throw refuse("has no results", hint);
  for (const GradeResult& one : taken_) {
    if (!one.context.speed_only) throw refuse("has the grades of whole submissions", hint);
    if (one.assignment != assignment)
      throw refuse(fmt::format("is of the assignment `{}`", printable(one.assignment)), hint);
    if (has_points(one) && !versions.contains(one.context.verdict_version)) {
      throw refuse(
          fmt::format("has times of `{}` with another secret, or of an assignment, or files "
                      "of it, that were changed since then",
                      printable(one.student)),
          "take them again: the same command with --speed-only");
    }
  }
}

const GradeResult* TakenTimes::of(const std::string& student,
                                  const std::vector<PlatformId>& ids) const {
  const auto found = std::ranges::find_if(taken_, [&](const GradeResult& one) {
    return ids.empty() || one.ids.empty() ? ids.empty() && one.ids.empty() && one.student == student
                                          : share_id(one.ids, ids);
  });
  return found == taken_.end() ? nullptr : &*found;
}

void TakenTimes::join(GradeResult& result) const {
  const GradeResult* taken = of(result.student, result.ids);
  if (taken == nullptr || !has_points(*taken)) return;
  take_times(result, *taken);
  if (taken->submission_sha256 == result.submission_sha256) return;
  for (GradedCase& one : result.cases) {
    for (GradedItem& item : one.items) {
      if (is_timed(one) && !item.open.empty() && item.timed_on.empty()) item.open = kEarlierFile;
    }
  }
  count_points(result);
}

std::vector<std::string> TakenTimes::unknown(const std::vector<KnownStudent>& students) const {
  std::vector<std::string> texts;
  std::vector<const GradeResult*> known;
  for (const KnownStudent& one : students) known.push_back(of(one.student, one.ids));
  for (const GradeResult& one : taken_) {
    if (std::ranges::find(known, &one) != known.end()) continue;
    texts.push_back(fmt::format("--speed: `{}` of {} is nobody of this class",
                                printable(one.student), display_path(folder_)));
  }
  return texts;
}

std::vector<std::string> TakenTimes::open(const std::vector<GradeResult>& results) const {
  std::vector<std::string> texts;
  for (const GradeResult& one : results) {
    const auto is_open = [](const GradedCase& graded) {
      return is_timed(graded) && !graded.open.empty();
    };
    const auto found = std::ranges::find_if(one.cases, is_open);
    if (found == one.cases.end()) continue;
    const GradeResult* taken = of(one.student, one.ids);
    const bool is_earlier = taken != nullptr && taken->submission_sha256 != one.submission_sha256;
    texts.push_back(fmt::format("{}: points for speed are open: {}", printable(one.student),
                                taken == nullptr ? "there are no times yet"
                                : is_earlier
                                    ? "another file was handed in since the times were taken"
                                    : printable(found->open)));
  }
  return texts;
}

}  // namespace warpmark
