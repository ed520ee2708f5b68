#include "compiler/host_code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/text.hpp"
#include "compiler/declared_kernels.hpp"
#include "compiler/host_headers.hpp"
#include "compiler/source_tokens.hpp"

namespace warpmark {

namespace {

constexpr size_t kNone = static_cast<size_t>(-1);

constexpr std::array kStdNames = {"cout", "cerr",   "cin",    "endl",   "string",   "vector",
                                  "map",  "printf", "chrono", "thread", "to_string"};

bool is_cuda_call(const std::string& name) {
  return name.size() > 4 && name.starts_with("cuda") && name[4] >= 'A' && name[4] <= 'Z';
}

template <size_t N>
bool is_one_of(const std::array<const char*, N>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

class Finder {
 public:
  Finder(std::string_view source, size_t most) : tokens_(source_tokens(source)), most_(most) {}

  std::vector<HostCode> run() {
    for (size_t i = 0; i < tokens_.size() && found_.size() < most_; ++i) {
      const SourceToken& token = tokens_[i];
      if (token.directive) {
        directive(token);
        continue;
      }
      if (token.kind == TokenKind::literal) {
        if (inside_ == 0) declaration_.push_back(i);
        continue;
      }
      if (token.text == "<<<") add(HostCodeKind::launch, "<<<", token.line);
      if (token.kind == TokenKind::word) word(i);
      structure(i);
    }
    return std::move(found_);
  }

 private:
  void add(HostCodeKind kind, std::string name, int line) {
    found_.push_back({kind, std::move(name), line});
  }
  bool is(size_t i, std::string_view text) const {
    return i < tokens_.size() && tokens_[i].text == text && !tokens_[i].directive;
  }

  void directive(const SourceToken& token) {
    if (token.kind == TokenKind::header && is_host_header(token.text)) {
      add(HostCodeKind::include, token.text, token.line);
    }
  }

  void word(size_t i) {
    const SourceToken& token = tokens_[i];
    if (is_cuda_call(token.text) && is(i + 1, "(")) {
      add(HostCodeKind::call, token.text, token.line);
    }
    const bool of_std = i >= 2 && is(i - 1, "::") && is(i - 2, "std");
    const bool bare =
        (token.text == "cout" || token.text == "cerr") && is(i + 1, "<") && is(i + 2, "<");
    if ((of_std && is_one_of(kStdNames, token.text)) || bare) {
      add(HostCodeKind::stream, "std::" + token.text, token.line);
    }
  }

  // Follows braces, so that functions are looked for only where they can be defined: outside of
  // functions and types.
  void structure(size_t i) {
    const std::string& text = tokens_[i].text;
    if (inside_ > 0) {
      if (text == "{") ++inside_;
      if (text == "}" && --inside_ == 0 && body_of_ < found_.size()) {
        found_[body_of_].last_line = tokens_[i].line;
        body_of_ = kNone;
      }
      return;
    }
    if (text == "(") ++parentheses_;
    if (text == ")" && parentheses_ > 0) --parentheses_;
    if (text == "{" && parentheses_ == 0) {
      if (opens_scope()) {
        declaration_.clear();
        return;
      }
      const size_t before = found_.size();
      function();
      body_of_ = found_.size() > before ? before : kNone;
      declaration_.clear();
      inside_ = 1;
    } else if ((text == ";" || text == "}") && parentheses_ == 0) {
      if (text == ";") declared(i);
      declaration_.clear();
    } else {
      declaration_.push_back(i);
    }
  }

  // `namespace x {` or `extern "C" {`: what is in it is still at the top.
  bool opens_scope() const {
    if (declaration_.empty()) return false;
    const SourceToken& first = tokens_[declaration_.front()];
    if (first.text == "namespace" || (first.text == "inline" && declaration_.size() > 1 &&
                                      tokens_[declaration_[1]].text == "namespace")) {
      return true;
    }
    return first.text == "extern" && declaration_.size() == 2 &&
           tokens_[declaration_[1]].kind == TokenKind::literal;
  }

  // Looks for a function's name in the declaration before a "{".
  void function() {
    size_t name = tokens_.size();
    int angles = 0;
    for (size_t d = 0; d < declaration_.size(); ++d) {
      const SourceToken& token = tokens_[declaration_[d]];
      if (token.text == "__device__" || token.text == "__global__") return;
      if (name != tokens_.size()) continue;
      if (token.text == "template") angles = 0;
      if (token.text == "<") ++angles;
      if (token.text == ">" && angles > 0) --angles;
      if (angles > 0) continue;
      // An initialised variable, or a type with a body.
      if (token.text == "=" || token.text == "struct" || token.text == "class" ||
          token.text == "union" || token.text == "enum") {
        return;
      }
      if (token.text == "(" && d > 0 && tokens_[declaration_[d - 1]].kind == TokenKind::word &&
          !tokens_[declaration_[d - 1]].text.starts_with("__")) {
        name = declaration_[d - 1];
      }
    }
    if (name == tokens_.size()) return;
    const SourceToken& token = tokens_[name];
    const size_t begin = declaration_.front();
    add(token.text == "main" ? HostCodeKind::main_function : HostCodeKind::function, token.text,
        token.line);
    found_.back().first_line = tokens_[begin].line;
  }

  // A declaration up to its `;`: a variable of a type for the CPU, as `std::vector<int> all;` is, or
  // the prototype of a function for the CPU.
  void declared(size_t end) {
    if (declaration_.empty()) return;
    static const std::vector<std::string> kOthers = {"__device__", "__constant__", "__global__",
                                                     "__shared__", "__managed__",  "typedef",
                                                     "using",      "friend",       "template"};
    bool is_text = false, is_char = false;
    for (const size_t d : declaration_) {
      const SourceToken& token = tokens_[d];
      if (std::find(kOthers.begin(), kOthers.end(), token.text) != kOthers.end()) return;
      is_text = is_text || token.kind == TokenKind::literal;
      is_char = is_char || token.text == "char";
    }
    for (const size_t d : declaration_) {
      const std::string& text = tokens_[d].text;
      const bool of_std = d >= 2 && is(d - 1, "::") && is(d - 2, "std");
      const bool is_handle = is_cuda_call(text) && text.ends_with("_t");
      if (!(of_std && is_one_of(kStdNames, text)) && !is_handle && !(is_text && text == "char")) {
        continue;
      }
      add_declared(HostCodeKind::variable, text, tokens_[declaration_.front()].line, end);
      return;
    }
    for (size_t d = 2; d < declaration_.size(); ++d) {
      const SourceToken& name = tokens_[declaration_[d - 1]];
      if (name.text == "=") return;
      if (tokens_[declaration_[d]].text != "(" || name.kind != TokenKind::word) continue;
      if (name.text.starts_with("__")) continue;
      add_declared(HostCodeKind::prototype, name.text, name.line, end);
      return;
    }
  }

  void add_declared(HostCodeKind kind, const std::string& name, int line, size_t end) {
    add(kind, name, line);
    found_.back().first_line = tokens_[declaration_.front()].line;
    found_.back().last_line = tokens_[end].line;
  }

  std::vector<SourceToken> tokens_;
  size_t most_;
  std::vector<size_t> declaration_;  ///< tokens since the last `;`, `{` or `}` at the top
  int parentheses_ = 0;
  size_t inside_ = 0;  ///< depth of braces in a function's or type's body
  std::vector<HostCode> found_;
  size_t body_of_ = kNone;  ///< in found_: the function whose body this is, if it is there
};

std::string said_of(const HostCode& one) {
  const std::string name = printable(one.name);
  switch (one.kind) {
    case HostCodeKind::main_function:
      return fmt::format("line {} begins a `main` function", one.line);
    case HostCodeKind::launch:
      return fmt::format("line {} launches a kernel with `<<<…>>>`", one.line);
    case HostCodeKind::include:
      return fmt::format("line {} includes `<{}>`", one.line, name);
    case HostCodeKind::call:
      return fmt::format("line {} calls `{}`", one.line, name);
    case HostCodeKind::stream:
      return fmt::format("line {} uses `{}`", one.line, name);
    case HostCodeKind::function:
      return fmt::format("line {} begins the function `{}` without `__device__`", one.line, name);
    case HostCodeKind::variable:
      return fmt::format("line {} has a variable of `{}`", one.line, name);
    case HostCodeKind::prototype:
      return fmt::format("line {} declares the function `{}` without `__device__`", one.line, name);
  }
  return "";
}

std::string with_capital(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 32);
  return text;
}

// "a", "a and b", "a, b and c".
std::string list_of(const std::vector<std::string>& parts) {
  if (parts.size() < 2) return join(parts, "");
  const std::vector<std::string> but_last(parts.begin(), parts.end() - 1);
  return join(but_last, ", ") + " and " + parts.back();
}

struct Summary {
  std::string said;           ///< with lines; "" for nothing
  bool only_helpers = false;  ///< functions that lack `__device__` only
};

// One fault of each kind is enough. Helpers without `__device__` have a separate remedy, unless
// they belong to a whole program.
Summary summarize_host_code(const std::vector<HostCode>& found) {
  std::map<HostCodeKind, const HostCode*> first;
  for (const HostCode& one : found) first.try_emplace(one.kind, &one);
  const auto helper = first.find(HostCodeKind::function);
  if (helper != first.end() && first.size() == 1) {
    return {said_of(*helper->second) +
                ": that makes it a function for the CPU, which a kernel cannot call",
            true};
  }
  std::vector<const HostCode*> in_order;
  for (const auto& [kind, one] : first) {
    const bool says_more = kind != HostCodeKind::function && kind != HostCodeKind::variable &&
                           kind != HostCodeKind::prototype;
    if (says_more) in_order.push_back(one);
  }
  std::stable_sort(in_order.begin(), in_order.end(),
                   [](const HostCode* a, const HostCode* b) { return a->line < b->line; });
  std::vector<std::string> parts;
  parts.reserve(in_order.size());
  for (const HostCode* one : in_order) parts.push_back(said_of(*one));
  return {list_of(parts), false};
}

// The function or variable that the line belongs to; null if it belongs to none.
const HostCode* declared_at(const std::vector<HostCode>& found, int line) {
  const auto here = std::find_if(found.begin(), found.end(), [line](const HostCode& one) {
    return one.first_line > 0 && one.first_line <= line && line <= one.last_line;
  });
  return here == found.end() ? nullptr : &*here;
}

// True if a name is between an `#if` and its `#endif`.
bool is_left_out(std::string_view source, const std::string& name) {
  const std::vector<std::string> lines = split(source, '\n');
  std::vector<int> depth(lines.size() + 1);
  int now = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    std::string_view line = trim(lines[i]);
    if (line.starts_with('#')) {
      line = trim(line.substr(1));
      if (line.starts_with("if")) ++now;
      if (line.starts_with("endif") && now > 0) --now;
    }
    depth[i + 1] = now;
  }
  for (const SourceToken& token : source_tokens(source)) {
    const bool named = token.text == name && !token.directive && token.line > 0 &&
                       static_cast<size_t>(token.line) < depth.size();
    if (named && depth[static_cast<size_t>(token.line)] > 0) return true;
  }
  return false;
}

std::string quoted_list(const std::vector<std::string>& names) {
  std::vector<std::string> quoted;
  quoted.reserve(names.size());
  for (const std::string& name : names) quoted.push_back("`" + name + "`");
  return list_of(quoted);
}

}  // namespace

std::vector<HostCode> find_host_code(std::string_view source, size_t most) {
  return Finder(source, most).run();
}

bool is_host_code(const std::vector<HostCode>& found, int line) {
  return std::any_of(found.begin(), found.end(), [line](const HostCode& one) {
    return one.line <= line && line <= std::max(one.line, one.last_line);
  });
}

std::string explain_host_code(const std::vector<HostCode>& found) {
  const Summary summary = summarize_host_code(found);
  if (summary.said.empty()) return "";
  if (summary.only_helpers) return with_capital(summary.said) + ". Write `__device__` before it.";
  return with_capital(summary.said) +
         ". That is code for the CPU. Hand in the kernel only, with the `__device__` functions "
         "that it uses: the grader allocates the memory, launches the kernel and checks the "
         "result.";
}

std::string host_code_hint(const std::vector<HostCode>& found, int line) {
  const Summary summary = summarize_host_code(found);
  if (summary.only_helpers) return summary.said + "; write `__device__` before it";
  const HostCode* here = declared_at(found, line);
  std::string said = summary.said;
  if (said.empty() && here != nullptr) said = said_of(*here);
  if (said.empty() && line > 0) said = fmt::format("line {} has a host function or variable", line);
  if (said.empty()) return "";
  return said +
         "; that is code for the CPU, which Warpmark never runs: put it between "
         "`#ifndef __CUDACC_RTC__` and `#endif`" +
         ". Warpmark itself allocates the memory, launches the kernel and compares the result. "
         "`compiler: nvcc` compiles the file as it is, where nvcc is installed";
}

std::string explain_missing_kernel(std::string_view source, const std::string& wanted,
                                   const std::string& signature) {
  const std::string asked =
      signature.empty() ? "" : fmt::format(" Wanted is `{}`.", printable(signature));
  const std::vector<DeclaredKernel> kernels = declared_kernels(source);
  std::vector<std::string> names;
  for (const DeclaredKernel& kernel : kernels) {
    if (std::find(names.begin(), names.end(), kernel.name) == names.end() && names.size() < 8) {
      names.push_back(printable(kernel.name));
    }
    if (kernel.name != wanted) continue;
    if (kernel.is_template) {
      return fmt::format(
          "`{}` is a template, {}, so there is no kernel of this name until something chooses its "
          "types. Write it without `template`.{}",
          wanted, kernel.text, asked);
    }
    return fmt::format(
        "The file has a kernel `{0}`, but the compiler comes to none of that name: {1}.{2}", wanted,
        is_left_out(source, wanted) ? "an `#if` or `#ifdef` leaves it out"
                                    : "it is hidden in a namespace or a class, is `static`, or "
                                      "another function of that name "
                                      "is beside it",
        asked);
  }
  const auto tokens = source_tokens(source);
  for (size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (!names.empty() || tokens[i].text != wanted || tokens[i + 1].text != "(") continue;
    return fmt::format(
        "Line {} has a function `{}`, but no `__global__` before it: that word makes it a kernel, "
        "which can be launched.{}",
        tokens[i].line, wanted, asked);
  }
  if (names.empty()) {
    return fmt::format(
        "There is no kernel in the file. A kernel is a function with `__global__` before it, and "
        "this one must be called `{}`.{}",
        wanted, asked);
  }
  const std::string close = nearest(wanted, names);
  const std::string what = close.empty()
                               ? fmt::format("Call the kernel `{}`.", wanted)
                               : fmt::format("Is `{}` meant? Then call it `{}`.", close, wanted);
  return fmt::format("There is no kernel `{}` in the file; it has {}. {}{}", wanted,
                     quoted_list(names), what, asked);
}

}  // namespace warpmark
