#include "grade/feedback/source_facts.hpp"

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <utility>
#include <vector>

#include "compiler/source_tokens.hpp"

namespace warpmark {

namespace {

using Tokens = std::vector<SourceToken>;

// A part of the tokens, [begin, end).
struct Range {
  size_t begin = 0, end = 0;
};

class Reader {
 public:
  explicit Reader(Tokens tokens) : tokens_(std::move(tokens)) {}

  // Assignments are followed in any order, so that a few rounds find what depends on what.
  void find_divergent_names() {
    for (size_t before = 0, round = 0; round < 8 && (round == 0 || names_.size() > before);
         ++round) {
      before = names_.size();
      for (size_t i = 1; i + 1 < tokens_.size(); ++i) {
        if (!is_assignment(i) || tokens_[i - 1].kind != TokenKind::word) continue;
        if (differs({i + 1, statement_end(i + 1)})) names_.insert(tokens_[i - 1].text);
      }
    }
  }

  // True if the value may be another in another thread of the block.
  bool differs(const Range& range, std::string_view except = "") const {
    for (size_t i = range.begin; i < range.end; ++i) {
      const SourceToken& token = tokens_[i];
      if (token.kind != TokenKind::word || token.text == except) continue;
      if (token.text == "threadIdx" || token.text == "thread_rank" || names_.contains(token.text))
        return true;
    }
    return false;
  }

  bool multiplies_grid() const {
    for (size_t i = 0; i + 6 < tokens_.size(); ++i) {
      const bool product = is(i + 1, ".") && is(i + 3, "*") && is(i + 5, ".");
      const bool names = (is(i, "blockIdx") && is(i + 4, "blockDim")) ||
                         (is(i, "blockDim") && is(i + 4, "blockIdx"));
      if (product && names) return true;
    }
    return false;
  }

  bool compares_divergent() const {
    for (size_t i = 0; i + 1 < tokens_.size(); ++i) {
      const bool branch = is(i, "if") || is(i, "while") || is(i, "for");
      if (branch && is(i + 1, "(") && compares(condition_of(i))) return true;
    }
    return false;
  }

  std::set<int> adding_lines() const {
    std::set<int> lines;
    for (size_t i = 0; i + 1 < tokens_.size(); ++i) {
      const bool twice = is(i + 1, "+") || is(i + 1, "-");
      const bool adds =
          (is(i, "+") || is(i, "-")) && (is(i + 1, "=") || (twice && is(i, tokens_[i + 1].text)));
      if (adds || repeats_its_target(i)) lines.insert(tokens_[i].line);
    }
    return lines;
  }

  DivergentBarrier barrier() const {
    DivergentBarrier found;
    for (size_t i = 0; i + 1 < tokens_.size(); ++i) {
      const bool branch = is(i, "if") || is(i, "while") || is(i, "for");
      if (!branch || !is(i + 1, "(") || !differs(condition_of(i), counter_of(i))) continue;
      const int line = tokens_[i].line;
      Range body = body_behind(closing(i + 1) + 1);
      while (true) {
        note({first_barrier(body), line, false}, found);
        // A barrier behind a loop is reached by all; one behind a `return`, by those that stay.
        if (is(i, "if") && contains(body, "return"))
          note({first_barrier({body.end, end_of_block(body.end)}), line, true}, found);
        if (!is(body.end, "else") || is(body.end + 1, "if")) break;
        body = body_behind(body.end + 1);
      }
    }
    return found;
  }

 private:
  bool is(size_t at, std::string_view text) const {
    return at < tokens_.size() && !tokens_[at].directive && tokens_[at].text == text;
  }
  // A single `=`, or the one of `+=`.
  bool is_assignment(size_t at) const {
    if (!is(at, "=") || is(at + 1, "=")) return false;
    return std::ranges::none_of(std::initializer_list<const char*>{"=", "<", ">", "!"},
                                [&](const char* mark) { return is(at - 1, mark); });
  }
  // The place of the bracket that closes the one at `at`, or the end.
  size_t closing(size_t at) const {
    int depth = 0;
    for (size_t i = at; i < tokens_.size(); ++i) {
      if (is(i, "(") || is(i, "{") || is(i, "[")) ++depth;
      if ((is(i, ")") || is(i, "}") || is(i, "]")) && --depth == 0) return i;
    }
    return tokens_.size();
  }
  size_t statement_end(size_t at) const {
    for (size_t i = at; i < tokens_.size(); ++i) {
      if (is(i, ";") || is(i, "}") || is(i, ")")) return i;
      if (is(i, ",")) return i;
      if (is(i, "(") || is(i, "{") || is(i, "[")) i = closing(i);
    }
    return tokens_.size();
  }
  // Between the brackets; of a `for` between its semicolons.
  Range condition_of(size_t keyword) const {
    const size_t end = std::min(closing(keyword + 1), tokens_.size());
    Range range{keyword + 2, end};
    if (!is(keyword, "for")) return range;
    std::vector<size_t> marks;
    for (size_t i = range.begin; i < end; ++i) {
      if (is(i, ";")) marks.push_back(i);
    }
    return marks.size() == 2 ? Range{marks[0] + 1, marks[1]} : Range{end, end};
  }
  // The counter of a `for` that begins with the same value in all threads, whatever else has its
  // name; "" for any other.
  std::string_view counter_of(size_t keyword) const {
    if (!is(keyword, "for")) return "";
    for (size_t i = keyword + 2; i < tokens_.size() && !is(i, ";"); ++i) {
      if (!is_assignment(i)) continue;
      return differs({i + 1, statement_end(i + 1)}) ? "" : std::string_view(tokens_[i - 1].text);
    }
    return "";
  }
  // A statement, or a block with its brackets.
  Range body_behind(size_t at) const {
    if (is(at, "{")) return {at, std::min(closing(at) + 1, tokens_.size())};
    size_t i = at;
    while (is(i, "if") || is(i, "for") || is(i, "while")) {
      i = closing(i + 1) + 1;
      if (is(i, "{")) return {at, std::min(closing(i) + 1, tokens_.size())};
    }
    for (; i < tokens_.size() && !is(i, ";"); ++i) {
      if (is(i, "(") || is(i, "{") || is(i, "[")) i = closing(i);
    }
    return {at, std::min(i + 1, tokens_.size())};
  }
  // The end of the block that `at` is in.
  size_t end_of_block(size_t at) const {
    for (size_t i = at; i < tokens_.size(); ++i) {
      if (is(i, "}")) return i;
      if (is(i, "{")) i = closing(i);
    }
    return tokens_.size();
  }
  int first_barrier(const Range& range) const {
    for (size_t i = range.begin; i < range.end; ++i) {
      const bool barrier = is(i, "__syncthreads") || is(i, "__syncthreads_or") ||
                           is(i, "__syncthreads_and") || is(i, "__syncthreads_count");
      if (barrier) return tokens_[i].line;
    }
    return 0;
  }
  bool contains(const Range& range, std::string_view word) const {
    for (size_t i = range.begin; i < range.end; ++i) {
      if (is(i, word)) return true;
    }
    return false;
  }
  static void note(const DivergentBarrier& one, DivergentBarrier& found) {
    if (one.line != 0 && (found.line == 0 || one.line < found.line)) found = one;
  }
  bool compares(const Range& range) const {
    if (!differs(range)) return false;
    return contains(range, "<") || contains(range, ">");
  }
  // "a[i] = a[i] + …" with the sign at `sign`.
  bool repeats_its_target(size_t sign) const {
    if (!is_assignment(sign) || sign == 0) return false;
    size_t begin = sign;
    while (begin > 0 && !is(begin - 1, ";") && !is(begin - 1, "{") && !is(begin - 1, "}") &&
           !is(begin - 1, ")"))
      --begin;
    const size_t length = sign - begin;
    if (length == 0 || sign + 1 + length >= tokens_.size()) return false;
    for (size_t i = 0; i < length; ++i) {
      if (!is(sign + 1 + i, tokens_[begin + i].text)) return false;
    }
    return true;
  }

  Tokens tokens_;
  std::set<std::string> names_;  ///< variables that differ between threads
};

// Longer texts are not worth the time: brackets are matched anew for each branch.
constexpr size_t kMostTokens = 20'000;

// The functions, types and variables of a file, so that a name in one says nothing of another.
std::vector<Tokens> declarations(Tokens tokens) {
  std::vector<Tokens> all(1);
  int depth = 0;
  for (SourceToken& token : tokens) {
    if (token.directive) continue;
    if (token.text == "{") ++depth;
    const bool ends = token.text == "}" && --depth <= 0;
    all.back().push_back(std::move(token));
    if (ends) all.emplace_back();
  }
  return all;
}

}  // namespace

SourceFacts::SourceFacts(std::string_view source) {
  Tokens tokens = source_tokens(source);
  if (tokens.empty() || tokens.size() > kMostTokens) return;
  known_ = true;
  for (Tokens& declaration : declarations(std::move(tokens))) {
    Reader reader(std::move(declaration));
    reader.find_divergent_names();
    has_grid_index_ = has_grid_index_ || reader.multiplies_grid();
    asks_bound_ = asks_bound_ || reader.compares_divergent();
    if (barrier_.line == 0) barrier_ = reader.barrier();
    adding_lines_.merge(reader.adding_lines());
  }
}

}  // namespace warpmark
