// From the trials of an item to its verdict: which of those that failed count, and which decides.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "grade/assignment/assignment.hpp"
#include "results/grade_result.hpp"
#include "runtime/outcome.hpp"

namespace warpmark {

/// A trial that is no pass, with what a student is told of it.
struct FailedTrial {
  uint64_t trial = 0;
  GradeWord word = GradeWord::wrong;
  std::string explanation, detail, reproduce;
  std::optional<double> error, bound;
  bool may_be_dropped = false;
  std::optional<Degree> degree;  ///< where the item has one, and is wrong and nothing worse
};

/// Whether the assignment lets that trial be dropped. Never the last one, whose inputs depend on the
/// file: else a table of the others' answers would pass. And of `wrong` never what is worse than
/// wrong values: an assertion, a trap, an input that changed.
bool may_be_dropped(const TrialRules& rules, uint64_t trial, GradeWord word,
                    const Outcome& outcome);

/// Of an outcome that fails: the degree, by the rule of the case. Nothing where it has none: of
/// Credit::all and each, of faults, races and whatever else is worse than wrong values.
std::optional<Degree> degree_of(Credit credit, DegreeOf of, const Outcome& outcome);

class TrialVerdicts {
 public:
  /// `drop` trials at most do not count.
  explicit TrialVerdicts(uint64_t drop) : drop_(drop) {}

  void add(FailedTrial trial) { failed_.push_back(std::move(trial)); }

  /// Whether no further trial can change the item's word and degree.
  bool decided() const;

  /// Puts the verdict into the item: a pass if all that failed is dropped; else the trial with the
  /// least degree decides, the first of equal ones. Those with the least degree are dropped first.
  void decide(GradedItem& item) const;

 private:
  std::vector<FailedTrial> failed_;  ///< in the order of trials
  uint64_t drop_;
};

}  // namespace warpmark
