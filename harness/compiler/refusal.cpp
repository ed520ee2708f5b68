#include "compiler/refusal.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace warpmark {

namespace {

bool has(std::string_view text, std::string_view what) {
  return text.find(what) != std::string_view::npos;
}

// Where a line says that a line of a file is at fault: "k.cu(3): error: …", "k.cu(3): warning
// #177-D: …". `open` is the place of its parenthesis.
struct Head {
  size_t open = std::string_view::npos;
  bool is_error = false;
  bool known() const { return open != std::string_view::npos; }
};

// Lines of the source are quoted with blanks before them, and may hold anything.
bool is_indented(std::string_view line) {
  return line.starts_with(" ") || line.starts_with("\t");
}

Head head_of(std::string_view line) {
  if (is_indented(line)) return {};
  for (size_t close = line.find("): "); close != std::string_view::npos;
       close = line.find("): ", close + 1)) {
    const size_t open = line.rfind('(', close);
    if (open == std::string_view::npos || open == 0) continue;
    const std::string_view number = line.substr(open + 1, close - open - 1);
    if (number.empty() || number.find_first_not_of("0123456789") != std::string_view::npos) {
      continue;
    }
    const std::string_view rest = line.substr(close + 3);
    for (const std::string_view word : {"error", "catastrophic error"}) {
      if (rest.starts_with(word) &&
          (rest.substr(word.size()).starts_with(":") || rest.substr(word.size()).starts_with(" #")))
        return {open, true};
    }
    for (const std::string_view word : {"warning", "remark"}) {
      if (rest.starts_with(word)) return {open, false};
    }
  }
  return {};
}

// A line of ptxas stands for itself.
bool is_of_ptxas(std::string_view line) {
  return line.starts_with("ptxas ") || line.starts_with("nvlink ");
}

// "ptxas error   : …", "ptxas application ptx input, line 25; error   : …", "error   : Undefined
// reference …" of a linker.
bool is_of_assembler(std::string_view line) {
  if (is_indented(line)) return false;
  if (line.starts_with("nvrtc")) return false;  // of the options
  if (has(line, "ptxas fatal ")) return has(line, "Unresolved extern");
  const size_t word = line.find("error ");
  return word != std::string_view::npos && trim(line.substr(word + 5)).starts_with(":");
}

bool is_caret(std::string_view line) {
  return has(line, "^") && line.find_first_not_of(" \t^~") == std::string_view::npos;
}

// An instance that the suite asks for, and that the source does not have.
bool is_of_instance(std::string_view line) {
  return line.starts_with("__nv_name_map(");
}

}  // namespace

std::vector<std::string> source_errors(std::string_view log) {
  std::vector<std::string> errors;
  std::vector<std::string> lines;  // of the error that is read
  const auto finish = [&] {
    if (!lines.empty()) errors.push_back(join(lines, "\n"));
    lines.clear();
  };
  for (const std::string& line : split(log, '\n')) {
    const Head head = head_of(line);
    const bool assembler = is_of_assembler(line);
    if (head.known() || assembler || is_of_ptxas(line) || trim(line).empty()) {
      finish();
      if (head.known() ? head.is_error && !is_of_instance(line) : assembler) lines.push_back(line);
    } else if (is_caret(line)) {
      // It stands below the line of the source that it points into.
      if (lines.size() > 1) lines.pop_back();
    } else if (!lines.empty()) {
      lines.push_back(line);
    }
  }
  finish();
  return errors;
}

bool refusal_says(std::string_view log, std::string_view text) {
  const std::vector<std::string> errors = source_errors(log);
  return std::ranges::any_of(errors, [&](const std::string& error) {
    const Head head = head_of(std::string_view(error).substr(0, error.find('\n')));
    const size_t open = head.known() ? head.open : 0;
    for (size_t at = error.find(text); at != std::string::npos; at = error.find(text, at + 1)) {
      if (at + text.size() > open) return true;
    }
    return false;
  });
}

}  // namespace warpmark
