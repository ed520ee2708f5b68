#include "results/platform_id.hpp"

#include <algorithm>

namespace warpmark {

std::string to_text(const PlatformId& id) {
  return std::string(to_text(id.kind)) + ":" + id.value;
}

std::optional<PlatformId> platform_id(std::string_view text) {
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  for (const auto kind : each_value<PlatformId::Kind>()) {
    if (to_text(kind) == text.substr(0, colon))
      return PlatformId{kind, std::string(text.substr(colon + 1))};
  }
  return std::nullopt;
}

bool share_id(const std::vector<PlatformId>& a, const std::vector<PlatformId>& b) {
  return std::ranges::any_of(
      a, [&](const PlatformId& one) { return std::ranges::find(b, one) != b.end(); });
}

}  // namespace warpmark
