// Finds the include directives of a text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpmark {

/// One include directive as written.
struct IncludeDirective {
  std::string name;       ///< between the quotes or brackets; "" if computed
  bool angled = false;    ///< <name>
  bool computed = false;  ///< #include MACRO, #include_next, #embed: only a preprocessor knows
  size_t begin = 0;       ///< offset of the name in the text, in bytes
  size_t end = 0;
  int line = 0;               ///< from 1
  std::string macro = {};     ///< of #include MACRO, if it is a word
  std::string argument = {};  ///< of #include MACRO(ARGUMENT); of a macro's meaning its parameter
};

/// Where `word` is in a text, in order.
std::vector<size_t> places_of(std::string_view text, std::string_view word);

/// Every include directive outside comments and strings, also in branches that are not taken.
std::vector<IncludeDirective> scan_includes(std::string_view text);

/// The same without a shorter way for texts that have one; a test compares both.
std::vector<IncludeDirective> scan_includes_by_token(std::string_view text);

}  // namespace warpmark
