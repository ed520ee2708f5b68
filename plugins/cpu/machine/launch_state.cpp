#include "machine/launch_state.hpp"

namespace warpmark::cpu {

// Thread-instructions between two looks at the clock: a few milliseconds, and more by far than what
// the look takes.
bool LaunchState::looks_at_clock() {
  constexpr std::uint64_t kLook = std::uint64_t{1} << 20;
  next_look = shape.wall_limit_ms == 0 ? ~std::uint64_t{0} : executed + kLook;
  return over_time();
}

bool LaunchState::over_time() {
  if (shape.wall_limit_ms != 0 && std::chrono::steady_clock::now() > deadline)
    stop = timed_out = true;
  return stop;
}

}  // namespace warpmark::cpu
