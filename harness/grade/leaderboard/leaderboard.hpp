// The leaderboard of a class, without real names: a page, a table, and a line for each student.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "grade/assignment/assignment.hpp"
#include "grade/feedback/anonymous.hpp"
#include "results/grade_result.hpp"

namespace warpmark {

/// Sets GradeResult::leaderboard, or takes it away: an entry has whoever has points, and by a case
/// with performance whoever has a ratio there, or waits for its times.
void set_leaderboard(const LeaderboardRule& rule, const Pseudonyms& pseudonyms,
                     std::string_view source, GradeResult& result);
/// Takes the entry's value from the result again, whose points or times are others now.
void renew_leaderboard(GradeResult& result);

/// By student with an entry: "place 3 of 41 by points, as student-1f0e3dad99: 5.4".
std::map<std::string, std::string> own_standings(const std::vector<GradeResult>& results);

/// leaderboard.csv: place, name and value of as many as the assignment says, and of whoever has the
/// place of the last. "" if nobody has an entry.
std::string leaderboard_csv(const std::vector<GradeResult>& results);
/// leaderboard.html: the same as a page.
std::string leaderboard_page(const std::vector<GradeResult>& results);

}  // namespace warpmark
