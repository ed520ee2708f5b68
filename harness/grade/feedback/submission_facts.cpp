#include "grade/feedback/submission_facts.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <set>
#include <utility>

#include "base/dtype.hpp"

namespace warpmark {

namespace {

using Tokens = std::vector<SourceToken>;

// A part of the tokens, [begin, end).
struct Range {
  size_t begin = 0, end = 0;
};

// Longer texts are not worth the time: brackets are matched anew for each branch.
constexpr size_t kMostTokens = 20'000;

}  // namespace

// Names whose values differ between threads, or between blocks: what has one of the words, and
// what was computed from it.
class VaryingNames {
 public:
  explicit VaryingNames(std::set<std::string, std::less<>> words) : names_(std::move(words)) {}
  bool has(const SourceToken& token) const {
    return token.kind == TokenKind::word && names_.contains(token.text);
  }
  // False if the name was known.
  bool add(const std::string& name) { return names_.insert(name).second; }

 private:
  std::set<std::string, std::less<>> names_;
};

class SubmissionReader {
 public:
  explicit SubmissionReader(Tokens tokens) : tokens_(std::move(tokens)) {
    follow(threads_);
    follow(blocks_);
  }

  void add_to(SubmissionFacts& facts) const {
    facts.has_grid_index_ = facts.has_grid_index_ || multiplies_grid();
    facts.asks_bound_ = facts.asks_bound_ || compares_divergent();
    if (facts.barrier_.line == 0) facts.barrier_ = barrier();
    add_stores(facts);
    add_spans(facts);
    facts.recurses_ = facts.recurses_ || calls_itself();
  }

 private:
  // Assignments are followed in any order, so that a few rounds find what depends on what.
  void follow(VaryingNames& names) const {
    bool more = true;
    for (size_t round = 0; round < 8 && more; ++round) {
      more = false;
      for (size_t i = 1; i + 1 < tokens_.size(); ++i) {
        if (!is_assignment(i) || tokens_[i - 1].kind != TokenKind::word) continue;
        if (has({i + 1, statement_end(i + 1)}, names))
          more = names.add(tokens_[i - 1].text) || more;
      }
    }
  }
  bool has(const Range& range, const VaryingNames& names, std::string_view except = "") const {
    for (size_t i = range.begin; i < range.end; ++i) {
      if (tokens_[i].text != except && names.has(tokens_[i])) return true;
    }
    return false;
  }
  // True if the value may be another in another thread of the block.
  bool differs(const Range& range, std::string_view except = "") const {
    return has(range, threads_, except);
  }

  // The first name before a bracket is the function's.
  bool calls_itself() const {
    size_t name = 0;
    while (name < tokens_.size() && !(tokens_[name].kind == TokenKind::word && is(name + 1, "(") &&
                                      !is(name, "__launch_bounds__")))
      ++name;
    for (size_t i = name + 1; i < tokens_.size(); ++i) {
      if (tokens_[i].text == tokens_[name].text && is(i + 1, "(")) return true;
    }
    return false;
  }

  void add_stores(SubmissionFacts& facts) const {
    for (size_t i = 0; i + 1 < tokens_.size(); ++i) {
      const bool steps = (is(i, "+") && is(i + 1, "+")) || (is(i, "-") && is(i + 1, "-"));
      if (steps) {
        if (!add_store(i, true, facts)) add_store(end_of_target(i + 2), true, facts);
        ++i;
      } else if (is_assignment(i)) {
        const bool operates =
            i > 0 && tokens_[i - 1].kind == TokenKind::mark && !is(i - 1, "]") && !is(i - 1, ")");
        const bool adds = (operates && (is(i - 1, "+") || is(i - 1, "-"))) || repeats_its_target(i);
        add_store(operates ? i - 1 : i, adds, facts);
      }
    }
  }
  // Adds the store whose target ends before `end`; false if that is no element.
  bool add_store(size_t end, bool adds, SubmissionFacts& facts) const {
    if (end < 2) return false;
    StoreFacts store;
    store.line = tokens_[end - 1].line;
    store.adds = adds;
    Range index{end, end};
    size_t begin = end;
    while (begin > 0 && is(begin - 1, "]")) {
      begin = opening_bracket(tokens_, begin - 1, "[(])");
      if (begin == std::string_view::npos) return false;
      index.begin = begin;
    }
    if (begin == 0 || tokens_[begin - 1].kind != TokenKind::word) return false;
    const bool pointer = begin == end && begin > 2 && is(begin - 2, "*") &&
                         tokens_[begin - 3].kind == TokenKind::mark && !is(begin - 3, "]");
    if (begin == end && !pointer) return false;
    store.array = tokens_[begin - 1].text;
    store.by_thread = differs(index);
    store.by_block = has(index, blocks_);
    for (size_t i = index.begin + 1; i < index.end; ++i) {
      store.by_data = store.by_data || (is(i, "[") && tokens_[i - 1].kind == TokenKind::word);
    }
    facts.stores_.push_back(std::move(store));
    return true;
  }
  // The place past an element that begins at `at`: behind its brackets.
  size_t end_of_target(size_t at) const {
    size_t end = at + 1;
    while (is(end, "[")) end = closing(end) + 1;
    return std::min(end, tokens_.size());
  }

  void add_spans(SubmissionFacts& facts) const {
    for (size_t i = 0; i + 1 < tokens_.size(); ++i) {
      const bool loop = is(i, "for") || is(i, "while");
      if (!(loop || is(i, "if")) || !is(i + 1, "(")) continue;
      const Range body = body_behind(closing(i + 1) + 1);
      if (body.begin >= body.end) continue;
      SubmissionFacts::Span span{tokens_[body.end - 1].line, loop_at(i)};
      span.loop.has_barrier = first_barrier(body) != 0;
      if (loop) facts.loops_.push_back(span);
      if (!loop && chooses_a_warp(condition_of(i))) facts.warps_.push_back(span);
    }
  }
  // The loop with this keyword, by its head alone.
  LoopFacts loop_at(size_t keyword) const {
    LoopFacts loop;
    loop.line = tokens_[keyword].line;
    const Range condition = condition_of(keyword);
    bool exact = false, point = false;
    for (size_t i = condition.begin; i < condition.end; ++i) {
      if (is(i, "<") && is(i + 1, "=")) loop.ends_at_or_past = true;
      exact = exact || ((is(i, "!") || is(i, "=")) && is(i + 1, "="));
      loop.rounds_down =
          loop.rounds_down || (is(i, "/") && tokens_[i - 1].kind == TokenKind::word &&
                               tokens_[i + 1].kind == TokenKind::number);
      point = point || (tokens_[i].kind == TokenKind::number &&
                        tokens_[i].text.find('.') != std::string::npos);
    }
    loop.compares_floats = exact && point;
    if (!is(keyword, "for") || condition.begin == condition.end) return loop;
    const Range begin{keyword + 2, condition.begin};
    const Range step{condition.end + 1, std::min(closing(keyword + 1), tokens_.size())};
    for (size_t i = begin.begin; i < begin.end; ++i) {
      if (is_assignment(i) && is(i + 1, "blockDim")) loop.starts_at_block = true;
    }
    bool assigns = step.begin >= step.end;
    for (size_t i = step.begin; i < step.end; ++i) {
      const bool twice = is(i + 1, tokens_[i].text) && (is(i, "+") || is(i, "-"));
      assigns = assigns || is(i, "=") || twice || is(i, "(");
    }
    loop.changes_nothing = !assigns;
    loop.strides_by_block = has(begin, blocks_) && differs(begin) && contains(step, "blockDim") &&
                            !contains(step, "gridDim");
    return loop;
  }
  // "t < 32", "warp == 0", "threadIdx.x / 32 == 0"
  bool chooses_a_warp(const Range& range) const {
    if (!differs(range)) return false;
    for (size_t i = range.begin; i < range.end; ++i) {
      if (is(i, "32") || is(i, "warpSize") || tokens_[i].text.starts_with("warp")) return true;
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
  size_t closing(size_t at) const { return closing_bracket(tokens_, at, tokens_.size()); }
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
  VaryingNames threads_{{"threadIdx", "thread_rank"}};
  VaryingNames blocks_{{"blockIdx"}};
};

namespace {

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

SubmissionFacts::SubmissionFacts(std::string_view source) {
  Tokens tokens = source_tokens(source);
  if (tokens.empty() || tokens.size() > kMostTokens) return;
  known_ = true;
  tokens_ = tokens;
  for (Tokens& declaration : declarations(std::move(tokens))) {
    SubmissionReader(std::move(declaration)).add_to(*this);
  }
}

LoopFacts SubmissionFacts::loop_by_block() const {
  return first_loop([](const LoopFacts& loop) { return loop.strides_by_block; });
}

LoopFacts SubmissionFacts::loop_that_rounds() const {
  return first_loop([](const LoopFacts& loop) { return loop.rounds_down; });
}

LoopFacts SubmissionFacts::odd_loop() const {
  return first_loop(
      [](const LoopFacts& loop) { return loop.changes_nothing || loop.compares_floats; });
}

int SubmissionFacts::moved_in(std::string_view pointer) const {
  for (size_t i = 0; i + 2 < tokens_.size(); ++i) {
    if (tokens_[i].text != pointer) continue;
    const bool adds = tokens_[i + 1].text == "+" && tokens_[i + 2].text == "=";
    const bool sets = tokens_[i + 1].text == "=" && tokens_[i + 2].text == pointer;
    if (adds || sets) return tokens_[i].line;
  }
  return 0;
}

// "float sum;" and "int i, j;" declare, and neither "return sum;" nor a parameter does.
std::optional<BareVariable> SubmissionFacts::bare_in(int line) const {
  int depth = 0;
  for (size_t i = 1; i + 1 < tokens_.size(); ++i) {
    if (tokens_[i].text == "(") ++depth;
    if (tokens_[i].text == ")") --depth;
    if (depth > 0) continue;
    const SourceToken& name = tokens_[i];
    const std::string& next = tokens_[i + 1].text;
    const std::string& type = tokens_[i - 1].text;
    const bool declares =
        name.kind == TokenKind::word && (next == ";" || next == ",") &&
        ((tokens_[i - 1].kind == TokenKind::word && dtype_of_c_type(type)) || type == "auto");
    if (!declares) continue;
    for (const SourceToken& token : tokens_) {
      if (token.line == line && token.kind == TokenKind::word && token.text == name.text) {
        return BareVariable{name.text, name.line};
      }
    }
  }
  return std::nullopt;
}

bool SubmissionFacts::has(std::string_view text) const {
  return std::ranges::any_of(tokens_, [&](const SourceToken& one) { return one.text == text; });
}

bool SubmissionFacts::has_or_equal() const {
  for (size_t i = 0; i + 1 < tokens_.size(); ++i) {
    if (tokens_[i].text == "<" && tokens_[i + 1].text == "=") return true;
  }
  return false;
}

bool SubmissionFacts::has_word_like(std::string_view beginning) const {
  return std::ranges::any_of(tokens_, [&](const SourceToken& one) {
    return one.kind == TokenKind::word && one.text.starts_with(beginning);
  });
}

std::optional<StoreFacts> SubmissionFacts::store_in(int line) const {
  const auto found = std::ranges::find(stores_, line, &StoreFacts::line);
  return found == stores_.end() ? std::nullopt : std::optional(*found);
}

LoopFacts SubmissionFacts::loop_around(int line, int other) const {
  const Span* inner = nullptr;
  for (const Span& loop : loops_) {
    if (!loop.holds(line) || !loop.holds(other)) continue;
    if (inner == nullptr || loop.loop.line >= inner->loop.line) inner = &loop;
  }
  return inner == nullptr ? LoopFacts{} : inner->loop;
}

bool SubmissionFacts::is_of_one_warp(int line) const {
  return std::ranges::any_of(warps_, [&](const Span& span) { return span.holds(line); });
}

}  // namespace warpmark
