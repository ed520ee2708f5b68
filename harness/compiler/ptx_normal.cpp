#include "compiler/ptx_normal.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "ptx/error.hpp"
#include "ptx/lexer.hpp"

namespace warpmark {

namespace {

// Registers that a kernel reads to learn where it is.
constexpr std::array kSpecial = {
    "%tid",  "%ntid",    "%ctaid",       "%nctaid",      "%laneid",      "%warpid",     "%clock",
    "%smid", "%clock64", "%globaltimer", "%lanemask_lt", "%lanemask_le", "%lanemask_gt"};

std::string normalised_word(std::string_view text, bool is_opcode) {
  if (text.starts_with('%')) {
    return std::ranges::find(kSpecial, text) != kSpecial.end() ? std::string(text) : "%r";
  }
  if (text.starts_with('$')) return "$L";
  return is_opcode ? std::string(text) : "n";
}

// The tokens of a text that may be hostile; modifiers may stand apart from their opcode, so that each
// is a directive of its own.
class Tokens {
 public:
  explicit Tokens(std::string_view text) : lexer_(text) {}

  cpu::Token next() {
    constexpr int kMostTroubles = 100;  // each costs an exception
    while (rest_.kind == cpu::TokenKind::end) {
      try {
        if (troubles_ < kMostTroubles) rest_ = lexer_.next();
        break;
      } catch (const cpu::PtxError&) {
        ++troubles_;
      }
    }
    const bool dotted =
        rest_.kind == cpu::TokenKind::word || rest_.kind == cpu::TokenKind::directive;
    const size_t end = dotted ? rest_.text.find('.', 1) : std::string_view::npos;
    if (end == std::string_view::npos) return std::exchange(rest_, {});
    cpu::Token first = rest_;
    first.text = first.text.substr(0, end);
    rest_.text.remove_prefix(end);
    rest_.kind = cpu::TokenKind::directive;
    return first;
  }

 private:
  cpu::Lexer lexer_;
  cpu::Token rest_;  ///< of a word of which the first part was given out
  int troubles_ = 0;
};

}  // namespace

std::vector<std::string> normalised_ptx(std::string_view ptx) {
  std::vector<std::string> made;
  Tokens tokens(ptx);
  size_t depth = 0;
  bool start = true;  // of an instruction; a guard (@!%p1) stands before its opcode
  for (cpu::Token token = tokens.next(); token.kind != cpu::TokenKind::end; token = tokens.next()) {
    if (token.is('}') && depth > 0) --depth;
    if (depth > 0) {
      switch (token.kind) {
        case cpu::TokenKind::word:
          made.push_back(normalised_word(token.text, start));
          if (!token.text.starts_with('%')) start = false;
          break;
        case cpu::TokenKind::integer:
        case cpu::TokenKind::real:
        case cpu::TokenKind::string:
          made.emplace_back("0");
          break;
        default:
          made.emplace_back(token.text);
      }
    }
    if (token.is('{')) ++depth;
    if (token.is(';') || token.is('{') || token.is('}') || token.is(':')) start = true;
  }
  return made;
}

}  // namespace warpmark
