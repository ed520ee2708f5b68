// Readers of the single keys of an assignment; the cases, which need suites, have their own.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "grade/assignment/assignment.hpp"
#include "suite/yaml_node.hpp"

namespace warpmark {

/// Text of one line without control characters, trimmed: names, titles.
std::string read_line(const YamlNode& node, const std::string& what);

/// The file that a text names, relative to `folder`; absolute. Throws unless it is a regular file.
std::filesystem::path read_file_name(const YamlNode& node, const std::string& what,
                                     const std::filesystem::path& folder);

/// The same, but a folder is allowed, too.
std::filesystem::path read_solution_name(const YamlNode& node, const std::string& what,
                                         const std::filesystem::path& folder);

/// Reads the name of a student's file, which is looked for in folders that were handed in.
std::string read_submitted_name(const YamlNode& node);
/// The file of `template`, relative to the folder: below it, so that it is the course's.
Located read_template(const YamlNode& node, const std::filesystem::path& folder);

std::string read_assignment_id(const YamlNode& node);
/// `file` is "" if the node has none.
SubmissionRules read_submission(const YamlNode& node, const std::filesystem::path& folder);
/// Both arguments may be null.
LatePolicy read_late_policy(const YamlNode* due, const YamlNode* late);
PtxPolicy read_ptx_policy(const YamlNode& node);
GradeLimits read_grade_limits(const YamlNode& node);
/// Names of axes and scalar arguments of the suites.
std::vector<Located> read_fixed(const YamlNode& node,
                                const std::vector<std::shared_ptr<const Suite>>& suites);
/// `cases` are those that a test may name.
std::vector<SelfTest> read_self_test(const YamlNode& node, const std::filesystem::path& folder,
                                     const std::vector<AssignmentCase>& cases);

}  // namespace warpmark
