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

}  // namespace warpmark
