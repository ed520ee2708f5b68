// Elements that a kernel can write without computing: numbers, and inputs in another dtype.
#pragma once

#include <cstddef>
#include <vector>

#include "runtime/comparison.hpp"

namespace warpmark {

/// The bytes of one element: the number rounded to the dtype. For integers and booleans it must be
/// one of theirs.
std::vector<std::byte> element_bytes(const DType& dtype, double value);

/// Casts elements as C++ does; a bool is whether the number is not 0. A float that no integer of
/// the dtype holds becomes the nearest one, NaN 0. `out` has room for as many elements of `dtype`.
void cast_elements(const TypedBytes& from, const DType& dtype, std::byte* out);

/// The values that stand the best chance of being near to all of the elements, in the output's
/// `dtype`, each once: the first element; for outputs of floats also the middle between the least and the
/// greatest finite one, by difference and by ratio. None for no elements and for a NaN.
std::vector<std::vector<std::byte>> likely_constants(const TypedBytes& expected,
                                                     const DType& dtype);

}  // namespace warpmark
