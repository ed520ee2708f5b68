// The tokens of a PTX text that may be hostile: those of the CPU device, cut where ptxas cuts them.
#pragma once

#include <string>
#include <string_view>

#include "ptx/lexer.hpp"

namespace warpmark {

/// Reads any bytes; never throws but for want of memory, linear in their number. Seen with ptxas
/// 13.0: a string ends at the next quote and knows no escapes, a comment `//` ends at a newline and
/// no splice prolongs it, `/*` does not nest, digits end where no number goes on (`3ret` is two
/// tokens), and modifiers may stand apart from their opcode: each is a directive of its own here.
class PtxTokens {
 public:
  explicit PtxTokens(std::string_view text) : lexer_(text) {}

  cpu::Token next();

  /// After a "{": everything to the "}" that closes it. False if comments or strings in there have
  /// braces, or the text ends: readers may then disagree about where that is.
  bool skip_braces();

  /// What could not be read first: "line 3: '0x' is a number without digits"; "" if all could. It
  /// is left out of the tokens, and after many of its kind the text ends.
  const std::string& trouble() const { return trouble_; }

 private:
  cpu::Lexer lexer_;
  cpu::Token rest_;  ///< of a word of which the first part was given out
  std::string trouble_;
  int troubles_ = 0;
};

}  // namespace warpmark
