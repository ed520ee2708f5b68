// A file of plain text for each student, and the table that a mail merge reads.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "grade/submission/roster.hpp"
#include "results/grade_result.hpp"

namespace warpmark {

/// "ada-lovelace-1f0e3dad99908345.txt": letters, digits and hyphens of ASCII in lower case, at most
/// 60 bytes, so that it is one name on every file system; two students have two.
std::string feedback_file_name(const std::string& student);

/// Writes DIR/NAME.txt for each student who has points, and DIR/mailmerge.csv (email, name, file,
/// points, subject) for those whose e-mail address the roster has; without a roster none. Returns
/// sentences about students who are in no file or in no row. Throws an environment error.
std::vector<std::string> write_feedback(const std::filesystem::path& folder, const Roster* roster,
                                        const std::vector<GradeResult>& results);

}  // namespace warpmark
