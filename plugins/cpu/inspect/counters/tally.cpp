// From visits of blocks to counters.
#include "inspect/counters/tally.hpp"

#include <cstddef>

namespace warpmark::cpu {
namespace {

enum class Unit : std::uint8_t { lanes, warps };
constexpr Unit kUnits[] = {
#define COUNTER(name, unit) Unit::unit,
#define BASIC_KIND(kind, ...) Unit::lanes, Unit::warps,
#include "warpmark/counters.def"
};

}  // namespace

Counters Tally::so_far() const {
  Counters counters = counters_;
  for (const Program::Cost& cost : program_.costs) {
    const Visits& visits = visits_[cost.block];
    const auto counter = static_cast<std::size_t>(cost.counter);
    counters[counter] +=
        cost.amount * (kUnits[counter] == Unit::lanes ? visits.lanes : visits.warps);
  }
  return counters;
}

Counters Tally::take() {
  const Counters counters = so_far();
  counters_ = {};
  for (Visits& visits : visits_) visits = {};
  return counters;
}

}  // namespace warpmark::cpu
