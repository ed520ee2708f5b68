// Times that another run took on a GPU (`grade --speed-only`), and how they join a class's grades.
#pragma once

#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "grade/assignment/assignment.hpp"
#include "grade/class/grade_rules.hpp"
#include "results/grade_result.hpp"

namespace warpmark {

/// True for a case whose points are given for times on a GPU.
template <typename OneCase>
bool is_timed(const OneCase& one) {
  return one.performance && !one.performance->by_counters();
}

/// The assignment with its timed cases alone. Throws a usage error if it has none.
std::shared_ptr<const Assignment> timed_cases(const Assignment& assignment);

/// Takes over the items of timed cases from another result of the same file under the same
/// assignment (GradeContext::verdict_version). What is wrong in `result` stays so, and what was
/// measured there, too. An item that failed while it was timed loses its case.
void take_times(GradeResult& result, const GradeResult& taken);

/// Throws a usage error for a folder of whole grades where times alone are to be written, and the
/// other way round. `earlier` are its results.
void require_kind(const std::filesystem::path& folder, const std::vector<GradeResult>& earlier,
                  bool speed_only);

class TakenTimes {
 public:
  /// Reads the results of a run with --speed-only. Throws usage errors: there are none; they are of
  /// whole submissions, of another assignment, or of none of the versions
  /// (GradeContext::verdict_version) of this one.
  TakenTimes(const std::filesystem::path& folder, const std::string& assignment,
             const std::set<std::string>& versions);

  /// Joins what there is of the student, found by a platform's id; by the name in results where
  /// neither side has ids.
  void join(GradeResult& result) const;

  /// Sentences about results that are of none of these students.
  std::vector<std::string> unknown(const std::vector<KnownStudent>& students) const;
  /// Sentences about students whose points are still open.
  std::vector<std::string> open(const std::vector<GradeResult>& results) const;

 private:
  const GradeResult* of(const std::string& student, const std::vector<PlatformId>& ids) const;

  std::filesystem::path folder_;
  std::vector<GradeResult> taken_;
};

}  // namespace warpmark
