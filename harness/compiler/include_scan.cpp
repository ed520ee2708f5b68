#include "compiler/include_scan.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "base/text.hpp"
#include "compiler/source_lines.hpp"

namespace warpmark {

namespace {

// The first words of directives that include.
constexpr std::array<std::string_view, 3> kWords = {"include", "import", "embed"};
// The hash, its digraph and its trigraph.
constexpr std::array<std::string_view, 3> kHashes = {"#", "%:", "\?\?="};

// Tells whether the backslash at `at` joins two lines; `end` becomes the place of the newline.
bool is_splice(std::string_view text, size_t at, size_t& end) {
  end = at + 1;
  while (end < text.size() && is_blank(text[end])) ++end;
  return end < text.size() && text[end] == '\n';
}

// A text after translation phase 2 (a backslash at a line's end joins it with the next one), with
// the offset of each character in the original. Most texts have no such line, and are not copied:
// a toolkit's headers have millions of characters.
class Spliced {
 public:
  explicit Spliced(std::string_view original) : original_(original) {
    size_t end = 0;
    for (size_t at = original.find('\\'); at != std::string_view::npos;
         at = original.find('\\', at + 1)) {
      if (is_splice(original, at, end)) {
        join();
        return;
      }
    }
  }
  Spliced(const Spliced&) = delete;
  Spliced& operator=(const Spliced&) = delete;

  std::string_view text() const { return offsets_.empty() ? original_ : text_; }
  size_t offset(size_t at) const { return offsets_.empty() ? at : offsets_[at]; }

 private:
  void join() {
    for (size_t i = 0, end = 0; i < original_.size(); ++i) {
      if (original_[i] == '\\' && is_splice(original_, i, end)) {
        i = end;
        continue;
      }
      text_ += original_[i];
      offsets_.push_back(i);
    }
    offsets_.push_back(original_.size());
  }

  std::string_view original_;
  std::string text_;             ///< unused without such a line
  std::vector<size_t> offsets_;  ///< one more than characters; none without such a line
};

// Where the words of such directives are, in order.
std::vector<size_t> places_of_words(std::string_view text) {
  std::vector<size_t> places;
  for (const std::string_view word : kWords) {
    const std::vector<size_t> found = places_of(text, word);
    places.insert(places.end(), found.begin(), found.end());
  }
  std::ranges::sort(places);
  return places;
}

// Walks a text token by token as a preprocessor does, and stops at include directives.
class IncludeScanner {
 public:
  explicit IncludeScanner(std::string_view original)
      : original_(original), spliced_(original), text_(spliced_.text()) {
    if (const std::vector<size_t> places = places_of_words(text_); !places.empty())
      end_ = places.back() + 1;
  }

  std::vector<IncludeDirective> run() {
    bool line_start = true;
    while (at_ < end_) {
      if (text_[at_] == '\n') {
        line_start = true;
        ++at_;
      } else if (is_blank(text_[at_]) || skip_comment()) {
        if (at_ < text_.size() && is_blank(text_[at_])) ++at_;
      } else if (line_start && skip_hash()) {
        directive();
        line_start = false;
      } else {
        line_start = false;
        skip_token();
      }
    }
    return std::move(found_);
  }

 private:
  bool starts(std::string_view what) const { return text_.substr(at_, what.size()) == what; }

  bool skip_comment() {
    if (text_[at_] != '/') return false;
    if (starts("//")) {
      at_ = std::min(text_.find('\n', at_), text_.size());
      return true;
    }
    if (!starts("/*")) return false;
    const size_t end = text_.find("*/", at_ + 2);
    at_ = end == std::string_view::npos ? text_.size() : end + 2;
    return true;
  }

  // "#", its digraph and its trigraph.
  bool skip_hash() {
    const char first = text_[at_];
    if (first != '#' && first != '%' && first != '?') return false;
    for (const std::string_view hash : kHashes) {
      if (!starts(hash)) continue;
      at_ += hash.size();
      return true;
    }
    return false;
  }

  // To the end of a quoted literal, or of its line if it has none, as in `#if 0` prose.
  void skip_literal(char quote) {
    for (++at_; at_ < text_.size() && text_[at_] != '\n'; ++at_) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size() && text_[at_ + 1] != '\n') {
        ++at_;
      } else if (text_[at_] == quote) {
        ++at_;
        return;
      }
    }
  }

  void skip_raw_string() {
    const size_t open = text_.find('(', at_);
    if (open == std::string_view::npos || open - at_ > 17) return skip_literal('"');
    const std::string end = ")" + std::string(text_.substr(at_ + 1, open - at_ - 1)) + "\"";
    const size_t close = text_.find(end, open);
    at_ = close == std::string_view::npos ? text_.size() : close + end.size();
  }

  std::string_view skip_name() {
    const size_t start = at_;
    while (at_ < text_.size() && is_word_character(text_[at_])) ++at_;
    return text_.substr(start, at_ - start);
  }

  void skip_token() {
    const char c = text_[at_];
    if (c == '"' || c == '\'') return skip_literal(c);
    if (is_digit(c)) {  // a number, whose separators (1'000) start no literal
      while (at_ < text_.size() && (is_word_character(text_[at_]) || text_[at_] == '.' ||
                                    (text_[at_] == '\'' && at_ + 1 < text_.size() &&
                                     is_word_character(text_[at_ + 1])))) {
        ++at_;
      }
      return;
    }
    if (!is_word_character(c)) {
      ++at_;
      return;
    }
    const std::string_view name = skip_name();
    const bool raw = name == "R" || name == "LR" || name == "uR" || name == "UR" || name == "u8R";
    if (raw && at_ < text_.size() && text_[at_] == '"') skip_raw_string();
  }

  void skip_blanks() {
    while (at_ < text_.size() && (is_blank(text_[at_]) || skip_comment())) {
      if (at_ < text_.size() && is_blank(text_[at_])) ++at_;
    }
  }

  void directive() {
    skip_blanks();
    const size_t start = at_;
    const std::string_view word = skip_name();
    IncludeDirective out;
    out.line = line_of(start);
    if (word == "include_next" || word == "import" || word == "embed") {
      out.computed = true;
      found_.push_back(out);
    }
    if (word != "include") return;
    skip_blanks();
    const char open = at_ < text_.size() ? text_[at_] : '\n';
    const char close = open == '<' ? '>' : '"';
    const size_t end = text_.find(close, at_ + 1);
    if ((open == '<' || open == '"') && end < text_.find('\n', at_)) {
      out.name = text_.substr(at_ + 1, end - at_ - 1);
      out.angled = open == '<';
      out.begin = spliced_.offset(at_ + 1);
      out.end = spliced_.offset(end);
      at_ = end + 1;
    } else {
      out.computed = true;
      out.macro = skip_name();
      take_argument(out);
    }
    found_.push_back(out);
  }

  // Takes the argument of a macro with one. A macro with more is left to the preprocessor.
  void take_argument(IncludeDirective& out) {
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != '(') return;
    const size_t end = text_.find_first_of("(),\n", at_ + 1);
    if (end == std::string_view::npos || text_[end] != ')') {
      out.macro.clear();
      return;
    }
    out.argument = trim(text_.substr(at_ + 1, end - at_ - 1));
    if (out.argument.empty()) out.macro.clear();
    at_ = end + 1;
  }

  // The line of a character of the original; asked for in the text's order.
  int line_of(size_t at) {
    const size_t offset = spliced_.offset(at);
    line_ += static_cast<int>(std::count(original_.begin() + static_cast<ptrdiff_t>(counted_),
                                         original_.begin() + static_cast<ptrdiff_t>(offset), '\n'));
    counted_ = offset;
    return line_;
  }

  std::string_view original_;
  Spliced spliced_;
  std::string_view text_;
  size_t end_ = 0;      ///< no directive's word begins behind it
  int line_ = 1;        ///< of the character at counted_
  size_t counted_ = 0;  ///< offset in the original
  size_t at_ = 0;
  std::vector<IncludeDirective> found_;
};

// Finds the directives by their words, and looks at what is around each. A toolkit's headers have
// eight million characters, with an include at the end of many: reading them token by token took a
// tenth of a second.
class QuickScanner {
 public:
  explicit QuickScanner(std::string_view text) : text_(text) {}

  /// Nothing if only reading token by token can tell what is a directive.
  std::optional<std::vector<IncludeDirective>> run() {
    if (find_pair("R\"", 0) != std::string_view::npos) return std::nullopt;
    const std::vector<size_t> places = places_of_words(text_);
    if (joins_tokens()) return std::nullopt;  // which may be the word itself
    for (const size_t place : places) {
      if (!take(place)) return std::nullopt;
    }
    return std::move(found_);
  }

 private:
  enum class Answer { no, yes, unknown };

  // The next place of two characters, of which the second is the rarer one in code.
  size_t find_pair(std::string_view pair, size_t from) const {
    for (size_t at = text_.find(pair[1], from + 1); at != std::string_view::npos;
         at = text_.find(pair[1], at + 1)) {
      if (text_[at - 1] == pair[0]) return at - 1;
    }
    return std::string_view::npos;
  }

  // Tells whether a line that goes on may have parts of one token at both sides of its end.
  bool joins_tokens() const {
    size_t end = 0;
    for (size_t at = text_.find('\\'); at != std::string_view::npos;
         at = text_.find('\\', at + 1)) {
      if (!is_splice(text_, at, end)) continue;
      const bool apart =
          at == 0 || is_space(text_[at - 1]) || end + 1 == text_.size() || is_space(text_[end + 1]);
      if (!apart) return true;
    }
    return false;
  }

  static bool is_space(char c) { return is_blank(c) || c == '\n'; }

  // False if it is not certain what is at this place.
  bool take(size_t place) {
    size_t hash = place;
    Answer answer = behind_hash(hash);
    if (answer == Answer::yes) answer = at_line_start(hash);
    if (answer == Answer::yes) answer = outside_comments(hash);
    if (answer != Answer::yes) return answer == Answer::no;
    const std::string_view line = text_.substr(hash, end_of_lines(text_, hash) - hash);
    if (line.find("/*") != std::string_view::npos) return false;
    line_ += static_cast<int>(std::count(text_.begin() + static_cast<ptrdiff_t>(counted_),
                                         text_.begin() + static_cast<ptrdiff_t>(hash), '\n'));
    counted_ = hash;
    for (IncludeDirective one : IncludeScanner(line).run()) {
      one.line += line_ - 1;
      if (!one.computed) {
        one.begin += hash;
        one.end += hash;
      }
      found_.push_back(std::move(one));
    }
    return true;
  }

  // Moves from a word to the hash in front of it.
  Answer behind_hash(size_t& at) const {
    at = before_blanks(text_, at);
    const std::string_view before = text_.substr(0, at);
    for (const std::string_view hash : kHashes) {
      if (!before.ends_with(hash)) continue;
      at -= hash.size();
      return Answer::yes;
    }
    return is_unclear(before) ? Answer::unknown : Answer::no;
  }

  Answer at_line_start(size_t hash) const {
    const std::string_view before = text_.substr(0, before_blanks(text_, hash));
    if (is_unclear(before)) return Answer::unknown;
    return before.empty() || before.back() == '\n' ? Answer::yes : Answer::no;
  }

  // A comment or a line that goes on may be between a word and its hash, or in front of that.
  static bool is_unclear(std::string_view before) {
    return before.ends_with("*/") || (before.ends_with('\n') && goes_on(before, before.size() - 1));
  }

  // A comment that is open here has a beginning with no end behind it.
  Answer outside_comments(size_t at) {
    for (; (looked_at_ = find_pair("/*", looked_at_)) < at; ++looked_at_) opened_ = looked_at_ + 2;
    looked_at_ = at;
    if (opened_ == 0) return Answer::yes;
    const size_t closed = text_.find("*/", opened_);
    return closed < at ? Answer::yes : Answer::unknown;
  }

  std::string_view text_;
  std::vector<IncludeDirective> found_;
  int line_ = 1;  ///< of the character at counted_
  size_t counted_ = 0;
  size_t looked_at_ = 0;
  size_t opened_ = 0;  ///< behind the last beginning of a comment; 0 for none
};

}  // namespace

std::vector<size_t> places_of(std::string_view text, std::string_view word) {
  std::vector<size_t> places;
  const char* at = text.data();
  const auto next = [&] {  // several times as fast as string_view's
    return static_cast<const char*>(
        ::memmem(at, static_cast<size_t>(text.end() - at), word.data(), word.size()));
  };
  while (const char* found = next()) {
    places.push_back(static_cast<size_t>(found - text.data()));
    at = found + word.size();
  }
  return places;
}

std::vector<IncludeDirective> scan_includes(std::string_view text) {
  if (auto found = QuickScanner(text).run()) return *std::move(found);
  return scan_includes_by_token(text);
}

std::vector<IncludeDirective> scan_includes_by_token(std::string_view text) {
  return IncludeScanner(text).run();
}

}  // namespace warpmark
