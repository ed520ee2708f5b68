#include "compiler/compile_error.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/places.hpp"
#include "base/text.hpp"
#include "compiler/compiler_log.hpp"
#include "compiler/declared_kernels.hpp"
#include "compiler/host_code.hpp"
#include "compiler/nvrtc_program.hpp"
#include "compiler/refusal.hpp"
#include "compiler/source_tokens.hpp"
#include "compiler/toolkit_headers.hpp"

namespace warpmark {

namespace {

Error instance_error(const BadInstance& bad, const CompileUnit& unit) {
  if (bad.expression.starts_with('&')) {
    const std::string name = bad.expression.substr(1);
    const size_t colons = name.rfind("::");
    const std::string last = colons == std::string::npos ? name : name.substr(colons + 2);
    if (is_declared_with(unit.source, "__managed__", last)) {
      return verdict_error(
          fmt::format("`{}` of {} is `__managed__`: no suite can set or read such a variable", name,
                      unit.name),
          {},
          "declare it `__device__`; in a file that must stay as it is, "
          "`define: {__managed__: '\"__device__\"'}` does that");
    }
    return verdict_error(fmt::format("`{}` is no variable of {}\n{}", name, unit.name, bad.reason));
  }
  const std::string wanted = bad.expression.substr(0, bad.expression.find('<'));
  const bool is_qualified = wanted.find("::") != std::string::npos;
  std::vector<std::string> names, whole_names, texts;
  for (const DeclaredKernel& kernel : declared_kernels(unit.source)) {
    whole_names.push_back(kernel.scope + kernel.name);
    names.push_back(is_qualified ? whole_names.back() : kernel.name);
    texts.push_back(kernel.text);
  }
  const auto near = std::ranges::find(names, nearest(wanted, names));
  return verdict_error(
      fmt::format("`{}` is no kernel of {}, which has: {}\n{}", bad.expression, unit.name,
                  texts.empty() ? "none" : join(texts, ", "), bad.reason),
      {},
      near == names.end() ? ""
                          : fmt::format("did you mean `{}`?",
                                        whole_names[static_cast<size_t>(near - names.begin())]));
}

// Returns a hint if the compiler's first error is about host code. Submissions that are graded get
// an explanation from the grader instead.
std::string hint_at_host_code(const CompileUnit& unit, const Position& where,
                              const std::string& log) {
  if (unit.closed || where.file != unit.name) return "";
  std::vector<HostCode> host = find_host_code(unit.written);
  for (HostCode& one : host) {
    one.line += unit.first_line - 1;
    if (one.first_line > 0) one.first_line += unit.first_line - 1;
    if (one.last_line > 0) one.last_line += unit.first_line - 1;
  }
  const std::string runtime =
      device_runtime_hint(host, where.line, undefined_name(first_error_alone(log)));
  if (!runtime.empty()) return runtime;
  const std::string parameter = host_parameter_hint(unit.written, where.line, unit.first_line);
  if (!parameter.empty()) return parameter;
  if (is_host_code(host, where.line)) return host_code_hint(host, where.line);
  // Code that macros make is found by the compiler alone.
  const bool says_so = first_error_alone(log).find(" is considered a host ") != std::string::npos;
  return says_so ? host_code_hint({}, where.line) : "";
}

}  // namespace

// The error of NVRTC, in a separate text, about a template instance that it cannot make; nothing if
// the source itself is at fault. Seen with 12.4 and 13.0:
//     __nv_name_map(2): error: identifier "scael" is undefined
//       #pragma nv_mangled_name scael<T>
std::optional<BadInstance> bad_instance(const std::string& log) {
  constexpr std::string_view place = "__nv_name_map(";
  constexpr std::string_view error = "): error: ";
  constexpr std::string_view pragma = "#pragma nv_mangled_name ";
  const size_t first = log.find(error);
  const size_t line = log.find(place);
  if (first == std::string::npos || line == std::string::npos || first < line) return std::nullopt;
  const size_t begin = first + error.size();
  const size_t at = log.find(pragma, begin);
  if (at == std::string::npos) return std::nullopt;
  const size_t expression = at + pragma.size();
  return BadInstance{log.substr(expression, log.find('\n', expression) - expression),
                     log.substr(begin, log.find('\n', begin) - begin)};
}

void throw_compile_error(nvrtcResult result, const std::string& log, const CompileUnit& unit,
                         const Nvrtc& nvrtc) {
  const std::string reason = result_text(nvrtc, result);
  if (result != NVRTC_ERROR_COMPILATION && result != NVRTC_ERROR_INVALID_OPTION) {
    throw environment_error(
        fmt::format("NVRTC {} failed on {} with {}\n{}", nvrtc.version(), unit.name, reason, log));
  }
  if (!unit.instances.empty()) {
    if (const auto bad = bad_instance(log)) throw instance_error(*bad, unit);
  }
  std::string hint;
  if (log.find("open source file") != std::string::npos) {
    if (unit.closed) {
      hint = "only headers that are allowed here can be included";
    } else if (!nvrtc.include_folders().empty()) {
      hint = "looked in the suite's folder, Warpmark's own C and C++ headers and " +
             join(nvrtc.include_folders(), ", ");
    } else {
      hint = fmt::format("this NVRTC has no header folder beside it; {}set WARPMARK_CUDA_HOME",
                         own_places().installed ? "" : "./bootstrap fetches one, or ");
    }
  }
  const Position where = first_error_in(log);
  std::string said = log;
  const std::string for_cpu = hint_at_host_code(unit, where, log);
  if (!for_cpu.empty()) {
    hint = for_cpu;
  } else if (!unit.closed) {
    if (const std::string header = hint_at_missing_header(log); !header.empty()) hint = header;
    const std::string toolkit = hint_at_toolkit_header(log, nvrtc.include_folders(), unit.written);
    if (!toolkit.empty()) {
      hint = toolkit;
      said = first_error_alone(log);
    }
  }
  const std::string what = unit.name + " does not compile";
  // An error about the options, or no error, says nothing about the source.
  if (result == NVRTC_ERROR_INVALID_OPTION || source_errors(log).empty()) {
    throw verdict_error(what + "\n" + log, where, hint);
  }
  throw RefusedError(what, said, where, hint, !for_cpu.empty());
}

}  // namespace warpmark
