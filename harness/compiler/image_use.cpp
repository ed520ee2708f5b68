#include "compiler/image_use.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <vector>

#include "base/characters.hpp"
#include "base/text.hpp"

namespace warpmark {

namespace {

struct Form {
  std::string_view geometry, texture, surface;
};
constexpr std::array kForms = {
    Form{"a1d", "tex1DLayered", "surf1DLayered…"},
    Form{"a2d", "tex2DLayered", "surf2DLayered…"},
    Form{"cube", "texCubemap", "surfCubemap…"},
    Form{"acube", "texCubemapLayered", "surfCubemapLayered…"},
};

// A kernel or function of the text.
struct Body {
  std::optional<ImageUse> use;
  std::set<std::string, std::less<>> words;  ///< what it may call
};

bool is_of_name(char c) {
  return is_word_character(c) || c == '$';
}

// The instruction of a line of PTX, behind its guard: "tex.2d.v4.f32.f32".
std::string_view opcode_of(std::string_view line) {
  line = trim(line);
  if (line.starts_with('@'))
    line = trim(line.substr(std::min(line.find_first_of(" \t"), line.size())));
  return line.substr(0, line.find_first_of(" \t;"));
}

std::optional<ImageUse> use_of(std::string_view opcode) {
  const std::vector<std::string> parts = split(std::string(opcode), '.');
  const bool texture = parts[0] == "tex" || parts[0] == "tld4";
  const bool surface = parts[0] == "suld" || parts[0] == "sust" || parts[0] == "sured";
  if (!texture && !surface) return std::nullopt;
  for (const Form& form : kForms) {
    if (std::find(parts.begin() + 1, parts.end(), form.geometry) == parts.end()) continue;
    return ImageUse{std::string(opcode), std::string(texture ? form.texture : form.surface)};
  }
  return std::nullopt;
}

// The name that `.entry` or `.func` of a line declares; "" if there is none.
std::string declared_name(std::string_view line) {
  for (const std::string_view word : {".entry ", ".func "}) {
    size_t at = line.find(word);
    if (at == std::string_view::npos) continue;
    at += word.size();
    // A function's result stands in parentheses before its name.
    at = line.find_first_not_of(" \t", at);
    if (at != std::string_view::npos && line[at] == '(') {
      at = line.find(')', at);
      at = at == std::string_view::npos ? at : line.find_first_not_of(" \t", at + 1);
    }
    if (at == std::string_view::npos) return "";
    const auto end =
        std::find_if_not(line.begin() + static_cast<std::ptrdiff_t>(at), line.end(), is_of_name);
    return std::string(line.begin() + static_cast<std::ptrdiff_t>(at), end);
  }
  return "";
}

void add_words(std::string_view line, std::set<std::string, std::less<>>& words) {
  for (size_t at = 0; at < line.size();) {
    if (!is_of_name(line[at])) {
      ++at;
      continue;
    }
    size_t end = at;
    while (end < line.size() && is_of_name(line[end])) ++end;
    words.emplace(line.substr(at, end - at));
    at = end;
  }
}

std::map<std::string, Body> bodies_of(std::string_view ptx) {
  std::map<std::string, Body> bodies;
  Body* body = nullptr;
  for (size_t begin = 0; begin < ptx.size();) {
    const size_t end = std::min(ptx.find('\n', begin), ptx.size());
    const std::string_view whole = ptx.substr(begin, end - begin);
    const std::string_view line = whole.substr(0, whole.find("//"));
    begin = end + 1;
    if (const std::string name = declared_name(line); !name.empty()) {
      body = &bodies[name];
      continue;
    }
    if (body == nullptr) continue;
    const std::string_view opcode = opcode_of(line);
    if (!body->use) body->use = use_of(opcode);
    // The callee stands in a line of its own, behind `call`: lines of one name only.
    if (opcode.starts_with("call") || opcode.find('.') == std::string_view::npos) {
      add_words(line, body->words);
    }
  }
  return bodies;
}

}  // namespace

std::optional<ImageUse> layered_image_use(std::string_view ptx, const std::string& symbol) {
  const bool none = std::ranges::none_of(kForms, [&](const Form& form) {
    return ptx.find("." + std::string(form.geometry) + ".") != std::string_view::npos;
  });
  if (none) return std::nullopt;
  const std::map<std::string, Body> bodies = bodies_of(ptx);
  std::vector<std::string> open = {symbol};
  std::set<std::string> seen = {symbol};
  while (!open.empty()) {
    const auto found = bodies.find(open.back());
    open.pop_back();
    if (found == bodies.end()) continue;
    if (found->second.use) return found->second.use;
    for (const auto& [name, body] : bodies) {
      if (found->second.words.contains(name) && seen.insert(name).second) open.push_back(name);
    }
  }
  return std::nullopt;
}

}  // namespace warpmark
