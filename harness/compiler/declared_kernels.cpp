#include "compiler/declared_kernels.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "compiler/signature.hpp"

namespace warpmark {

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

namespace {

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Just past the bracket that closes the one at `open`; npos if none does.
size_t past_closing(std::string_view text, size_t open) {
  const char opening = text[open];
  const char closing = opening == '(' ? ')' : '>';
  int depth = 0;
  for (size_t i = open; i < text.size(); ++i) {
    if (text[i] == opening) ++depth;
    if (text[i] == closing && --depth == 0) return i + 1;
  }
  return std::string_view::npos;
}

std::string one_line(std::string_view text) {
  constexpr size_t kLongest = 120;
  std::string line;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!blank) line += c;
    if (blank && !line.empty() && line.back() != ' ') line += ' ';
  }
  line = printable(trim(line));
  return line.size() > kLongest ? line.substr(0, kLongest) + " …" : line;
}

// "template <…>" if that stands right before `at`; "" otherwise.
std::string template_before(std::string_view text, size_t at) {
  const size_t start = text.rfind("template", at);
  if (start == std::string_view::npos) return "";
  const size_t open = text.find('<', start);
  if (open == std::string_view::npos || open > at) return "";
  const size_t end = past_closing(text, open);
  // Only specifiers may stand between, as in `template <typename T> static __global__`.
  if (end == std::string_view::npos || end > at) return "";
  const std::string_view between = text.substr(end, at - end);
  if (between.find_first_of(";{}(") != std::string_view::npos) return "";
  return one_line(text.substr(start, end - start)) + " ";
}

// "const float *x", "float a[16]", "int n = 3". Pointers to functions have no name that is found.
DeclaredParameter declared_parameter(std::string_view text) {
  text = trim(text.substr(0, text.find('=')));
  const size_t bracket = text.find('[');
  std::string_view head = trim(text.substr(0, bracket));
  size_t begin = head.size();
  while (begin > 0 && is_word(head[begin - 1])) --begin;
  std::string_view name = head.substr(begin);
  std::string_view type = trim(head.substr(0, begin));
  // A single word is a type, and so is the last word of "unsigned int".
  const bool is_type = dtype_of_c_type(name) && dtype_of_c_type(head);
  if (type.empty() || is_type || name.starts_with("__")) {
    type = head;
    name = {};
  }
  return {std::string(name), std::string(type) + (bracket == std::string_view::npos ? "" : " *")};
}

std::vector<DeclaredParameter> declared_parameters(std::string_view list) {
  std::vector<DeclaredParameter> parameters;
  for (const std::string& text : parameter_types(list).value_or(std::vector<std::string>())) {
    parameters.push_back(declared_parameter(text));
  }
  return parameters;
}

}  // namespace

std::vector<DeclaredKernel> declared_kernels(std::string_view source) {
  constexpr std::string_view mark = "__global__";
  const std::string text = blank_comments(source);
  std::vector<DeclaredKernel> kernels;
  for (size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + 1)) {
    // The name is the first word before a "(", apart from attributes with arguments.
    for (size_t open = text.find_first_of("(;{", at);
         open != std::string::npos && text[open] == '('; open = text.find_first_of("(;{", open)) {
      size_t end = open;
      while (end > at && !is_word(text[end - 1])) --end;
      size_t begin = end;
      while (begin > at && is_word(text[begin - 1])) --begin;
      const size_t close = past_closing(text, open);
      if (close == std::string::npos) break;
      const std::string name = text.substr(begin, end - begin);
      if (!name.starts_with("__")) {
        const std::string before = template_before(text, at);
        const std::string_view list = std::string_view(text).substr(open, close - open);
        kernels.push_back(
            {name, before + name + one_line(list), !before.empty(), declared_parameters(list)});
        break;
      }
      open = close;
    }
  }
  return kernels;
}

}  // namespace warpmark
