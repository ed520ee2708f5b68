#include "debug/expression_lexer.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "base/error.hpp"

namespace warpmark::debugging {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

constexpr std::string_view kSigns[] = {"->", "&&", "||", "==", "!=", "<=", ">=", "<<", ">>", "::"};
constexpr std::string_view kSingle = "+-*/%&|^~!<>()[].:?,=";

}  // namespace

std::vector<ExpressionToken> expression_tokens(std::string_view text) {
  std::vector<ExpressionToken> tokens;
  size_t at = 0;
  // A register may stand where an operand does; else % is the remainder.
  const auto operand_follows = [&] {
    if (tokens.empty()) return true;
    const ExpressionToken& last = tokens.back();
    return last.kind == ExpressionToken::Kind::sign && last.text != ")" && last.text != "]";
  };
  while (at < text.size()) {
    const char c = text[at];
    if (c == ' ' || c == '\t') {
      ++at;
      continue;
    }
    ExpressionToken token;
    token.column = at + 1;
    const size_t begin = at;
    const bool is_register = (c == '%' || c == '$') && operand_follows();
    if (is_letter(c) || (is_register && at + 1 < text.size() && is_letter(text[at + 1]))) {
      for (++at; at < text.size() && (is_letter(text[at]) || is_digit(text[at]));) ++at;
      token.kind = ExpressionToken::Kind::name;
      token.text = text.substr(begin, at - begin);
      if (token.text[0] == '$') token.text[0] = '%';
    } else if (is_digit(c) || (c == '.' && at + 1 < text.size() && is_digit(text[at + 1]))) {
      const std::string rest(text.substr(at));
      char* end = nullptr;
      token.integer = std::strtoull(rest.c_str(), &end, 0);
      token.kind = ExpressionToken::Kind::integer;
      const bool hexadecimal = rest.size() > 1 && (rest[1] == 'x' || rest[1] == 'X');
      if (!hexadecimal && (*end == '.' || *end == 'e' || *end == 'E' || rest[0] == '.')) {
        token.real = std::strtod(rest.c_str(), &end);
        token.kind = ExpressionToken::Kind::real;
      }
      at += static_cast<size_t>(end - rest.c_str());
      while (at < text.size() &&
             std::string_view("fFuUlL").find(text[at]) != std::string_view::npos)
        ++at;
      token.text = text.substr(begin, at - begin);
    } else {
      token.kind = ExpressionToken::Kind::sign;
      for (const std::string_view sign : kSigns) {
        if (token.text.empty() && text.substr(at).starts_with(sign)) token.text = sign;
      }
      if (token.text.empty() && kSingle.find(c) != std::string_view::npos) token.text = c;
      if (token.text.empty()) {
        throw usage_error(fmt::format("`{}` is no part of an expression (column {})", c, at + 1));
      }
      at += token.text.size();
    }
    tokens.push_back(std::move(token));
  }
  ExpressionToken end;
  end.column = text.size() + 1;
  tokens.push_back(end);
  return tokens;
}

}  // namespace warpmark::debugging
