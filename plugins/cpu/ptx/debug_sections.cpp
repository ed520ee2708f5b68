#include "ptx/debug_sections.hpp"

#include <algorithm>
#include <utility>

#include "ptx/characters.hpp"

namespace warpmark::cpu {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

std::uint64_t digits_of(std::string_view word) {
  std::uint64_t value = 0;
  for (const char digit : word)
    value = is_digit(digit) ? value * 10 + static_cast<std::uint64_t>(digit - '0') : value;
  return value;
}

std::size_t width_of(std::string_view word) {
  return word == ".b8" ? 1 : word == ".b16" ? 2 : word == ".b32" ? 4 : word == ".b64" ? 8 : 0;
}

}  // namespace

DebugSection section_bytes(std::string_view inside, std::size_t most) {
  DebugSection section;
  std::size_t width = 0, at = 0;
  while (at < inside.size() && section.bytes.size() < most) {
    const char c = inside[at];
    if (is_blank(c) || c == ',' || c == '{') {
      ++at;
      continue;
    }
    const std::size_t begin = at;
    if (c == '}') {
      ++at;
      break;
    }
    while (at < inside.size() && !is_blank(inside[at]) && inside[at] != ',' && inside[at] != '}')
      ++at;
    const std::string_view word = inside.substr(begin, at - begin);
    if (word.starts_with(".b") && word.size() <= 4) {
      width = width_of(word);
      continue;
    }
    if (word.starts_with("//")) {
      at = std::min(inside.find('\n', at), inside.size());
      continue;
    }
    if (word.ends_with(':')) {
      section.labels.emplace(word.substr(0, word.size() - 1), section.bytes.size());
      continue;
    }
    std::uint64_t value = 0;
    if (is_digit(c)) {
      value = digits_of(word);
    } else {
      const std::size_t plus = word.find('+');
      const std::uint64_t addend =
          plus == std::string_view::npos ? 0 : digits_of(word.substr(plus + 1));
      section.references.emplace(section.bytes.size(),
                                 DebugSection::Reference{word.substr(0, plus), addend, width});
    }
    for (std::size_t i = 0; i < width; ++i)
      section.bytes += static_cast<char>(value >> 8 * i & 0xff);
  }
  section.end = at;
  return section;
}

std::vector<DebugSection> debug_sections(std::string_view text) {
  constexpr std::string_view kWord = ".section", kPrefix = ".debug_";
  std::vector<DebugSection> sections;
  for (std::size_t at = text.find(kWord); at != std::string_view::npos; at = text.find(kWord, at)) {
    const std::size_t found = at;
    at += kWord.size();
    std::size_t name = at;
    while (name < text.size() && is_blank(text[name])) ++name;
    if (text.compare(name, kPrefix.size(), kPrefix) != 0) continue;
    std::size_t end = name;
    while (end < text.size() && !is_blank(text[end]) && text[end] != '{') ++end;
    const std::size_t brace = text.find('{', end);
    if (brace == std::string_view::npos) break;
    DebugSection section = section_bytes(text.substr(brace + 1));
    section.name = text.substr(name, end - name);
    section.begin = found;
    at = section.end += brace + 1;  // where its own brace is, and no other: this reads a text once
    sections.push_back(std::move(section));
  }
  return sections;
}

}  // namespace warpmark::cpu
