// How often a report that grows case by case is written before its end.
#pragma once

#include "base/clock.hpp"

namespace warpmark {

/// Drafts of a long report take a tenth of the time, at most.
class DraftBudget {
 public:
  /// Calls `write`, unless drafts took too long already.
  template <typename Write>
  void spend(const Write& write) {
    if (spent_s_ > 0.2 + 0.1 * seconds_since(begun_)) return;
    const auto start = Clock::now();
    write();
    spent_s_ += seconds_since(start);
  }

 private:
  double spent_s_ = 0;
  Clock::time_point begun_ = Clock::now();
};

}  // namespace warpmark
