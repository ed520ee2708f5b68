// The advice about a package that a Python has not.
#pragma once

#include <string>

#include "python/python_choice.hpp"

namespace warpmark {

/// The hint for a missing "numpy". It points to another Python only if the program can run in one.
std::string install_hint(const PythonChoice& choice, const std::string& package);

}  // namespace warpmark
