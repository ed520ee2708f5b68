// The types of a case's arguments, from the suite and from the kernels' signatures.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/dtype.hpp"
#include "compiler/signature.hpp"
#include "plan/plugin_loader.hpp"

namespace warpmark {

/// The types that kernels give to a case's arguments.
struct ArgumentTypes {
  std::map<std::string, DType> dtypes;  ///< dtypes of every buffer and scalar
  /// The sizes of the elements of buffers for the kernels, if known: the bytes of a number or of a
  /// built-in vector, which have a value as a whole, or 0 for records, whose members may have none.
  std::map<std::string, uint64_t> elements;
  std::map<std::string, size_t> counts;        ///< number of elements of scalar parameters
  std::map<std::string, std::string> symbols;  ///< symbols of buffers that are variables of the
                                               ///< module
};

/// The dtype of every argument: the suite's, else the kernel parameter's type; and the elements of
/// buffers: of several kernels' types records come first, then the greatest. `compiled` has the
/// entry of each of the plan's kernels (Plan::kernels). Throws a verdict error, at the argument, if
/// something does not fit the kernel's parameters: count, sizes, pointers in place of values,
/// element types; for a missing variable, and for a struct that the compiler lays out differently.
ArgumentTypes argument_types(const PlannedCase& planned, const Signatures& compiled);

/// The element size of a pointer parameter, whose type is written as by a demangler; nothing if it
/// is no pointer to data.
std::optional<uint64_t> pointed_elements(std::string_view type);

}  // namespace warpmark
