// Tensor maps of a resolved case: their numbers, and the rules that they keep.
#pragma once

#include "base/tensor_map.hpp"
#include "compiler/signature.hpp"
#include "runtime/inputs.hpp"

namespace warpmark {

/// Throws a verdict error, at the argument, if the kernel's parameter is no CUtensorMap by value.
void check_tensor_map(const Scalar& scalar, const EntryParameter& parameter, const Entry& entry,
                      const PositionMap& positions);

/// The tensor map of a resolved case, whose dtypes are known. Throws a verdict error, at its key,
/// with the rule that it does not keep.
TensorMapForm tensor_map_form(const Scalar& scalar, const ReadyCase& ready);

/// The same for all tensor maps of the case.
void check_tensor_maps(const ReadyCase& ready);

}  // namespace warpmark
