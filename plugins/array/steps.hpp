// Assignments as steps: which of them one kernel can do, and which arrays must be copied before.
#pragma once

#include <string>
#include <vector>

#include "node.hpp"
#include "syntax.hpp"
#include "typing.hpp"

namespace warpmark::array {

struct Store {
  const Array* array = nullptr;
  View view;
  NodePtr value;  ///< of the array's type
};

/// One assignment: all values are computed before any of them is stored.
struct Statement {
  Shape shape;  ///< of the targets
  std::vector<Store> stores;
};

/// One launch.
struct Step {
  std::vector<const Array*> copied;  ///< to their scratch arrays, before the launch
  std::vector<Statement> statements;
};

/// Types the assignments, and divides them so that each has NumPy's meaning: what is on the right
/// is evaluated first. Throws Failures.
std::vector<Step> make_steps(Names& names, const Text& text,
                             const std::vector<Assignment>& assignments);

/// The array that holds what `name` was before a step that changes it.
std::string scratch_name(const std::string& name);

/// The same text for Python: assignments to arrays keep the arrays.
std::string python_text(const Names& names, const Text& text,
                        const std::vector<Assignment>& assignments);

}  // namespace warpmark::array
