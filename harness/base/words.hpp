// Enumerations whose values have words, in files and for people.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <type_traits>

namespace warpmark {

/// The words stand beside the enumeration, in its order:
///     enum class Credit : uint8_t { all, each, degree };
///     constexpr auto words(Credit) { return words_are("all", "each", "degree"); }
template <typename Enum>
concept Worded = std::is_enum_v<Enum> && requires(Enum value) {
  words(value).size();
};

template <typename... Text>
constexpr std::array<std::string_view, sizeof...(Text)> words_are(const Text&... all) {
  return {all...};
}

template <Worded Enum>
constexpr std::string_view to_text(Enum value) {
  return words(value)[static_cast<size_t>(value)];
}

template <Worded Enum>
constexpr auto each_value() {
  std::array<Enum, words(Enum()).size()> all{};
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<Enum>(i);
  return all;
}

}  // namespace warpmark
