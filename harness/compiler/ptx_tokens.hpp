// The tokens of a PTX text, cut where ptxas cuts them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace warpmark {

enum class PtxTokenKind : uint8_t {
  end,
  name,       ///< `ld`, `%r1`, `$L__BB0_2`
  directive,  ///< `.entry`, and each modifier of an opcode: `.global`, `.L2::128B`
  number,
  text,  ///< a string, without its quotes
  mark,  ///< one character
  odd    ///< one character that PTX has no use for
};

struct PtxToken {
  PtxTokenKind kind = PtxTokenKind::end;
  std::string_view text;
  int line = 0;  ///< of the PTX, from 1
  /// Why readers may take it in different ways, as "a number without digits"; "" if they do not.
  const char* trouble = "";
  uint64_t value = 0;  ///< of a number that is whole
  bool whole = false;  ///< it is a number, and an integer
  bool is(std::string_view what) const { return text == what && kind != PtxTokenKind::text; }
};

/// Reads any bytes; never throws, linear in their number. Seen with ptxas 13.0: a string ends at
/// the next quote and knows no escapes, a comment `//` ends at a newline and no splice prolongs it,
/// `/*` does not nest, digits end where no number goes on (`3ret` is two tokens), and modifiers may
/// stand apart from their opcode. Numbers are read as the CPU device reads them.
class PtxTokens {
 public:
  explicit PtxTokens(std::string_view text) : text_(text) {}

  PtxToken next();

  /// After a "{": everything to the "}" that closes it. False if comments or strings in there have
  /// braces, or the text ends: readers may then disagree about where that is.
  bool skip_braces();

 private:
  bool skip_blanks();
  char at(size_t index) const { return index < text_.size() ? text_[index] : '\0'; }
  PtxToken take(PtxTokenKind kind, size_t end);

  std::string_view text_;
  size_t at_ = 0;
  int line_ = 1;
  bool open_comment_ = false;
};

}  // namespace warpmark
