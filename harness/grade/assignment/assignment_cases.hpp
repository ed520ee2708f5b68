// The cases of an assignment, each of which covers cases of suites.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "grade/assignment/assignment.hpp"
#include "suite/yaml_node.hpp"

namespace warpmark {

/// Throws a usage error, at `where`, for a suite that cannot be graded: a submission takes the
/// place of the kernel's file, and must be able to pass.
void require_gradable(const Suite& suite, const Position& where);

/// Reads `suite` or `suites`, and `cases`.
class AssignmentCaseReader {
 public:
  AssignmentCaseReader(std::filesystem::path folder, const ListEvaluator& python)
      : folder_(std::move(folder)), python_(python) {}

  /// Reads the suite of every case that names none.
  void read_suite(const YamlNode& node) { default_ = load(node); }
  /// Reads several suites in place of one, each with a kernel; every case then names its suite.
  /// Those without a `file` have `file`, or the name of the suite's file if that is "".
  void read_suites(const YamlNode& list, const std::string& file);
  std::vector<AssignmentCase> read_cases(const YamlNode& list);

  /// Each suite once, in the order of first use.
  const std::vector<std::shared_ptr<const Suite>>& suites() const { return suites_; }
  /// The result of read_suites(): the submitted file of each suite, and the templates.
  const std::vector<std::string>& suite_files() const { return suite_files_; }
  const std::map<std::string, Located>& templates() const { return templates_; }

 private:
  std::shared_ptr<const Suite> load(const YamlNode& node);
  std::shared_ptr<const Suite> listed(const YamlNode& node) const;
  void read_entry(const YamlNode& entry, const std::string& file);
  AssignmentCase read_case(const YamlNode& node);
  std::vector<Case> read_items(const YamlNode& node, const AssignmentCase& one);
  void claim(const AssignmentCase& one);

  std::filesystem::path folder_;
  const ListEvaluator& python_;
  std::shared_ptr<const Suite> default_;
  std::vector<std::shared_ptr<const Suite>> suites_;
  bool lists_ = false;  ///< `suites` is given
  std::vector<std::string> suite_files_;
  std::map<std::string, Located> templates_;
  std::map<std::string, std::string> owners_;  ///< items' ids to cases' names
};

}  // namespace warpmark
