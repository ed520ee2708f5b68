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

/// The same, also for what is made of two: KIND_conflicts are KIND_wavefronts less
/// KIND_ideal_wavefronts.
int64_t named_count(const CounterSums& sums, std::string_view name);

}  // namespace warpmark
