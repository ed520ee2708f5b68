#include "compiler/compiler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>

#include "base/places.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "compiler/compiler_log.hpp"
#include "compiler/declared_kernels.hpp"
#include "compiler/device_part.hpp"
#include "compiler/host_code.hpp"
#include "compiler/includes.hpp"
#include "compiler/nvcc.hpp"
#include "compiler/refusal.hpp"
#include "compiler/shims.hpp"
#include "compiler/source_tokens.hpp"
#include "compiler/toolkit_headers.hpp"

namespace warpmark {

namespace {

// Counts with the shims' version into the cache key; raised when what this file makes changes.
constexpr int kFormatVersion = 3;

constexpr std::string_view kRoot = kVirtualRoot;

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

// The name inside the virtual root; what is absolute keeps only its last part.
std::string shown_name(const CompileRequest& request) {
  const std::filesystem::path name(request.origin.known() ? request.origin.file : request.name);
  return name.is_absolute() ? name.filename().string() : name.lexically_normal().string();
}

// A broken NVRTC may have no words for a result, or give sizes that nothing has.
constexpr size_t kMostBytes = size_t{1} << 30;

std::string result_text(const Nvrtc& nvrtc, nvrtcResult result) {
  const char* text = nvrtc.table().nvrtcGetErrorString(result);
  return text != nullptr ? text : fmt::format("NVRTC error {}", static_cast<int>(result));
}

// One NVRTC program.
class Program {
 public:
  Program(const Nvrtc& nvrtc, const std::string& source, const std::string& name,
          const std::vector<Header>& headers)
      : nvrtc_(nvrtc) {
    std::vector<const char*> texts;
    std::vector<const char*> names;
    for (const Header& header : headers) {
      texts.push_back(header.text.c_str());
      names.push_back(header.spelling.c_str());
    }
    check(nvrtc.table().nvrtcCreateProgram(&program_, source.c_str(), name.c_str(),
                                           static_cast<int>(headers.size()), texts.data(),
                                           names.data()),
          "nvrtcCreateProgram");
    if (program_ == nullptr) {
      throw environment_error(
          fmt::format("nvrtcCreateProgram of {} succeeded and gave nothing", nvrtc.path()));
    }
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() { nvrtc_.table().nvrtcDestroyProgram(&program_); }

  void add_name(const std::string& expression) {
    check(nvrtc_.table().nvrtcAddNameExpression(program_, expression.c_str()),
          "nvrtcAddNameExpression");
  }

  nvrtcResult compile(const std::vector<std::string>& options) {
    std::vector<const char*> texts;
    texts.reserve(options.size());
    for (const std::string& option : options) texts.push_back(option.c_str());
    return nvrtc_.table().nvrtcCompileProgram(program_, static_cast<int>(texts.size()),
                                              texts.data());
  }

  std::optional<std::string> lowered_name(const std::string& expression) const {
    const char* name = nullptr;
    const nvrtcResult result =
        nvrtc_.table().nvrtcGetLoweredName(program_, expression.c_str(), &name);
    if (result == NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID) return std::nullopt;
    check(result, "nvrtcGetLoweredName");
    return name != nullptr ? std::optional<std::string>(name) : std::nullopt;
  }

  std::string log() const {
    const NvrtcTable& table = nvrtc_.table();
    return text(table.nvrtcGetProgramLogSize, table.nvrtcGetProgramLog, "nvrtcGetProgramLog");
  }
  std::string ptx() const {
    const NvrtcTable& table = nvrtc_.table();
    return text(table.nvrtcGetPTXSize, table.nvrtcGetPTX, "nvrtcGetPTX");
  }
  std::string cubin() const {
    return bytes(nvrtc_.table().nvrtcGetCUBINSize, nvrtc_.table().nvrtcGetCUBIN, "nvrtcGetCUBIN");
  }

 private:
  void check(nvrtcResult result, const char* call) const {
    if (result == NVRTC_SUCCESS) return;
    throw environment_error(
        fmt::format("{} failed with {} ({})", call, result_text(nvrtc_, result), nvrtc_.path()));
  }
  std::string bytes(nvrtcResult (*size_of)(nvrtcProgram, size_t*),
                    nvrtcResult (*get)(nvrtcProgram, char*), const char* call) const {
    size_t size = 0;
    check(size_of(program_, &size), call);
    if (size > kMostBytes) {
      throw environment_error(fmt::format("{}Size of {} reports {} bytes, more than any kernel has",
                                          call, nvrtc_.path(), size));
    }
    std::string out(size, '\0');
    if (size > 0) check(get(program_, out.data()), call);
    return out;
  }
  // Texts count their terminator.
  std::string text(nvrtcResult (*size_of)(nvrtcProgram, size_t*),
                   nvrtcResult (*get)(nvrtcProgram, char*), const char* call) const {
    const std::string out = bytes(size_of, get, call);
    return out.substr(0, out.find('\0'));
  }

  const Nvrtc& nvrtc_;
  nvrtcProgram program_ = nullptr;
};

std::string clean_log(const std::string& raw) {
  std::string text = clean_compiler_log(raw);
  replace_all(text, kRoot, "");
  return text;
}

// Without our root and the toolkit's place. The comments "// callseq 7, 0" lose their numbers,
// which NVRTC counts over all compilations of a process (seen in 12.4).
std::string clean_ptx(std::string text, const Nvrtc& nvrtc) {
  replace_all(text, fmt::format("\"{}", kRoot), "\"");
  for (const std::string& folder : nvrtc.include_folders()) {
    replace_all(text, "\"" + folder + "/", "\"");
  }
  constexpr std::string_view comment = "// callseq ";
  std::string out;
  size_t done = 0;
  for (size_t at = text.find(comment); at != std::string::npos; at = text.find(comment, done)) {
    const size_t numbers = at + comment.size() - 1;
    out.append(text, done, numbers - done);
    done = std::min(text.find_first_not_of(" ,0123456789", numbers), text.size());
  }
  return out.append(text, done);
}

// Everything about a request that both the key and the compilation need.
struct Unit {
  std::string source;  ///< with its `#line`
  std::string name;    ///< below kRoot
  std::vector<Header> headers;
  std::vector<std::string> options;
  std::vector<std::string> instances;  ///< of templates, to make
  std::vector<std::string> variables;
  std::vector<LayoutQuestion> layouts;
  std::string not_cacheable;
  bool closed = false;  ///< these headers and no others
  std::string written;  ///< the source as it is in its file; "" if it was generated
  int first_line = 1;   ///< of it, in that file
};

bool sets_architecture(const std::string& option) {
  return option.starts_with("--gpu-architecture") || option.starts_with("-arch");
}

bool reads_files(const std::string& option) {
  for (const char* prefix :
       {"-I", "--include-path", "-include", "--pre-include", "--use-pch", "-pch", "--pch"}) {
    if (option.starts_with(prefix)) return true;
  }
  return false;
}

// "NAME=VALUE" or "NAME", as -D takes it, as a line of source. A -D option would reach the headers
// that NVRTC includes before the source too: seen with 13.0, whose own use T as a template
// parameter, so that -DT=float breaks them.
std::string define_line(const std::string& macro) {
  const size_t equals = macro.find('=');
  std::string value = equals == std::string::npos ? "1" : macro.substr(equals + 1);
  std::replace(value.begin(), value.end(), '\n', ' ');
  return fmt::format("#define {} {}\n", macro.substr(0, equals), value);
}

// The source with a `#line` before each region. It keeps its own numbers elsewhere.
std::string with_regions(const std::string& source, const std::vector<SourceRegion>& regions,
                         const std::string& name) {
  std::string out;
  int64_t line = 1;
  auto region = regions.begin();
  for (size_t begin = 0; begin < source.size(); ++line) {
    if (region != regions.end() && region->line == line) {
      const Position& origin = region->origin;
      out += fmt::format("#line {} \"{}{}\"\n", origin.known() ? origin.line : line, kRoot,
                         origin.known() ? origin.file : name);
      ++region;
    }
    const size_t end = std::min(source.find('\n', begin), source.size() - 1) + 1;
    out.append(source, begin, end - begin);
    begin = end;
  }
  return out;
}

// Whether the last part of a name stands in the text: asking the compiler for a variable that there
// is not would make all of it fail.
bool mentions(const std::string& text, const std::string& name) {
  const size_t colons = name.rfind("::");
  const std::string last = colons == std::string::npos ? name : name.substr(colons + 2);
  return text.find(last) != std::string::npos;
}

// The lines of the source keep their numbers.
std::string with_prologue(const CompileRequest& request, const std::string& name) {
  if (request.prologue.empty()) return request.source;
  const int line = request.origin.known() && request.origin.line > 0 ? request.origin.line : 1;
  return fmt::format("{}#line {} \"{}{}\"\n{}", request.prologue, line, kRoot, name,
                     request.source);
}

Unit make_unit(const CompileRequest& request) {
  Unit unit;
  unit.name = shown_name(request);
  if (request.headers) {
    unit.source = with_regions(request.source, request.regions, unit.name);
    unit.headers = reachable_headers(request.source, *request.headers);
    unit.closed = true;
  } else {
    IncludeClosure closure = resolve_includes(
        with_prologue(request, unit.name), request.name,
        {request.folder, request.include_folders, request.header_roots, std::string(kRoot)});
    unit.source = with_regions(closure.source, request.regions, unit.name);
    unit.headers = std::move(closure.headers);
    unit.not_cacheable = std::move(closure.not_cacheable);
    const auto asks_for_time = [](const std::string& text) {
      return text.find("__TIME__") != std::string::npos ||
             text.find("__DATE__") != std::string::npos;
    };
    if (unit.not_cacheable.empty() &&
        (asks_for_time(unit.source) ||
         std::any_of(unit.headers.begin(), unit.headers.end(),
                     [&](const Header& header) { return asks_for_time(header.text); }))) {
      unit.not_cacheable = unit.name + " asks for the time of its compile";
    }
  }
  unit.options = {fmt::format("--gpu-architecture=sm_{}", request.architecture),
                  "--std=" + request.standard, "--ptxas-options=-v", "--device-int128"};
  // -G has lines, too, and ptxas complains of both.
  const bool debugs = std::any_of(
      request.options.begin(), request.options.end(),
      [](const std::string& option) { return option == "-G" || option == "--device-debug"; });
  if (!debugs) unit.options.emplace_back("-lineinfo");
  if (request.relocatable) unit.options.emplace_back("--relocatable-device-code=true");
  std::string prologue;
  for (const auto& [macro, value] : request.defines) {
    prologue += define_line(fmt::format("{}={}", macro, value));
  }
  for (const std::string& option : request.options) {
    if (option.starts_with("-D") && option.size() > 2) {
      prologue += define_line(option.substr(2));
      continue;
    }
    if (sets_architecture(option)) {
      throw usage_error(fmt::format("a suite cannot set the option `{}`", option), {},
                        "kernels are compiled for the device they run on");
    }
    if (reads_files(option)) {
      unit.not_cacheable =
          fmt::format("the option `{}` reads files that are not known here", option);
    }
    unit.options.push_back(option);
  }
  const bool embedded = request.origin.known() && request.origin.line > 0;
  if (request.regions.empty()) unit.written = request.source;
  if (embedded) unit.first_line = request.origin.line;
  if (embedded || !prologue.empty()) {
    unit.source = fmt::format("{}#line {} \"{}{}\"\n", prologue, embedded ? request.origin.line : 1,
                              kRoot, unit.name) +
                  unit.source;
  }
  std::vector<std::string> wanted = request.further_entries;
  wanted.insert(wanted.begin(), request.entry);
  for (const std::string& entry : wanted) {
    const bool is_new =
        std::find(unit.instances.begin(), unit.instances.end(), entry) == unit.instances.end();
    if (entry.find('<') != std::string::npos && is_new) unit.instances.push_back(entry);
  }
  unit.variables = request.variables;
  unit.layouts = request.layouts;
  // By its address, so that a variable that no kernel uses is kept, too.
  const std::string text = unit.source;
  for (const std::string& variable : unit.variables) {
    if (mentions(text, variable)) unit.instances.push_back("&" + variable);
  }
  return unit;
}

std::string key_of(const Unit& unit, const Nvrtc& nvrtc) {
  Sha256 hash;
  hash.add_field(fmt::format("format {} shims {} nvrtc {}", kFormatVersion, kShimVersion,
                             nvrtc.fingerprint()));
  hash.add_field(unit.name).add_field(unit.source);
  hash.add_field(std::to_string(unit.instances.size()));
  for (const std::string& instance : unit.instances) hash.add_field(instance);
  hash.add_field(std::to_string(unit.options.size()));
  for (const std::string& option : unit.options) hash.add_field(option);
  for (const LayoutQuestion& layout : unit.layouts) {
    hash.add_field(layout.name).add_field(join(layout.fields, ","));
  }
  for (const Header& header : unit.headers) hash.add_field(header.spelling).add_field(header.text);
  return hash.finish_hex();
}

// Where the toolkit lies is this machine's business, so it is in the options but not in the key.
// Since 12.9 NVRTC has a cache of its own where there is a driver, and what comes from it has no
// ptxas log (seen on an H200): equal requests must give equal results, so it is turned off.
std::vector<std::string> full_options(const Unit& unit, const Nvrtc& nvrtc) {
  std::vector<std::string> options = unit.options;
  if (std::pair(nvrtc.major(), nvrtc.minor()) >= std::pair(12, 9)) options.push_back("--no-cache");
  if (unit.closed) return options;
  for (const std::string& folder : nvrtc.include_folders()) options.push_back("-I" + folder);
  return options;
}

// What NVRTC says of a template instance that it cannot make, in a text of its own; nothing if the
// source itself is at fault. Seen with 12.4 and 13.0:
//     __nv_name_map(2): error: identifier "scael" is undefined
//       #pragma nv_mangled_name scael<T>
struct BadInstance {
  std::string expression, reason;
};
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

Error instance_error(const BadInstance& bad, const Unit& unit) {
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
  std::vector<std::string> names;
  std::vector<std::string> texts;
  for (const DeclaredKernel& kernel : declared_kernels(unit.source)) {
    names.push_back(kernel.name);
    texts.push_back(kernel.text);
  }
  const std::string near = nearest(bad.expression.substr(0, bad.expression.find('<')), names);
  return verdict_error(
      fmt::format("`{}` is no kernel of {}, which has: {}\n{}", bad.expression, unit.name,
                  texts.empty() ? "none" : join(texts, ", "), bad.reason),
      {}, near.empty() ? "" : fmt::format("did you mean `{}`?", near));
}

// If that is what the compiler's first error is about. Who is graded gets an explanation from the
// grader.
std::string hint_at_host_code(const Unit& unit, const Position& where, const std::string& log) {
  if (unit.closed || where.file != unit.name) return "";
  std::vector<HostCode> host = find_host_code(unit.written);
  for (HostCode& one : host) {
    one.line += unit.first_line - 1;
    if (one.first_line > 0) one.first_line += unit.first_line - 1;
    if (one.last_line > 0) one.last_line += unit.first_line - 1;
  }
  if (is_host_code(host, where.line)) return host_code_hint(host, where.line);
  // What macros make is found by the compiler alone.
  const bool says_so = first_error_alone(log).find(" is considered a host ") != std::string::npos;
  return says_so ? host_code_hint({}, where.line) : "";
}

[[noreturn]] void throw_compile_error(nvrtcResult result, const std::string& log, const Unit& unit,
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
  // What blames the options, or nothing, says nothing of the source.
  if (result == NVRTC_ERROR_INVALID_OPTION || source_errors(log).empty()) {
    throw verdict_error(what + "\n" + log, where, hint);
  }
  throw RefusedError(what, said, where, hint, !for_cpu.empty());
}

// Of "void warpmark_signature<float (*) [16]>()" the type that is pointed to: "float [16]".
std::string pointed_type(const std::string& signature) {
  const size_t begin = signature.find('<');
  const size_t end = signature.rfind(">()");
  if (begin == std::string::npos || end == std::string::npos || end < begin) return "";
  std::string type = signature.substr(begin + 1, end - begin - 1);
  const size_t array = type.find("(*) ");
  if (array != std::string::npos) return type.erase(array, 4);
  return type.ends_with('*') ? type.substr(0, type.size() - 1) : "";
}

// How structs are laid out: for each a program as that of kernel_types, with a template that has the
// numbers as arguments. NVRTC knows no offsetof, but the operator that EDG's is made of. "24 4 0 12"
// by the name of each, or "!" and why there is none.
std::map<std::string, std::string> layouts_of(const Nvrtc& nvrtc, const Unit& unit) {
  std::map<std::string, std::string> layouts;
  for (const LayoutQuestion& layout : unit.layouts) {
    const std::string source =
        unit.source + "\n;template <unsigned long long...> __global__ void warpmark_layout() {}\n";
    std::string expression = fmt::format("warpmark_layout<sizeof({0}), alignof({0})", layout.name);
    for (const std::string& field : layout.fields) {
      expression += fmt::format(", __INTADDR__(&((({}*)0)->{}))", layout.name, field);
    }
    expression += ">";
    Program program(nvrtc, source, std::string(kRoot) + unit.name, unit.headers);
    program.add_name(expression);
    std::vector<std::string> options = full_options(unit, nvrtc);
    replace_all(options.front(), "=sm_", "=compute_");
    const nvrtcResult result = program.compile(options);
    const auto lowered = result == NVRTC_SUCCESS ? program.lowered_name(expression) : std::nullopt;
    if (!lowered) {
      const auto bad = bad_instance(clean_log(program.log()));
      layouts[layout.name] = "!" + (bad ? bad->reason : result_text(nvrtc, result));
      continue;
    }
    // "void warpmark_layout<24ull, 4ull, 0ull>()"
    const std::string text = demangle(*lowered);
    std::string numbers;
    for (const char c : text.substr(std::min(text.find('<'), text.size()))) {
      if (c >= '0' && c <= '9') numbers += c;
      if (c == ',') numbers += ' ';
    }
    layouts[layout.name] = numbers;
  }
  return layouts;
}

// The types of kernels whose symbols do not have them, which are extern "C" ones and instances with
// dependent types such as `Traits<float>::type`: a second program with a template that is
// instantiated with each kernel's type; its mangled name holds the type. A program of its
// own, because the instances are kernels too and would be in the measured module; for a virtual
// architecture, because that spares ptxas (13 ms instead of 23 for a small kernel). Types are
// advisory, so whatever a hostile source makes of this only loses them.
std::map<std::string, std::string> kernel_types(
    const Nvrtc& nvrtc, const Unit& unit, const std::vector<Entry>& entries,
    const std::map<std::string, std::string>& instances) {
  std::map<std::string, std::string> names;  // what C++ calls the kernel, by symbol
  for (const Entry& entry : entries) {
    if (!entry.name.starts_with("_Z") && !entry.parameters.empty()) {
      names[entry.name] = "::" + entry.name;
    }
  }
  for (const auto& [expression, symbol] : instances) {
    if (demangle(symbol).find(">::") != std::string::npos) names[symbol] = expression;
  }
  for (const std::string& variable : unit.variables) {
    if (instances.contains("&" + variable)) names["&" + variable] = variable;
  }
  std::map<std::string, std::string> types;
  if (names.empty()) return types;
  const std::string source =
      unit.source + "\n;template <typename> __global__ void warpmark_signature() {}\n";
  Program program(nvrtc, source, std::string(kRoot) + unit.name, unit.headers);
  const auto expression = [](const std::string& name) {
    return fmt::format("warpmark_signature<decltype(&{})>", name);
  };
  for (const auto& [symbol, name] : names) program.add_name(expression(name));
  std::vector<std::string> options = full_options(unit, nvrtc);
  replace_all(options.front(), "=sm_", "=compute_");
  const nvrtcResult result = program.compile(options);
  if (result == NVRTC_ERROR_COMPILATION || result == NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID) {
    return types;
  }
  // Types lost for another reason would look like a mistake of the suite, and be kept in the cache.
  if (result != NVRTC_SUCCESS) throw_compile_error(result, clean_log(program.log()), unit, nvrtc);
  for (const auto& [symbol, name] : names) {
    const auto lowered = program.lowered_name(expression(name));
    if (!lowered) continue;
    // "void warpmark_signature<void (*)(float*, int)>()"
    const std::string text = demangle(*lowered);
    if (symbol.starts_with('&')) {
      types[symbol] = pointed_type(text);
      continue;
    }
    const size_t begin = text.find("(*)(");
    const size_t end = text.rfind(")>");
    if (begin == std::string::npos || end == std::string::npos || end < begin) continue;
    types[symbol] = text.substr(begin + 3, end + 1 - (begin + 3));
  }
  return types;
}

// Marks layouts in the table of types; no symbol begins so.
const std::string kLayout = "layout ";

LayoutFacts layout_facts(const std::string& name, const std::string& text) {
  LayoutFacts facts;
  facts.name = name;
  if (text.starts_with('!')) {
    facts.problem = text.substr(1);
    return facts;
  }
  std::vector<size_t> numbers;
  for (const std::string& word : split(text, ' ')) {
    size_t number = 0;
    std::from_chars(word.data(), word.data() + word.size(), number);
    numbers.push_back(number);
  }
  if (numbers.size() < 2) {
    facts.problem = "the compiler gave no numbers";
    return facts;
  }
  facts.bytes = numbers[0];
  facts.alignment = numbers[1];
  facts.offsets.assign(numbers.begin() + 2, numbers.end());
  return facts;
}

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

// Seen with NVRTC 13.0: when ptxas refuses a kernel, its resource usage takes the place of its
// error in the log. Compiled once more without it, the error is there.
std::string log_without_usage(const Nvrtc& nvrtc, const Unit& unit) {
  std::vector<std::string> options = full_options(unit, nvrtc);
  std::erase(options, "--ptxas-options=-v");
  Program program(nvrtc, unit.source, std::string(kRoot) + unit.name, unit.headers);
  for (const std::string& instance : unit.instances) program.add_name(instance);
  program.compile(options);
  return clean_log(program.log());
}

CachedCompilation compile_unit(const Nvrtc& nvrtc, const Unit& unit) {
  Program program(nvrtc, unit.source, std::string(kRoot) + unit.name, unit.headers);
  for (const std::string& instance : unit.instances) program.add_name(instance);
  const nvrtcResult result = program.compile(full_options(unit, nvrtc));
  CachedCompilation out;
  out.log = clean_log(program.log());
  if (result != NVRTC_SUCCESS) {
    if (out.log.find("error") == std::string::npos) out.log = log_without_usage(nvrtc, unit);
    throw_compile_error(result, out.log, unit, nvrtc);
  }
  out.cubin = program.cubin();
  out.ptx = clean_ptx(program.ptx(), nvrtc);
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

// With what the PTX says of its kernels, and the log of their resources.
CompileResult with_entries(CompileResult result) {
  result.entries = scan_entries(result.ptx);
  const std::map<std::string, KernelBounds> usage = usage_in_log(result.log);
  for (Entry& entry : result.entries) {
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
  return with_entries(std::move(result));
}

CompileResult result_of_binary(const CompileRequest& request) {
  CompileResult result;
  result.cubin = request.source;
  return result;
}

CompileResult result_of(CachedCompilation made, const Unit& unit) {
  CompileResult result;
  result.cubin = std::move(made.cubin);
  result.ptx = std::move(made.ptx);
  result.log = std::move(made.log);
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
    if (!is_usage) lines.push_back(line);
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
// types of <sys/types.h>, macros of <math.h>.
constexpr std::string_view kImplicit =
    "#include <math.h>\n"
    "typedef unsigned short ushort;\n"
    "typedef unsigned int uint;\n"
    "typedef unsigned long ulong;\n";
constexpr std::array kImplicitNames = {"ushort", "uint",      "ulong",  "INFINITY",
                                       "NAN",    "HUGE_VALF", "M_PI",   "M_PI_2",
                                       "M_E",    "M_SQRT2",   "M_1_PI", "M_LN2"};

bool is_undefined(const Error& error, const std::string& name) {
  return error.message().find("identifier \"" + name + "\" is undefined") != std::string::npos;
}

// Whether the first name that std lacks is one that <math.h> brings: std::isnan(x).
bool lacks_math(const Error& error) {
  constexpr std::string_view kLacks = "namespace \"std\" has no member \"";
  const size_t at = error.message().find(kLacks);
  if (at == std::string::npos) return false;
  const size_t begin = at + kLacks.size();
  const size_t end = std::min(error.message().find('"', begin), error.message().size());
  const std::string name = error.message().substr(begin, end - begin);
  return find_shim("math.h")->find("using ::" + name + ";") != std::string_view::npos;
}

// What NVRTC refuses where nvcc would not: code for the CPU, and names that nvcc brings along.
bool is_as_for_nvcc(const RefusedError& error) {
  return error.for_cpu() || lacks_math(error) ||
         std::any_of(kImplicitNames.begin(), kImplicitNames.end(),
                     [&](const char* name) { return is_undefined(error, name); });
}

}  // namespace

CompileResult Compiler::compile(const CompileRequest& request) const {
  if (request.language == SourceLanguage::ptx) return result_of_ptx(request);
  if (request.language == SourceLanguage::binary) return result_of_binary(request);
  if (request.language == SourceLanguage::nvcc) {
    if (request.headers) throw usage_error("nvcc cannot be used while grading");
    return with_entries(compile_by_nvcc(request));
  }
  // A submission is compiled as it is, and so is what a plugin generates.
  if (request.headers || !request.regions.empty()) return compile_whole(request);
  try {
    return compile_whole(request);
  } catch (const RefusedError& error) {
    if (!is_as_for_nvcc(error)) throw;
    const bool embedded = request.origin.known() && request.origin.line > 0;
    DevicePart part = device_part(request.source, embedded ? request.origin.line : 1);
    CompileRequest rest = request;
    rest.source = std::move(part.source);
    rest.prologue = kImplicit;
    try {
      CompileResult result = compile_whole(rest);
      result.left_out = std::move(part.left_out);
      return result;
    } catch (const RefusedError& second) {
      // A kernel that calls what was left out: the first error says that better.
      if (std::any_of(part.names.begin(), part.names.end(),
                      [&](const std::string& name) { return is_undefined(second, name); })) {
        throw error;
      }
      throw;
    }
  }
}

CompileResult Compiler::compile_whole(const CompileRequest& request) const {
  nvrtc_->check_architecture(request.architecture);
  const Unit unit = make_unit(request);
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
  CachedCompilation made = compile_unit(*nvrtc_, unit);
  if (cached) {
    if (std::string notice = cache_.store(key, made); !notice.empty()) notices.push_back(notice);
  }
  CompileResult result = result_of(std::move(made), unit);
  result.not_cacheable = unit.not_cacheable;
  result.notices = std::move(notices);
  return result;
}

}  // namespace warpmark
