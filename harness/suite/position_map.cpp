#include "suite/position_map.hpp"

namespace warpmark {

std::string pointer_token(const std::string& token) {
  std::string escaped;
  for (const char c : token) {
    if (c == '~') {
      escaped += "~0";
    } else if (c == '/') {
      escaped += "~1";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

Position PositionMap::find(std::string pointer) const {
  for (;;) {
    const auto found = places_.find(pointer);
    if (found != places_.end()) return found->second;
    const size_t slash = pointer.rfind('/');
    if (slash == std::string::npos) return {};
    pointer.resize(slash);
  }
}

Position PositionMap::find_text(const std::string& pointer) const {
  const auto found = texts_.find(pointer);
  return found != texts_.end() ? found->second : find(pointer);
}

}  // namespace warpmark
