#include "machine/launch_state.hpp"

#include <algorithm>

namespace warpmark::cpu {

// Thread-instructions between two looks at the clock: a few milliseconds, and more by far than what
// the look takes.
bool LaunchState::looks_at_clock() {
  constexpr std::uint64_t kLook = std::uint64_t{1} << 20;
  next_look = shape.wall_limit_ms == 0 ? ~std::uint64_t{0} : executed + kLook;
  if (shape.instruction_budget != 0) next_look = std::min(next_look, shape.instruction_budget);
  return over_time();
}

bool LaunchState::ends_now() {
  if (faults.fatal() && last == 0) last = executed + kAfterFailure;
  return (shape.instruction_budget != 0 && executed >= shape.instruction_budget) || faults.full() ||
         stop || (last != 0 && executed >= last) || (executed >= next_look && looks_at_clock());
}

bool LaunchState::over_time() {
  if (shape.wall_limit_ms != 0 && std::chrono::steady_clock::now() > deadline)
    stop = timed_out = true;
  return stop;
}

}  // namespace warpmark::cpu
