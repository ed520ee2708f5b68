// The counters of launches: sums over launches, and the known names.
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

/// The counters of some launches (warpmark/device.h), added up. Members that are no whole number
/// (the kernel's name, its occupancy, its lines) and the launch's number are left out.
CounterSums sum_counters(const std::vector<nlohmann::ordered_json>& launches);

/// The least occupancy of the launches, as a share: resident warps divided by the most that a
/// multiprocessor can hold; 0 if no launch has it.
double least_occupancy(const std::vector<nlohmann::ordered_json>& launches);

/// The value of a name, 0 if it is missing.
int64_t counter_value(const CounterSums& sums, std::string_view name);

/// All sectors of 32 bytes that a launch moves, by any instructions.
inline constexpr std::string_view kMovedSectors = "moved_sectors";

/// The terms of a count that a suite names: KIND_conflicts is KIND_wavefronts less
/// KIND_ideal_wavefronts, kMovedSectors is the sum of every KIND_sectors, and others are
/// themselves.
struct CounterTerm {
  std::string name;
  int sign = 1;
};
std::vector<CounterTerm> terms_of(std::string_view name);

/// The sum of the terms; 0 for a count that is missing.
int64_t named_count(const CounterSums& sums, std::string_view name);

}  // namespace warpmark
