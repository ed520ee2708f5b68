// The leaderboard of a class, without real names: a page, a table, and a line for each student.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "results/grade_result.hpp"

namespace warpmark {

struct LeaderboardPlace {
  size_t place = 1;  ///< equal values have equal places
  std::string name;  ///< the shown name, unique among chosen and real names
  std::string value;
  std::string student;  ///< the student behind the name, not to be shown to others
};

/// Returns the places of all results that have an entry, the best first. A chosen name that is
/// another student's name, or that two students chose, gets a part of the pseudonym appended.
std::vector<LeaderboardPlace> leaderboard_places(const std::vector<GradeResult>& results);

/// "place 3 of 41 by points, as student-1f0e3dad99: 5.4"; "" if the student has no entry.
std::string own_standing(const std::vector<GradeResult>& results, const std::string& student);

/// leaderboard.csv: place, name and value of as many as the assignment says, and of all who share
/// the last place. "" if there are no entries.
std::string leaderboard_csv(const std::vector<GradeResult>& results);
/// leaderboard.html: the same as a page.
std::string leaderboard_page(const std::vector<GradeResult>& results);

}  // namespace warpmark
