// The ids by which platforms know students, whatever the students are called.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/words.hpp"

namespace warpmark {

/// An id that no student chooses for somebody else: two students never have the same one.
struct PlatformId {
  enum class Kind : uint8_t {
    canvas,      ///< the user's number
    moodle,      ///< the participant's number
    gradescope,  ///< the number that the course gives, or Gradescope's own
    email,
    github
  };
  Kind kind = Kind::canvas;
  std::string value;
  bool operator==(const PlatformId&) const = default;
};
/// "canvas", "moodle", …
constexpr auto words(PlatformId::Kind) {
  return words_are("canvas", "moodle", "gradescope", "email", "github");
}
/// "canvas:1006", as results keep it.
std::string to_text(const PlatformId& id);
/// Nothing for what is no such text.
std::optional<PlatformId> platform_id(std::string_view text);

/// True if two lists have an id in common.
bool share_id(const std::vector<PlatformId>& a, const std::vector<PlatformId>& b);

}  // namespace warpmark
