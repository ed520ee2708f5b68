#include "grade/grader/ptx_policy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.hpp"
#include "compiler/signature.hpp"

namespace warpmark {

namespace {

// Symbols and file names may come from inline assembly and `#line`.
constexpr size_t kLongestShown = 80;

std::string shown(const std::string& name) {
  return name.size() <= kLongestShown ? printable(name)
                                      : printable(name.substr(0, kLongestShown)) + "…";
}

// The words of a student's source for a name in the policy.
struct Wording {
  std::string_view name;
  std::string_view source;
};
constexpr std::array kWordings = {Wording{"vprintf", "`printf`"},
                                  Wording{"malloc", "`malloc` or `new`"},
                                  Wording{"free", "`free` or `delete`"},
                                  Wording{"__assertfail", "`assert`"},
                                  Wording{"%clock", "the clock, as by `clock()`"},
                                  Wording{"%clock64", "the clock, as by `clock64()`"},
                                  Wording{"%clock_hi", "the clock"},
                                  Wording{"%globaltimer", "the time of day"},
                                  Wording{"%globaltimer_lo", "the time of day"},
                                  Wording{"%globaltimer_hi", "the time of day"},
                                  Wording{"%smid", "the number of the multiprocessor"},
                                  Wording{"atom", "an atomic operation such as `atomicAdd`"},
                                  Wording{"red", "an atomic operation such as `atomicAdd`"},
                                  Wording{"nanosleep", "`__nanosleep`"},
                                  Wording{"trap", "`__trap`"},
                                  Wording{"shfl", "`__shfl_sync` or one of its kind"},
                                  Wording{"wmma", "tensor cores"},
                                  Wording{"mma", "tensor cores"},
                                  Wording{"fma", "`fmaf`, or a product and a sum in one"}};

std::string wording_of(std::string_view name) {
  for (const Wording& wording : kWordings) {
    if (wording.name == name) return std::string(wording.source);
  }
  return "";
}

// "ld.global" is the beginning of "ld.global.f32" and of itself, not of "ld.globalx".
bool has_prefix(std::string_view opcode, std::string_view name) {
  return opcode.starts_with(name) && (opcode.size() == name.size() || opcode[name.size()] == '.');
}

bool has_modifier(std::string_view opcode, std::string_view name) {
  for (size_t at = opcode.find(name); at != std::string_view::npos;
       at = opcode.find(name, at + 1)) {
    const size_t end = at + name.size();
    if (end == opcode.size() || opcode[end] == '.') return true;
  }
  return false;
}

class Check {
 public:
  Check(const PtxContents& contents, const std::set<std::string>& launched, const std::string& file)
      : contents_(contents), launched_(launched), file_(file) {}

  void apply(const std::string& name, std::vector<PolicyFinding>& into) const {
    if (name == "writable_globals") {
      globals(into);
    } else if (name == "entries") {
      entries(into);
    } else if (name.starts_with('%')) {
      uses(
          name, contents_.registers, [&](const std::string& one) { return one == name; }, into);
    } else if (name.starts_with('.')) {
      uses(
          name, contents_.opcodes, [&](const std::string& one) { return has_modifier(one, name); },
          into);
    } else {
      const size_t before = into.size();
      uses(
          name, contents_.opcodes, [&](const std::string& one) { return has_prefix(one, name); },
          into);
      uses(
          name, contents_.calls, [&](const std::string& one) { return one == name; }, into);
      const auto& externs = contents_.externs;
      const bool declared = std::find(externs.begin(), externs.end(), name) != externs.end();
      if (declared && into.size() == before) {
        into.push_back({name, name, 0, sentence("The code", name, name)});
      }
    }
  }

 private:
  int line_of(const PtxPlace& place) const { return place.file == file_ ? place.line : 0; }

  std::string subject(const PtxPlace& place) const {
    if (place.line <= 0 || place.file.empty()) return "The code";
    if (place.file == file_) return fmt::format("Line {}", place.line);
    return fmt::format("Line {} of {}", place.line, shown(place.file));
  }

  static std::string sentence(const std::string& subject, const std::string& name,
                              const std::string& found) {
    const std::string source = wording_of(name);
    const std::string compiled = found == name && source.empty()
                                     ? ""
                                     : fmt::format(" (`{}` in compiled code)", shown(found));
    return fmt::format(
        "{} uses {}{}, which this assignment does not allow. Take it out, and find a "
        "way without it.",
        subject, source.empty() ? "`" + name + "`" : source, compiled);
  }

  // Reports the first match in the order of the text: one sentence for each name is enough.
  template <typename Matches>
  void uses(const std::string& name, const std::map<std::string, PtxUse>& all,
            const Matches& matches, std::vector<PolicyFinding>& into) const {
    const std::pair<const std::string, PtxUse>* first = nullptr;
    for (const auto& one : all) {
      if (!matches(one.first)) continue;
      if (first == nullptr || one.second.first.ptx_line < first->second.first.ptx_line) {
        first = &one;
      }
    }
    if (first == nullptr) return;
    const PtxPlace& place = first->second.first;
    into.push_back(
        {name, shown(first->first), line_of(place), sentence(subject(place), name, first->first)});
  }

  // True for the names that NVRTC gives to string literals.
  static bool is_text_literal(const PtxVariable& variable) {
    return variable.initialised &&
           (variable.name.starts_with("$str") || variable.name.starts_with("__unnamed_"));
  }

  static std::string_view reason(PtxChange change) {
    switch (change) {
      case PtxChange::stored:
        return "It would keep its value from one launch to the next";
      case PtxChange::passed:
        return "Its address goes to a function that the grader cannot look into, so that it might "
               "keep a value from one launch to the next";
      default:
        return "Its address goes to an instruction that might write to it, so that it might keep a "
               "value from one launch to the next";
    }
  }

  void globals(std::vector<PolicyFinding>& into) const {
    for (const PtxVariable& variable : contents_.variables) {
      if (variable.change == PtxChange::never) continue;
      const std::string name = shown(demangle(variable.name));
      const int line = line_of(variable.changed_at);
      const std::string what =
          is_text_literal(variable)
              ? "The text of a string literal is written to"
              : fmt::format(
                    "`{}` ({}) is a variable outside of the kernel, or a `static` one in it", name,
                    format_bytes(variable.bytes));
      into.push_back(
          {"writable_globals", name, line,
           fmt::format(
               "{}. {}, which this assignment does not allow{}. Use the kernel's arguments, "
               "local variables or `__shared__` memory. Constants may be outside of the "
               "kernel, if nothing is stored through their address.",
               what, reason(variable.change),
               line > 0 ? fmt::format("; line {} does it", line) : "")});
      return;
    }
  }

  void entries(std::vector<PolicyFinding>& into) const {
    for (const std::string& entry : contents_.entries) {
      if (launched_.contains(entry)) continue;
      const std::string name = shown(demangle(entry));
      into.push_back(
          {"entries", name, 0,
           fmt::format(
               "The file has a further kernel, `{}`, that this assignment does not ask for. "
               "Take it out, or make it a `__device__` function.",
               name)});
      return;
    }
  }

  const PtxContents& contents_;
  const std::set<std::string>& launched_;
  const std::string& file_;
};

}  // namespace

PolicyFindings apply_policy(const PtxPolicy& policy, const PtxContents& contents,
                            const std::set<std::string>& launched, const std::string& file) {
  const Check check(contents, launched, file);
  PolicyFindings findings;
  for (const Located& name : policy.forbid) check.apply(name.text, findings.forbidden);
  for (const Located& name : policy.flag) check.apply(name.text, findings.flagged);
  if (contents.trouble.empty()) return findings;
  // A text with troubles is uncertain in all, even in the size of the variables, which always counts.
  findings.forbidden.push_back(
      {"unreadable", contents.trouble, 0,
       fmt::format(
           "The inline assembly (`asm`) in the file has something that the grader cannot check "
           "({}). Write it without, or without `asm`.",
           shown(contents.trouble))});
  return findings;
}

std::string static_memory_excess(const PtxContents& contents, uint64_t limit_bytes) {
  const uint64_t bytes = contents.bytes_in(PtxSpace::global);
  const PtxVariable* largest = nullptr;
  for (const PtxVariable& variable : contents.variables) {
    if (variable.space == PtxSpace::global &&
        (largest == nullptr || variable.bytes > largest->bytes)) {
      largest = &variable;
    }
  }
  if (bytes <= limit_bytes || largest == nullptr) return "";
  // Rounded figures could be equal: 4 MiB and a byte is shown as 4 MiB.
  const bool alike = format_bytes(bytes) == format_bytes(limit_bytes);
  const auto text = [&](uint64_t amount) {
    return alike ? fmt::format("{} bytes", amount) : format_bytes(amount);
  };
  return fmt::format(
      "The file's own variables take {} of device memory, and {} are allowed; the largest is `{}` "
      "with {}. The kernel's arguments are allocated by the grader.",
      text(bytes), text(limit_bytes), shown(demangle(largest->name)), text(largest->bytes));
}

}  // namespace warpmark
