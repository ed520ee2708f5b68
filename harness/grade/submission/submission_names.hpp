// Which student a submission is of, and what results call the student.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "grade/submission/roster.hpp"
#include "grade/submission/submission.hpp"

namespace warpmark {

/// A student, as a platform or a person who sorted files names one.
struct NamedStudent {
  std::string shown;
  std::vector<PlatformId> ids = {};
  std::vector<std::string> names = {};  ///< for a roster that has no id of the platform

  bool of_platform() const { return !ids.empty() || !names.empty(); }
};

struct FoundEntry {
  Submission submission;
  NamedStudent student;
};

/// Names each submission's student as the roster does (null: as the platform or the folder does). Of
/// two students with one name each gets the id behind it; submissions that keep one name then are of
/// one student, or nobody can tell. Returns the rows of the roster of whom there is a submission, and
/// adds a sentence to `unmatched` for each that is nobody's there.
std::set<size_t> name_students(std::vector<FoundEntry>& all, const Roster* roster,
                               std::vector<std::string>& unmatched);

}  // namespace warpmark
