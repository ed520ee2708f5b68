// Which cases of which suites a hand-out has: the visible ones, without what others they leave out.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "grade/assignment/assignment.hpp"

namespace warpmark {

/// A suite with visible items.
struct HandoutSuite {
  std::shared_ptr<const Suite> suite;
  std::filesystem::path place;     ///< relative to the hand-out, so that its name stays as it is
  std::vector<Axis> axes;          ///< the values that the items have
  std::vector<const Case*> items;  ///< of the assignment, which must live as long
};

/// A visible case: its items are those of a suite with `axes` that `where` selects.
struct HandoutCase {
  size_t index = 0;  ///< in the assignment's cases
  size_t suite = 0;
  std::vector<Axis> axes;
  std::string where;  ///< "" for all of them
};

struct HandoutItems {
  std::vector<HandoutSuite> suites;  ///< by first use
  std::vector<HandoutCase> cases;
};

/// Throws a usage error for an assignment without a visible case.
HandoutItems handout_items(const Assignment& assignment);

}  // namespace warpmark
