// Splits PTX text into tokens that are views into it; nothing is copied. The CPU device and the
// grader read PTX with it, so that they cannot disagree about a name or a number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace warpmark::cpu {

enum class TokenKind : std::uint8_t {
  word,       ///< identifier, opcode with its dotted modifiers, register, label
  directive,  ///< a dot and one name: .reg, .u32, .L2::128B; the next dot starts a new token
  integer,    ///< value holds it
  real,       ///< value holds its bits as binary64; single says that it was written as binary32
  string,     ///< text holds what stands between the quotes, escapes untouched
  symbol,     ///< one character
  end
};

struct Token {
  TokenKind kind = TokenKind::end;
  bool single = false;      ///< a 0f constant: `value` holds binary32 bits
  std::uint32_t line = 1;   ///< line in the text, from 1
  std::string_view text;    ///< the characters
  std::uint64_t value = 0;  ///< integer value or floating-point bits

  [[nodiscard]] bool is(char symbol) const {
    return kind == TokenKind::symbol && text[0] == symbol;
  }
  [[nodiscard]] bool is(std::string_view spelled) const {
    return kind != TokenKind::string && text == spelled;
  }
};

/// Returns whether the digits are a number below `count` as it is written after a name: %r0, %r12,
/// not %r01.
bool is_number_below(std::string_view digits, std::uint64_t count);

/// A cursor over PTX text. The text must outlive the tokens.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  /// The next token; a token of kind `end` after the last. Throws PtxError on a character that
  /// starts no token, an unterminated comment or string, or a number that readers may take in
  /// different ways; the lexer then stands behind that, and can go on.
  Token next();

  /// Returns whether the character directly after the last token is `symbol`.
  [[nodiscard]] bool follows(char symbol) const { return at_ != end_ && *at_ == symbol; }

  /// Moves over `, NUMBER` behind the last token where the number is a plain decimal one that
  /// another `,` or a `}` follows: the elements of tables, which are most of some modules. False,
  /// without moving, for anything else; it is read as tokens then.
  bool next_of_list(std::uint64_t& value);

  /// Return whether the next token is a name, or a real number. They look ahead without moving.
  [[nodiscard]] bool name_follows() const;
  [[nodiscard]] bool real_follows() const;

  /// Skips to just behind the `}` that closes an already open `{`, without making tokens of what
  /// stands between; used for debug sections, which are most of a module built with -G. Braces in
  /// comments do not count. False if there are some there, or in strings: another reader may then
  /// disagree about the end.
  bool skip_braces();

 private:
  void skip_blanks();
  void skip_name(bool modifiers);
  Token number();
  bool short_number(Token& token);
  [[noreturn]] void refuse(std::size_t length, const char* trouble);
  Token finish(TokenKind kind, const char* begin) const;

  const char* at_;
  const char* end_;
  std::uint32_t line_ = 1;
};

}  // namespace warpmark::cpu
