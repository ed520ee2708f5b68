// CUDA C++ for those of NumPy's operations that are more than an operator or a function of CUDA.
#pragma once

#include <set>
#include <string>

namespace warpmark::array {

/// Returns whether there is a function `warpmark::NAME<T>`.
bool in_prelude(const std::string& name);
/// The functions with these names, and those that they need.
std::string prelude(const std::set<std::string>& names);

}  // namespace warpmark::array
