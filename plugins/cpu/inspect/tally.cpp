// From visits of blocks to counters.
#include "inspect/tally.hpp"

#include <cstddef>
#include <utility>

namespace warpmark::cpu {
namespace {

enum class Unit : std::uint8_t { lanes, warps };
constexpr Unit kUnits[] = {
#define COUNTER(name, unit) Unit::unit,
#include "program/counters.def"
};

}  // namespace

Counters Tally::take() {
  Counters counters = std::exchange(counters_, {});
  for (const Program::Cost& cost : program_.costs) {
    const Visits& visits = visits_[cost.block];
    const auto counter = static_cast<std::size_t>(cost.counter);
    counters[counter] +=
        cost.amount * (kUnits[counter] == Unit::lanes ? visits.lanes : visits.warps);
  }
  for (Visits& visits : visits_) visits = {};
  return counters;
}

}  // namespace warpmark::cpu
