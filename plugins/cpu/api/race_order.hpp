// The words for what puts the accesses of a race in order, or does not.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "inspect/fault.hpp"

namespace warpmark::cpu {

/// The name of a race that is a warning of its own; null if it has none.
const char* race_name(const Fault& fault);
/// True for a warning without a name: all write the same.
bool is_harmless(const Fault& fault);
/// How a report of the race begins: "race: ".
std::string race_head(const Fault& fault);
/// "and nothing puts them in order", or the reason. `place_of` gives the place of a statement, "" if
/// it has none.
std::string race_order(const Fault& fault, const Program& program,
                       const std::function<std::string(std::uint32_t)>& place_of);

}  // namespace warpmark::cpu
