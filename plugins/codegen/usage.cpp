#include "codegen/usage.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string_view>

namespace warpmark::codegen {

using plugin::Failure;
using plugin::Json;

namespace {

constexpr auto kAssignments = std::to_array<std::string_view>(
    {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="});

// Tokens that may skip the rest of a statement list, or a part of it.
constexpr auto kLeaving = std::to_array<std::string_view>(
    {"if",      "else", "for",     "while", "do",       "switch", "case",
     "default", "goto", "return",  "break", "continue", "throw",  "try",
     "catch",   "asm",  "__asm__", "#",     "{",        ";"});

template <class List>
bool contains(const List& list, std::string_view text) {
  return std::ranges::find(list, text) != list.end();
}

bool is_any_of(const Token* token, std::initializer_list<std::string_view> texts) {
  return token != nullptr && token->kind != TokenKind::text && contains(texts, token->text);
}

// Returns whether a token after a name means that the named object changes.
bool assigns(const Token& token) {
  return contains(kAssignments, token.text) || token.is("++") || token.is("--");
}

bool is_operand_end(const Token& token) {
  if (token.kind == TokenKind::name) return !is_statement_keyword(token.text);
  return token.kind != TokenKind::punctuator || token.is(")") || token.is("]");
}

bool leaves(const std::vector<Token>& tokens) {
  return std::ranges::any_of(tokens, [](const Token& token) {
    return token.kind != TokenKind::text && contains(kLeaving, token.text);
  });
}

}  // namespace

Expression::Expression(const std::string& text, const std::string& pointer, const Json& kernel)
    : tokens_(lex(text, pointer)) {
  for (size_t i = 0; i < tokens_.size(); ++i) {
    const bool first = i == 0 || tokens_[i - 1].logical_line != tokens_[i].logical_line;
    if (!first || !tokens_[i].is("#")) continue;
    if (i + 1 < tokens_.size() && tokens_[i + 1].is("pragma")) continue;
    throw Failure(pointer,
                  "a directive `#` is no part of an expression (line " +
                      std::to_string(tokens_[i].line) + " of it)",
                  "put it into `preamble`");
  }
  // Trigraphs, which older language versions read as brackets and splices.
  for (const char* trigraph : {"?\?/", "?\?<", "?\?>", "?\?(", "?\?)", "?\?="}) {
    if (text.find(trigraph) != std::string::npos) {
      throw Failure(pointer, std::string("`") + trigraph + "` is a trigraph",
                    "put a blank into it");
    }
  }
  require_balance(tokens_, pointer);
  const auto add_macro = [this](const std::string& name, const std::vector<Token>& body) {
    if (leaves(body)) risky_macros_.push_back(name);
    macro_tokens_.insert(macro_tokens_.end(), body.begin(), body.end());
  };
  for (const Json& macro : kernel.value("define", Json::array())) {
    if (!macro.at("value").is_string()) continue;
    add_macro(macro.at("name"), lex(macro.at("value").get<std::string>(), "/kernel/define"));
  }
  const std::vector<Token> preamble =
      lex(kernel.contains("preamble") && kernel.at("preamble").is_string()
              ? kernel.at("preamble").get<std::string>()
              : "",
          "/kernel/preamble");
  for (size_t i = 0; i + 2 < preamble.size(); ++i) {
    if (!preamble[i].is("#")) continue;
    const int line = preamble[i].logical_line;
    if (preamble[i + 1].is("include") && preamble[i + 2].kind == TokenKind::text) {
      unknown_macros_ = true;
    }
    if (!preamble[i + 1].is("define")) continue;
    std::vector<Token> body;
    for (size_t j = i + 3; j < preamble.size() && preamble[j].logical_line == line; ++j) {
      body.push_back(preamble[j]);
    }
    add_macro(preamble[i + 2].text, body);
  }
}

bool Expression::has_statements() const {
  return std::ranges::any_of(tokens_, [](const Token& token) { return token.is(";"); });
}

bool Expression::in_macros(const std::string& name) const {
  return std::ranges::any_of(macro_tokens_, [&](const Token& token) { return token.is(name); });
}

// `name [ i ]`, with nothing that makes it another thing.
bool Expression::is_own_element(size_t at) const {
  return at + 3 < tokens_.size() && tokens_[at + 1].is("[") && tokens_[at + 2].is("i") &&
         tokens_[at + 3].is("]") && !takes_address(at);
}

bool Expression::takes_address(size_t at) const {
  if (at == 0 || !tokens_[at - 1].is("&")) return false;
  return at == 1 || !is_operand_end(tokens_[at - 2]);
}

bool Expression::is_written(size_t at) const {
  if (at > 0 && (tokens_[at - 1].is("++") || tokens_[at - 1].is("--"))) return true;
  size_t next = at + 1;
  if (next >= tokens_.size() || !tokens_[next].is("[")) return false;
  next = closing(tokens_, next) + 1;
  // A member of it, as in `x[i].y = 1`, or an element of that.
  while (next + 1 < tokens_.size() && (tokens_[next].is(".") || tokens_[next].is("["))) {
    next = tokens_[next].is(".") ? next + 2 : closing(tokens_, next) + 1;
  }
  return next < tokens_.size() && assigns(tokens_[next]);
}

const Token* Expression::token_at(size_t at) const {
  return at < tokens_.size() ? &tokens_[at] : nullptr;
}

bool Expression::is_member(size_t at) const {
  return at > 0 && is_any_of(&tokens_[at - 1], {".", "->", "::"});
}

// `int i`, `int &i = …`, `T<int> i{…}`, `auto [i, …]`.
bool Expression::is_declared(size_t at) const {
  if (at == 0) return false;
  const Token& before = tokens_[at - 1];
  const Token* after = token_at(at + 1);
  if (before.kind == TokenKind::name && !is_statement_keyword(before.text)) return true;
  // With an operand before them they are operators.
  if (is_any_of(&before, {"&", "*", "&&"}) && is_any_of(after, {"=", ":", "{"})) return true;
  if (before.is(">") && is_any_of(after, {"=", "{"})) return true;
  return before.is("[") && at > 1 && tokens_[at - 2].is("auto");
}

bool Expression::is_assigned(size_t at) const {
  const Token* after = token_at(at + 1);
  return (at > 0 && is_any_of(&tokens_[at - 1], {"++", "--"})) ||
         (after != nullptr && assigns(*after));
}

bool Expression::index_is_touched() const {
  for (size_t at = 0; at < tokens_.size(); ++at) {
    if (!tokens_[at].is("i") || tokens_[at].kind != TokenKind::name || is_member(at)) continue;
    if (is_declared(at) || is_assigned(at)) return true;
  }
  return in_macros("i");
}

bool Expression::may_leave(const std::vector<Token>& statement) const {
  return unknown_macros_ || leaves(statement) ||
         std::ranges::any_of(statement, [this](const Token& token) {
           return token.kind == TokenKind::name && contains(risky_macros_, token.text);
         });
}

bool Expression::assigned_first(const std::string& name) const {
  for (const std::vector<Token>& statement : split_outside_brackets(tokens_, ";")) {
    if (may_leave(statement)) return false;
    const auto uses =
        std::ranges::count_if(statement, [&](const Token& token) { return token.is(name); });
    if (uses == 0) continue;
    return uses == 1 && statement.size() > 4 && statement[0].is(name) && statement[1].is("[") &&
           statement[2].is("i") && statement[3].is("]") && statement[4].is("=");
  }
  return false;
}

Usage Expression::of(const std::string& name) const {
  Usage usage;
  usage.own_only = !index_is_touched() && !in_macros(name);
  for (size_t at = 0; at < tokens_.size(); ++at) {
    if (tokens_[at].kind != TokenKind::name || !tokens_[at].is(name) || is_member(at)) continue;
    ++usage.count;
    usage.own_only = usage.own_only && is_own_element(at);
    usage.written = usage.written || is_written(at);
  }
  usage.own_only = usage.own_only && usage.count > 0;
  usage.always_assigned = assigned_first(name);
  if (usage.count == 0 && in_macros(name)) usage.count = 1;
  return usage;
}

}  // namespace warpmark::codegen
