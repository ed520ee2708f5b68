// Chains of .loc positions, and the names of functions in debug sections and mangled.
#include "program/source_place.hpp"

#include <algorithm>
#include <utility>

#include "ptx/characters.hpp"
#include "ptx/debug_info.hpp"

namespace warpmark::cpu {
namespace {

// The limit for hostile texts; compilers inline only a few levels deep.
constexpr std::size_t kMostLevels = 64;

// Names of two linked texts have the same labels: then neither is sure.
std::string function_name(const Module& module, std::string_view label) {
  std::string name;
  for (const std::string_view section : module.debug_strings) {
    std::string found = text_behind(section, label);
    if (found.empty() || found == name) continue;
    if (!name.empty()) return "";
    name = std::move(found);
  }
  return readable_name(name);
}

// Reads mangled names; `rest_` is what is left.
class MangledName {
 public:
  explicit MangledName(std::string_view text) : rest_(text) {}

  bool read(std::string& name) {
    const bool nested = accept('N');
    while (nested && !rest_.empty() && std::string_view("rVKRO").find(rest_[0]) != kNowhere)
      rest_.remove_prefix(1);
    accept('L');  // of internal linkage
    do {
      std::string_view part;
      if (!source_name(part)) return false;
      // An unnamed namespace.
      if (part.starts_with("_GLOBAL__N_") || part.starts_with("_INTERNAL_")) continue;
      name += (name.empty() ? "" : "::") + std::string(part);
      if (!rest_.empty() && rest_[0] == 'I' && !skip_arguments()) return false;
    } while (nested && !accept('E'));
    return !name.empty();
  }

 private:
  static constexpr std::size_t kNowhere = std::string_view::npos;

  bool accept(char c) {
    if (rest_.empty() || rest_[0] != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  bool source_name(std::string_view& part) {
    std::size_t length = 0, digits = 0;
    while (digits < rest_.size() && digits < 4 && is_digit(rest_[digits]))
      length = length * 10 + static_cast<std::size_t>(rest_[digits++] - '0');
    if (digits == 0 || length == 0 || length > rest_.size() - digits) return false;
    part = rest_.substr(digits, length);
    rest_.remove_prefix(digits + length);
    return true;
  }

  // Over I…E. All that ends with an E begins with one of these letters.
  bool skip_arguments() {
    int depth = 0;
    while (!rest_.empty()) {
      const char c = rest_[0];
      std::string_view ignored;
      if (is_digit(c)) {
        if (!source_name(ignored)) return false;
        continue;
      }
      rest_.remove_prefix(1);
      if (c == 'L') {  // a literal: a builtin type, digits, E
        const std::size_t end = rest_.find('E');
        if (end == kNowhere || rest_.starts_with('_') || rest_.starts_with('N')) return false;
        rest_.remove_prefix(end + 1);
      } else if (c == 'S' || c == 'T' || c == 'D') {  // S_, S0_, St; T_, T0_; Dn, Dh
        if (!rest_.empty() && rest_[0] != '_') rest_.remove_prefix(1);
        while (c != 'D' && !rest_.empty() && rest_[0] == '_') rest_.remove_prefix(1);
      } else if (c == 'I' || c == 'N' || c == 'X' || c == 'J' || c == 'F') {
        ++depth;
      } else if (c == 'A') {
        return false;  // an array's size looks like a name's length
      } else if (c == 'E' && --depth == 0) {
        return true;
      }
    }
    return false;
  }

  std::string_view rest_;
};

// The name without what the optimiser adds where it splits a variable by members: tot_$_0.
std::string_view unsplit(std::string_view name) {
  constexpr std::string_view kMark = "_$_";
  while (!name.empty() && is_digit(name.back())) {
    const std::string_view rest = name.substr(0, name.find_last_not_of("0123456789") + 1);
    if (!rest.ends_with(kMark) || rest.size() == kMark.size()) break;
    name = rest.substr(0, rest.size() - kMark.size());
  }
  return name;
}

// A header of the toolkit, by its name behind the folder of headers that it was found in. Names of
// folders that a program might have itself are known by what is in them.
bool is_toolkit_header(std::string_view file) {
  for (const std::string_view folder : {"/include/", "cccl/"}) {
    const std::size_t at = file.rfind(folder);
    if (at != std::string_view::npos) file.remove_prefix(at + folder.size());
  }
  constexpr std::string_view kFolders[] = {"cuda/__", "cuda/std/",           "cub/",   "nv/",
                                           "crt/",    "cooperative_groups/", "thrust/"};
  constexpr std::string_view kFiles[] = {"cooperative_groups.h",
                                         "cuda_awbarrier",
                                         "cuda_bf16.",
                                         "cuda_fp16.",
                                         "cuda_fp4.",
                                         "cuda_fp6.",
                                         "cuda_fp8.",
                                         "cuda_pipeline",
                                         "curand_",
                                         "device_functions.",
                                         "cuda_device_runtime_api.",
                                         "math_functions.",
                                         "mma.h"};
  const auto begins = [&](std::string_view name) { return file.starts_with(name); };
  const bool of_architecture = file.starts_with("sm_") && file.size() > 3 && is_digit(file[3]);
  const bool header = file.ends_with(".h") || file.ends_with(".hpp") || file.ends_with(".inl");
  // libcu++'s own names have no extension: cuda/barrier, cuda/pipeline.
  const bool of_libcu = file.starts_with("cuda/") && file.find('.') == std::string_view::npos;
  return of_libcu || std::ranges::any_of(kFolders, begins) ||
         (header && file.find('/') == std::string_view::npos &&
          (of_architecture || std::ranges::any_of(kFiles, begins)));
}

// A header of a library that a kernel is compiled with (CUTLASS, ThunderKittens): it lies in a folder
// `include` that the kernel's own file is not in.
bool is_library_header(std::string_view file, std::string_view own) {
  constexpr std::string_view kFolder = "/include/";
  const std::size_t at = file.rfind(kFolder);
  return at != std::string_view::npos && !own.starts_with(file.substr(0, at + kFolder.size()));
}

// Returns whether the program may have a pointer to a function, from a variable of the module or a
// move.
bool has_address_taken(const Program& program, const Function& wanted) {
  const auto names = [&](std::string_view text) { return text == wanted.name; };
  const auto moved = [&](const Function& function) {
    return std::ranges::any_of(function.statements, [&](const Statement& statement) {
      if (statement.facts->mnemonic != Mnemonic::mov) return false;
      const auto first = function.operands.begin() + statement.first_operand;
      return std::any_of(first, first + statement.operands, [&](const Operand& operand) {
        return operand.kind == OperandKind::name && names(operand.text);
      });
    });
  };
  for (const Variable& variable : program.module->variables) {
    for (const Variable::Reference& reference : variable.references) {
      if (names(reference.symbol)) return true;
    }
  }
  return std::ranges::any_of(program.sources, [&](const Program::Source& source) {
    return source.function != nullptr && moved(*source.function);
  });
}

}  // namespace

std::string readable_name(std::string_view mangled) {
  std::string name;
  if (mangled.starts_with("_Z") && MangledName(mangled.substr(2)).read(name)) return name;
  return std::string(mangled);
}

std::string variable_name(std::string_view mangled) {
  mangled = unsplit(mangled);
  std::string_view name = mangled;
  if (!name.starts_with("_Z")) return std::string(mangled);
  // If a function has several variables of one name, all but the first end in _0, _1 and so on.
  const std::size_t last = name.find_last_not_of("0123456789");
  if (last + 1 < name.size() && name[last] == '_') name = name.substr(0, last);
  if (name.ends_with('E')) name.remove_suffix(1);
  for (std::size_t i = 2; i < name.size(); ++i) {
    if (!is_digit(name[i]) || is_digit(name[i - 1])) continue;
    std::size_t length = 0, end = i;
    while (end < name.size() && is_digit(name[end]) && length <= name.size())
      length = length * 10 + static_cast<std::size_t>(name[end++] - '0');
    if (length > 0 && length == name.size() - end) return std::string(name.substr(end));
  }
  return std::string(mangled);
}

std::vector<SourceLine> source_lines(const Program& program, std::uint32_t statement) {
  std::vector<SourceLine> lines;
  const Statement* found = program.statement(statement);
  if (found == nullptr) return lines;
  const Module& module = *program.module;
  Location at = found->location;
  while (lines.size() < kMostLevels) {
    const auto file = module.files.find(at.file);
    if (file == module.files.end()) break;
    lines.push_back({file->second, at.line, "", false, at.merged});
    if (at.inlined == 0 || at.inlined > module.inlined.size()) break;
    const InlinedCall& call = module.inlined[at.inlined - 1];
    lines.back().function =
        call.name.empty() ? function_name(module, call.function) : readable_name(call.name);
    at = call.call;
  }
  return lines;
}

std::vector<SourceLine> source_lines(const Program& program, std::uint32_t statement,
                                     const std::vector<std::uint32_t>& calls) {
  std::vector<SourceLine> lines = source_lines(program, statement);
  for (const std::uint32_t call : calls) {
    std::vector<SourceLine> more = source_lines(program, call);
    if (!more.empty()) more.front().calls = true;
    lines.insert(lines.end(), more.begin(), more.end());
  }
  return lines;
}

std::size_t own_line(const std::vector<SourceLine>& lines) {
  const auto own = std::ranges::find_if(lines, [&](const SourceLine& line) {
    return !is_toolkit_header(line.file) && !is_library_header(line.file, lines.back().file);
  });
  return own == lines.end() ? 0 : static_cast<std::size_t>(own - lines.begin());
}

Callers callers_of(const Program& program, std::uint32_t statement) {
  constexpr std::size_t kMostCalls = 16;
  Callers found;
  // Functions are decoded in the order of their numbers, and the kernel last.
  std::uint32_t callee = 0;
  while (callee + 1 < program.sources.size() && program.sources[callee + 1].first <= statement)
    ++callee;
  const bool indirect = std::ranges::any_of(
      program.calls, [](const Call& call) { return call.callee == Instruction::kNone; });
  while (callee < program.callees.size() && found.calls.size() < kMostCalls) {
    std::vector<std::uint32_t> places;
    std::uint32_t caller = Instruction::kNone;
    const bool pointed = indirect && has_address_taken(program, *program.callees[callee].function);
    for (const Call& call : program.calls) {
      const auto same = [&](std::uint32_t one) { return same_place(program, one, call.statement); };
      const bool perhaps = call.callee == Instruction::kNone ? pointed : call.callee == callee;
      if (!perhaps || std::ranges::any_of(places, same)) continue;
      places.push_back(call.statement);
      caller = call.caller;
    }
    if (places.size() != 1) {
      found.choices = std::move(places);
      break;
    }
    found.calls.push_back(places[0]);
    callee = caller;
  }
  return found;
}

bool same_place(const Program& program, std::uint32_t one, std::uint32_t other) {
  if (one == other) return true;
  const Statement* first = program.statement(one);
  const Statement* second = program.statement(other);
  if (first == nullptr || second == nullptr || first->location.file == 0) return false;
  const Module& module = *program.module;
  Location a = first->location, b = second->location;
  for (std::size_t level = 0; level < kMostLevels; ++level) {
    if (a.file != b.file || a.line != b.line || a.column != b.column) return false;
    if (a.inlined == b.inlined) return true;
    if (a.inlined == 0 || b.inlined == 0) return false;
    a = module.inlined[a.inlined - 1].call;
    b = module.inlined[b.inlined - 1].call;
  }
  return false;
}

}  // namespace warpmark::cpu
