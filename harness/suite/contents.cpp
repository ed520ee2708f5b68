#include "suite/contents.hpp"

#include <algorithm>

namespace warpmark {

const std::vector<ContentPattern>& content_patterns() {
  using enum ContentClass;
  static const std::vector<ContentPattern> patterns = {
      {"zeros", finite, false, "all elements are 0"},
      {"ones", finite, false, "all elements are 1"},
      {"ascending", finite, false, "0, 1, 2, … in C order, again from 0 where the type ends"},
      {"descending", finite, false, "the same from the last element on"},
      {"first", finite, false, "1 in the first element, else 0"},
      {"last", finite, false, "1 in the last element, else 0"},
      {"negative", finite, false, "−1, −2, … −7 in turns; 1 for unsigned types"},
      {"alternating", finite, false, "1 and −1 in turns; 1 and 0 for unsigned types"},
      {"ties", finite, false, "random numbers among 0, 1 and 2"},
      {"infinite", special, true, "+∞ and −∞ at random places among normal numbers"},
      {"nan", special, true, "NaN in one random place among normal numbers"},
      {"all_nan", special, true, "all elements are NaN"},
      {"signed_zeros", special, true, "0.0 and −0.0 in turns"},
      {"subnormal", special, true, "random subnormal numbers of either sign"},
      {"greatest", adversarial, false, "all elements are the greatest number of the type"},
      {"least", adversarial, false, "all elements are the least number of the type"},
      {"extremes", adversarial, false, "the greatest and the least number in turns"},
      {"cancelling", adversarial, true, "a large number, a small one, and the negative large one"},
      {"magnitudes", adversarial, true, "random numbers of all magnitudes of the type"},
  };
  return patterns;
}

bool is_real_only(std::string_view pattern) {
  const auto found = std::ranges::find(content_patterns(), pattern, &ContentPattern::name);
  return found != content_patterns().end() && found->real_only;
}

std::vector<std::string> pattern_names(ContentClass which) {
  std::vector<std::string> names;
  for (const ContentPattern& pattern : content_patterns()) {
    if (pattern.least <= which) names.emplace_back(pattern.name);
  }
  return names;
}

}  // namespace warpmark
