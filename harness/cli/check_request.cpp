#include "cli/check_request.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdint>

#include "base/text.hpp"

namespace warpmark {
namespace {

template <typename Number>
bool read_whole(std::string_view text, Number& number) {
  const char* end = text.data() + text.size();
  const auto [stopped, code] = std::from_chars(text.data(), end, number);
  return code == std::errc{} && stopped == end;
}

}  // namespace

uint64_t parse_seed(std::string_view text, const std::string& what, const Position& where) {
  uint64_t seed = 0;
  if (read_whole(text, seed)) return seed;
  throw usage_error(fmt::format("{} must be a whole number from 0 to 2**64 - 1, and is `{}`", what,
                                printable(text)),
                    where);
}

double parse_timeout(std::string_view text, const std::string& what, const Position& where) {
  double seconds = 0;
  if (read_whole(text, seconds) && std::isfinite(seconds) && seconds > 0) return seconds;
  throw usage_error(
      fmt::format("{} must be a number of seconds above 0, and is `{}`", what, printable(text)),
      where);
}

}  // namespace warpmark
