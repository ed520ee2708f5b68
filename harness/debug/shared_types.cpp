#include "debug/shared_types.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "debug/expression_lexer.hpp"

namespace warpmark::debugging {
namespace {

using Tokens = std::vector<ExpressionToken>;

TypePointer plain_type(const std::string& words) {
  static const std::pair<const char*, const char*> kNames[] = {{"int", "int32"},
                                                               {"unsigned", "uint32"},
                                                               {"unsigned int", "uint32"},
                                                               {"float", "float32"},
                                                               {"double", "float64"},
                                                               {"short", "int16"},
                                                               {"unsigned short", "uint16"},
                                                               {"char", "int8"},
                                                               {"unsigned char", "uint8"},
                                                               {"long long", "int64"},
                                                               {"unsigned long long", "uint64"},
                                                               {"size_t", "uint64"},
                                                               {"__half", "float16"},
                                                               {"half", "float16"},
                                                               {"bool", "bool"},
                                                               {"int8_t", "int8"},
                                                               {"uint8_t", "uint8"},
                                                               {"int32_t", "int32"},
                                                               {"uint32_t", "uint32"},
                                                               {"int64_t", "int64"},
                                                               {"uint64_t", "uint64"}};
  for (const auto& [known, dtype] : kNames) {
    if (words == known) return type_of_dtype(dtype);
  }
  return nullptr;
}

// The type of a declaration's text behind `__shared__`, if it declares the variable.
TypePointer declared(const Tokens& tokens, const std::string& name, uint64_t bytes) {
  size_t at = 0;
  std::string words;
  for (; tokens[at].kind == ExpressionToken::Kind::name && tokens[at].text != name; ++at) {
    const std::string& word = tokens[at].text;
    if (word == "const" || word == "volatile" || word.starts_with("__align")) continue;
    words += (words.empty() ? "" : " ") + word;
  }
  if (words.empty() || tokens[at].text != name) return nullptr;
  std::vector<uint64_t> counts;
  while (tokens[++at].text == "[") {
    const bool is_number =
        tokens[at + 1].kind == ExpressionToken::Kind::integer && tokens[at + 2].text == "]";
    counts.push_back(is_number ? tokens[at + 1].integer : 0);
    while (tokens[at].kind != ExpressionToken::Kind::end && tokens[at].text != "]") ++at;
    if (tokens[at].kind == ExpressionToken::Kind::end) return nullptr;
  }
  uint64_t known = 1;
  for (const uint64_t count : counts) known *= count == 0 ? 1 : count;
  const bool all = std::ranges::find(counts, 0) == counts.end();
  TypePointer type = plain_type(words);
  // A parameter of a template, or a macro: the size of an element is known if all bounds are.
  if (type == nullptr && all && known != 0) type = unknown_type(words, bytes / known);
  if (type == nullptr) return nullptr;
  known *= type->bytes;
  if (known == 0 || bytes % known != 0) return nullptr;
  uint64_t rest = bytes / known;  // for the first bound that is no number
  for (uint64_t& count : counts) {
    if (count == 0) count = std::exchange(rest, 1);
  }
  if (rest != 1) return nullptr;
  for (auto count = counts.rbegin(); count != counts.rend(); ++count) type = array_of(type, *count);
  return type;
}

}  // namespace

TypePointer shared_type(const std::vector<std::string>& sources, const std::string& name,
                        uint64_t bytes) {
  constexpr std::string_view kWord = "__shared__";
  for (const std::string& source : sources) {
    for (size_t at = source.find(kWord); at != std::string::npos; at = source.find(kWord, at)) {
      at += kWord.size();
      const size_t end = source.find(';', at);
      if (end == std::string::npos || end - at > 300) continue;
      try {
        std::string text = source.substr(at, end - at);
        for (char& c : text) c = c == '\n' || c == '\r' ? ' ' : c;
        if (TypePointer type = declared(expression_tokens(text), name, bytes)) return type;
      } catch (const Error&) {  // no declaration that is known here
      }
    }
  }
  return array_of(type_of_dtype("uint8"), bytes);
}

}  // namespace warpmark::debugging
