// The counters of a case as text for people.
#pragma once

#include <string>

#include "report/page/style.hpp"
#include "runtime/outcome.hpp"

namespace warpmark {

/// The counters of an outcome as a block of lines, the case's id first, with the ratios that say
/// how well memory was used; "" if nothing was counted. Every line ends. With several steps, a
/// block for all of them comes first, then one for each over all its rounds.
///
/// `used` is the share of the moved sectors that threads asked for, unique_bytes / (32 · sectors);
/// `excess` is the number of wavefronts beyond the ideal, as a share of the ideal.
std::string counters_text(const Outcome& outcome, const ConsoleStyle& style);

/// 12.3 % of 0.123; whole numbers from 10 % on.
std::string percent_text(double share);

}  // namespace warpmark
