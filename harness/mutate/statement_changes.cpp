// Changes of statements: a condition negated, a store removed.
#include <set>

#include "mutate/code_mutants.hpp"

namespace warpmark {

namespace {

bool has_comparison(const Code& code, size_t first, size_t behind) {
  static const std::set<std::string, std::less<>> kMarks = {"<", "<=", ">", ">=", "==", "!="};
  for (size_t i = first; i < behind; ++i) {
    if (kMarks.contains(code.at(i))) return true;
  }
  return false;
}

// Conditions of an early exit, and those whose comparison is not changed already.
void condition_changes(const Code& code, size_t at, const AddChange& add) {
  if (code.at(at) != "if") return;
  const size_t open = at + (code.at(at + 1) == "constexpr" ? 2 : 1);
  if (code.at(open) != "(") return;
  const size_t close = code.partner(open);
  if (close >= code.size() || close <= open + 1) return;
  const size_t then = close + (code.at(close + 1) == "{" ? 2 : 1);
  const bool exits =
      code.at(then) == "return" || code.at(then) == "break" || code.at(then) == "continue";
  if (!exits && has_comparison(code, open + 1, close)) return;
  add(open + 1, close - 1, "!(" + code.between(open + 1, close - 1) + ")", MutantKind::condition);
}

bool begins_statement(const Code& code, size_t at) {
  static const std::set<std::string, std::less<>> kBefore = {";", "{", "}", "else", "do"};
  if (at == 0) return false;
  const std::string& before = code.at(at - 1);
  if (before == ")") {  // of `if (…)` or `for (…)`, not of a cast
    const size_t open = code.partner(at - 1);
    if (open == 0 || open >= code.size()) return false;
    const std::string& word = code.at(open - 1);
    return word == "if" || word == "for" || word == "while" || word == "constexpr";
  }
  if (before != ";") return kBefore.contains(before);
  // Not the second and third part of a `for (…; …; …)`.
  int depth = 0;
  for (size_t i = at - 1; i-- > 0;) {
    if (code.at(i) == ")") ++depth;
    if (code.at(i) == "(" && depth-- == 0) return false;
    if (code.at(i) == "{" || code.at(i) == "}") break;
  }
  return true;
}

// `x[i] = …;`, `*p = …;`, `a.b[i] += …;`
void store_changes(const Code& code, size_t at, const AddChange& add) {
  static const std::set<std::string, std::less<>> kKeywords = {"if",   "for", "while", "switch",
                                                               "else", "do",  "return"};
  if (kKeywords.contains(code.at(at))) return;
  const bool through_pointer = code.at(at) == "*";
  if (!(through_pointer || code.is_word(at)) || !begins_statement(code, at)) return;
  bool places = through_pointer;
  for (size_t i = at; i < code.size(); ++i) {
    const std::string& mark = code.at(i);
    if (mark == ";" || mark == "{" || mark == "}") return;
    // Two words in a row are a declaration.
    if (i > at && code.is_word(i) && code.is_word(i - 1)) return;
    const bool assigns =
        mark.ends_with('=') && mark != "==" && mark != "!=" && mark != "<=" && mark != ">=";
    if (assigns) {
      if (!places) return;
      size_t end = i;
      while (end < code.size() && code.at(end) != ";") {
        const size_t partner = code.partner(end);
        end = partner < code.size() && partner > end ? partner + 1 : end + 1;
      }
      if (end < code.size()) add(at, end - 1, "(void)0", MutantKind::store);
      return;
    }
    if (mark == "[") places = true;
    const size_t partner = code.partner(i);
    if (partner < code.size() && partner > i) i = partner;
  }
}

}  // namespace

void statement_changes(const Code& code, size_t at, const AddChange& add) {
  condition_changes(code, at, add);
  store_changes(code, at, add);
}

}  // namespace warpmark
