#include "compiler/declarations.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace warpmark {

namespace {

// Words with a group behind them that is no list of parameters.
constexpr std::array kAttributes = {"alignas",
                                    "decltype",
                                    "noexcept",
                                    "requires",
                                    "explicit",
                                    "sizeof",
                                    "throw",
                                    "alignof",
                                    "__align__",
                                    "__attribute__",
                                    "__declspec",
                                    "__launch_bounds__",
                                    "__cluster_dims__",
                                    "__block_size__",
                                    "__maxnreg__",
                                    "__attribute",
                                    "__nv_pure__",
                                    "__pragma",
                                    "__grid_constant__",
                                    "__typeof__"};
constexpr std::array kClassKeys = {"class", "struct", "union", "enum"};
// A source that is nested more deeply is not read further.
constexpr int kDeepest = 200;
// A list of template arguments has fewer tokens.
constexpr size_t kMostInAngles = 4096;
// Where so many were read in vain, none is looked for again.
constexpr size_t kManyInAngles = 256;

template <size_t N>
bool is_one_of(const std::array<const char*, N>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

bool is_capitals(const std::string& name) {
  return std::ranges::none_of(name, [](char c) { return c >= 'a' && c <= 'z'; });
}

class Reader {
 public:
  explicit Reader(const std::vector<SourceToken>& tokens) : tokens_(tokens) {}

  std::vector<Declaration> run() {
    std::vector<Declaration> all;
    while (at_ < tokens_.size()) {
      std::vector<Declaration> more = members(false);
      std::move(more.begin(), more.end(), std::back_inserter(all));
      if (at_ < tokens_.size()) step();  // a `}` too many
    }
    return all;
  }

 private:
  // The parts of a declaration that were read.
  struct Head {
    Declaration declaration;
    bool is_class = false, is_enum = false, is_typedef = false;
    bool has_parameters = false;  ///< of a function
    bool has_value = false;       ///< behind an `=`
    bool has_bases = false;       ///< behind the `:` of a class
    bool initializes = false;     ///< behind the `:` of a constructor
  };

  bool is(size_t i, std::string_view text) const {
    return i < tokens_.size() && tokens_[i].text == text && !tokens_[i].directive &&
           tokens_[i].kind != TokenKind::literal;
  }
  bool is_word(size_t i) const {
    return i < tokens_.size() && tokens_[i].kind == TokenKind::word && !tokens_[i].directive;
  }

  // The place behind the last token that was read, in front of directives.
  size_t here() const {
    size_t end = at_;
    while (end > 0 && tokens_[end - 1].directive) --end;
    return end;
  }

  // Goes on by one token, and over the directives behind it.
  void step() {
    if (is(at_, "{")) ++depth_;
    if (is(at_, "}")) --depth_;
    ++at_;
    skip_directives();
  }

  void skip_directives() {
    while (at_ < tokens_.size() && tokens_[at_].directive) {
      if (tokens_[at_].opens && at_ + 1 < tokens_.size()) condition(tokens_[at_ + 1].text);
      ++at_;
    }
  }

  void condition(const std::string& word) {
    if (word.starts_with("if")) {
      depths_.push_back(depth_);
    } else if (word.starts_with("el") && !depths_.empty()) {
      depth_ = depths_.back();
    } else if (word == "endif" && !depths_.empty()) {
      depths_.pop_back();
    }
  }

  // Skips what is between a bracket and its partner.
  void skip_group(std::string_view open, std::string_view close) {
    if (open == "{") {
      const int before = depth_;
      do {
        step();
      } while (at_ < tokens_.size() && depth_ > before);
      return;
    }
    int nested = 0;
    const int before = depth_;
    do {
      if (is(at_, open)) ++nested;
      if (is(at_, close)) --nested;
      step();
    } while (at_ < tokens_.size() && nested > 0 && depth_ >= before);
  }

  // Skips the arguments or parameters of a template, if that is what follows.
  void skip_angles() {
    int nested = 0, groups = 0;
    size_t end = at_;
    if (at_ < no_angles_before_) return step();
    const size_t most = std::min(tokens_.size(), at_ + kMostInAngles);
    for (; end < most; ++end) {
      if (tokens_[end].directive) continue;
      if (is(end, ";") || (is(end, "{") && groups == 0)) break;
      if (is(end, "(") || is(end, "{")) ++groups;
      if (is(end, ")") || is(end, "}")) --groups;
      if (groups < 0) break;
      if (groups > 0) continue;
      if (is(end, "<")) ++nested;
      if (is(end, ">")) --nested;
      if (is(end, ">>>")) nested -= 3;
      if (nested <= 0) break;
    }
    if (nested > 0 || end >= most) {  // a `<` of an expression
      if (end - at_ > kManyInAngles) no_angles_before_ = end;
      return step();
    }
    while (at_ <= end) step();
  }

  std::vector<Declaration> members(bool in_class) {
    std::vector<Declaration> all;
    skip_directives();
    const int base = depth_;
    while (at_ < tokens_.size() && !(is(at_, "}") && depth_ <= base)) {
      const bool is_access = in_class && is(at_ + 1, ":") &&
                             (is(at_, "public") || is(at_, "private") || is(at_, "protected"));
      if (is(at_, ";") || is(at_, "}")) {
        step();
      } else if (is_access) {
        step();
        step();
      } else {
        const size_t before = at_;
        all.push_back(declaration());
        if (at_ == before) step();
      }
    }
    return all;
  }

  Declaration declaration() {
    Declaration made;
    made.first = at_;
    if (scope(made) || is_line_macro(made)) return made;
    if (is(at_, "static_assert")) {
      made.kind = DeclarationKind::assertion;
      return until_semicolon(std::move(made));
    }
    if (is(at_, "using") && is(at_ + 1, "namespace")) {
      made.kind = DeclarationKind::using_namespace;
      return until_semicolon(std::move(made));
    }
    if (is(at_, "using")) return using_name(std::move(made));
    return general(made.first);
  }

  // `using a::b, c::d;` or `using Row = …;`.
  Declaration using_name(Declaration made) {
    made.kind = DeclarationKind::type;
    step();
    const bool is_alias = is(at_ + 1, "=");
    if (is_alias) made.names = {tokens_[at_].text};
    made = until_semicolon(std::move(made));
    for (size_t i = made.first; i < made.last && !is_alias; ++i) {
      const bool ends = i + 1 == made.last || is(i + 1, ";") || is(i + 1, ",") || is(i + 1, "=");
      if (is_word(i) && ends) made.names.push_back(tokens_[i].text);
    }
    return made;
  }

  Declaration until_semicolon(Declaration made) {
    const int base = depth_;
    while (at_ < tokens_.size() && !is(at_, ";")) {
      if (is(at_, "}") && depth_ <= base) break;
      step();
    }
    if (is(at_, ";")) step();
    made.last = made.body = here();
    return made;
  }

  // A namespace or `extern "C" {`.
  bool scope(Declaration& made) {
    size_t word = at_;
    if (is(word, "inline")) ++word;
    size_t open = word + 1;
    if (is(word, "namespace")) {
      while (open < tokens_.size() && !tokens_[open].directive && !is(open, "{") &&
             !is(open, ";") && !is(open, "=")) {
        ++open;
      }
      if (is(open, "=")) {
        made.kind = DeclarationKind::type;
        made.names = {tokens_[word + 1].text};
        made = until_semicolon(std::move(made));
        return true;
      }
    } else if (is(at_, "extern") && open < tokens_.size() &&
               tokens_[open].kind == TokenKind::literal) {
      ++open;
    } else {
      return false;
    }
    if (!is(open, "{") || nested_ >= kDeepest) return false;
    made.kind = DeclarationKind::scope;
    made.body = open;
    while (at_ <= open) step();
    ++nested_;
    made.members = members(false);
    --nested_;
    if (is(at_, "}")) step();
    made.last = here();
    return true;
  }

  // `REGISTER(op)` before another line.
  bool is_line_macro(Declaration& made) {
    if (!is_word(at_) || !is(at_ + 1, "(") || !is_capitals(tokens_[at_].text)) return false;
    if (tokens_[at_].text.starts_with("__")) return false;
    size_t end = at_ + 1;
    int nested = 0;
    for (; end < tokens_.size(); ++end) {
      if (is(end, "(")) ++nested;
      if (is(end, ")") && --nested == 0) break;
    }
    if (!is_word(end + 1) || tokens_[end + 1].line <= tokens_[end].line) return false;
    made.kind = DeclarationKind::macro;
    made.names = {tokens_[at_].text};
    while (at_ <= end) step();
    made.last = made.body = here();
    return true;
  }

  Declaration general(size_t first) {
    Head head;
    Declaration& made = head.declaration;
    made.first = first;
    made.body = 0;
    const int base = depth_;
    if (is(at_, "template")) {
      step();
      while (is(at_, "<")) {
        skip_angles();
        if (is(at_, "template")) step();
      }
      if (is(at_, "using")) return using_name(std::move(made));
    }
    bool ended = false;
    while (!ended && at_ < tokens_.size()) {
      if (is(at_, "}") && depth_ <= base) break;
      ended = part(head);
    }
    made.last = here();
    if (made.body == 0) made.body = made.last;
    if (head.is_typedef || (head.is_class && !head.has_parameters)) {
      made.kind = DeclarationKind::type;
    } else if (head.has_parameters) {
      made.kind = DeclarationKind::function;
    }
    return std::move(head.declaration);
  }

  // Reads a part of a declaration; true if it is the last.
  bool part(Head& head) {
    const std::string& text = tokens_[at_].text;
    if (tokens_[at_].kind == TokenKind::literal) {
      step();
    } else if (is_word(at_)) {
      word(head);
    } else if (text == ";") {
      step();
      return true;
    } else if (text == "(") {
      parenthesis(head);
    } else if (text == "[") {
      skip_group("[", "]");
    } else if (text == "<" && at_ > 0 && is_word(at_ - 1) && !head.has_value) {
      skip_angles();
    } else if (text == "{") {
      return brace(head);
    } else {
      if (text == "=") head.has_value = true;
      if (text == ":" && head.has_parameters) head.initializes = true;
      if (text == ":" && head.is_class && !head.has_parameters) head.has_bases = true;
      step();
    }
    return false;
  }

  void word(Head& head) {
    const std::string& text = tokens_[at_].text;
    const size_t here = at_;
    if (text == "typedef") head.is_typedef = true;
    if (text == "operator" && !head.has_parameters && !head.has_value) return operator_name(head);
    if (is_one_of(kClassKeys, text) && !head.has_parameters && !head.has_value) {
      head.is_class = true;
      if (text == "enum") head.is_enum = true;
    }
    step();
    const bool is_attribute = is_one_of(kAttributes, text);
    if (is_attribute && is(at_, "(")) return skip_group("(", ")");
    // A name that something follows which only follows names.
    const bool names_class = head.is_class && head.declaration.body == 0 && !head.has_bases &&
                             !head.has_parameters && here > head.declaration.first;
    if (is_one_of(kClassKeys, text)) return;
    const bool is_declared = is(at_, ";") || is(at_, "=") || is(at_, ",") || is(at_, "[") ||
                             is(at_, "{") || is(at_, ":") || names_class;
    if (is_declared && !head.has_value && !head.initializes) head.declaration.names.push_back(text);
  }

  // `operator` and its symbol, up to the parameters.
  void operator_name(Head& head) {
    head.declaration.names.emplace_back("operator");
    step();
    if (is(at_, "(") && is(at_ + 1, ")")) {
      step();
      step();
    }
    while (at_ < tokens_.size() && !is(at_, "(") && !is(at_, ";") && !is(at_, "{")) step();
    if (!is(at_, "(")) return;
    head.has_parameters = true;
    skip_group("(", ")");
  }

  void parenthesis(Head& head) {
    const bool named = at_ > 0 && (is_word(at_ - 1) || is(at_ - 1, ">"));
    const bool is_pointer = is(at_ + 1, "*") || is(at_ + 1, "&") || is(at_ + 1, "^");
    if (named && !head.has_parameters && !head.has_value && !head.has_bases && !is_pointer) {
      size_t name = at_ - 1;
      if (is(name, ">")) name = before_angles(name);
      if (is_word(name)) head.declaration.names.push_back(tokens_[name].text);
      head.has_parameters = true;
    } else if (is_pointer && !head.has_parameters) {
      // `void (*name)(int)`.
      if (is_word(at_ + 2)) head.declaration.names.push_back(tokens_[at_ + 2].text);
      // `void (*name(int))(float)` is a function that returns one.
      if (is_word(at_ + 2) && is(at_ + 3, "(") && !head.has_value) head.has_parameters = true;
    }
    skip_group("(", ")");
  }

  // The word before the `<` of this `>`.
  size_t before_angles(size_t close) const {
    int nested = 0;
    for (size_t i = close; i > 0; --i) {
      if (is(i, ">")) ++nested;
      if (is(i, "<") && --nested == 0) return i - 1;
    }
    return 0;
  }

  bool brace(Head& head) {
    Declaration& made = head.declaration;
    if (head.has_value) {
      skip_group("{", "}");
      return false;
    }
    if (head.is_class && !head.has_parameters && made.body == 0) {
      made.body = at_;
      if (head.is_enum || nested_ >= kDeepest) {
        enumerators(made);
      } else {
        step();
        ++nested_;
        made.members = members(true);
        --nested_;
        if (is(at_, "}")) step();
      }
      return false;
    }
    const size_t open = at_;
    const bool after_name = is_word(at_ - 1) || is(at_ - 1, ">");
    skip_group("{", "}");
    if (head.initializes && after_name && (is(at_, ",") || is(at_, "{"))) return false;
    if (head.has_parameters) {
      made.body = open;
      return true;
    }
    return !is(at_, ";") && !is(at_, ",");
  }

  // The names of an enumeration's values are names of the scope around it.
  void enumerators(Declaration& made) {
    const int base = depth_;
    const size_t open = at_;
    skip_group("{", "}");
    if (depth_ != base) return;
    for (size_t i = open + 1; i + 1 < at_; ++i) {
      if (is_word(i) && (is(i + 1, ",") || is(i + 1, "=") || is(i + 1, "}")))
        made.names.push_back(tokens_[i].text);
    }
  }

  const std::vector<SourceToken>& tokens_;
  size_t at_ = 0;
  int depth_ = 0;            ///< of braces
  int nested_ = 0;           ///< scopes and classes around
  std::vector<int> depths_;  ///< depth at each `#if` that is open
  size_t no_angles_before_ = 0;
};

}  // namespace

std::vector<Declaration> declarations_of(const std::vector<SourceToken>& tokens) {
  return Reader(tokens).run();
}

std::string scope_name(const Declaration& scope, const std::vector<SourceToken>& tokens) {
  size_t at = scope.first;
  while (at < scope.body && tokens[at].text != "namespace") ++at;
  std::string name;
  for (++at; at < scope.body; ++at) {
    if (!tokens[at].directive) name += tokens[at].text;
  }
  return name.empty() ? name : name + "::";
}

}  // namespace warpmark
