#include "suite/select_expression.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/characters.hpp"
#include "base/text.hpp"
#include "warpmark/suppressions.hpp"

namespace warpmark {

struct SelectExpression::Node {
  enum class Kind : uint8_t { word, negation, conjunction, disjunction };
  Kind kind = Kind::word;
  std::string word;
  std::vector<std::shared_ptr<const Node>> parts;  ///< a negation has one
};

namespace {

using Node = SelectExpression::Node;
using NodePtr = std::shared_ptr<const Node>;

constexpr int kDeepest = 200;  // nested parentheses and nots; each takes a few frames of the stack

char small(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool is_word(char c) {
  return is_letter(c) || is_digit(c) ||
         std::string_view("_/=,.~-*").find(c) != std::string_view::npos;
}

class Parser {
 public:
  Parser(std::string_view text, const std::string& what, const Position& where)
      : text_(text), what_(what), where_(where) {}

  NodePtr parse(std::vector<std::string>& words) {
    words_ = &words;
    next();
    if (token_.empty()) return nullptr;
    NodePtr root = disjunction(0);
    if (!token_.empty()) {
      fail(token_ == ")" ? "this `)` closes nothing"
                         : fmt::format("`and` or `or` is missing before `{}`", token_));
    }
    return root;
  }

 private:
  void next() {
    while (end_ < text_.size() && is_space(text_[end_])) ++end_;
    begin_ = end_;
    if (end_ == text_.size()) {
      token_ = {};
      return;
    }
    if (text_[end_] == '(' || text_[end_] == ')') {
      ++end_;
    } else {
      while (end_ < text_.size() && is_word(text_[end_])) ++end_;
      if (end_ == begin_) {
        // Takes all bytes of a character that is not ASCII.
        do ++end_;
        while (end_ < text_.size() && (static_cast<unsigned char>(text_[end_]) & 0xC0U) == 0x80U);
        fail(fmt::format("no case id has `{}`", printable(text_.substr(begin_, end_ - begin_))));
      }
    }
    token_ = text_.substr(begin_, end_ - begin_);
  }

  bool take(std::string_view word) {
    if (token_ != word) return false;
    next();
    return true;
  }

  static NodePtr node(Node::Kind kind, std::vector<NodePtr> parts) {
    if (parts.size() == 1 && kind != Node::Kind::negation) return parts.front();
    return std::make_shared<const Node>(Node{kind, "", std::move(parts)});
  }

  NodePtr disjunction(int depth) {
    std::vector<NodePtr> parts = {conjunction(depth)};
    while (take("or")) parts.push_back(conjunction(depth));
    return node(Node::Kind::disjunction, std::move(parts));
  }

  NodePtr conjunction(int depth) {
    std::vector<NodePtr> parts = {negation(depth)};
    while (take("and")) parts.push_back(negation(depth));
    return node(Node::Kind::conjunction, std::move(parts));
  }

  NodePtr negation(int depth) {
    if (depth > kDeepest) fail("this is nested too deep");
    if (take("not")) return node(Node::Kind::negation, {negation(depth + 1)});
    const size_t opened = begin_;
    if (take("(")) {
      NodePtr inner = disjunction(depth + 1);
      if (token_ != ")") {
        if (!token_.empty()) fail(fmt::format("`and` or `or` is missing before `{}`", token_));
        begin_ = opened;
        fail("this `(` is never closed");
      }
      next();
      return inner;
    }
    if (token_.empty()) fail("a word is missing at the end");
    if (token_ == ")" || token_ == "and" || token_ == "or") {
      fail(fmt::format("a word is missing before `{}`", token_));
    }
    std::string word(token_);
    std::ranges::transform(word, word.begin(), small);
    std::ranges::replace(word, '-', '~');
    words_->push_back(word);
    next();
    return std::make_shared<const Node>(Node{Node::Kind::word, std::move(word), {}});
  }

  [[noreturn]] void fail(const std::string& why) const {
    const std::string hint = "words of ids, `and`, `or`, `not`, parentheses; `*` is any text";
    if (where_.known()) {
      Position place = where_;
      if (place.column > 0) place.column += static_cast<int>(begin_);
      throw usage_error(fmt::format("{}: {}", what_, why), place, hint);
    }
    throw usage_error(
        fmt::format("{}: {}, at column {} of `{}`", what_, why, begin_ + 1, printable(text_)), {},
        hint);
  }

  std::string_view text_;
  const std::string& what_;
  const Position& where_;
  std::vector<std::string>* words_ = nullptr;
  std::string_view token_;  ///< the current token; empty at the end
  size_t begin_ = 0, end_ = 0;
};

bool holds(const Node& node, std::string_view id) {
  switch (node.kind) {
    case Node::Kind::word:
      return node.word.find('*') == std::string::npos ? id.find(node.word) != std::string_view::npos
                                                      : fits_pattern(node.word, id);
    case Node::Kind::negation:
      return !holds(*node.parts.front(), id);
    case Node::Kind::conjunction:
      return std::ranges::all_of(node.parts, [&](const NodePtr& part) { return holds(*part, id); });
    case Node::Kind::disjunction:
      return std::ranges::any_of(node.parts, [&](const NodePtr& part) { return holds(*part, id); });
  }
  return false;
}

}  // namespace

SelectExpression SelectExpression::parse(std::string_view text, const std::string& what,
                                         const Position& where) {
  SelectExpression expression;
  expression.root_ = Parser(text, what, where).parse(expression.words_);
  return expression;
}

bool SelectExpression::matches(std::string_view id) const {
  if (!root_) return true;
  std::string lower(id);
  std::ranges::transform(lower, lower.begin(), small);
  return holds(*root_, lower);
}

}  // namespace warpmark
