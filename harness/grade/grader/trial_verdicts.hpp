// Derives an item's verdict from its trials: which failed ones count, and which one decides.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "grade/assignment/assignment.hpp"
#include "results/grade_result.hpp"
#include "runtime/outcome.hpp"

namespace warpmark {

/// A trial that is no pass, with the texts for the student.
struct FailedTrial : TrialVerdict {
  bool may_be_dropped = false;
};

/// True if the assignment lets that trial be dropped. The last one never is, since its inputs
/// depend on the file: else a table of the others' answers would pass. With the word `wrong`,
/// nothing worse than wrong values is dropped: no assertion, trap, or changed input.
bool may_be_dropped(const TrialRules& rules, uint64_t trial, GradeWord word,
                    const Outcome& outcome);

/// The degree of a failed outcome, by the rule of the case. Nothing if it has none: with
/// Credit::all and each, for faults, races and anything else that is worse than wrong values.
std::optional<Degree> degree_of(Credit credit, DegreeOf of, const Outcome& outcome);

class TrialVerdicts {
 public:
  /// `drop` trials at most do not count.
  explicit TrialVerdicts(uint64_t drop) : drop_(drop) {}

  void add(FailedTrial trial) { failed_.push_back(std::move(trial)); }

  /// True if no further trial can change the item's word and degree.
  bool decided() const;

  /// Puts the verdict into the item: a pass if all failed trials are dropped; else the trial with
  /// the least degree decides, the first of equal ones. Trials with the least degree are dropped
  /// first.
  void decide(GradedItem& item) const;

 private:
  std::vector<FailedTrial> failed_;  ///< in the order of trials
  uint64_t drop_;
};

}  // namespace warpmark
