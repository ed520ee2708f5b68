#include "base/escape.hpp"

#include <algorithm>

namespace warpmark {

std::string escape(std::string_view text, std::initializer_list<Escape> escapes) {
  std::string out;
  out.reserve(text.size());
  for (const char character : text) {
    const auto* const found = std::ranges::find(escapes, character, &Escape::character);
    if (found == escapes.end()) {
      out += character;
    } else {
      out += found->text;
    }
  }
  return out;
}

}  // namespace warpmark
