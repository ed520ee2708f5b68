// What of a result goes onto the assignment's leaderboard.
#pragma once

#include <string>
#include <string_view>

#include "grade/assignment/assignment.hpp"
#include "grade/feedback/anonymous.hpp"
#include "results/grade_result.hpp"

namespace warpmark {

/// The name that a submission asks for in a comment `// leaderboard: NAME`; "" if it asks for none.
/// One line without control characters, of at most 24 characters. "" for a name that looks like a
/// pseudonym, "student-1f0e3dad99", whatever letters it is written with.
std::string chosen_name(std::string_view source);

/// Sets GradeResult::leaderboard, or takes it away: an entry has whoever has points, and by a case
/// with performance whoever has a ratio there.
void set_leaderboard(const LeaderboardRule& rule, const Pseudonyms& pseudonyms,
                     std::string_view source, GradeResult& result);

}  // namespace warpmark
