#include "compiler/compiler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "compiler/assembler.hpp"
#include "compiler/compile_error.hpp"
#include "compiler/compile_unit.hpp"
#include "compiler/declared_kernels.hpp"
#include "compiler/host_headers.hpp"
#include "compiler/kernel_program.hpp"
#include "compiler/nvcc.hpp"
#include "compiler/nvrtc_program.hpp"
#include "compiler/shims.hpp"
#include "compiler/source_types.hpp"

namespace warpmark {

namespace {

// Marks layouts in the table of types; no symbol begins so.
const std::string kLayout = "layout ";

std::string encode_table(const std::map<std::string, std::string>& table) {
  std::vector<std::string> lines;
  lines.reserve(table.size());
  for (const auto& [name, text] : table) lines.push_back(fmt::format("{}\t{}", name, text));
  return join(lines, "\n");
}

std::map<std::string, std::string> decode_table(const std::string& text) {
  std::map<std::string, std::string> table;
  for (const std::string& line : split(text, '\n')) {
    const size_t tab = line.find('\t');
    if (tab != std::string::npos) table[line.substr(0, tab)] = line.substr(tab + 1);
  }
  return table;
}

// Returns the log of another compilation without resource usage. Seen with NVRTC 13.0: when ptxas
// refuses a kernel, its resource usage takes the place of its error in the log. Without it, the
// error is there.
std::string log_without_usage(const Nvrtc& nvrtc, const CompileUnit& unit) {
  std::vector<std::string> options = full_options(unit, nvrtc);
  std::erase(options, "--ptxas-options=-v");
  NvrtcProgram program(nvrtc, unit.source, std::string(kVirtualRoot) + unit.name, unit.headers);
  for (const std::string& instance : unit.instances) program.add_name(instance);
  program.compile(options);
  return program.log();
}

CachedCompilation compile_unit(const Nvrtc& nvrtc, const CompileUnit& unit) {
  NvrtcProgram program(nvrtc, unit.source, std::string(kVirtualRoot) + unit.name, unit.headers);
  for (const std::string& instance : unit.instances) program.add_name(instance);
  const nvrtcResult result = program.compile(full_options(unit, nvrtc));
  CachedCompilation out;
  out.log = program.log();
  if (result != NVRTC_SUCCESS) {
    if (out.log.find("error") == std::string::npos) out.log = log_without_usage(nvrtc, unit);
    throw_compile_error(result, out.log, unit, nvrtc);
  }
  out.cubin = program.cubin();
  out.ptx = program.ptx();
  std::map<std::string, std::string> instances;
  for (const std::string& instance : unit.instances) {
    if (const auto name = program.lowered_name(instance)) instances[instance] = *name;
  }
  out.instances = encode_table(instances);
  std::map<std::string, std::string> types =
      kernel_types(nvrtc, unit, scan_entries(out.ptx), instances);
  for (auto& [name, layout] : layouts_of(nvrtc, unit)) types[kLayout + name] = std::move(layout);
  out.types = encode_table(types);
  return out;
}

// Adds the entries, from the PTX of the kernels and the log of their resources.
CompileResult with_entries(CompileResult result) {
  result.entries = scan_entries(result.ptx);
  const std::map<std::string, KernelBounds> usage = usage_in_log(result.log);
  for (Entry& entry : result.entries) {
    entry.bounds.least_dynamic = result.least_shared;
    entry.sources = result.sources;
    const auto found = usage.find(entry.name);
    if (found == usage.end()) continue;
    entry.bounds.registers = found->second.registers;
    entry.bounds.shared = found->second.shared;
  }
  return result;
}

// A driver takes PTX in the place of a cubin, and compiles it.
CompileResult result_of_ptx(const CompileRequest& request) {
  CompileResult result;
  result.ptx = request.source;
  result.cubin = request.source;
  return result;
}

CompileResult result_of_binary(const CompileRequest& request) {
  CompileResult result;
  result.cubin = request.source;
  return result;
}

CompileResult result_of(CachedCompilation made, const CompileUnit& unit) {
  CompileResult result;
  result.cubin = std::move(made.cubin);
  result.ptx = std::move(made.ptx);
  result.log = std::move(made.log);
  if (!made.left_out.empty()) result.left_out = split(made.left_out, '\n');
  result = with_entries(std::move(result));
  const std::map<std::string, std::string> types = decode_table(made.types);
  for (Entry& entry : result.entries) {
    if (const auto found = types.find(entry.name); found != types.end()) {
      if (const auto list = parameter_types(found->second)) set_types(entry, *list);
    }
  }
  result.instances = decode_table(made.instances);
  const auto found = [](const std::map<std::string, std::string>& table, const std::string& key) {
    const auto at = table.find(key);
    return at == table.end() ? std::string() : at->second;
  };
  for (const std::string& variable : unit.variables) {
    result.variables.push_back(
        {variable, found(result.instances, "&" + variable), found(types, "&" + variable)});
  }
  for (const LayoutQuestion& layout : unit.layouts) {
    result.layouts.push_back(layout_facts(layout.name, found(types, kLayout + layout.name)));
  }
  return result;
}

}  // namespace

std::string CompileResult::warnings() const {
  std::vector<std::string> lines;
  for (const std::string& line : split(log, '\n')) {
    const bool is_usage = line.starts_with("ptxas info") || line.starts_with("ptxas         .") ||
                          line.find(" bytes stack frame") != std::string::npos;
    // That wgmma instructions wait for each other is no more than an info to ptxas.
    const bool warns = line.find("Potential Performance Loss") != std::string::npos;
    if (!is_usage || warns) lines.push_back(line);
  }
  return std::string(trim(join(lines, "\n")));
}

Entry CompileResult::entry(const CompileRequest& request) const {
  if (request.language == SourceLanguage::binary) {
    return {request.entry, demangle(request.entry), {}, {}};
  }
  const auto instance = instances.find(request.entry);
  if (instance != instances.end()) {
    return find_entry(entries, instance->second, shown_name(request));
  }
  try {
    return find_entry(entries, request.entry, shown_name(request), request.arguments);
  } catch (const Error& error) {
    for (const DeclaredKernel& kernel : declared_kernels(request.source)) {
      if (kernel.name != request.entry || !kernel.is_template) continue;
      throw verdict_error(error.message(), error.where(),
                          fmt::format("`{0}` is a template, {1}: write its arguments, as in "
                                      "`{0}<float>`",
                                      kernel.name, kernel.text));
    }
    throw;
  }
}

namespace {

// Names that nvcc's host headers, which every source has there, declare for device code as well:
// types of <sys/types.h>, macros of <math.h> and <limits.h>.
constexpr std::string_view kImplicit =
    "#include <limits.h>\n"
    "#include <math.h>\n"
    "typedef unsigned short ushort;\n"
    "typedef unsigned int uint;\n"
    "typedef unsigned long ulong;\n";
// Constants of <time.h>, which programs take from headers for the CPU.
constexpr std::string_view kHostMacros =
    "#ifndef __linux__\n"
    "#define __linux__ 1\n"
    "#endif\n"
    "#ifndef CLOCKS_PER_SEC\n"
    "#define CLOCKS_PER_SEC 1000000L\n"
    "#endif\n";
// Programmatic dependent launch (cuda_device_runtime_api.h, which a source may also include).
constexpr std::string_view kDependentLaunch =
    "static __device__ inline void cudaTriggerProgrammaticLaunchCompletion() {"
    " asm volatile(\"griddepcontrol.launch_dependents;\" :::); }\n"
    "static __device__ inline void cudaGridDependencySynchronize() {"
    " asm volatile(\"griddepcontrol.wait;\" ::: \"memory\"); }\n";
constexpr std::array kDependentLaunchNames = {"cudaTriggerProgrammaticLaunchCompletion",
                                              "cudaGridDependencySynchronize"};
constexpr std::array kImplicitNames = {
    "ushort",   "uint",     "ulong",     "INFINITY",  "NAN",       "HUGE_VALF",
    "M_PI",     "M_PI_2",   "M_E",       "M_SQRT2",   "M_1_PI",    "M_LN2",
    "INT_MAX",  "INT_MIN",  "UINT_MAX",  "CHAR_BIT",  "CHAR_MAX",  "SHRT_MAX",
    "LONG_MAX", "LONG_MIN", "ULONG_MAX", "LLONG_MAX", "LLONG_MIN", "ULLONG_MAX"};

bool is_undefined(const Error& error, const std::string& name) {
  return error.message().find("identifier \"" + name + "\" is undefined") != std::string::npos;
}

// True if the first name that std lacks is one that <math.h> declares: std::isnan(x).
bool lacks_math(const Error& error) {
  constexpr std::string_view kLacks = "namespace \"std\" has no member \"";
  const size_t at = error.message().find(kLacks);
  if (at == std::string::npos) return false;
  const size_t begin = at + kLacks.size();
  const size_t end = std::min(error.message().find('"', begin), error.message().size());
  const std::string name = error.message().substr(begin, end - begin);
  return find_shim("math.h")->find("using ::" + name + ";") != std::string_view::npos;
}

template <typename Names>
bool lacks_one(const Error& error, const Names& names) {
  return std::ranges::any_of(names, [&](const char* name) { return is_undefined(error, name); });
}

// True if the error is about names that nvcc declares by itself.
bool lacks_implicit_names(const RefusedError& error) {
  return lacks_math(error) || lacks_one(error, kImplicitNames) ||
         lacks_one(error, kDependentLaunchNames);
}

// Types of the CUDA runtime, and constants: what headers for the CPU bring.
std::string host_names(const CompileRequest& request) {
  std::string types = "#if __has_include(<driver_types.h>)\n#include <driver_types.h>\n#endif\n";
  if (request.headers) {
    // A question about a header would bring all of them along.
    const bool there = std::ranges::any_of(
        *request.headers, [](const Header& header) { return header.spelling == "driver_types.h"; });
    types = there ? "#include <driver_types.h>\n" : "";
  }
  return types + std::string(kHostMacros);
}

}  // namespace

CompileResult Compiler::compile(const CompileRequest& request) const {
  if (request.language == SourceLanguage::ptx) {
    return with_entries(assembled(result_of_ptx(request), request));
  }
  if (request.language == SourceLanguage::binary) return result_of_binary(request);
  if (request.language == SourceLanguage::nvcc) {
    if (request.headers) throw usage_error("nvcc cannot be used while grading");
    return with_entries(compile_by_nvcc(request));
  }
  if (request.language == SourceLanguage::other) {
    if (request.headers && !request.confined) {
      throw usage_error(fmt::format("{} cannot be used while grading", request.program));
    }
    return with_entries(assembled(compile_by_program(request), request));
  }
  return compile_by_nvrtc(request);
}

CompileResult Compiler::assembled(CompileResult made, const CompileRequest& request) const {
  if (!request.assembles) return made;
  if (!assembler_) {
    throw environment_error(
        fmt::format("{} is PTX, and this device takes machine code: there is no nvJitLink",
                    request.name),
        kNoAssembler);
  }
  Assembler::Code code = assembler_->assemble(made.ptx, request.architecture, request.name);
  made.cubin = std::move(code.cubin);
  made.log = std::move(code.log);
  return made;
}

// Compiles a source that was refused as nvcc would: with the names that it declares by itself, and
// without code for the CPU. Nothing is left out of a submission, unless its task allows it, so that
// the graded source is the one that was handed in; sources that a plugin generates are compiled as
// they are.
CachedCompilation Compiler::compile_as_for_nvcc(const CompileRequest& request,
                                                const RefusedError& error) const {
  if (!request.regions.empty()) throw error;
  CompileRequest again = request;
  again.prologue = kImplicit;
  if (lacks_one(error, kDependentLaunchNames)) again.prologue += kDependentLaunch;
  if (request.headers && !request.may_have_host_code) {
    if (!lacks_implicit_names(error)) throw error;
    return compile_unit(*nvrtc_, make_unit(again, nvrtc_->include_folders()));
  }
  again.prologue += host_names(request);
  again.device_part = true;
  const CompileUnit unit = make_unit(again, nvrtc_->include_folders());
  const bool is_other = unit.part.is_changed || lacks_implicit_names(error);
  if (!is_other || !unit.part.has_kernel) throw error;
  std::vector<std::string> missing = unit.part.headers;
  std::erase_if(missing, is_host_header);
  // No compiler takes a submission with such an include.
  if (request.headers && !missing.empty()) {
    throw RefusedError::with_hint(
        error, fmt::format("<{}> {} not among the headers that the task allows",
                           join(missing, ">, <"), missing.size() == 1 ? "is" : "are"));
  }
  try {
    CachedCompilation made = compile_unit(*nvrtc_, unit);
    made.left_out = join(unit.part.left_out, "\n");
    return made;
  } catch (const RefusedError& second) {
    for (const auto& [name, place] : unit.part.names) {
      if (!is_undefined(second, name)) continue;
      throw RefusedError::with_hint(
          second,
          fmt::format("{} begins `{}` without `__device__`: that makes it code for the CPU, "
                      "which a kernel cannot use; write `__device__` before it",
                      place, name));
    }
    if (missing.empty() && (unit.part.headers.empty() || !second.hint().empty())) throw;
    if (missing.empty() && request.headers) throw;
    if (missing.empty()) {
      throw RefusedError::with_hint(
          second,
          fmt::format("<{}> {} for the CPU, and left out: if a kernel needs {}, "
                      "`compiler: nvcc` compiles the file as it is, where nvcc is "
                      "installed",
                      join(unit.part.headers, ">, <"), unit.part.headers.size() == 1 ? "is" : "are",
                      unit.part.headers.size() == 1 ? "it" : "them"));
    }
    throw RefusedError::with_hint(
        second, fmt::format("<{}> {} in no folder: `include` of the suite names folders",
                            join(missing, ">, <"), missing.size() == 1 ? "is" : "are"));
  }
}

// The cache keeps what came of the request, so that a source that NVRTC refuses is refused once.
CompileResult Compiler::compile_by_nvrtc(const CompileRequest& request) const {
  nvrtc_->check_architecture(request.architecture);
  const CompileUnit unit = make_unit(request, nvrtc_->include_folders());
  const bool cached = request.use_cache && unit.not_cacheable.empty() && cache_.enabled();
  const std::string key = cached ? key_of(unit, *nvrtc_) : "";
  std::vector<std::string> notices;
  if (cached) {
    CacheLookup lookup = cache_.find(key);
    if (lookup.found) {
      CompileResult result = result_of(std::move(*lookup.found), unit);
      result.from_cache = true;
      return result;
    }
    if (!lookup.notice.empty()) notices.push_back(lookup.notice);
  }
  CachedCompilation made;
  try {
    made = compile_unit(*nvrtc_, unit);
  } catch (const RefusedError& error) {
    made = compile_as_for_nvcc(request, error);
  }
  if (cached) {
    if (std::string notice = cache_.store(key, made); !notice.empty()) notices.push_back(notice);
  }
  CompileResult result = result_of(std::move(made), unit);
  result.not_cacheable = unit.not_cacheable;
  result.notices = std::move(notices);
  return result;
}

}  // namespace warpmark
