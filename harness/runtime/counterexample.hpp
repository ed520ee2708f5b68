// The result of a trial: an element for which a claim does not hold.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "plan/trial.hpp"
#include "python/array.hpp"

namespace warpmark {

/// The first such element in words, or nothing: "(a∘b)∘c is -4.0, but a∘(b∘c) is 2.0, for a = 1.0,
/// b = 2.0, c = 3.0". Integers must be equal. Floats may differ by the square root of their type's
/// epsilon, relative to the greatest float of the element: half of the digits. Grouping numbers
/// differently loses fewer digits; an operation that is not associative loses more. `results` has
/// all buffers that the claim names.
std::optional<std::string> counterexample(const Claim& claim,
                                          const std::map<std::string, Array>& results);

}  // namespace warpmark
