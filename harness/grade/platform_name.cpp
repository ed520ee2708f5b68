#include "grade/platform_name.hpp"

#include <regex>

namespace warpmark {

namespace {

using Match = std::match_results<std::string_view::const_iterator>;

std::optional<Match> match(std::string_view text, const std::regex& pattern) {
  constexpr size_t kMost = 300;  // of a name of a file; the library's matching is recursive
  Match found;
  if (text.size() > kMost || !std::regex_match(text.begin(), text.end(), found, pattern))
    return std::nullopt;
  return found;
}

}  // namespace

std::optional<PlatformName> canvas_name(std::string_view name) {
  static const std::regex kPattern(R"(([^_]+)_(LATE_)?(\d+)_(\d+)_(.+))");
  const auto found = match(name, kPattern);
  if (!found) return std::nullopt;
  PlatformName result;
  result.student = (*found)[1].str();
  result.ids = {(*found)[3].str(), result.student};
  result.late = (*found)[2].matched;
  static const std::regex kAgain(R"((.+)-\d+(\.[A-Za-z]+))");
  result.file = std::regex_replace((*found)[5].str(), kAgain, "$1$2");
  return result;
}

std::optional<PlatformName> moodle_name(std::string_view name) {
  static const std::regex kPattern(R"((.+)_(\d+)_assignsubmission_(?:file|onlinetext)(?:_(.*))?)");
  const auto found = match(name, kPattern);
  if (!found) return std::nullopt;
  PlatformName result;
  result.student = (*found)[1].str();
  result.ids = {(*found)[2].str(), result.student};
  result.file = (*found)[3].str();
  return result;
}

}  // namespace warpmark
