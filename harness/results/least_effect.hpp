// Tests of whether a ratio is a change: by the least effect or more, up or down.
#pragma once

namespace warpmark {

// Tolerance with which a ratio of 1.02 meets a least effect of 0.02 whatever its last bits are.
constexpr double kRounding = 1e-9;

inline bool is_up(double ratio, double effect) {
  return ratio >= (1 + effect) * (1 - kRounding);
}

inline bool is_down(double ratio, double effect) {
  return ratio * (1 + effect) <= 1 + kRounding;
}

}  // namespace warpmark
