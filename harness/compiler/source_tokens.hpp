// The words of a CUDA C++ source, without comments and with the line of each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpmark {

enum class TokenKind : uint8_t {
  word,     ///< a name or keyword
  number,   ///< a preprocessing number
  literal,  ///< a string or character, with its quotes
  header,   ///< name in an include directive, between the brackets or quotes
  mark      ///< one punctuation character, or "<<<", ">>>", "::"
};

struct SourceToken {
  TokenKind kind = TokenKind::mark;
  std::string text;
  int line = 0;            ///< from 1
  bool directive = false;  ///< part of a preprocessor directive, including its `#`
  size_t begin = 0;        ///< offset in the source, in bytes
  size_t end = 0;
  bool opens = false;  ///< the `#` at the beginning of a directive
  friend bool operator==(const SourceToken& a, const SourceToken& b) {  // wherever they are
    return a.kind == b.kind && a.text == b.text && a.line == b.line && a.directive == b.directive;
  }
};

/// Reads as a compiler does up to the preprocessor: backslashes at a line's end join lines, then
/// comments, strings (raw ones too) and directives are told apart. Macros are not expanded. The
/// result is good enough for messages, though a compiler may read the source differently. Takes any
/// bytes, in linear time and memory.
std::vector<SourceToken> source_tokens(std::string_view source);

/// The place of the bracket that closes the one at `open`, before `end`; `end` if none does. The
/// brackets are opening ones, then as many that close; those in directives do not count.
size_t closing_bracket(const std::vector<SourceToken>& tokens, size_t open, size_t end,
                       std::string_view brackets = "({[)}]");
/// The place of the bracket that the one at `close` closes; npos if there is none.
size_t opening_bracket(const std::vector<SourceToken>& tokens, size_t close,
                       std::string_view brackets = "({[)}]");

/// True if a declaration of `name` has the word before it, as in "__managed__ int a, b;".
bool is_declared_with(std::string_view source, std::string_view word, std::string_view name);

}  // namespace warpmark
