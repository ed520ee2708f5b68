#include "grade/submission/platform_name.hpp"

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

// The texts behind each "-": a group's name may have one, too.
std::vector<std::string> without_group(const std::string& name) {
  std::vector<std::string> names = {name};
  for (size_t dash = name.find('-'); dash != std::string::npos; dash = name.find('-', dash + 1)) {
    if (dash + 1 < name.size()) names.push_back(name.substr(dash + 1));
  }
  return names;
}

}  // namespace

std::optional<PlatformName> canvas_name(std::string_view name) {
  static const std::regex kAnonymous(R"((LATE_)?anon_([A-Za-z0-9]+)_(\d+)_(.+))");
  static const std::regex kNamed(R"((.+?)_(LATE_)?(\d+)_(\d+)_(.+))");
  static const std::regex kAgain(R"((.+)-(\d{1,6})(\.[A-Za-z]+))");
  static const std::regex kThirdNumber(R"(\d+_.*)");
  PlatformName result;
  std::string file;
  if (const auto anonymous = match(name, kAnonymous)) {
    result.id = {PlatformId::Kind::canvas, (*anonymous)[2].str()};
    result.student = "anon " + result.id.value;
    result.late = (*anonymous)[1].matched;
    file = (*anonymous)[4].str();
  } else if (const auto found = match(name, kNamed)) {
    result.id = {PlatformId::Kind::canvas, (*found)[3].str()};
    result.student = (*found)[1].str();
    result.names = {result.student};
    result.late = (*found)[2].matched;
    file = (*found)[5].str();
  } else {
    return std::nullopt;
  }
  // The first of three numbers may end a name that the student chose.
  if (std::regex_match(file, kThirdNumber)) return std::nullopt;
  std::smatch again;
  if (std::regex_match(file, again, kAgain)) {
    result.attempt = std::stoi(again[2].str());
    file = again[1].str() + again[3].str();
  }
  result.file = file;
  return result;
}

std::optional<PlatformName> moodle_name(std::string_view name) {
  static const std::regex kPattern(
      R"(([^_]+)_(\d+)_assignsubmission_(?:file|onlinetext)(?:_(.*))?)");
  const auto found = match(name, kPattern);
  if (!found) return std::nullopt;
  PlatformName result;
  result.id = {PlatformId::Kind::moodle, (*found)[2].str()};
  result.student = (*found)[1].str();
  result.names = without_group(result.student);
  result.file = (*found)[3].str();
  if (result.names.back() == "Participant") {  // marking is blind, and all have this name
    result.student += " " + result.id.value;
    result.names.clear();
  }
  return result;
}

}  // namespace warpmark
