#include "ptx_header.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <utility>

namespace warpmark::toolkit {
namespace {

constexpr std::string_view kReadable = "9.0";  // by a driver 13.0

bool is_space(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0;
}

// Where the next token begins, after blanks and comments.
std::size_t skip(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    if (is_space(text[at])) {
      ++at;
    } else if (text.substr(at, 2) == "//") {
      at = std::min(text.find('\n', at), text.size());
    } else if (text.substr(at, 2) == "/*") {
      const std::size_t end = text.find("*/", at + 2);
      at = end == std::string_view::npos ? text.size() : end + 2;
    } else {
      break;
    }
  }
  return at;
}

// The directives that begin a text are .version, .target and .address_size, with words between.
std::string_view word_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && !is_space(text[end]) && text[end] != ',' && text[end] != '/') ++end;
  return text.substr(at, end - at);
}

std::string with_word(std::string text, std::string_view directive, std::string_view word) {
  const std::string_view old = header_word(text, directive);
  if (!old.empty()) {
    const auto at = static_cast<std::size_t>(old.data() - text.data());
    text.replace(at, old.size(), word);
  }
  return text;
}

}  // namespace

int number_of_version(std::string_view version) {
  const std::size_t dot = version.find('.');
  if (dot == std::string_view::npos) return 0;
  return std::atoi(std::string(version.substr(0, dot)).c_str()) * 100 +
         std::atoi(std::string(version.substr(dot + 1)).c_str());
}

int number_of_architecture(std::string_view name) {
  const std::size_t digits = name.find_first_of("0123456789");
  return digits == std::string_view::npos ? 0 : std::atoi(std::string(name.substr(digits)).c_str());
}

std::string_view header_word(std::string_view text, std::string_view directive) {
  constexpr int kMostWords = 12;
  std::size_t at = skip(text, 0);
  for (int word = 0; word < kMostWords && at < text.size(); ++word) {
    const std::string_view found = word_at(text, at);
    at = skip(text, at + std::max<std::size_t>(found.size(), 1));
    if (found == directive) return word_at(text, at);
  }
  return {};
}

std::string with_readable_version(std::string text) {
  if (std::getenv("WARPMARK_CPU_DRIVER") == nullptr) return text;
  const int version = number_of_version(header_word(text, ".version"));
  if (version <= number_of_version(kReadable)) return text;
  return with_word(std::move(text), ".version", kReadable);
}

std::string with_target(std::string text, std::string_view target) {
  return with_word(std::move(text), ".target", target);
}

}  // namespace warpmark::toolkit
