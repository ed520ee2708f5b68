// CUDA C++ as tokens: enough to see how an expression uses its names, and that it ends where it
// should.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpmark::codegen {

enum class TokenKind : uint8_t { name, number, text, punctuator };

struct Token {
  TokenKind kind = TokenKind::punctuator;
  std::string text;      ///< digraphs are what they stand for: "<%" is "{"
  int line = 1;          ///< of the text, from 1
  int logical_line = 1;  ///< the same, but lines that `\` joins count as one
  bool is(std::string_view what) const { return text == what && kind != TokenKind::text; }
};

/// The tokens of `source` without comments; strings and characters are one token each. `pointer` is
/// where the text stands in the case. Throws a Failure there for a comment, string or character
/// that does not end.
std::vector<Token> lex(std::string_view source, const std::string& pointer);

/// Throws a Failure at `pointer` for a bracket without its partner: a text with one could end the
/// function that is made around it.
void require_balance(const std::vector<Token>& tokens, const std::string& pointer);

/// The index of the bracket that closes the one at `open`; tokens are balanced.
size_t closing(const std::vector<Token>& tokens, size_t open);

/// Splits at `separator` outside brackets; an empty list has no part.
std::vector<std::vector<Token>> split_outside_brackets(const std::vector<Token>& tokens,
                                                       std::string_view separator);

/// The tokens with single blanks where names would run together.
std::string spelled(const std::vector<Token>& tokens);

/// A keyword of C++ that can stand before an operand or a statement, so that a name after it is no
/// declaration: "return", "else" …
bool is_statement_keyword(std::string_view name);

/// Returns whether `text` is a single C++ identifier.
bool is_identifier(std::string_view text);

}  // namespace warpmark::codegen
