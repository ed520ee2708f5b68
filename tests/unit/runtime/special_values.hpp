// Values that comparisons treat apart.
#pragma once

#include <limits>

namespace warpmark {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

}  // namespace warpmark
