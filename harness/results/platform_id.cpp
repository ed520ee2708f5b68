#include "results/platform_id.hpp"

#include <algorithm>
#include <array>

namespace warpmark {

std::string_view to_text(PlatformId::Kind kind) {
  switch (kind) {
    case PlatformId::Kind::canvas:
      return "canvas";
    case PlatformId::Kind::moodle:
      return "moodle";
    case PlatformId::Kind::gradescope:
      return "gradescope";
    case PlatformId::Kind::email:
      return "email";
    case PlatformId::Kind::github:
      break;
  }
  return "github";
}

std::string to_text(const PlatformId& id) {
  return std::string(to_text(id.kind)) + ":" + id.value;
}

std::optional<PlatformId> platform_id(std::string_view text) {
  using Kind = PlatformId::Kind;
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  constexpr std::array kKinds = {Kind::canvas, Kind::moodle, Kind::gradescope, Kind::email,
                                 Kind::github};
  for (const Kind kind : kKinds) {
    if (to_text(kind) == text.substr(0, colon))
      return PlatformId{kind, std::string(text.substr(colon + 1))};
  }
  return std::nullopt;
}

bool share_id(const std::vector<PlatformId>& a, const std::vector<PlatformId>& b) {
  return std::any_of(a.begin(), a.end(), [&](const PlatformId& one) {
    return std::find(b.begin(), b.end(), one) != b.end();
  });
}

}  // namespace warpmark
