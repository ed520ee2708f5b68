// Takes the sections of DWARF from a device.
#include <string_view>

#include "debug/debug_info.hpp"

namespace warpmark::debugging {

Sections read_sections(const warpmark_debug_view& view, const warpmark_debug_point& point) {
  Sections sections;
  view.sections(
      &point,
      [](void* user, const char* text, size_t length) {
        const std::string_view all(text, length);
        const size_t end = all.find('\n');
        if (end == std::string_view::npos) return;
        static_cast<Sections*>(user)->emplace_back(all.substr(0, end), all.substr(end + 1));
      },
      &sections);
  return sections;
}

}  // namespace warpmark::debugging
