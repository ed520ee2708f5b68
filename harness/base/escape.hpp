// Characters that mean something to a format, written in the way that it has for them.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace warpmark {

/// How a format writes a character: `{'<', "&lt;"}`.
struct Escape {
  char character;
  std::string_view text;
};

/// The text with each of these characters replaced.
std::string escape(std::string_view text, std::initializer_list<Escape> escapes);

}  // namespace warpmark
