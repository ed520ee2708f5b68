// Reads an argument that is a tensor map.
#include <fmt/format.h>

#include <algorithm>

#include "base/tensor_map.hpp"
#include "suite/suite_reader.hpp"

namespace warpmark {

Argument read_tensor_map(const YamlMember& member) {
  const std::string what = fmt::format("the tensor map `{}`", member.key);
  std::vector<std::string> keys = {"tensor_map", "box", "element_strides", "shape", "strides"};
  for (const auto& [key, words] : tensor_map_words()) keys.push_back(key);
  require_map(member.value, what, keys);
  Argument argument;
  argument.name = member.key;
  argument.where = member.where;
  argument.kind = ArgumentKind::tensor_map;
  SuiteTensorMap& map = argument.tensor_map.emplace();
  map.where = member.where;
  map.array = read_text(*member.value.find("tensor_map"), "an argument's name");
  const auto numbers = [&](const char* key, std::vector<Expression>& into) {
    const YamlNode* node = member.value.find(key);
    if (node != nullptr) into = read_expressions(*node, fmt::format("`{}`", key));
  };
  numbers("box", map.box);
  numbers("element_strides", map.element_strides);
  numbers("shape", map.shape);
  numbers("strides", map.strides);
  if (map.box.empty()) {
    throw usage_error(what + " needs `box`, the elements that one copy takes along each axis",
                      member.where, "box: [64, 64]");
  }
  for (const auto& [key, words] : tensor_map_words()) {
    const YamlNode* node = member.value.find(key);
    if (node != nullptr) map.words.emplace(key, read_text(*node, fmt::format("`{}`", key)));
  }
  return argument;
}

Error unknown_tensor_word(const std::string& key, const Located& word) {
  for (const auto& [known, words] : tensor_map_words()) {
    if (known == key) return unknown_word("value of `" + key + "`", word.text, word.where, words);
  }
  throw internal_error("a tensor map has no words for " + key);
}

void check_tensor_words(const SuiteTensorMap& map, const std::vector<std::string>& axes) {
  const auto has = [](const std::vector<std::string>& all, const std::string& word) {
    return std::find(all.begin(), all.end(), word) != all.end();
  };
  for (const auto& [key, words] : tensor_map_words()) {
    const auto word = map.words.find(key);
    if (word == map.words.end() || has(axes, word->second.text)) continue;
    if (!has(words, word->second.text)) throw unknown_tensor_word(key, word->second);
  }
}

}  // namespace warpmark
