// The composites that suites ask for, and how nearly a solution meets them.
#pragma once

#include <string>
#include <vector>

#include "runtime/composites.hpp"
#include "suite/case.hpp"

namespace warpmark {

/// Keeps of each part of a composite the item in which it is nearest to its threshold.
class ReachedComposites {
 public:
  void clear() { parts_.clear(); }
  void add(const Case& item, const std::vector<MeasuredComposite>& measured);
  /// A line for each composite of a suite, "coalesced: its requests need 66.1 % of the sectors that
  /// they move (52.9 % at least) at smooth.n=64; …".
  std::vector<std::string> lines() const;

 private:
  struct Part {
    std::string suite, item;
    MeasuredComposite measured;
  };
  std::vector<Part> parts_;
};

}  // namespace warpmark
