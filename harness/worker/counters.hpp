// What launches counted: sums over launches, and the names that there are.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpmark {

/// Counters by name, in the device's order.
using CounterSums = std::vector<std::pair<std::string, int64_t>>;

/// The counters of some launches (warpmark/device.h), added up. What is no whole number (the
/// kernel's name, its occupancy, its lines) and the launch's number are left out.
CounterSums sum_counters(const std::vector<nlohmann::ordered_json>& launches);

/// The least occupancy of the launches, as a share: resident warps over those that a multiprocessor
/// can hold; 0 where no launch has it.
double least_occupancy(const std::vector<nlohmann::ordered_json>& launches);

/// The value of a name, 0 if it is not among them.
int64_t counter_value(const CounterSums& sums, std::string_view name);

/// All sectors of 32 bytes that a launch moves, of whatever instructions.
inline constexpr std::string_view kMovedSectors = "moved_sectors";

/// What a count that a suite names is made of: of KIND_conflicts KIND_wavefronts less
/// KIND_ideal_wavefronts, of kMovedSectors every KIND_sectors, and of others themselves.
struct CounterTerm {
  std::string name;
  int sign = 1;
};
std::vector<CounterTerm> terms_of(std::string_view name);

/// The sum of its terms; 0 for what was not counted.
int64_t named_count(const CounterSums& sums, std::string_view name);

}  // namespace warpmark
