#include "mutate/code.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "compiler/declarations.hpp"

namespace warpmark {

namespace {

constexpr std::array<std::string_view, 21> kOperators = {
    "<<=", ">>=", "->", "++", "--", "&&", "||", "==", "!=", "<=", ">=",
    "+=",  "-=",  "*=", "/=", "%=", "&=", "|=", "^=", "<<", ">>"};

// True if the sign of an exponent follows: 1e-5f, 0x1p+3.
bool wants_exponent(const CodeWord& word) {
  if (word.kind != TokenKind::number) return false;
  const bool hexadecimal = word.text.starts_with("0x") || word.text.starts_with("0X");
  const char last = word.text.back();
  return hexadecimal ? last == 'p' || last == 'P' : last == 'e' || last == 'E';
}

std::vector<CodeWord> joined(const std::vector<SourceToken>& tokens) {
  std::vector<CodeWord> words;
  for (size_t i = 0; i < tokens.size(); ++i) {
    words.push_back(tokens[i]);
    if (i + 2 < tokens.size() && wants_exponent(tokens[i]) &&
        (tokens[i + 1].text == "-" || tokens[i + 1].text == "+") &&
        tokens[i + 2].kind == TokenKind::number && tokens[i + 2].begin == tokens[i].end + 1) {
      words.back().text += tokens[i + 1].text + tokens[i + 2].text;
      words.back().end = tokens[i + 2].end;
      i += 2;
      continue;
    }
    if (tokens[i].kind != TokenKind::mark) continue;
    std::string text;
    for (size_t next = i; next < tokens.size() && text.size() < 3; ++next) {
      const bool adjoins = next == i || tokens[next - 1].end == tokens[next].begin;
      if (tokens[next].kind != TokenKind::mark || !adjoins) break;
      text += tokens[next].text;
      if (next == i || std::ranges::find(kOperators, text) == kOperators.end()) continue;
      words.back().text = text;
      words.back().end = tokens[next].end;
    }
    while (i + 1 < tokens.size() && tokens[i + 1].begin < words.back().end) ++i;
  }
  return words;
}

}  // namespace

Code::Code(std::string_view text) : text_(text) {
  const std::vector<SourceToken> tokens = source_tokens(text);
  words_ = joined(tokens);
  find_partners();
  find_declarations(tokens);
  find_macros();
}

const std::string& Code::at(size_t index) const {
  static const std::string kNone;
  return index < words_.size() ? words_[index].text : kNone;
}

bool Code::is_word(size_t index) const {
  return index < words_.size() && words_[index].kind == TokenKind::word;
}

bool Code::ends_value(size_t index) const {
  static const std::set<std::string, std::less<>> kNoValues = {"return", "case",   "else",
                                                               "throw",  "sizeof", "const"};
  if (index >= words_.size()) return false;
  const CodeWord& word = words_[index];
  if (word.kind == TokenKind::word) return !kNoValues.contains(word.text);
  return word.kind == TokenKind::number || word.text == ")" || word.text == "]";
}

std::string Code::between(size_t first, size_t last) const {
  const size_t begin = words_.at(first).begin;
  return std::string(text_.substr(begin, words_.at(last).end - begin));
}

void Code::find_partners() {
  partners_.assign(words_.size(), words_.size());
  static const std::map<std::string, std::string, std::less<>> kOpen = {
      {")", "("}, {"]", "["}, {"}", "{"}};
  std::vector<size_t> open;
  for (size_t i = 0; i < words_.size(); ++i) {
    const CodeWord& word = words_[i];
    if (word.kind != TokenKind::mark || word.directive) continue;
    if (word.text == "(" || word.text == "[" || word.text == "{") {
      open.push_back(i);
    } else if (const auto found = kOpen.find(word.text); found != kOpen.end()) {
      if (open.empty() || at(open.back()) != found->second) continue;
      partners_[i] = open.back();
      partners_[open.back()] = i;
      open.pop_back();
    }
  }
}

void Code::find_declarations(const std::vector<SourceToken>& tokens) {
  // A declaration counts tokens, of which operators have several.
  const auto word_at = [&](size_t token) {
    const size_t begin = token < tokens.size() ? tokens[token].begin : text_.size();
    const auto found = std::ranges::lower_bound(words_, begin, {}, &CodeWord::begin);
    return static_cast<size_t>(found - words_.begin());
  };
  std::vector<const std::vector<Declaration>*> open;
  const std::vector<Declaration> all = declarations_of(tokens);
  open.push_back(&all);
  while (!open.empty()) {
    const std::vector<Declaration>& level = *open.back();
    open.pop_back();
    for (const Declaration& one : level) {
      if (!one.members.empty()) open.push_back(&one.members);
      const size_t first = word_at(one.first), behind = word_at(one.last);
      if (behind <= first) continue;
      if (one.kind == DeclarationKind::function && one.body < one.last) {
        bodies_.push_back(
            {word_at(one.body), behind - 1, words_[first].line, words_[behind - 1].line});
      } else if (one.kind == DeclarationKind::variable) {
        outside_.emplace_back(first, behind);
      }
    }
  }
  std::ranges::sort(bodies_, {}, &Body::first);
  std::ranges::sort(outside_);
}

// The bodies of `#define NAME …` and `#define NAME(…) …`.
void Code::find_macros() {
  for (size_t i = 0; i + 3 < words_.size(); ++i) {
    if (!words_[i].opens || at(i + 1) != "define") continue;
    size_t first = i + 3;
    const bool has_parameters = at(first) == "(" && words_[first].begin == words_[i + 2].end;
    if (has_parameters) {
      while (first < words_.size() && words_[first].directive && at(first) != ")") ++first;
      ++first;
    }
    size_t behind = first;
    while (behind < words_.size() && words_[behind].directive && !words_[behind].opens) ++behind;
    if (behind > first) outside_.emplace_back(first, behind);
  }
}

}  // namespace warpmark
