#include "compiler/host_code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/text.hpp"
#include "compiler/declarations.hpp"
#include "compiler/declared_kernels.hpp"
#include "compiler/host_headers.hpp"
#include "compiler/source_tokens.hpp"

namespace warpmark {

namespace {

constexpr std::array kStdNames = {"cout", "cerr",   "cin",    "endl",   "string",   "vector",
                                  "map",  "printf", "chrono", "thread", "to_string"};

bool is_cuda_call(const std::string& name) {
  return name.size() > 4 && name.starts_with("cuda") && name[4] >= 'A' && name[4] <= 'Z';
}

template <size_t N>
bool is_one_of(const std::array<const char*, N>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

class Finder {
 public:
  Finder(std::string_view source, size_t most) : tokens_(source_tokens(source)), most_(most) {}

  std::vector<HostCode> run() {
    declared(declarations_of(tokens_));
    for (size_t i = 0; i < tokens_.size(); ++i) {
      const SourceToken& token = tokens_[i];
      if (token.directive) {
        directive(token);
      } else if (token.kind == TokenKind::word) {
        word(i);
      } else if (token.kind == TokenKind::mark && token.text == "<<<") {
        add(HostCodeKind::launch, "<<<", token.line);
      }
    }
    std::ranges::stable_sort(found_, {}, &HostCode::line);
    if (found_.size() > most_) found_.resize(most_);
    return std::move(found_);
  }

 private:
  void add(HostCodeKind kind, std::string name, int line) {
    found_.push_back({kind, std::move(name), line});
  }
  void add(HostCodeKind kind, const std::string& name, int line, const Declaration& of) {
    found_.push_back({kind, name, line, tokens_[of.last - 1].line, tokens_[of.first].line});
  }
  bool is(size_t i, std::string_view text) const {
    return i < tokens_.size() && tokens_[i].text == text && !tokens_[i].directive;
  }

  void directive(const SourceToken& token) {
    if (token.kind == TokenKind::header && is_host_header(token.text)) {
      add(HostCodeKind::include, token.text, token.line);
    }
  }

  bool of_std(size_t i) const { return i >= 2 && is(i - 1, "::") && is(i - 2, "std"); }

  void word(size_t i) {
    const SourceToken& token = tokens_[i];
    if (is_cuda_call(token.text) && is(i + 1, "(")) {
      add(HostCodeKind::call, token.text, token.line);
    }
    const bool bare =
        (token.text == "cout" || token.text == "cerr") && is(i + 1, "<") && is(i + 2, "<");
    if ((of_std(i) && is_one_of(kStdNames, token.text)) || bare) {
      add(HostCodeKind::stream, "std::" + token.text, token.line);
    }
  }

  // Functions and variables outside of classes.
  void declared(const std::vector<Declaration>& declarations) {
    for (const Declaration& one : declarations) {
      if (one.kind == DeclarationKind::scope) {
        declared(one.members);
      } else if (!heads_with(one, kSpaces) && !variable(one) &&
                 one.kind == DeclarationKind::function) {
        function(one);
      }
    }
  }

  template <size_t N>
  bool heads_with(const Declaration& one, const std::array<const char*, N>& words) const {
    for (size_t i = one.first; i < one.body; ++i) {
      if (is_one_of(words, tokens_[i].text)) return true;
    }
    return false;
  }

  void function(const Declaration& one) {
    const bool is_prototype = one.body == one.last;
    if (one.names.empty() || (is_prototype && heads_with(one, kNoPrototypes))) return;
    const std::string& name = one.names.back();
    size_t at = one.first;
    while (at < one.body && !(tokens_[at].text == name && is(at + 1, "("))) ++at;
    if (at == one.body) return;  // an operator
    add(is_prototype     ? HostCodeKind::prototype
        : name == "main" ? HostCodeKind::main_function
                         : HostCodeKind::function,
        name, tokens_[at].line, one);
  }

  // A variable of a type for the CPU: std::vector, cudaStream_t, a text.
  bool variable(const Declaration& one) {
    if (one.body != one.last || !is(one.last - 1, ";") || heads_with(one, kNoPrototypes)) {
      return false;
    }
    bool is_text = false;
    for (size_t i = one.first; i < one.last; ++i) {
      is_text = is_text || tokens_[i].kind == TokenKind::literal;
    }
    for (size_t i = one.first; i < one.last; ++i) {
      const std::string& text = tokens_[i].text;
      const bool is_handle = is_cuda_call(text) && text.ends_with("_t");
      if (!(of_std(i) && is_one_of(kStdNames, text)) && !is_handle && !(is_text && text == "char"))
        continue;
      add(HostCodeKind::variable, text, tokens_[one.first].line, one);
      return true;
    }
    return false;
  }

  static constexpr std::array kSpaces = {"__device__", "__global__", "__constant__", "__shared__",
                                         "__managed__"};
  static constexpr std::array kNoPrototypes = {"typedef", "using", "friend", "template"};

  std::vector<SourceToken> tokens_;
  size_t most_;
  std::vector<HostCode> found_;
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
  std::ranges::stable_sort(in_order,
                           [](const HostCode* a, const HostCode* b) { return a->line < b->line; });
  std::vector<std::string> parts;
  parts.reserve(in_order.size());
  for (const HostCode* one : in_order) parts.push_back(said_of(*one));
  return {list_of(parts), false};
}

// The function or variable that the line belongs to; null if it belongs to none.
const HostCode* declared_at(const std::vector<HostCode>& found, int line) {
  const auto here = std::ranges::find_if(found, [line](const HostCode& one) {
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
  return std::ranges::any_of(found, [line](const HostCode& one) {
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

std::string host_parameter_hint(std::string_view source, int line, int first_line) {
  constexpr int kHead = 3;  // lines of a head before its name
  constexpr std::string_view kStd = "std::";
  for (const DeclaredKernel& kernel : declared_kernels(source)) {
    const int named = kernel.line + first_line - 1;
    if (line > named || line < named - kHead) continue;
    for (const DeclaredParameter& parameter : kernel.parameters) {
      const size_t at = parameter.type.find(kStd);
      if (at == std::string::npos) continue;
      const size_t name = at + kStd.size();
      const size_t end = parameter.type.find_first_of("<:&* ", name);
      if (!is_host_std(parameter.type.substr(name, end - name))) continue;
      return fmt::format(
          "the kernel `{}` in line {} takes a `{}`, which only code for the CPU can use: give it a "
          "pointer and a length",
          printable(kernel.name), named, printable(parameter.type));
    }
  }
  return "";
}

std::string device_runtime_hint(const std::vector<HostCode>& found, int line,
                                std::string_view undefined) {
  const bool of_runtime = undefined.size() > 4 && undefined.starts_with("cuda") &&
                          undefined[4] >= 'A' && undefined[4] <= 'Z';
  const bool in_function = std::ranges::any_of(
      found, [line](const HostCode& one) { return one.line <= line && line <= one.last_line; });
  if (!of_runtime || in_function || declared_at(found, line) != nullptr) return "";
  return fmt::format(
      "`{}` in line {} is in code for the device, and NVRTC does not declare CUDA's device "
      "runtime: "
      "`compiler: nvcc` does, where nvcc is installed. Kernels that launch kernels or allocate "
      "memory need nvcc's separate compilation, too, which no suite has: make them steps of the "
      "suite",
      printable(undefined), line);
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
    if (std::ranges::find(names, kernel.name) == names.end() && names.size() < 8) {
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
