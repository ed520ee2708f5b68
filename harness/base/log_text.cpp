#include "base/log_text.hpp"

#include <algorithm>

namespace warpmark {
namespace {

bool starts_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) != 0x80;
}

// Puts `text` at the end of `out`, without its middle if it has more than `most` characters.
void append_shortened(std::string& out, std::string_view text, size_t most) {
  if (text.size() <= most) {
    out += text;
    return;
  }
  const auto count = static_cast<size_t>(std::ranges::count_if(text, starts_character));
  if (count <= most) {
    out += text;
    return;
  }
  const size_t first = most / 2, last = most / 4;
  size_t head = 0, tail = text.size();
  for (size_t seen = 0; head < text.size() && (seen += starts_character(text[head])) <= first;) {
    ++head;
  }
  for (size_t seen = 0; seen < last;) seen += starts_character(text[--tail]);
  std::string number = std::to_string(count - first - last);
  for (size_t at = number.size(); at > 3;) number.insert(at -= 3, ",");
  out += text.substr(0, head);
  out += "… (" + number + " characters left out) …";
  out += text.substr(tail);
}

}  // namespace

std::string shortened(std::string whole) {
  constexpr size_t kQuote = 400;  // a line of a suite file, or a long mangled name
  constexpr size_t kLine = 4000;  // more than compilers need for one message about templates
  if (whole.size() <= kQuote) return whole;
  std::string_view text = whole;
  std::string out;
  for (bool first = true;; first = false) {
    const size_t end = text.find('\n');
    std::string_view rest = text.substr(0, end);
    std::string line;
    // A backtick without its partner opens no quote: quotes do not go past the line's end.
    for (size_t open = 0; (open = rest.find('`')) != std::string_view::npos;) {
      const size_t close = rest.find('`', open + 1);
      if (close == std::string_view::npos) break;
      line += rest.substr(0, open + 1);
      append_shortened(line, rest.substr(open + 1, close - open - 1), kQuote);
      line += '`';
      rest.remove_prefix(close + 1);
    }
    line += rest;
    if (!first) out += '\n';
    append_shortened(out, line, kLine);
    if (end == std::string_view::npos) return out;
    text.remove_prefix(end + 1);
  }
}

std::string without_commands(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  // The runner trims a line by Unicode's idea of space: whatever is no visible ASCII character may
  // be one (actions/runner, ActionCommand.cs).
  bool at_start = true;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (at_start && text.substr(i).starts_with("::")) {
      out += ": ";
    } else if (text.substr(i).starts_with("##[")) {
      out += "# ";
    } else {
      out += c;
    }
    if (c == '\n' || c == '\r') {
      at_start = true;
    } else if (c > ' ' && c < '\x7F') {
      at_start = false;
    }
  }
  return out;
}

std::string json_without_commands(std::string json) {
  // Outside of strings JSON has no `#`.
  for (size_t at = 0; (at = json.find("##[", at)) != std::string::npos;) {
    json.replace(at + 2, 1, "\\u005b");
  }
  return json;
}

}  // namespace warpmark
