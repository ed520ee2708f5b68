// The result of grading one submission: points, and the reason for each lost one.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/words.hpp"
#include "results/grade_credit.hpp"
#include "results/platform_id.hpp"

namespace warpmark {

/// The state of a submission as a whole, which the front alone decides.
enum class GradeState : uint8_t {
  graded,         ///< every case has a verdict
  refused,        ///< no kernel to grade: missing, empty, binary, too large, against the policy
  compile_error,  ///< the compiler refused it, or no kernel in it fits
  limit,          ///< it took the compiler more time or memory than is allowed
  fault,          ///< it brought the compiler down
  grader_error    ///< the grader is at fault, or did not finish: costs no student a point
};
constexpr auto words(GradeState) {
  return words_are("graded", "refused", "compile_error", "limit", "fault", "grader_error");
}

/// All that a student learns of a hidden item.
enum class GradeWord : uint8_t {
  pass,
  wrong,         ///< wrong elements, elements never written, an input changed
  memory_error,  ///< out of bounds, misaligned, wrong space, stack
  race,
  barrier,
  limit,         ///< instructions or wall clock
  not_launched,  ///< nothing ran: compile error, signature, the whole submission refused
  /// In a StudentView alone, for a hidden case that gives a part of its points: the points already
  /// show how much passes, and the word must not show how the rest failed.
  partly
};
constexpr auto words(GradeWord) {
  return words_are("pass", "wrong", "memory error", "race", "barrier", "limit", "not launched",
                   "in part");
}

/// How an item failed, in as far as its word does not say it: all that the writer of a candidate
/// learns of a hidden item.
enum class FailedBy : uint8_t {
  nearly,         ///< all elements are near the expected ones
  unwritten,      ///< elements were never written
  narrow_stores,  ///< elements were written in part
  written_input,
  check,  ///< a check of the suite beyond a reference
  count,  ///< a count that the suite demands
  trap,
  assertion,
  own_kernel,  ///< far more instructions than the suite's own kernel executes
  earlier      ///< it was not run, as an item before it ran into a limit
};
constexpr auto words(FailedBy) {
  return words_are("nearly", "unwritten", "narrow stores", "written input", "check", "count",
                   "trap", "assertion", "own kernel", "earlier");
}

enum class Visibility : uint8_t { visible, hidden };
constexpr auto words(Visibility) {
  return words_are("visible", "hidden");
}

/// The rule by which items make points: all or nothing, each its share, or each a part of its share
/// by its degree.
enum class Credit : uint8_t { all, each, degree };
constexpr auto words(Credit) {
  return words_are("all", "each", "degree");
}

/// A trial that failed and does not count, because the assignment lets some be dropped.
struct DroppedTrial {
  uint64_t trial = 0;
  GradeWord word = GradeWord::wrong;
  std::string explanation;  ///< explanation as of a failed item
};

/// The verdict on a trial that failed, or on the item that it decides.
struct TrialVerdict {
  GradeWord word = GradeWord::not_launched;
  std::optional<uint64_t> trial;  ///< the trial that failed
  std::string explanation;        ///< a sentence or two that a beginner understands; "" for a pass
  std::string detail;     ///< several lines: place, first wrong element or finding, how many differ
  std::string reproduce;  ///< one command that fails the same way; "" for a pass
  std::optional<double> error, bound;  ///< of the worst element, if the verdict is a comparison
  std::optional<Degree> degree;        ///< set by Credit::degree for an item that is wrong and
                                       ///< nothing worse; records have it only then
  /// The device's words on the failure, to be drawn: races, and launches with their samples.
  std::vector<nlohmann::ordered_json> evidence;
  std::optional<FailedBy> failed_by;
};

/// One case of the suite, run for the submission in several trials.
struct GradedItem : TrialVerdict {
  std::string case_id;  ///< "doublify/double_array.n=400"
  uint64_t trials = 0;  ///< number of trials that were run
  std::string note;     ///< why the grader could not judge the item (word not_launched, the state
                        ///< grader_error); "" else
  double seconds = 0;   ///< wall clock, all trials
  // Records have these members only if they are set, so that records of assignments without the
  // rules stay as they were.
  std::vector<DroppedTrial> dropped;  ///< in the order of trials
  std::optional<Performance> performance;
  std::string open;      ///< why its performance could not be measured here; "" else
  std::string timed_on;  ///< device and date of another run, which timed it; "" else
};

/// A case of the assignment: points for one or more items.
struct GradedCase {
  std::string name;
  double points = 0;
  double max_points = 0;
  Visibility visibility = Visibility::visible;
  Credit credit = Credit::all;
  std::string hint;    ///< the lecturer's hint for students who lost points here
  bool extra = false;  ///< extra credit: on top of the assignment's points
  std::vector<GradedItem> items;
  double from = 0;  ///< for Credit::degree: the degree below which an item is worth nothing
  std::optional<PerformanceRule> performance;
  /// Why the points are neither given nor lost: the measurement they depend on was not possible
  /// here. "" for a case that has its points.
  std::string open;

  /// The first word in the order of items that is no pass; pass if there is none. Without items it
  /// is `not_launched`: nothing ran, so nothing passed.
  GradeWord word() const;
};

/// The circumstances of the verdict, for those who have to explain or repeat it.
struct GradeContext {
  std::string warpmark;           ///< version
  std::string assignment_sha256;  ///< hash of the assignment and all files that it names
  /// A version that changes with that hash, keyed by the course's secret: students may see it,
  /// because it confirms no guess of hidden parts. "" without a secret.
  std::string assignment_version;
  /// The same of what decides verdicts, for staff: points and hints may change.
  std::string verdict_version = {};
  bool speed_only = false;  ///< of timed cases alone, to be joined to a grade
  std::string device;       ///< "Warpmark CPU device (sm_90)"
  std::string driver_version, nvrtc_version;
  std::string date;  ///< UTC, RFC 3339
  /// Mechanisms that were proved to hold: "seccomp", "landlock abi 7", …
  std::vector<std::string> sandbox;
  bool no_sandbox = false;  ///< the lecturer allowed grading although no mechanism holds
};

/// One of several files that were handed in, headers among them.
struct GradedFile {
  std::string name;
  std::string sha256;   ///< "" if it was not read
  std::string problem;  ///< for the student: why its cases were not graded; "" if they were
  bool operator==(const GradedFile&) const = default;
};

/// A change to the points of the cases by a rule of the course.
struct GradeAdjustment {
  std::string name;  ///< "late", "extension", "adjustment"
  double points = 0;
  std::string reason;  ///< for the student
  /// Points that "late" takes of a grade that has as many; set only where this one has fewer.
  std::optional<double> whole = {};
  bool operator==(const GradeAdjustment&) const = default;
};

/// The result's entry on the assignment's leaderboard.
struct LeaderboardEntry {
  std::string by;    ///< "points", or the name of a case with performance
  std::string name;  ///< the name that the student chose, or the pseudonym
  std::string pseudonym;
  std::optional<double> value;  ///< nothing while the times of its case are open
  bool ascending = false;       ///< less is better
  uint64_t top = 10;            ///< number of places that are shown
};

struct GradeResult {
  std::string assignment, title;
  /// The name in all reports: no two students of a class have the same. It comes from the roster,
  /// the platform or the folder, with any bytes made UTF-8.
  std::string student;
  std::vector<PlatformId> ids;    ///< the student's ids on the platform; none if unknown
  std::string file;               ///< the submitted file's name
  std::string submission_sha256;  ///< "" if there is none
  /// The files of an assignment of several files, or with headers of the student's own; else empty.
  std::vector<GradedFile> files;
  std::string key;  ///< key of all inputs that decide the result: equal keys need no new grading
  GradeState state = GradeState::grader_error;
  std::string message;  ///< for the student, unless graded: what happened and what to do
  std::string log;      ///< the compiler's, capped and stripped of control characters
  std::string staff;    ///< for staff only: messages of the grader about itself
  double points = 0;    ///< sum of the cases' points
  double max_points = 0;
  std::vector<GradedCase> cases;
  std::string handed_in;  ///< UTC, RFC 3339; "" if unknown
  std::vector<GradeAdjustment> adjustments;
  /// The points of the cases with all adjustments, and not below 0: the grade.
  double final_points() const;
  /// The part of the assignment's points that is neither given nor lost (GradedCase::open).
  double open_points() const;
  /// Set only if the assignment has a leaderboard and the student a value for it, or may get one.
  std::optional<LeaderboardEntry> leaderboard;
  std::vector<std::string> flags;  ///< for staff: "uses clock64", …
  /// For staff: fingerprints of the compiled code, to compare it with that of others.
  std::vector<std::string> ptx_prints;
  double seconds = 0;  ///< wall clock, compile included
  GradeContext context;
};

/// Points as people see them, everywhere: the nearest multiple of 1/100, halves away from 0. NaN
/// becomes 0.
double shown_points(double points);
/// "7.5", "10", "3.33".
std::string points_text(double points);

/// The part of a result that the student may see: of hidden cases name, points, word and hint, but
/// no item, seed or command. It has no messages between staff and grader: staff text, notes, flags,
/// key, sandbox; no hash of the assignment, which could confirm a guess of its hidden parts; and no
/// time except that of visible items, since a kernel can make its time depend on hidden ones. It is
/// a separate type, so that no renderer for students takes the whole by mistake.
class StudentView {
 public:
  explicit StudentView(const GradeResult& whole);
  /// The hidden cases here have no items; their words are in `words`.
  const GradeResult& result() const { return result_; }
  /// The word of each case, in order: hidden cases have no items left to show it.
  const std::vector<GradeWord>& words() const { return words_; }

 private:
  GradeResult result_;
  std::vector<GradeWord> words_;
};

/// Counts up when a reader of the old results would misread the new; new members alone do not.
constexpr int kGradeVersion = 1;

/// result.json, by schema/grade.json: strict JSON in UTF-8. Points are whole, not rounded.
nlohmann::ordered_json to_json(const GradeResult& result);
/// The same with only what the student may see.
nlohmann::ordered_json to_json(const StudentView& view);
/// The same as the first with what records leave out, for another process.
nlohmann::ordered_json to_message(const GradeResult& result);
/// schema/grade.json.
nlohmann::ordered_json grade_schema();
/// Reads the JSON that `to_json` makes of a whole result. Unknown members are ignored. Throws a
/// usage error that names the member which is wrong, and `where`: the file it was read from.
GradeResult grade_result_from_json(const nlohmann::ordered_json& json, const Position& where = {});

}  // namespace warpmark
