// Chooses cases of suites: by literal ids, a -k expression, and other values for axes.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/request/suites.hpp"
#include "suite/select_expression.hpp"
#include "suite/suite.hpp"

namespace warpmark {

struct CaseChoice {
  std::vector<std::string> ids;  ///< literal ids; empty for all
  SelectExpression select;       ///< empty for all
  std::string select_text;       ///< text of `select`, as it was given
  std::vector<Axis> axes;        ///< overrides: with_axes()
  Purpose purpose = Purpose::check;
};

struct ChosenCases {
  std::vector<LoadedSuite> suites;  ///< suites with chosen cases, and only these cases
  size_t cases = 0;
  size_t deselected = 0;  ///< cases of the paths and ids that the expression leaves out
  /// The number of suites without anything to measure, because they expect a fault, a report or a
  /// compile error.
  size_t unmeasured = 0;
  /// Suites that could not be loaded; if ids are asked for by name, only those that may have one of
  /// them.
  std::vector<BadSuite> bad;

  /// Throws the first error of `bad`, if there is any: for commands that take all or nothing.
  void require_all_loaded() const;

  /// All cases, suite by suite. The suites are empty afterwards.
  std::vector<Case> take_cases();
};

/// Leaves out the suites of other files than these. Returns true if any suite is left.
bool keep_touched(ChosenCases& chosen, const std::vector<std::filesystem::path>& files);

/// The id of the case that replaces a suite that could not be loaded.
std::string bad_suite_id(const BadSuite& suite);

/// Loads suites, puts the overridden axes in, and takes the requested cases, in file order; for
/// Purpose::bench only those of suites that expect a pass. Throws a usage error for an override of
/// an axis that no suite has, an id that no case has, and an expression that holds for none of
/// them, with the nearest name as the hint.
ChosenCases choose_cases(const std::vector<std::filesystem::path>& paths, const CaseChoice& choice,
                         const ListEvaluator& python);

}  // namespace warpmark
