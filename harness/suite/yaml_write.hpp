// A tree of YAML as text again: the same values, without comments.
#pragma once

#include <string>
#include <string_view>

#include "suite/yaml_node.hpp"

namespace warpmark {

/// A scalar without a place, to be put into a tree.
YamlNode yaml_text(std::string text);
/// A list of such scalars.
YamlNode yaml_list(const std::vector<std::string>& texts);
/// The map's value of that key, new at the end if there is none.
YamlNode& yaml_member(YamlNode& map, std::string_view key);
void remove_member(YamlNode& map, std::string_view key);

/// The document, which parse_yaml() reads as the same tree. Maps of one level are on lines of their
/// own, and shorter ones in flow style. Text is quoted unless nothing in it could mean anything.
std::string to_yaml(const YamlNode& root);

}  // namespace warpmark
