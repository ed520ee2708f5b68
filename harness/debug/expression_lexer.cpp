#include "debug/expression_lexer.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <utility>

#include "base/characters.hpp"
#include "base/error.hpp"

namespace warpmark::debugging {
namespace {

constexpr std::string_view kSigns[] = {"->", "&&", "||", "==", "!=", "<=", ">=", "<<", ">>", "::"};
constexpr std::string_view kSuffixes = "fFuUlL";
constexpr std::string_view kSingle = "+-*/%&|^~!<>()[].:?,=";

// Each takes a word from `at` on, which goes behind it.
void take_name(std::string_view text, size_t& at, ExpressionToken& token) {
  const size_t begin = at;
  for (++at; at < text.size() && (is_word_character(text[at])); ++at) {
  }
  token.kind = ExpressionToken::Kind::name;
  token.text = text.substr(begin, at - begin);
  if (token.text[0] == '$') token.text[0] = '%';
}

void take_number(std::string_view text, size_t& at, ExpressionToken& token) {
  const std::string rest(text.substr(at));
  char* end = nullptr;
  token.integer = std::strtoull(rest.c_str(), &end, 0);
  token.kind = ExpressionToken::Kind::integer;
  const bool hexadecimal = rest.starts_with("0x") || rest.starts_with("0X");
  if (!hexadecimal && (*end == '.' || *end == 'e' || *end == 'E')) {
    token.real = std::strtod(rest.c_str(), &end);
    token.kind = ExpressionToken::Kind::real;
  }
  size_t length = static_cast<size_t>(end - rest.c_str());
  while (length < rest.size() && kSuffixes.find(rest[length]) != std::string_view::npos) ++length;
  token.text = rest.substr(0, length);
  at += length;
}

void take_sign(std::string_view text, size_t& at, ExpressionToken& token) {
  token.kind = ExpressionToken::Kind::sign;
  for (const std::string_view sign : kSigns) {
    if (token.text.empty() && text.substr(at).starts_with(sign)) token.text = sign;
  }
  if (token.text.empty() && kSingle.find(text[at]) != std::string_view::npos) token.text = text[at];
  if (token.text.empty()) {
    throw usage_error(
        fmt::format("`{}` is no part of an expression (column {})", text[at], at + 1));
  }
  at += token.text.size();
}

}  // namespace

std::vector<ExpressionToken> expression_tokens(std::string_view text) {
  std::vector<ExpressionToken> tokens;
  // A register may stand where an operand does; else % is the remainder.
  const auto operand_follows = [&] {
    if (tokens.empty()) return true;
    const ExpressionToken& last = tokens.back();
    return last.kind == ExpressionToken::Kind::sign && last.text != ")" && last.text != "]";
  };
  for (size_t at = 0; at < text.size();) {
    const char c = text[at], next = at + 1 < text.size() ? text[at + 1] : ' ';
    if (c == ' ' || c == '\t') {
      ++at;
      continue;
    }
    ExpressionToken token;
    token.column = at + 1;
    const bool is_register = (c == '%' || c == '$') && is_word_start(next) && operand_follows();
    if (is_word_start(c) || is_register) {
      take_name(text, at, token);
    } else if (is_digit(c) || (c == '.' && is_digit(next))) {
      take_number(text, at, token);
    } else {
      take_sign(text, at, token);
    }
    tokens.push_back(std::move(token));
  }
  ExpressionToken end;
  end.column = text.size() + 1;
  tokens.push_back(end);
  return tokens;
}

}  // namespace warpmark::debugging
