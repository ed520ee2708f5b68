// A YAML document as a small tree in which every node knows its line and column.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace warpmark {

struct YamlMember;

/// One node: a scalar's text is exactly what the file says, and no type is guessed from it.
struct YamlNode {
  enum class Kind : uint8_t { null, scalar, list, map };

  Kind kind = Kind::null;
  Position where;    ///< of the node
  Position content;  ///< of a scalar's first character: past a quote, or on the line below `|`
  std::string text;
  bool plain = false;               ///< a scalar without quotes
  std::vector<YamlNode> elements;   ///< of a list
  std::vector<YamlMember> members;  ///< of a map, in file order

  /// Nothing if the map has no such key.
  const YamlNode* find(std::string_view key) const;
};

struct YamlMember {
  std::string key;
  Position where;  ///< of the key
  YamlNode value;
};

/// "nothing", "text", "a list", "a map".
std::string_view to_text(YamlNode::Kind kind);

/// Parses one document. `file` is how errors call it. Throws a usage error for what is not YAML and
/// for what suites do without: anchors, aliases, merge keys, tags, duplicate keys, keys that are
/// not text, octal-looking numbers, further documents, control characters, and a parenthesis that
/// stays open. A value of flow style that has a comma between parentheses, as in
/// `{grid: ceil_div(n, 128)}`, is joined again, where nothing else can be meant.
YamlNode parse_yaml(const std::string& text, const std::string& file);

}  // namespace warpmark
