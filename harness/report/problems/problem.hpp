// Problems as code hosts show them: each with a place, a rule that it breaks, and a text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "report/page/picture.hpp"
#include "results/outcome_record.hpp"

namespace warpmark {

struct Problem {
  bool is_warning = false;
  /// The word for its kind, the same in every run: "wrong", "race", "out_of_bounds", "lint".
  std::string rule;
  Position where;
  std::string title;  ///< the cases that it is of: "t.n=4 and 5 more cases"
  std::string text;   ///< several lines, for people
  /// A text that tells it from others of its rule and file in this run and later ones: without the
  /// numbers of lines, threads and values, which change with the code around it.
  std::string identity;
  std::vector<Picture> pictures = {};  ///< for pages
};

/// The problem of an error that is none of a case, with its hint: of rule `rule`.
Problem problem_of(const Error& error, std::string_view rule, bool is_warning = false);

/// Failures of cases, those with one cause as one problem.
class FailedCases {
 public:
  /// Does nothing for a case that did not fail.
  void add(const EndedCase& ended);
  size_t causes() const { return causes_.size(); }
  std::vector<Problem> problems() const;

 private:
  struct Cause {
    std::string key;
    Problem problem;
    size_t more = 0;
  };
  std::vector<Cause> causes_;
};

/// A sentence about a rule: "Elements of an output are wrong."
std::string rule_text(std::string_view rule);

/// The name of a file from the root of the checkout, by which code hosts know it: GITHUB_WORKSPACE,
/// CI_PROJECT_DIR. Outside of one, and without these variables, the name as it is.
std::string name_in_checkout(const std::string& file);

}  // namespace warpmark
