// Who is best, without anybody's name: places of a class, as a page, a table, and a line for each
// student.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "results/grade_result.hpp"

namespace warpmark {

struct LeaderboardPlace {
  size_t place = 1;  ///< equal values have equal places
  std::string name;  ///< that no other student has, nor is called by
  std::string value;
  std::string student;  ///< whose it is: for nobody else
};

/// Of all results that have an entry, the best first. A name that somebody chose and that is the
/// name of another student, or that two chose, gets a part of the pseudonym behind it.
std::vector<LeaderboardPlace> leaderboard_places(const std::vector<GradeResult>& results);

/// "place 3 of 41 by points, as student-1f0e3dad99: 5.4"; "" if the student has no entry.
std::string own_standing(const std::vector<GradeResult>& results, const std::string& student);

/// leaderboard.csv: place, name and value of as many as the assignment says, and of whoever has the
/// place of the last. "" if nobody has an entry.
std::string leaderboard_csv(const std::vector<GradeResult>& results);
/// leaderboard.html: the same as a page.
std::string leaderboard_page(const std::vector<GradeResult>& results);

}  // namespace warpmark
