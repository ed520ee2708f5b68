// The device's own cudaCG… functions, which programs with relocatable code call for grid groups.
#pragma once

#include <array>
#include <string_view>

#include "ptx/module.hpp"

namespace warpmark::cpu {

/// What group_functions() defines.
inline constexpr std::array<std::string_view, 5> kGroupFunctions = {
    "cudaCGGetIntrinsicHandle", "cudaCGSynchronize", "cudaCGSynchronizeGrid", "cudaCGGetSize",
    "cudaCGGetRank"};

/// Whether a module declares some of them that it does not define.
bool needs_group_functions(const Module& module);
/// PTX text to put behind a module's.
std::string_view group_functions();

}  // namespace warpmark::cpu
