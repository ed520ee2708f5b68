// Reads an argument that is a tensor map.
#include <fmt/format.h>

#include <algorithm>

#include "base/tensor_map.hpp"
#include "suite/suite_keys.hpp"
#include "suite/suite_reader.hpp"

namespace warpmark {

Argument read_tensor_map(const YamlMember& member) {
  const std::string what = fmt::format("the tensor map `{}`", member.key);
  const KeyedMap keys(member.value, what, tensor_map_keys());
  Argument argument;
  argument.name = member.key;
  argument.where = member.where;
  argument.kind = ArgumentKind::tensor_map;
  SuiteTensorMap& map = argument.tensor_map.emplace();
  map.where = member.where;
  map.array = read_text(keys.at("tensor_map"), "an argument's name");
  map.box = keys.expressions("box");
  map.element_strides = keys.expressions("element_strides");
  map.shape = keys.expressions("shape");
  map.strides = keys.expressions("strides");
  for (const auto& [key, words] : tensor_map_words()) {
    if (const auto word = keys.text(key)) map.words.emplace(key, *word);
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
    return std::ranges::find(all, word) != all.end();
  };
  for (const auto& [key, words] : tensor_map_words()) {
    const auto word = map.words.find(key);
    if (word == map.words.end() || has(axes, word->second.text)) continue;
    if (!has(words, word->second.text)) throw unknown_tensor_word(key, word->second);
  }
}

}  // namespace warpmark
