// Outcomes in words, the same for console, JUnit and every later report.
#pragma once

#include <string>

#include "results/run_context.hpp"
#include "results/totals.hpp"
#include "runtime/outcome.hpp"

namespace warpmark {

/// The failure in full: the outcome's message (without one, its place and reason) and a last line
/// with the command that repeats it. No newline at the end.
std::string failure_text(const Outcome& outcome, const std::string& reproduce);

/// The errors of each output that is wrong by values alone, as bars; "" if there is none.
std::string error_bars(const Outcome& outcome);

/// "3 suites, 14 cases on NVIDIA H200 (sm_90, driver 13.0, NVRTC 13.0), seed 0".
std::string run_text(size_t suites, size_t cases, const RunContext& context);

/// The reason why a case was skipped, after the line of the suite that requires what is missing.
std::string skip_text(const Outcome& outcome);

/// "12 passed, 1 failed, 1 skipped in 0.80 s"; counts of 0 are left out, except `passed`.
/// `deselected` cases were not asked for.
std::string totals_text(const Totals& totals, double seconds, size_t deselected = 0);

/// "1 case", "2 cases", "1,000,003 cases".
std::string count_text(size_t count, const std::string& singular);

}  // namespace warpmark
