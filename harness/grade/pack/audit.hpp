// A graded class in an archive that grades it again elsewhere, and compares.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "grade/assignment/assignment.hpp"
#include "grade/class/grade_rules.hpp"
#include "python/zip_writer.hpp"

namespace warpmark {

/// As `warpmark grade` was given them.
struct AuditRequest {
  std::vector<std::filesystem::path> submissions;
  std::filesystem::path grades;  ///< the folder of -o
  std::filesystem::path secret, roster;
  GradeRuleFiles rules;
  std::string student;
  std::vector<std::filesystem::path> more;  ///< what the course's Python files read
};

/// The archive's files: the script that grades again, all that it needs, and the grades. `warn` gets
/// a sentence for each submission that is left out. Throws usage errors for grades that another
/// machine may not repeat.
std::vector<PackedFile> audit_files(const Assignment& assignment, const AuditRequest& request,
                                    const std::function<void(const std::string&)>& warn);

}  // namespace warpmark
