#include "suite/yaml_write.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/characters.hpp"
#include "base/json_text.hpp"
#include "base/text.hpp"

namespace warpmark {
namespace {

constexpr size_t kWidth = 100;

// Words, numbers and simple paths mean the same with quotes and without. Texts that could be null,
// an octal number or syntax get quotes.
bool needs_no_quotes(const std::string& text) {
  if (text.empty() || text.front() == ' ' || text.back() == ' ') return false;
  if (text == "null" || text == "Null" || text == "NULL" || text == "true" || text == "false") {
    return false;
  }
  size_t start = 0;
  if (text.front() == '-' && text.size() > 1 && is_digit(text[1])) start = 1;
  if (!is_word_start(text[start]) && !is_digit(text[start])) return false;
  if (text[start] == '0' && text.size() > start + 1 && text[start + 1] != '.') return false;
  return std::all_of(text.begin() + static_cast<std::ptrdiff_t>(start), text.end(), [](char c) {
    return is_word_character(c) || std::string_view(" ./+*-").find(c) != std::string::npos;
  });
}

std::string scalar(const std::string& text) {
  return needs_no_quotes(text) ? text : json_line(nlohmann::json(text));
}

bool holds_more(const YamlNode& node) {
  return node.kind == YamlNode::Kind::list || node.kind == YamlNode::Kind::map;
}

std::string flow(const YamlNode& node) {
  std::vector<std::string> parts;
  switch (node.kind) {
    case YamlNode::Kind::null:
      return "null";
    case YamlNode::Kind::scalar:
      return scalar(node.text);
    case YamlNode::Kind::list:
      for (const YamlNode& one : node.elements) parts.push_back(flow(one));
      return "[" + join(parts, ", ") + "]";
    case YamlNode::Kind::map:
      for (const YamlMember& one : node.members) {
        parts.push_back(scalar(one.key) + ": " + flow(one.value));
      }
      return "{" + join(parts, ", ") + "}";
  }
  return "";
}

void write_block(const YamlNode& node, size_t indent, std::string& into);

// Writes the text after "key:" or "-".
void write_value(const YamlNode& node, size_t indent, size_t used, bool in_list,
                 std::string& into) {
  const std::string line = flow(node);
  const bool empty = node.elements.empty() && node.members.empty();
  if (!holds_more(node) || empty || used + 1 + line.size() <= kWidth) {
    into += " " + line + "\n";
    return;
  }
  if (in_list) {  // the first member comes after the "-"
    std::string block;
    write_block(node, indent, block);
    into += " " + block.substr(indent);
    return;
  }
  into += "\n";
  write_block(node, indent, into);
}

void write_block(const YamlNode& node, size_t indent, std::string& into) {
  const std::string lead(indent, ' ');
  for (const YamlNode& one : node.elements) {
    into += lead + "-";
    write_value(one, indent + 2, indent + 1, true, into);
  }
  for (const YamlMember& one : node.members) {
    const std::string key = lead + scalar(one.key) + ":";
    into += key;
    write_value(one.value, indent + 2, key.size(), false, into);
  }
}

}  // namespace

YamlNode yaml_text(std::string text) {
  YamlNode node;
  node.kind = YamlNode::Kind::scalar;
  node.text = std::move(text);
  return node;
}

YamlNode yaml_list(const std::vector<std::string>& texts) {
  YamlNode node;
  node.kind = YamlNode::Kind::list;
  for (const std::string& text : texts) node.elements.push_back(yaml_text(text));
  return node;
}

YamlNode& yaml_member(YamlNode& map, std::string_view key) {
  map.kind = YamlNode::Kind::map;
  for (YamlMember& member : map.members) {
    if (member.key == key) return member.value;
  }
  map.members.push_back({std::string(key), {}, {}});
  return map.members.back().value;
}

void remove_member(YamlNode& map, std::string_view key) {
  std::erase_if(map.members, [&](const YamlMember& member) { return member.key == key; });
}

std::string to_yaml(const YamlNode& root) {
  if (!holds_more(root)) return flow(root) + "\n";
  std::string text;
  write_block(root, 0, text);
  return text;
}

}  // namespace warpmark
