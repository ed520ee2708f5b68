#include "compiler/ptx_normal.hpp"

#include <algorithm>
#include <array>

#include "compiler/ptx_tokens.hpp"

namespace warpmark {

namespace {

// Registers that a kernel reads to learn where it is.
constexpr std::array kSpecial = {
    "%tid",  "%ntid",    "%ctaid",       "%nctaid",      "%laneid",      "%warpid",     "%clock",
    "%smid", "%clock64", "%globaltimer", "%lanemask_lt", "%lanemask_le", "%lanemask_gt"};

std::string normalised_word(std::string_view text, bool is_opcode) {
  if (text.starts_with('%')) {
    return std::find(kSpecial.begin(), kSpecial.end(), text) != kSpecial.end() ? std::string(text)
                                                                               : "%r";
  }
  if (text.starts_with('$')) return "$L";
  return is_opcode ? std::string(text) : "n";
}

}  // namespace

std::vector<std::string> normalised_ptx(std::string_view ptx) {
  std::vector<std::string> made;
  PtxTokens tokens(ptx);
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
