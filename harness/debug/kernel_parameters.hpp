// The parameters of a kernel without debug information, from its declaration.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "debug/value_type.hpp"

namespace warpmark::debugging {

using NamedType = std::pair<std::string, TypePointer>;

/// Names as the sources declare them, "" where none does, and types as the symbol has them, or else
/// the declaration. A type that no text tells is of unknown kind. There are as many as the PTX has:
/// `count`.
std::vector<NamedType> kernel_parameters(const std::string& symbol, size_t count,
                                         const std::vector<std::string>& sources);

}  // namespace warpmark::debugging
