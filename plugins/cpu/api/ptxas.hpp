// The registers that ptxas gives the kernels of a text.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace warpmark::cpu {

/// Registers of a thread, by kernel.
using Registers = std::map<std::string, std::uint32_t, std::less<>>;

/// True if a variable names a ptxas that is to be asked.
bool asks_ptxas();

/// The answer of that ptxas to a text, for `target` (sm_90), given now or in an earlier
/// process. Empty if it takes no such text, which is reported.
Registers registers_by_ptxas(std::string_view text, std::string_view target);

}  // namespace warpmark::cpu
