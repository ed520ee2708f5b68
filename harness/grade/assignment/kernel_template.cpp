#include "grade/assignment/kernel_template.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/characters.hpp"
#include "base/text.hpp"

namespace warpmark {
namespace {

// The text with blanks for comments, so that words in them do not count and all else keeps its
// place.
std::string blank_comments(std::string_view source) {
  std::string text(source);
  size_t at = 0;
  const auto blank_until = [&](size_t end) {
    for (; at < std::min(end, text.size()); ++at) {
      if (text[at] != '\n') text[at] = ' ';
    }
  };
  while (at < text.size()) {
    if (text.compare(at, 2, "//") == 0) {
      blank_until(text.find('\n', at));
    } else if (text.compare(at, 2, "/*") == 0) {
      const size_t end = text.find("*/", at + 2);
      blank_until(end == std::string::npos ? end : end + 2);
    } else {
      ++at;
    }
  }
  return text;
}

/// Where a kernel's definition stands in a text.
struct Definition {
  size_t begin = 0;  ///< of `extern "C"`, `template <…>` or `__global__`
  size_t body = 0;   ///< past its `{`
  size_t end = 0;    ///< of the text between the braces
};

// The folders of the name, as it were: "a::b::f<int>" is {a, b, f}.
std::vector<std::string> name_parts(std::string_view entry) {
  std::vector<std::string> parts;
  for (std::string_view rest = entry.substr(0, entry.find('<'));;) {
    const size_t colons = rest.find("::");
    parts.emplace_back(trim(rest.substr(0, colons)));
    if (colons == std::string_view::npos) return parts;
    rest.remove_prefix(colons + 2);
  }
}

// Past the parenthesis that closes the one at `open`.
size_t past_closing(std::string_view text, size_t open) {
  int depth = 0;
  for (size_t at = open; at < text.size(); ++at) {
    if (text[at] == '(') ++depth;
    if (text[at] == ')' && --depth == 0) return at + 1;
  }
  return std::string_view::npos;
}

// Behind the last statement, function or directive before the kernel.
size_t definition_begin(std::string_view text, size_t global) {
  size_t begin = text.find_last_of(";{}", global);
  begin = begin == std::string_view::npos ? 0 : begin + 1;
  for (size_t hash = text.find('#', begin); hash != std::string_view::npos && hash < global;
       hash = text.find('#', begin)) {
    size_t end = text.find('\n', hash);
    while (end != std::string_view::npos && end > 0 && text[end - 1] == '\\') {
      end = text.find('\n', end + 1);
    }
    if (end == std::string_view::npos || end > global) break;
    begin = end + 1;
  }
  return text.find_first_not_of(" \t\r\n", begin);
}

std::optional<Definition> find_definition(std::string_view text, const std::string& name) {
  for (size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const size_t past = at + name.size();
    if ((at > 0 && is_word_character(text[at - 1])) || past >= text.size() ||
        is_word_character(text[past]))
      continue;
    const size_t open = text.find_first_not_of(" \t\r\n", past);
    if (open == std::string_view::npos || text[open] != '(') continue;
    const size_t close = past_closing(text, open);
    if (close == std::string_view::npos) continue;
    const size_t brace = text.find_first_not_of(" \t\r\n", close);
    if (brace == std::string_view::npos || text[brace] != '{') continue;  // a declaration, a call
    const size_t global = text.rfind("__global__", at);
    if (global == std::string_view::npos) continue;
    if (text.substr(global, at - global).find_first_of(";{}") != std::string_view::npos) continue;
    Definition found{definition_begin(text, global), brace + 1, brace + 1};
    for (int depth = 1; found.end < text.size(); ++found.end) {
      if (text[found.end] == '{') ++depth;
      if (text[found.end] == '}' && --depth == 0) return found;
    }
  }
  return std::nullopt;
}

// The preprocessor's lines of a text, each with its continuations.
std::string directives(std::string_view text) {
  std::string all;
  bool goes_on = false;
  for (const std::string& line : split(text, '\n')) {
    if (!goes_on && !trim(line).starts_with('#')) continue;
    goes_on = trim(line).ends_with('\\');
    const size_t end = line.find_last_not_of(" \t\r");
    all += line.substr(0, end == std::string::npos ? 0 : end + 1) + "\n";
  }
  return all;
}

void add_step_entries(const Suite& suite, const std::vector<SuiteStep>& steps,
                      std::vector<std::string>& names) {
  for (const SuiteStep& step : steps) {
    if (const auto* group = std::get_if<StepGroup>(&step.what))
      add_step_entries(suite, group->steps, names);
    const auto* launch = std::get_if<StepLaunch>(&step.what);
    if (launch == nullptr || launch->file) continue;
    const auto& entry = launch->entry ? launch->entry : suite.kernel.entry;
    if (entry && std::ranges::count(names, entry->text()) == 0) names.push_back(entry->text());
  }
}

}  // namespace

std::vector<std::string> own_entries(const Suite& suite) {
  std::vector<std::string> names;
  if (suite.launch) add_step_entries(suite, suite.launch->steps, names);
  if (suite.kernel.entry && std::ranges::count(names, suite.kernel.entry->text()) == 0)
    names.insert(names.begin(), suite.kernel.entry->text());
  return names;
}

std::optional<std::string> kernel_template(std::string_view source, std::string_view entry,
                                           std::string_view todo) {
  const std::string text = blank_comments(source);
  const std::vector<std::string> parts = name_parts(entry);
  const auto found = find_definition(text, parts.back());
  if (!found) return std::nullopt;
  std::string made = directives(std::string_view(text).substr(0, found->begin));
  if (!made.empty()) made += "\n";
  for (size_t i = 0; i + 1 < parts.size(); ++i) made += fmt::format("namespace {} {{\n", parts[i]);
  made += text.substr(found->begin, found->body - found->begin);
  made += fmt::format("\n  // TODO: {}\n}}\n", todo);
  for (size_t i = 0; i + 1 < parts.size(); ++i) made += "}\n";
  return made;
}

std::optional<std::string> kernels_template(std::string_view source, const Suite& suite,
                                            std::string* missing) {
  const std::string about = suite.about.empty() ? "write the kernel" : printable(suite.about);
  std::string made, head;
  for (const std::string& entry : own_entries(suite)) {
    const std::string todo =
        made.empty() ? about : fmt::format("write `{}`, which is launched, too", printable(entry));
    const auto one = kernel_template(source, entry, todo);
    if (!one) {
      if (missing != nullptr) *missing = entry;
      return std::nullopt;
    }
    // Lines of the preprocessor before it are left out if they stand there already.
    const auto found = find_definition(blank_comments(source), name_parts(entry).back());
    const std::string own = directives(source.substr(0, found->begin));
    std::string_view rest = *one;
    if (!own.empty() && head.starts_with(own)) {
      rest.remove_prefix(own.size() + 1);
    } else if (!head.empty() && own.starts_with(head)) {
      rest.remove_prefix(head.size());
    }
    if (own.size() > head.size()) head = own;
    made += (made.empty() ? "" : "\n") + std::string(rest);
    if (!made.ends_with('\n')) made += '\n';
  }
  return made;
}

std::optional<std::string> with_first_line(std::string_view source, std::string_view entry,
                                           std::string_view line) {
  const auto found = find_definition(blank_comments(source), name_parts(entry).back());
  if (!found) return std::nullopt;
  std::string made(source);
  return made.insert(found->body, fmt::format("\n  {}", line));
}

}  // namespace warpmark
