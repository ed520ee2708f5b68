// Results without names: for pages that show a class to people who must not know who is who.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "results/grade_result.hpp"

namespace warpmark {

/// Names in the place of names, the same for a student in every assignment of a course: an HMAC
/// keyed by the course's secret, without which nobody can tell whether a name belongs to one.
class Pseudonyms {
 public:
  /// Takes about a tenth of a second: pseudonyms are published beside names that people guess, and
  /// trying a secret that somebody made up must not be cheap.
  explicit Pseudonyms(std::string_view secret);
  /// "student-1f0e3dad99".
  std::string of(std::string_view student) const;

 private:
  std::string key_;
};

/// The results with pseudonyms, in the order of these. Left out is what names a student or is a student's
/// text: names and hashes of files, logs, messages, commands, notes of the grader, reasons of
/// adjustments, times of handing in. Explanations stay, with the names of student and file taken
/// out; a name of a variable in them is the student's own.
std::vector<GradeResult> anonymous_results(std::vector<GradeResult> results,
                                           const Pseudonyms& pseudonyms);

}  // namespace warpmark
