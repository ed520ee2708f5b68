// Numbers that steps give to kernels, where kernels take one number as several types.
#pragma once

#include "compiler/signature.hpp"
#include "plan/plugin_loader.hpp"

namespace warpmark {

/// Gives a number that a plan has once, and parameters of different types take, a scalar for each of
/// these types: "1" and "1 (bool)". What the suite declares as an argument has one type.
void split_numbers(PlannedCase& planned, const Signatures& compiled);

}  // namespace warpmark
