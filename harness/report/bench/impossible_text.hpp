// The message about a time that the device cannot reach.
#pragma once

#include <string>

#include "results/possible_time.hpp"

namespace warpmark {

/// "n=1048576 cold: 0.9 µs is less than the 2.1 µs that …". `point` is the case's.
std::string impossible_text(const ImpossibleTime& time, const std::string& point);

}  // namespace warpmark
