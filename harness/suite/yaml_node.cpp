#include "suite/yaml_node.hpp"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

#include "base/characters.hpp"
#include "base/text.hpp"
#include "suite/yaml_fault.hpp"

namespace warpmark {

const YamlNode* YamlNode::find(std::string_view key) const {
  for (const YamlMember& member : members) {
    if (member.key == key) return &member.value;
  }
  return nullptr;
}

std::string_view to_text(YamlNode::Kind kind) {
  constexpr std::string_view kTexts[] = {"nothing", "text", "a list", "a map"};
  return kTexts[static_cast<size_t>(kind)];
}

namespace {

// 0777, -07, 0o17: YAML 1.1, YAML 1.2 and Python read them differently.
bool looks_octal(std::string_view text) {
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  if (text.size() < 2 || text[0] != '0') return false;
  text.remove_prefix(1);
  if (text[0] == 'o' || text[0] == 'O') text.remove_prefix(1);
  return !text.empty() && std::ranges::all_of(text, [](char c) { return is_digit(c) || c == '_'; });
}

// The number of parentheses that are open at the end, outside of quotes; -1 for a closing one that
// was not opened.
int open_parentheses(std::string_view text) {
  int open = 0;
  char quote = '\0';
  for (const char c : text) {
    if (quote != '\0') {
      if (c == quote) quote = '\0';
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '(') {
      ++open;
    } else if (c == ')' && --open < 0) {
      return -1;
    }
  }
  return open;
}

Error no_aliases(const Position& where) {
  return usage_error("aliases are not part of the format", where, "write the value again");
}

Error not_yaml(const YamlFault& fault, const std::string& file) {
  return usage_error("this is not YAML: " + fault.what, {file, fault.line, fault.column},
                     fault.hint);
}

// Builds the tree from yaml-cpp's events, which know what its Node forgets: duplicates and places.
class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(const std::vector<std::string>& lines, std::string file)
      : lines_(lines), file_(std::move(file)) {}

  bool has_root() const { return has_root_; }
  YamlNode take_root() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (!has_root_) return;
    const Position where = place(mark);
    // A line that begins further left than the first one ends the document, too.
    const std::string& line = lines_.at(static_cast<size_t>(where.line) - 1);
    const auto fault = line.starts_with("---") ? std::nullopt : find_yaml_fault(lines_, where.line);
    if (fault) throw not_yaml(*fault, file_);
    throw usage_error("a second document begins here", where, "one file is one document");
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    refuse_extras(mark, "", anchor);
    if (!open_.empty() && std::exchange(open_.back().joined_key, false)) return;
    YamlNode node;
    node.where = node.content = place(mark);
    if (!open_.empty() && open_.back().node.kind == YamlNode::Kind::map) {
      if (!open_.back().has_key) throw usage_error("a key must be text", node.where);
      // The event's own mark is the place where the parser noticed the key, often lines below.
      node.where = node.content = open_.back().key_where;
    }
    add(std::move(node));
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { throw no_aliases(place(mark)); }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    refuse_extras(mark, tag, anchor);
    YamlNode node;
    node.kind = YamlNode::Kind::scalar;
    node.where = node.content = place(mark);
    node.text = value;
    const char style = character(node.where);
    node.plain = style != '"' && style != '\'' && style != '|' && style != '>';
    if (style == '"' || style == '\'') {
      check_closed(node.where, style);
      ++node.content.column;
    }
    if (style == '|' || style == '>') node.content = block_start(node.where.line);
    if (node.plain && joins(node)) return;
    require_closed();
    if (node.plain) check_plain(node);
    add(std::move(node));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override {
    open(mark, tag, anchor, YamlNode::Kind::list, style);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override {
    open(mark, tag, anchor, YamlNode::Kind::map, style);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    YamlNode node;
    bool flow = false;
    bool has_key = false;
    YamlNode opened;          ///< the value with an open parenthesis, as it was cut off
    bool left_open = false;   ///< the last value has a parenthesis that flow style may have cut off
    bool joined_key = false;  ///< the text joined to it looked like a key without a value
    std::string key;
    Position key_where;
    std::map<std::string, int> lines;  ///< line of each key so far
  };

  Position place(const YAML::Mark& mark) const {
    return {file_, std::max(0, mark.line) + 1, std::max(0, mark.column) + 1};
  }

  char character(const Position& where) const {
    const auto line = static_cast<size_t>(where.line) - 1;
    const auto column = static_cast<size_t>(where.column) - 1;
    return line < lines_.size() && column < lines_[line].size() ? lines_[line][column] : '\0';
  }

  // yaml-cpp 0.7 takes the end of the file for a closing quote.
  void check_closed(const Position& where, char quote) const {
    auto from = static_cast<size_t>(where.column);
    for (auto line = static_cast<size_t>(where.line) - 1; line < lines_.size(); ++line, from = 0) {
      if (lines_[line].find(quote, from) != std::string::npos) return;
    }
    throw usage_error("the quote is never closed", where);
  }

  // The first character of a block scalar: past the indentation of the line below its `|`.
  Position block_start(int indicator_line) const {
    const auto below = static_cast<size_t>(indicator_line);
    size_t column = 0;
    if (below < lines_.size())
      column = std::min(lines_[below].find_first_not_of(' '), lines_[below].size());
    return {file_, indicator_line + 1, static_cast<int>(column) + 1};
  }

  void refuse_extras(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) const {
    if (anchor != 0) {
      throw usage_error("anchors are not part of the format", place(mark),
                        "write the value wherever it is needed");
    }
    // yaml-cpp gives "?" to plain and "!" to quoted nodes that have no tag.
    if (!tag.empty() && tag != "?" && tag != "!") {
      throw usage_error(fmt::format("tags are not part of the format, and here is `{}`", tag),
                        place(mark), "a key's kind is fixed by the schema");
    }
  }

  void check_plain(const YamlNode& node) {
    if (looks_octal(node.text)) {
      throw usage_error(fmt::format("`{}` looks like an octal number", node.text), node.where,
                        "write it without the leading zero, or quote a text");
    }
    const bool is_key =
        !open_.empty() && open_.back().node.kind == YamlNode::Kind::map && !open_.back().has_key;
    const bool in_flow = !open_.empty() && open_.back().flow;
    const int left_open = open_parentheses(node.text);
    if ((!is_key && !in_flow) || left_open == 0) return;
    if (in_flow && !is_key && left_open > 0) {
      open_.back().left_open = true;
      open_.back().opened = node;
      return;
    }
    throw unbalanced(node, in_flow);
  }

  static Error unbalanced(const YamlNode& node, bool in_flow) {
    return usage_error(fmt::format("`{}` has an unbalanced parenthesis", node.text), node.where,
                       in_flow ? "inside { } and [ ] a comma ends the value: quote the expression, "
                                 "as in \"ceil_div(n, 128)\""
                               : "quote the expression, as in \"ceil_div(n, 128)\"");
  }

  static YamlNode& last_value(Open& level) {
    return level.node.kind == YamlNode::Kind::list ? level.node.elements.back()
                                                   : level.node.members.back().value;
  }

  // Flow style cuts `{grid: ceil_div(n, 128)}` at its comma. Only the rest can follow: an element,
  // or a key without a value.
  bool joins(const YamlNode& node) {
    if (open_.empty() || !open_.back().left_open || open_.back().joined_key) return false;
    Open& level = open_.back();
    if (level.has_key) return false;
    YamlNode& value = last_value(level);
    value.text = between(value, node);
    const int left_open = open_parentheses(value.text);
    if (left_open < 0) throw unbalanced(level.opened, true);
    level.left_open = left_open > 0;
    level.joined_key = level.node.kind == YamlNode::Kind::map;
    return true;
  }

  // The text from one plain scalar to the end of another, as the file has it.
  std::string between(const YamlNode& first, const YamlNode& last) const {
    const std::string& line = lines_.at(static_cast<size_t>(first.where.line) - 1);
    const auto begin = static_cast<size_t>(first.where.column) - 1;
    const auto end = static_cast<size_t>(last.where.column) - 1 + last.text.size();
    const bool is_here = first.where.line == last.where.line && end <= line.size() &&
                         line.compare(begin, first.text.size(), first.text) == 0;
    return is_here ? line.substr(begin, end - begin) : first.text + ", " + last.text;
  }

  // Throws if a parenthesis is still open when another value begins.
  void require_closed() {
    if (open_.empty()) return;
    Open& level = open_.back();
    if (level.left_open || level.joined_key) throw unbalanced(level.opened, true);
  }

  void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
            YamlNode::Kind kind, YAML::EmitterStyle::value style) {
    refuse_extras(mark, tag, anchor);
    require_closed();
    if (!open_.empty() && open_.back().node.kind == YamlNode::Kind::map && !open_.back().has_key) {
      throw usage_error("a key must be text", place(mark));
    }
    Open level;
    level.node.kind = kind;
    level.node.where = level.node.content = place(mark);
    level.flow = style == YAML::EmitterStyle::Flow || (!open_.empty() && open_.back().flow);
    open_.push_back(std::move(level));
  }

  void close() {
    require_closed();
    YamlNode node = std::move(open_.back().node);
    open_.pop_back();
    add(std::move(node));
  }

  void add(YamlNode node) {
    if (open_.empty()) {
      root_ = std::move(node);
      has_root_ = true;
      return;
    }
    Open& level = open_.back();
    if (level.node.kind == YamlNode::Kind::list) {
      level.node.elements.push_back(std::move(node));
    } else if (!level.has_key) {
      start_member(level, node);
    } else {
      level.node.members.push_back({std::move(level.key), level.key_where, std::move(node)});
      level.has_key = false;
    }
  }

  static void start_member(Open& level, const YamlNode& key) {
    if (key.plain && key.text == "<<") {
      throw usage_error("merge keys are not part of the format", key.where,
                        "write the members out");
    }
    const auto [first, is_new] = level.lines.try_emplace(key.text, key.where.line);
    if (!is_new) {
      throw usage_error(fmt::format("the key `{}` is here a second time", key.text), key.where,
                        fmt::format("the first is on line {}", first->second));
    }
    level.has_key = true;
    level.key = key.text;
    level.key_where = key.where;
  }

  const std::vector<std::string>& lines_;
  std::string file_;
  std::vector<Open> open_;
  YamlNode root_;
  bool has_root_ = false;
};

// True if there is a tab among the blanks in front.
bool begins_with_tab(const std::string& line) {
  return line.substr(0, line.find_first_not_of(" \t")).find('\t') != std::string::npos;
}

void check_characters(const std::vector<std::string>& lines, const std::string& file) {
  for (size_t i = 0; i < lines.size(); ++i) {
    const int line = static_cast<int>(i) + 1;
    if (printable(lines[i]) != lines[i]) {
      throw usage_error("the line has a control character or is not UTF-8", {file, line, 0});
    }
  }
}

}  // namespace

YamlNode parse_yaml(const std::string& text, const std::string& file) {
  std::string unix_text = text;
  std::erase(unix_text, '\r');
  const std::vector<std::string> lines = split(unix_text, '\n');
  check_characters(lines, file);
  TreeBuilder builder(lines, file);
  std::istringstream stream(unix_text);
  try {
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& error) {
    Position where{file, error.mark.line + 1, error.mark.column + 1};
    // An alias whose anchor is missing: anchors are refused before their aliases are met.
    if (error.msg.starts_with("the referenced anchor")) throw no_aliases(where);
    const auto line = static_cast<size_t>(std::max(0, error.mark.line));
    std::string hint;
    if (line < lines.size() && begins_with_tab(lines[line])) {
      hint = "indent with blanks: YAML allows no tabs there";
    } else if (const auto fault = find_yaml_fault(lines, where.line)) {
      throw not_yaml(*fault, file);
    }
    throw usage_error("this is not YAML: " + error.msg, where, hint);
  }
  if (!builder.has_root()) throw usage_error("the file is empty", {file, 1, 1});
  return builder.take_root();
}

}  // namespace warpmark
