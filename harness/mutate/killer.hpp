// A case that kills a mutant which a suite lets live: other sizes, next to those that it has.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "suite/case.hpp"

namespace warpmark {

/// True if the right kernel passes at that point, and the mutant fails.
using KillsMutant = std::function<bool(const Case& which)>;

/// Looks for a point of the suite's axes at which the mutant fails: from the suite's first and last
/// cases one axis takes one more, one less, 1, an odd number and twice as much. The axis and its
/// value, as in "n=257"; nothing if none of them kills. A wider search belongs here.
std::optional<std::string> find_killer(const std::vector<Case>& cases, const KillsMutant& kills);

}  // namespace warpmark
