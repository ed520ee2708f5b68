// From Python values to bytes: arguments, references and tolerances.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "python/expression.hpp"

namespace warpmark {

/// The value as an array of `dtype`, written straight into fresh shared memory.
///
/// The cast is `same_kind`: booleans, integers and floats to floats; booleans and integers to
/// integers, if every value is in range; only booleans to booleans. A finite value that overflows
/// to infinity is refused, and so are a single True or False for a number, text, complex numbers,
/// masked elements and objects. Floats that NumPy lacks are rounded here, once. A struct's value is a
/// structured array, tuples, or a dict with an array for each field. No elements of float64, as `[]` has, are none of any dtype. With a
/// `shape`, the value must have it, or be a single value, which then fills it. Throws an Error with
/// the value's exit code and place that names the value and the range.
Array to_array(const Value& value, const DType& dtype,
               const std::optional<Shape>& shape = std::nullopt,
               Array::Access others = Array::Access::mapped);

/// The bytes of a single value, or of `count` elements, by the rules of `to_array`.
std::vector<std::byte> scalar_bytes(const Value& value, const DType& dtype, size_t count = 1);

/// A part of a value of that dtype, as of a reference of complex numbers or structs.
Value part_of(const Value& value, const DType& dtype, const Leaf& leaf);

/// Contiguous elements that Python owns: a view of the value if that can be, else a converted copy.
/// A view of an input shows that input's memory, so compare before it is written again.
struct ReferenceValue {
  DType dtype;
  Shape shape;
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;  ///< keeps the bytes alive
};

/// The expected value of an output of `dtype` and `shape`. It loses nothing on the way:
///
///     output   reference              result
///     bool     bool                   bool
///     integer  integer                its own signedness, at least as wide as the output
///     integer  bool                   the output's dtype
///     float    float                  at least as wide as the output
///     float    integer                its own
///     float    bool                   the output's dtype
///
/// An empty float64 array, as `[]` is, becomes the output's dtype if that is no float. All else is
/// refused: float for an integer output, complex, long double, objects, text, masked elements. The
/// shape must be the output's, or there is one element on both sides. Throws an Error with the
/// value's exit code and place that names both dtypes or both shapes.
ReferenceValue to_reference(const Value& value, const DType& dtype, const Shape& shape);

/// A tolerance in float64: one value, of shape (), or as many as the output has, after
/// broadcasting. Throws an Error with the value's exit code and place if one is negative or not
/// finite.
ReferenceValue to_tolerance(const Value& value, const Shape& shape);

}  // namespace warpmark
