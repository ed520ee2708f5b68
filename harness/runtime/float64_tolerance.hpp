// The bounds of `tolerance: from_float64`: what the reference itself is off in the case's precision.
#pragma once

#include <vector>

#include "runtime/expectation.hpp"

namespace warpmark {

/// How many of its own errors a result may be off, if the suite does not say: another order of
/// operations, and functions of one or two units in the last place, stay below.
inline constexpr double kRoundings = 8;

/// Evaluates the reference of one output in the inputs' precision (float32 for float64), as written
/// and, for NumPy, with sums in order, and in float64. With the greatest differences w and o, the
/// bound is max(times · w, times / 4 · o). They are relative to each element if no element is off by
/// more than 64 units of its last place, and absolute else; a unit in the last place is always
/// allowed. Outputs of fewer than 64 elements are evaluated with up to 8 inputs that are changed by
/// less than one percent, and the greatest differences count: a single one may be off by nothing.
/// Errors of a float64 output are those of float32, scaled by 2^-29.
///
/// Throws verdict errors: for a reference that takes no part in it (a baseline's result, float64 by
/// its own words), one that overflows, and bounds of a sixteenth of the greatest value or more,
/// which would let zeros or something like them pass.
std::vector<PartExpectation> from_float64(Interpreter& python, const PlannedCase& planned,
                                          const PythonScope& scope, const Expected& expected,
                                          const DType& dtype, const Shape& shape);

}  // namespace warpmark
