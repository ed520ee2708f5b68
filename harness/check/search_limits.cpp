#include "check/search_limits.hpp"

#include <charconv>

namespace warpmark {

std::optional<SearchLimits> parse_search_limits(std::string_view text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  constexpr uint64_t kMost = 1'000'000'000;
  if (error != std::errc() || number == 0 || number > kMost) return std::nullopt;
  const std::string_view unit(end, static_cast<size_t>(text.data() + text.size() - end));
  SearchLimits limits;
  if (unit.empty()) {
    limits.cases = number;
  } else if (unit == "s" || unit == "m" || unit == "h") {
    const double seconds = unit == "s" ? 1 : unit == "m" ? 60 : 3600;
    limits.seconds = static_cast<double>(number) * seconds;
  } else {
    return std::nullopt;
  }
  return limits;
}

}  // namespace warpmark
