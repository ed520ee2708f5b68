// The PTX of a module's launched kernels, without other kernels and without line information.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpmark {

/// The text of variables, functions and the kernels of these symbols. Two modules of which it is
/// equal do the same when these kernels are launched. Takes the PTX that a compiler wrote.
std::string launched_ptx(std::string_view ptx, const std::vector<std::string>& kernels);

}  // namespace warpmark
