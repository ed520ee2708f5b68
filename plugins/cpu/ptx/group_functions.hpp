// The device's own cudaCG… functions, which programs with relocatable code call for grid groups.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "ptx/module.hpp"

namespace warpmark::cpu {

/// What group_functions() defines.
inline constexpr std::array<std::string_view, 5> kGroupFunctions = {
    "cudaCGGetIntrinsicHandle", "cudaCGSynchronize", "cudaCGSynchronizeGrid", "cudaCGGetSize",
    "cudaCGGetRank"};

/// parse_ptx() of a text to which, if it declares some of them that it does not define, their
/// definitions are added.
Module parse_with_group_functions(std::string text);

}  // namespace warpmark::cpu
