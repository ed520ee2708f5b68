// The differences between versions of Google Benchmark, recognised by its types.
#pragma once

namespace warpmark {

/// True if a run has no time: `error_occurred` up to 1.7 became `skipped`, an enumeration whose 0
/// is "not skipped", in 1.8.
template <typename Run>
bool was_skipped(const Run& run) {
  if constexpr (requires { run.error_occurred; }) {
    return run.error_occurred;
  } else {
    return static_cast<int>(run.skipped) != 0;
  }
}

/// A least time in the form of its flag: a number of seconds up to 1.7, with a suffix from 1.8 on,
/// which complains on standard error of a number without one.
template <typename Run>
const char* least_time() {
  if constexpr (requires(const Run& run) { run.error_occurred; }) {
    return "--benchmark_min_time=0.5";
  } else {
    return "--benchmark_min_time=0.5s";
  }
}

}  // namespace warpmark
