#include "base/dtype.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/text.hpp"

namespace warpmark {

const std::vector<DType>& all_dtypes() {
  using enum DTypeKind;
  static const std::vector<DType> kTypes = {
      {"bool", boolean, 1, "bool"},
      {"int8", signed_integer, 1, "signed char"},
      {"int16", signed_integer, 2, "short"},
      {"int32", signed_integer, 4, "int"},
      {"int64", signed_integer, 8, "long long"},
      {"uint8", unsigned_integer, 1, "unsigned char"},
      {"uint16", unsigned_integer, 2, "unsigned short"},
      {"uint32", unsigned_integer, 4, "unsigned int"},
      {"uint64", unsigned_integer, 8, "unsigned long long"},
      {"float16", floating, 2, "__half"},
      {"float32", floating, 4, "float"},
      {"float64", floating, 8, "double"},
  };
  return kTypes;
}

std::optional<DType> find_dtype(std::string_view name) {
  for (const DType& type : all_dtypes()) {
    if (type.name == name) return type;
  }
  return std::nullopt;
}

std::optional<DType> dtype_of_c_type(std::string_view spelling) {
  // C's integer types are a bag of words in any order: count them.
  int longs = 0, shorts = 0, chars = 0, unsigneds = 0, signeds = 0, ints = 0;
  std::string other;
  for (const std::string& word : split(trim(spelling), ' ')) {
    if (word.empty() || word == "const" || word == "volatile" || word == "__restrict__") continue;
    if (word == "long")
      ++longs;
    else if (word == "short")
      ++shorts;
    else if (word == "char")
      ++chars;
    else if (word == "unsigned")
      ++unsigneds;
    else if (word == "signed")
      ++signeds;
    else if (word == "int")
      ++ints;
    else
      other += other.empty() ? word : " " + word;
  }
  const int integer_words = longs + shorts + chars + unsigneds + signeds + ints;
  if (integer_words > 0 && other.empty()) {
    const std::string_view prefix = unsigneds > 0 ? "uint" : "int";
    const std::string_view width = chars > 0 ? "8" : shorts > 0 ? "16" : longs > 0 ? "64" : "32";
    return find_dtype(std::string(prefix) + std::string(width));
  }
  if (integer_words > 0) return std::nullopt;
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 20> kNames = {{
      {"float", "float32"},   {"double", "float64"},  {"bool", "bool"},
      {"__half", "float16"},  {"half", "float16"},    {"size_t", "uint64"},
      {"int8_t", "int8"},     {"int16_t", "int16"},   {"int32_t", "int32"},
      {"int64_t", "int64"},   {"uint8_t", "uint8"},   {"uint16_t", "uint16"},
      {"uint32_t", "uint32"}, {"uint64_t", "uint64"}, {"std::size_t", "uint64"},
      {"ptrdiff_t", "int64"}, {"ssize_t", "int64"},   {"uint", "uint32"},
      {"ushort", "uint16"},   {"uchar", "uint8"},
  }};
  for (const auto& [name, dtype] : kNames) {
    if (other == name) return find_dtype(dtype);
  }
  return std::nullopt;
}

}  // namespace warpmark
