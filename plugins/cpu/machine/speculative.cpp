#include "machine/speculative.hpp"

#include <algorithm>
#include <cstddef>
#include <new>
#include <vector>

#include "machine/access_places.hpp"
#include "machine/in_order.hpp"

namespace warpmark::cpu {
namespace {

bool finds_nothing(const LaunchObserver& observer) {
  return observer.end().empty();
}

}  // namespace

// Speculation is ruled out by state that only one thread may use: the device's heap, partly defined
// bytes, and memory outside of the arena.
bool may_speculate(const Program& program, const LaunchShape& shape, Arena& arena) {
  return shape.speculates && workers_for(program, shape) > 1 && shape.heap == nullptr &&
         arena.partial_bytes().empty() && !arena.reaches_further();
}

bool run_speculatively(LaunchState& state, Counters& counters, Profile& profile, bool& limited) {
  const LaunchShape& shape = state.shape;
  const Program& program = state.program;
  const std::size_t workers = workers_for(program, shape);
  Speculation& speculation = shape.inspection->speculation(state.arena);
  speculation.begin(workers, granule_shift(program.global_granule));
  std::vector<LaunchObserver> observers;
  observers.reserve(workers);
  for (std::size_t i = 0; i < workers; ++i) {
    InspectionMemory& memory = shape.inspection->of_worker(i, state.arena);
    LaunchObserver& observer =
        observers.emplace_back(shape.checks, memory, program, homes_in(state));
    observer.run_beside_others(speculation.footprint(i));
  }
  state.speculation = &speculation;
  bool good = false;
  try {
    limited = run_in_order(state, observers, counters, profile);
    good = !speculation.abandoned() && !finds(state.faults) &&
           std::all_of(observers.begin(), observers.end(), finds_nothing) && speculation.apart();
  } catch (const std::bad_alloc&) {  // one thread needs less
  }
  if (!good) speculation.undo();
  return good;
}

}  // namespace warpmark::cpu
