// Changes by a course to the points of the cases: late days, extensions, adjustments by hand.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "grade/assignment/assignment.hpp"
#include "grade/submission/roster.hpp"
#include "grade/submission/submission.hpp"
#include "results/grade_result.hpp"

namespace warpmark {

/// A student with a submission, or with a result from before.
struct KnownStudent {
  std::string student;
  std::vector<PlatformId> ids;
};

/// The files of a course, each "" if there is none.
struct GradeRuleFiles {
  std::filesystem::path extensions;   ///< CSV: student, and `until` or `days`; reason
  std::filesystem::path adjustments;  ///< CSV: student, points, reason
  std::filesystem::path times;        ///< CSV: student, time: when each handed in
};

/// Applies the rules in the files to results. No kernel has to run for it: a result can be adjusted
/// again and again.
class GradeRules {
 public:
  /// Throws a usage error with file and line for a row that cannot be read: a time without a zone,
  /// a row without a student, an extension beside no due time, a student twice in extensions or
  /// times.
  GradeRules(const Assignment& assignment, const GradeRuleFiles& files);

  /// Sets GradeResult::adjustments anew: a line for each rule that applies, so that every change of
  /// points is explained. `handed_in` is the platform's time, if it has one, and `own_due` the due
  /// time that it has for this student; rows of `times` and `extensions` take precedence. A result of GradeState::grader_error has none.
  void apply(GradeResult& result, std::optional<int64_t> handed_in,
             std::optional<int64_t> own_due = {}) const;

  /// Late days take no more than there is: after a change of points they may take more, or less.
  static void renew(GradeResult& result);

  /// Finds the student of each row: by the name in results, an id of a platform, or the roster;
  /// then rules apply by the name in results. Returns sentences for rows of unknown students, or of
  /// students without a submission. Throws a usage error for a row that fits several, or where two
  /// rows that must be one mean the same student.
  std::vector<std::string> settle(const std::vector<KnownStudent>& students, const Roster* roster);

  /// Sentences about lateness that has no effect: a `due` without any time, and submissions that
  /// the platform calls late without a time.
  std::vector<std::string> unused_lateness(const std::vector<Submission>& submissions) const;

 private:
  struct Extension {
    std::optional<int64_t> until;
    int64_t days = 0;
    std::string reason;
    Position where;
  };
  struct Adjustment {
    double points = 0;
    std::string reason;
    Position where;
  };

  void read_extensions(const std::filesystem::path& file);
  void read_adjustments(const std::filesystem::path& file);
  void read_times(const std::filesystem::path& file);
  void add_lateness(GradeResult& result, int64_t handed_in, std::optional<int64_t> own_due) const;

  LatePolicy late_;
  std::map<std::string, Extension> extensions_;
  std::map<std::string, std::vector<Adjustment>> adjustments_;
  std::map<std::string, std::pair<int64_t, Position>> times_;
};

}  // namespace warpmark
