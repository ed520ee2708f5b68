// Indices of a case's arrays that its kernels compute in too few bits.
#pragma once

#include <vector>

#include "base/error.hpp"
#include "plan/plugin_loader.hpp"
#include "runtime/artifacts.hpp"

namespace warpmark {

/// True if the integers that its kernels get, or its threads, may lead beyond the elements that an
/// int can count.
bool may_have_wide_indices(const Case& which, const PlannedCase& planned);

/// The cases, like this one, whose elements 32 bits cannot count: for each axis that a kernel gets
/// as an integer of 64 bits, which promises that it may be that large. `made` is from compiling this
/// case. Only for plans: nobody has the memory to run them all.
std::vector<Case> beyond_32_bits(const Case& which, const PlannedCase& planned,
                                 const CaseArtifacts& made);

/// A warning for each kernel of the case that computes an index of an array in 32 bits which do not
/// hold it, with its line and both numbers. `made` is from compiling the case.
std::vector<Error> wrapped_indices(const Case& which, const PlannedCase& planned,
                                   const CaseArtifacts& made);

}  // namespace warpmark
