// Whether a run of Google Benchmark has no time, in the words of every version of it.
#pragma once

namespace warpmark {

/// `error_occurred` up to 1.7 became `skipped`, an enumeration whose 0 is "not skipped", in 1.8.
template <typename Run>
bool was_skipped(const Run& run) {
  if constexpr (requires { run.error_occurred; }) {
    return run.error_occurred;
  } else {
    return static_cast<int>(run.skipped) != 0;
  }
}

}  // namespace warpmark
