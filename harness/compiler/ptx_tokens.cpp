#include "compiler/ptx_tokens.hpp"

#include <algorithm>
#include <utility>

#include "ptx/error.hpp"

namespace warpmark {

namespace {

constexpr int kMostTroubles = 100;  // each costs an exception

}  // namespace

cpu::Token PtxTokens::next() {
  while (rest_.kind == cpu::TokenKind::end) {
    try {
      if (troubles_ < kMostTroubles) rest_ = lexer_.next();
      break;
    } catch (const cpu::PtxError& error) {
      if (troubles_++ == 0) trouble_ = error.what();
    }
  }
  const bool dotted = rest_.kind == cpu::TokenKind::word || rest_.kind == cpu::TokenKind::directive;
  const size_t end = dotted ? rest_.text.find('.', 1) : std::string_view::npos;
  if (end == std::string_view::npos) return std::exchange(rest_, {});
  cpu::Token first = rest_;
  first.text = first.text.substr(0, end);
  rest_.text.remove_prefix(end);
  rest_.kind = cpu::TokenKind::directive;
  return first;
}

bool PtxTokens::skip_braces() {
  try {
    return lexer_.skip_braces();
  } catch (const cpu::PtxError&) {
    return false;
  }
}

}  // namespace warpmark
