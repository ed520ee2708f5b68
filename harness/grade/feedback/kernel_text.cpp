#include "grade/feedback/kernel_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <utility>

namespace warpmark {

namespace {

// Longer texts are not worth the time: brackets are matched anew for each branch.
constexpr size_t kMostWords = 10'000;

std::optional<int64_t> whole_number(const SourceToken& word) {
  if (word.kind != TokenKind::number) return std::nullopt;
  std::string_view text = word.text;
  while (!text.empty() && std::string_view("uUlL").find(text.back()) != std::string_view::npos)
    text.remove_suffix(1);
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool is_type(std::string_view word) {
  constexpr std::array<std::string_view, 12> kTypes = {"int",     "unsigned", "long", "short",
                                                       "size_t",  "float",    "half", "double",
                                                       "int32_t", "uint",     "char", "bool"};
  return std::ranges::find(kTypes, word) != kTypes.end();
}

bool is_floating(std::string_view word) {
  return word == "float" || word == "double";
}

// "constexpr int N = 16", "const int N = 16;" and "#define N 16".
std::map<std::string, int64_t, std::less<>> constants_of(const std::vector<SourceToken>& all) {
  std::map<std::string, int64_t, std::less<>> found;
  for (size_t i = 0; i + 2 < all.size(); ++i) {
    if (all[i].kind != TokenKind::word) continue;
    const bool macro = all[i].directive && i > 0 && all[i - 1].text == "define" &&
                       all[i + 1].directive && all[i + 1].line == all[i].line;
    if (macro) {
      if (const auto value = whole_number(all[i + 1])) found[all[i].text] = *value;
    }
    const bool constant = i > 1 && all[i + 1].text == "=" && is_type(all[i - 1].text) &&
                          (all[i - 2].text == "const" || all[i - 2].text == "constexpr");
    if (constant) {
      if (const auto value = whole_number(all[i + 2])) found[all[i].text] = *value;
    }
  }
  return found;
}

}  // namespace

KernelText::KernelText(std::string_view source, std::string_view entry) {
  std::vector<SourceToken> all = source_tokens(source);
  if (all.size() > kMostWords) return;
  constants_ = constants_of(all);
  std::erase_if(all, [](const SourceToken& word) { return word.directive; });
  for (const SourceToken& word : all) {
    if (word.kind == TokenKind::word) file_words_.insert(word.text);
  }
  // A definition, and no call: its parameters' bracket is followed by the body's.
  for (size_t i = 0; i + 1 < all.size(); ++i) {
    if (all[i].text != entry || all[i + 1].text != "(") continue;
    words_ = {all.begin() + static_cast<std::ptrdiff_t>(i), all.end()};
    const size_t open = behind(1);
    if (!is(open, "{")) continue;
    words_.resize(behind(open));
    source_ = source;
    body_ = open + 1;
    read_signature(1);
    read_arrays();
    read_conditions();
    read_assignments();
    return;
  }
  words_.clear();
}

bool KernelText::is(size_t place, std::string_view text) const {
  return place < words_.size() && words_[place].text == text;
}

bool KernelText::is_word(size_t place) const {
  return place < words_.size() && words_[place].kind == TokenKind::word;
}

bool KernelText::contains(const TextRange& range, std::string_view word) const {
  for (size_t i = range.begin; i < std::min(range.end, size()); ++i) {
    if (words_[i].text == word) return true;
  }
  return false;
}

std::string KernelText::quote(const TextRange& range) const {
  constexpr size_t kMost = 60;  // bytes
  if (range.empty() || range.end > size()) return "";
  const size_t begin = words_[range.begin].begin, end = words_[range.end - 1].end;
  std::string text;
  for (const char c : std::string_view(source_).substr(begin, end - begin)) {
    const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (blank && (text.empty() || text.back() == ' ')) continue;
    text += blank ? ' ' : c;
  }
  return text.size() > kMost ? text.substr(0, kMost) + "…" : text;
}

size_t KernelText::behind(size_t open) const {
  return std::min(closing_bracket(words_, open, size()) + 1, size());
}

int KernelText::indentation(int line) const {
  size_t at = 0;
  for (int i = 1; i < line && at != std::string::npos; ++i) {
    at = source_.find('\n', at);
    if (at != std::string::npos) ++at;
  }
  int blanks = 0;
  for (; at < source_.size() && (source_[at] == ' ' || source_[at] == '\t'); ++at)
    blanks += source_[at] == '\t' ? 8 : 1;
  return blanks;
}

std::optional<int64_t> KernelText::number(size_t place) const {
  if (place >= size()) return std::nullopt;
  const auto constant = constants_.find(words_[place].text);
  return constant != constants_.end() ? std::optional(constant->second)
                                      : whole_number(words_[place]);
}

void KernelText::read_signature(size_t open) {
  const size_t end = behind(open) - 1;
  TextRange one{open + 1, open + 1};
  for (size_t i = open + 1; i <= end; ++i) {
    if (i != end && !is(i, ",")) continue;
    one.end = i;
    if (!one.empty() && is_word(one.end - 1)) {
      const std::string& name = words_[one.end - 1].text;
      parameters_.push_back(name);
      if (contains(one, "*")) pointers_.insert(name);
      if (contains(one, "float") || contains(one, "double")) floats_.insert(name);
      if (contains(one, "int") || contains(one, "unsigned")) integers_.insert(name);
      if (contains(one, "unsigned") || contains(one, "size_t")) unsigned_.insert(name);
    }
    one.begin = i + 1;
  }
}

void KernelText::read_arrays() {
  for (size_t i = body_; i + 2 < size(); ++i) {
    if (!is_word(i) || !is(i + 1, "[") || !is_word(i - 1) || !is_type(words_[i - 1].text)) continue;
    DeclaredArray array{words_[i].text, line(i), false, 1};
    size_t begin = i;
    while (begin > body_ && !is(begin - 1, ";") && !is(begin - 1, "{") && !is(begin - 1, "}"))
      --begin;
    array.shared = contains({begin, i}, "__shared__");
    for (size_t at = i + 1; is(at, "["); at = behind(at)) {
      const auto count = is(at + 2, "]") ? number(at + 1) : std::nullopt;
      const bool fits = count && array.elements && *count > 0 &&
                        *array.elements <= std::numeric_limits<int>::max() / *count;
      array.elements = fits ? std::optional(*array.elements * *count) : std::nullopt;
    }
    if (is_floating(words_[i - 1].text)) floats_.insert(array.name);
    arrays_.push_back(std::move(array));
  }
}

TextRange KernelText::head_of(size_t keyword) const {
  return is(keyword + 1, "(") ? TextRange{keyword + 2, behind(keyword + 1) - 1} : TextRange{};
}

TextRange KernelText::body_of(size_t keyword) const {
  const size_t begin = behind(keyword + 1);
  return {begin, end_of_statement(begin)};
}

// A statement with all that belongs to it.
size_t KernelText::end_of_statement(size_t at) const {
  while (is(at, "if") || is(at, "for") || is(at, "while")) at = behind(at + 1);
  if (is(at, "{")) return behind(at);
  for (size_t i = at; i < size(); ++i) {
    if (is(i, ";")) return i + 1;
    if (is(i, "(") || is(i, "{") || is(i, "[")) i = behind(i) - 1;
  }
  return size();
}

std::vector<TextRange> KernelText::parts_of(size_t keyword) const {
  std::vector<TextRange> parts(3);
  if (!is(keyword, "for")) return parts;
  const TextRange head = head_of(keyword);
  size_t part = 0;
  parts[0].begin = head.begin;
  for (size_t i = head.begin; i < head.end; ++i) {
    if (!is(i, ";") || part == 2) continue;
    parts[part].end = i;
    parts[++part].begin = i + 1;
  }
  parts[part].end = head.end;
  return parts;
}

void KernelText::read_conditions() {
  for (size_t i = body_; i + 1 < size(); ++i) {
    const bool loop = is(i, "for") || is(i, "while");
    if ((loop || is(i, "if")) && is(i + 1, "(")) {
      (loop ? loops_ : branches_).push_back(i);
      read_comparisons(is(i, "for") ? parts_of(i)[1] : head_of(i), i);
    }
    if (!is(i, "?")) continue;
    size_t begin = i;
    while (begin > body_ && !is(begin - 1, "=") && !is(begin - 1, ";") && !is(begin - 1, ",") &&
           !is(begin - 1, "{"))
      --begin;
    if (is(begin, "(") && behind(begin) == i) ++begin;
    read_comparisons({begin, is(i - 1, ")") && is(begin - 1, "(") ? i - 1 : i}, i);
  }
}

void KernelText::read_comparisons(const TextRange& range, size_t head) {
  size_t begin = range.begin;
  for (size_t i = range.begin; i <= range.end; ++i) {
    const bool joins = (is(i, "&") && is(i + 1, "&")) || (is(i, "|") && is(i + 1, "|"));
    if (i != range.end && !joins) continue;
    for (size_t at = begin + 1; at + 1 < i; ++at) {
      const bool mark = is(at, "<") || is(at, ">");
      if (!mark || is(at + 1, words_[at].text) || is(at - 1, words_[at].text)) continue;
      const bool equal = is(at + 1, "=");
      comparisons_.push_back(
          {{begin, i}, {begin, at}, {at + (equal ? 2U : 1U), i}, is(at, "<"), equal, head});
      break;
    }
    begin = i + 2;
    ++i;
  }
}

size_t KernelText::end_of_value(size_t at) const {
  for (size_t i = at; i < size(); ++i) {
    if (is(i, ";") || is(i, ",") || is(i, ")") || is(i, "}")) return i;
    if (is(i, "(") || is(i, "{") || is(i, "[")) i = behind(i) - 1;
  }
  return size();
}

void KernelText::read_assignments() {
  std::string type;  // of the declaration that goes on
  bool is_unsigned = false;
  for (size_t i = body_; i + 1 < size(); ++i) {
    if (is(i, ";") || is(i, "{")) type.clear();
    if (is_word(i) && is_type(words_[i].text)) {
      const std::string& word = words_[i].text;
      is_unsigned = word == "unsigned" || word == "uint" || word == "size_t" ||
                    (is_unsigned && is(i - 1, "unsigned"));
      if (is_word(i + 1) || is(i + 1, "*")) type = word;
    }
    if (!is_word(i) || is_type(words_[i].text)) continue;
    const bool first = !type.empty() && (is_type(words_[i - 1].text) || is(i - 1, ","));
    if (first && is_floating(type)) floats_.insert(words_[i].text);
    if (first && !is_floating(type)) integers_.insert(words_[i].text);
    if (first && is_unsigned) unsigned_.insert(words_[i].text);
    if (is(i - 1, ".")) continue;
    const size_t marks = assignment_marks(i + 1);
    const bool steps = marks == 0 && is_stepped(i);
    if (marks == 0 && !steps) continue;
    const size_t begin = i + 1 + marks;
    const TextRange value = steps ? TextRange{i, i + 1} : TextRange{begin, end_of_value(begin)};
    assignments_.push_back({i, value, first ? type : "", marks != 1});
  }
}

// The number of marks of "=", "+=" or "<<=" there; 0 if there is none of them.
size_t KernelText::assignment_marks(size_t at) const {
  if (is(at, "=")) return is(at + 1, "=") ? 0 : 1;
  constexpr std::array<std::string_view, 8> kOperators = {"+", "-", "*", "/", "%", "&", "|", "^"};
  const bool operates =
      std::ranges::any_of(kOperators, [&](std::string_view one) { return is(at, one); });
  if (operates) return is(at + 1, "=") && !is(at + 2, "=") ? 2 : 0;
  const bool shifts = (is(at, "<") && is(at + 1, "<")) || (is(at, ">") && is(at + 1, ">"));
  return shifts && is(at + 2, "=") ? 3 : 0;
}

// "++i" and "i++".
bool KernelText::is_stepped(size_t at) const {
  for (const std::string_view mark : {"+", "-"}) {
    if (is(at + 1, mark) && is(at + 2, mark)) return true;
    if (is(at - 1, mark) && is(at - 2, mark)) return true;
  }
  return false;
}

const TextAssignment* KernelText::assigned_before(std::string_view name, size_t place) const {
  const TextAssignment* last = nullptr;
  for (const TextAssignment& one : assignments_) {
    if (one.name < place && !one.operates && words_[one.name].text == name) last = &one;
  }
  return last;
}

bool KernelText::is_in_loop(size_t place) const {
  return std::ranges::any_of(loops_, [&](size_t loop) { return body_of(loop).holds(place); });
}

size_t KernelText::branch_around(size_t place) const {
  size_t innermost = size();
  for (const size_t branch : branches_) {
    if (body_of(branch).holds(place)) innermost = branch;
  }
  return innermost;
}

std::vector<const DeclaredArray*> KernelText::arrays_in(int line) const {
  std::vector<const DeclaredArray*> found;
  for (const DeclaredArray& array : arrays_) {
    for (size_t i = body_; i + 1 < size(); ++i) {
      if (this->line(i) != line || !is(i, array.name) || !is(i + 1, "[")) continue;
      found.push_back(&array);
      break;
    }
  }
  return found;
}

}  // namespace warpmark
