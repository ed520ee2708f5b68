#include "worker/counters.hpp"

#include <algorithm>
#include <limits>
#include <optional>

namespace warpmark {

CounterSums sum_counters(const std::vector<nlohmann::ordered_json>& launches) {
  CounterSums sums;
  for (const nlohmann::ordered_json& launch : launches) {
    if (!launch.is_object()) continue;
    for (const auto& [name, value] : launch.items()) {
      if (name == "launch" || !value.is_number_integer()) continue;
      const auto known =
          std::ranges::find_if(sums, [&name = name](const auto& sum) { return sum.first == name; });
      int64_t& sum = known == sums.end() ? sums.emplace_back(name, 0).second : known->second;
      // In a sandbox the numbers are a stranger's: they must not overflow.
      if (__builtin_add_overflow(sum, value.get<int64_t>(), &sum)) {
        sum = std::numeric_limits<int64_t>::max();
      }
    }
  }
  return sums;
}

double least_occupancy(const std::vector<nlohmann::ordered_json>& launches) {
  std::optional<double> least;
  for (const nlohmann::ordered_json& launch : launches) {
    const auto found = launch.is_object() ? launch.find("occupancy") : launch.end();
    if (!launch.is_object() || found == launch.end() || !found->is_object()) continue;
    const auto number = [&](const char* name) {
      const auto member = found->find(name);
      return member != found->end() && member->is_number() ? member->get<double>() : 0;
    };
    const double most = number("most_warps");
    const double share = most > 0 ? number("warps") / most : 0;
    least = std::min(least.value_or(share), share);
  }
  return least.value_or(0);
}

int64_t counter_value(const CounterSums& sums, std::string_view name) {
  const auto found = std::ranges::find_if(sums, [&](const auto& sum) { return sum.first == name; });
  return found == sums.end() ? 0 : found->second;
}

namespace {

// KIND_sectors of each kind of traffic that has sectors.
std::vector<CounterTerm> all_sectors() {
  std::vector<CounterTerm> terms;
  const auto add = [&](const std::string& name, std::string_view measures) {
    if ((", " + std::string(measures) + ",").find(" sectors,") != std::string::npos)
      terms.push_back({name + "_sectors", 1});
  };
#define KIND(name, ...) add(#name, #__VA_ARGS__);
#include "warpmark/counters.def"
  return terms;
}

}  // namespace

std::vector<CounterTerm> terms_of(std::string_view name) {
  constexpr std::string_view kConflicts = "_conflicts";
  if (name == kMovedSectors) return all_sectors();
  if (!name.ends_with(kConflicts)) return {{std::string(name), 1}};
  const std::string kind(name.substr(0, name.size() - kConflicts.size()));
  return {{kind + "_wavefronts", 1}, {kind + "_ideal_wavefronts", -1}};
}

int64_t named_count(const CounterSums& sums, std::string_view name) {
  int64_t count = 0;
  for (const CounterTerm& term : terms_of(name))
    count += term.sign * counter_value(sums, term.name);
  return count;
}

}  // namespace warpmark
