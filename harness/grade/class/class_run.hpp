// Grades a class: several processes, what is known already reused, every file valid at any moment.
#pragma once

#include <vector>

#include "grade/assignment/assignment.hpp"
#include "grade/class/grade_files.hpp"
#include "grade/class/grade_rules.hpp"
#include "grade/class/grade_worker.hpp"
#include "grade/class/taken_times.hpp"
#include "grade/submission/submission.hpp"
#include "worker/device_facts.hpp"

namespace warpmark {

struct ClassRunOptions {
  GradeSetup setup;
  size_t jobs = 0;       ///< processes; 0: one for each processor, and one alone on a GPU
  bool regrade = false;  ///< what is known, too
  const GradeRules* rules = nullptr;  ///< of the course; null for none
  const TakenTimes* times = nullptr;  ///< of another run, to be joined; null for none
  bool speed_only = false;            ///< the assignment has its timed cases alone
  bool part =
      false;  ///< these are a shard's submissions: what needs the whole class is not written
};

/// Is notified of a run's progress.
class ClassRunWatcher {
 public:
  virtual ~ClassRunWatcher() = default;
  virtual void device_found(const DeviceFacts& device, size_t jobs) = 0;
  /// A submission has its result. `reused`: it was there.
  virtual void has_result(const GradeResult& result, bool reused) = 0;
};

struct ClassRunResult {
  std::vector<GradeResult> results;  ///< of the submissions, in their order, as far as there are
  DeviceFacts device;                ///< empty if it was interrupted before there was one
  size_t reused = 0;
  std::vector<GradeChange> changes;  ///< of points that were known before
  size_t failed = 0;  ///< that the grader could not judge now, also where an older result stays
  bool interrupted = false;
};

/// Reads the submissions and grades those without a result of the same key. Before the first is
/// graded, each has a result in its folder: what was there, else one that says that grading has not
/// finished. A result that the grader is to blame for never replaces a grade.
///
/// Ends early once `wake_fd` (-1: none) becomes readable: what is being graded then is as if it had
/// not been begun. Throws usage errors (the folder holds another assignment's grades; the suite's
/// own kernel fails) and environment errors (no device, no room on the disk).
ClassRunResult run_class(const Assignment& assignment, std::vector<Submission> submissions,
                         const GradeFiles& files, const ClassRunOptions& options,
                         ClassRunWatcher& watcher, int wake_fd = -1);

}  // namespace warpmark
