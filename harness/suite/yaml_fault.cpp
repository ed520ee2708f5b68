#include "suite/yaml_fault.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace warpmark {
namespace {

constexpr size_t kNone = std::string::npos;

std::string blanks(size_t count) {
  return count == 0 ? "no blanks" : fmt::format("{} blank{}", count, count == 1 ? "" : "s");
}

class Scan {
 public:
  Scan(const std::vector<std::string>& lines, size_t end)
      : lines_(lines), end_(std::min(end, lines.size())) {}

  std::optional<YamlFault> run() {
    for (line_ = 0; line_ < end_ && !fault_; ++line_) read_line();
    // A bracket is certainly not closed where the file ends; before it, more might have followed.
    if (!fault_ && !brackets_.empty() && end_ == lines_.size()) add_open_bracket();
    return fault_;
  }

 private:
  struct Place {
    size_t line = 0;
    size_t column = 0;
    char text = '\0';
  };

  const std::string& text() const { return lines_[line_]; }

  void add(size_t line, size_t column, std::string what, std::string hint) {
    if (fault_) return;
    fault_ = YamlFault{static_cast<int>(line) + 1, static_cast<int>(column) + 1, std::move(what),
                       std::move(hint)};
  }

  void read_line() {
    const size_t indent = text().find_first_not_of(' ');
    if (quote_.text != '\0') return read_quoted(0);
    if (indent == kNone || text()[indent] == '#') return;
    if (in_block_ && indent > block_indent_) return;
    in_block_ = false;
    if (!brackets_.empty()) {
      if (indent <= bracket_indent_ && key_end(indent) != kNone) return add_open_bracket();
      return read_flow(indent);
    }
    read_block_line(indent);
  }

  // The place behind a key's `:`, of a key that begins at `from`.
  size_t key_end(size_t from) const {
    size_t at = from;
    if (at < text().size() && (text()[at] == '"' || text()[at] == '\'')) {
      at = text().find(text()[at], at + 1);
      if (at == kNone) return kNone;
    } else if (at < text().size() && std::string_view("{}[],").find(text()[at]) != kNone) {
      return kNone;
    }
    at = colon(at);
    return at == kNone ? kNone : at + 1;
  }

  // The next `:` that ends a key, not one inside of a word, and not in a comment.
  size_t colon(size_t from) const {
    for (size_t at = from; at < text().size(); ++at) {
      if (text()[at] == '#' && at > 0 && text()[at - 1] == ' ') return kNone;
      if (text()[at] == ':' && (at + 1 == text().size() || text()[at + 1] == ' ')) return at;
    }
    return kNone;
  }

  void read_block_line(size_t indent) {
    size_t at = indent;
    const bool is_member = starts_element(at) || key_end(at) != kNone;
    const bool is_first = levels_.empty();
    if (!fits(indent, is_member)) return;
    if (!is_member && !is_first && !expects_value_) {
      return add(line_, indent, "this line begins no member",
                 "a member of a map begins with `key: `, one of a list with `- `");
    }
    above_ = line_;
    for (; starts_element(at); levels_.push_back(at)) {
      at = text().find_first_not_of(' ', at + 1);
      if (at == kNone || text()[at] == '#') {
        expects_value_ = true;
        return;
      }
    }
    size_t value = at;
    if (const size_t behind = key_end(at); behind != kNone) {
      if (levels_.back() != at) levels_.push_back(at);
      value = text().find_first_not_of(' ', behind);
    }
    expects_value_ = value == kNone || text()[value] == '#';
    if (!expects_value_) read_value(value);
  }

  bool starts_element(size_t at) const {
    return text()[at] == '-' && (at + 1 == text().size() || text()[at + 1] == ' ');
  }

  // True if a line may begin in this column; then the levels below it are closed.
  bool fits(size_t indent, bool is_member) {
    if (levels_.empty()) levels_ = {indent};
    if (indent > levels_.back()) {
      if (expects_value_) {
        levels_.push_back(indent);
        return true;
      }
      if (!is_member) return false;  // a text that goes on
    }
    while (levels_.size() > 1 && levels_.back() > indent) levels_.pop_back();
    if (levels_.back() == indent) return true;
    add(line_, indent,
        fmt::format("this line is indented by {}, and line {} above it by {}", blanks(indent),
                    above_ + 1, blanks(lines_[above_].find_first_not_of(' '))),
        "members of one map have one indentation, and what belongs to a key has more than the key");
    return false;
  }

  void read_value(size_t at) {
    const char first = text()[at];
    if (first == '|' || first == '>') {
      in_block_ = true;
      block_indent_ = levels_.back();
    } else if (first == '"' || first == '\'') {
      quote_ = {line_, at, first};
      read_quoted(at + 1);
    } else if (first == '{' || first == '[') {
      bracket_indent_ = levels_.back();
      read_flow(at);
    } else if (const size_t second = colon(at); second != kNone) {
      add(line_, second, "a `: ` is inside a text", "quote the text");
    }
  }

  // The place of the quote that ends the open text, from this column on.
  size_t closing_quote(size_t from) const {
    for (size_t at = from; at < text().size(); ++at) {
      if (quote_.text == '"' && text()[at] == '\\') {
        ++at;
      } else if (text()[at] == quote_.text) {
        if (quote_.text == '"' || text().compare(at, 2, "''") != 0) return at;
        ++at;
      }
    }
    return kNone;
  }

  void read_quoted(size_t from) {
    const size_t at = closing_quote(from);
    if (at == kNone) return;
    const Place opened = quote_;
    quote_ = {};
    const size_t behind = text().find_first_not_of(' ', at + 1);
    const bool ends = behind == kNone || text()[behind] == '#' || text()[behind] == ':' ||
                      (!brackets_.empty() && std::string_view(",]}").find(text()[behind]) != kNone);
    if (!ends) return add_quote(opened, at);
    if (!brackets_.empty() && behind != kNone) read_flow(behind);
  }

  void add_quote(const Place& opened, size_t at) {
    if (opened.line == line_) {
      return add(line_, at, "a text ends at this quote, and more follows",
                 opened.text == '\'' ? "an apostrophe inside of '…' is written twice; or put the "
                                       "text between \"…\""
                                     : "a quote inside of \"…\" is written \\\"; or put the text "
                                       "between '…'");
    }
    add(opened.line, opened.column,
        fmt::format("the text after this quote ends on line {}, where another one should begin",
                    line_ + 1),
        fmt::format("write the closing {} where the text ends", opened.text));
  }

  // Follows brackets from this column on; `members` are those since the last comma.
  void read_flow(size_t at) {
    bool begins = true;  // a value begins here, so that a quote opens a text
    for (; at < text().size() && !fault_; ++at) {
      const char c = text()[at];
      if (c == ' ') continue;
      if (c == '#' && (at == 0 || text()[at - 1] == ' ')) return;
      if (begins && (c == '"' || c == '\'')) {
        quote_ = {line_, at, c};
        return read_quoted(at + 1);
      }
      begins = false;
      if (c == '{' || c == '[') {
        brackets_.push_back({line_, at, c});
        colons_.push_back(0);
        begins = true;
      } else if (c == '}' || c == ']') {
        close_bracket(at);
        if (brackets_.empty()) return;
      } else if (c == ',') {
        colons_.back() = 0;
        begins = true;
      } else if (c == ':' && colon(at) == at) {
        begins = true;
        if (++colons_.back() == 2) {
          add(line_, at, "a second `: ` is here in one member",
              "a `,` before its key is missing; a text with `: ` is quoted");
        }
      }
    }
  }

  void close_bracket(size_t at) {
    const Place opened = brackets_.back();
    const char closing = opened.text == '{' ? '}' : ']';
    if (text()[at] != closing) {
      return add(line_, at,
                 fmt::format("this `{}` closes no `{}`, which opens on line {}", text()[at],
                             opened.text, opened.line + 1),
                 fmt::format("write `{}`", closing));
    }
    brackets_.pop_back();
    colons_.pop_back();
  }

  void add_open_bracket() {
    const Place& opened = brackets_.back();
    add(opened.line, opened.column, fmt::format("this `{}` is not closed", opened.text),
        fmt::format("write a `{}` where it ends", opened.text == '{' ? '}' : ']'));
  }

  const std::vector<std::string>& lines_;
  size_t end_;
  size_t line_ = 0;
  size_t above_ = 0;            ///< the last line that began a member
  std::vector<size_t> levels_;  ///< columns of the open maps and lists
  bool expects_value_ = false;  ///< the last key has nothing behind it yet
  bool in_block_ = false;       ///< in a text after `|` or `>`
  size_t block_indent_ = 0;     ///< of the key of that text
  Place quote_;                 ///< of the quoted text that is open
  std::vector<Place> brackets_;
  std::vector<int> colons_;  ///< of each open bracket, since its last comma
  size_t bracket_indent_ = 0;
  std::optional<YamlFault> fault_;
};

}  // namespace

std::optional<YamlFault> find_yaml_fault(const std::vector<std::string>& lines, int last_line) {
  return Scan(lines, static_cast<size_t>(std::max(0, last_line))).run();
}

}  // namespace warpmark
