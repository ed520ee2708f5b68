// NumPy expressions for values that a draft guesses.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/dtype.hpp"
#include "cli/draft/struct_draft.hpp"

namespace warpmark {

/// An array of random values: "rng.standard_normal((n, 3))". `shape` has an expression for each
/// axis; the dtype is no struct.
std::string array_values(const DType& dtype, const std::vector<std::string>& shape);

/// One number of a kind that seldom fails: "2", "True", "1".
std::string usual_value(const DType& dtype);

/// An array of structs, as a dict with an array for each field; `structs` are all that are
/// described, this one included. Pointers are null.
std::string array_values(const DraftStruct& of, const std::vector<DraftStruct>& structs,
                         const std::vector<std::string>& shape);

/// The value of a field with this path, such as ".size.x"; "" for a usual one.
using FieldValue = std::function<std::string(const std::string& path, const DraftField& field)>;

/// One struct as a tuple: "(0, 2, n)". Pointers are null.
std::string struct_value(const DraftStruct& of, const std::vector<DraftStruct>& structs,
                         const FieldValue& value);

}  // namespace warpmark
