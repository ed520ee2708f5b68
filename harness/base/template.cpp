#include "base/template.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/embedded_texts.hpp"
#include "base/error.hpp"
#include "base/json_text.hpp"

namespace warpmark {

namespace {

using Json = nlohmann::ordered_json;

struct Tag {
  char kind = 0;  ///< one of "#?^/&>"; 0 for a value
  std::string_view name;
  size_t begin = 0, end = 0;
  bool is_line = false;  ///< then the end is that of the line
};

class Filler {
 public:
  Filler(std::string_view text, std::vector<const Json*>& values,
         std::string (*escaped)(std::string_view))
      : text_(text), values_(values), escaped_(escaped) {}

  std::string fill() {
    fill_part(0, text_.size());
    return std::move(out_);
  }

 private:
  // The next tag from `at` on; one whose begin is npos if there is none. Other braces are text.
  Tag next_tag(size_t at) const {
    constexpr std::string_view kKinds = "#?^/&>";
    constexpr std::string_view kStarts =
        "#?^/&>._abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    Tag tag;
    do {
      tag.begin = text_.find("{{", at);
      if (tag.begin == std::string_view::npos) return tag;
      at = tag.begin + 1;
    } while (tag.begin + 2 >= text_.size() ||
             kStarts.find(text_[tag.begin + 2]) == std::string_view::npos);
    tag.end = text_.find("}}", tag.begin);
    if (tag.end == std::string_view::npos) throw internal_error("a tag has no end");
    tag.name = text_.substr(tag.begin + 2, tag.end - tag.begin - 2);
    tag.end += 2;
    if (kKinds.find(tag.name.front()) == std::string_view::npos) return tag;
    tag.kind = tag.name.front();
    tag.name.remove_prefix(1);
    const bool first = tag.begin == 0 || text_[tag.begin - 1] == '\n';
    const bool last = tag.end < text_.size() && text_[tag.end] == '\n';
    tag.is_line = tag.kind != '&' && first && last;
    if (tag.is_line) ++tag.end;
    return tag;
  }

  static bool is_opening(const Tag& tag) {
    return tag.kind == '#' || tag.kind == '?' || tag.kind == '^';
  }

  // The tag that closes a section.
  Tag closing(const Tag& open) const {
    size_t depth = 1;
    for (Tag tag = next_tag(open.end); tag.begin != std::string_view::npos;
         tag = next_tag(tag.end)) {
      if (tag.name != open.name) continue;
      if (is_opening(tag)) ++depth;
      if (tag.kind == '/' && --depth == 0) return tag;
    }
    throw internal_error(fmt::format("the section {} has no end", open.name));
  }

  const Json* find(std::string_view name) const {
    if (name == ".") return values_.back();
    for (auto scope = values_.rbegin(); scope != values_.rend(); ++scope) {
      if (!(*scope)->is_object()) continue;
      const auto found = (*scope)->find(name);
      if (found != (*scope)->end()) return &*found;
    }
    return nullptr;
  }

  static bool is_nothing(const Json* value) {
    if (value == nullptr || value->is_null()) return true;
    if (value->is_boolean()) return !value->get<bool>();
    return value->is_string() ? value->get_ref<const std::string&>().empty()
                              : value->is_array() && value->empty();
  }

  void fill_value(const Tag& tag) {
    const Json* value = find(tag.name);
    if (value == nullptr) throw internal_error(fmt::format("no value for the tag {}", tag.name));
    const std::string text =
        value->is_string() ? value->get_ref<const std::string&>() : json_line(*value);
    out_ += tag.kind == '&' || escaped_ == nullptr ? text : escaped_(text);
  }

  void fill_section(const Tag& open, size_t end) {
    const Json* value = find(open.name);
    if (is_nothing(value) != (open.kind == '^')) return;
    if (open.kind != '#' || !value->is_structured()) {
      fill_part(open.end, end);
      return;
    }
    const auto fill_within = [&](const Json& one) {
      values_.push_back(&one);
      fill_part(open.end, end);
      values_.pop_back();
    };
    if (value->is_object()) return fill_within(*value);
    for (const Json& one : *value) fill_within(one);
  }

  void fill_part(size_t at, size_t end) {
    while (true) {
      const Tag tag = next_tag(at);
      out_ += text_.substr(at, std::min(tag.begin, end) - at);
      if (tag.begin >= end) return;
      at = tag.end;
      if (is_opening(tag)) {
        const Tag close = closing(tag);
        fill_section(tag, close.begin);
        at = close.end;
      } else if (tag.kind == '>') {
        std::string_view file = embedded_text(tag.name);
        if (!tag.is_line && file.ends_with('\n')) file.remove_suffix(1);
        out_ += Filler(file, values_, escaped_).fill();
      } else {
        fill_value(tag);
      }
    }
  }

  std::string_view text_;
  std::vector<const Json*>& values_;  ///< the innermost section's last
  std::string (*escaped_)(std::string_view);
  std::string out_;
};

}  // namespace

std::string_view embedded_text(std::string_view file) {
  const auto* const found = std::ranges::find(kEmbeddedTexts, file, &EmbeddedText::file);
  if (found == std::end(kEmbeddedTexts)) throw internal_error(fmt::format("no text {}", file));
  return found->text;
}

std::vector<std::string> embedded_files(std::string_view folder) {
  std::vector<std::string> files;
  for (const EmbeddedText& one : kEmbeddedTexts) {
    if (one.file.starts_with(folder)) files.emplace_back(one.file.substr(folder.size()));
  }
  return files;
}

std::string filled(std::string_view text, const Json& values,
                   std::string (*escaped)(std::string_view)) {
  std::vector<const Json*> scopes = {&values};
  return Filler(text, scopes, escaped).fill();
}

std::string filled_file(std::string_view file, const Json& values,
                        std::string (*escaped)(std::string_view)) {
  return filled(embedded_text(file), values, escaped);
}

}  // namespace warpmark
