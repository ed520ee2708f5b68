// The tokens of a PTX text that may be hostile: those of the CPU device, split where ptxas splits
// them.
#pragma once

#include <string>
#include <string_view>

#include "ptx/lexer.hpp"

namespace warpmark {

/// Reads any bytes in linear time; throws only if memory runs out. Seen with ptxas 13.0: a string
/// ends at the next quote and knows no escapes, a comment `//` ends at a newline and no splice
/// prolongs it, `/*` does not nest, digits end where no number goes on (`3ret` is two tokens), and
/// modifiers may be separated from their opcode: each is a separate directive here.
class PtxTokens {
 public:
  explicit PtxTokens(std::string_view text) : lexer_(text) {}

  cpu::Token next();

  /// After a "{", skips everything to the "}" that closes it. False if comments or strings in there
  /// have braces, or the text ends: readers may then disagree about where that is.
  bool skip_braces();

  /// The first text that could not be read: "line 3: '0x' is a number without digits"; "" for none.
  /// Such text is left out of the tokens, and after many of them the text ends.
  const std::string& trouble() const { return trouble_; }

 private:
  cpu::Lexer lexer_;
  cpu::Token rest_;  ///< rest of a word whose first part was returned
  std::string trouble_;
  int troubles_ = 0;
};

}  // namespace warpmark
