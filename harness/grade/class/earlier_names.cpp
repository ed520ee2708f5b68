#include "grade/class/earlier_names.hpp"

#include <algorithm>
#include <map>

#include "grade/submission/student_name.hpp"

namespace warpmark {

std::vector<RenamedStudent> settle_names(std::vector<Submission>& submissions,
                                         const std::vector<GradeResult>& earlier) {
  std::map<std::string, const GradeResult*> by_student, by_id;
  for (const GradeResult& one : earlier) {
    by_student[one.student] = &one;
    for (const PlatformId& id : one.ids) by_id[to_text(id)] = &one;
  }
  std::vector<RenamedStudent> renamed;
  for (Submission& submission : submissions) {
    if (submission.ids.empty()) continue;
    const auto same_name = by_student.find(submission.student);
    if (same_name != by_student.end()) {
      const std::vector<PlatformId>& theirs = same_name->second->ids;
      if (theirs.empty() || share_id(theirs, submission.ids)) continue;
      submission.student += " (" + student_name(submission.ids.front().value) + ")";
    }
    const auto own = std::ranges::find_if(
        submission.ids, [&](const PlatformId& id) { return by_id.contains(to_text(id)); });
    if (own == submission.ids.end()) continue;
    const std::string& before = by_id[to_text(*own)]->student;
    if (before != submission.student && !by_student.contains(submission.student))
      renamed.push_back({before, submission.student});
  }
  return renamed;
}

}  // namespace warpmark
