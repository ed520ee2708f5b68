#include "compiler/compile_unit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "base/sha256.hpp"
#include "base/text.hpp"
#include "compiler/host_headers.hpp"
#include "compiler/includes.hpp"
#include "compiler/shims.hpp"
#include "compiler/source_tokens.hpp"
#include "compiler/suite_options.hpp"
#include "compiler/toolkit_headers.hpp"

namespace warpmark {

namespace {

// A part of the cache key, together with the shims' version; raised when the result for a request
// changes.
constexpr int kFormatVersion = 6;

bool reads_files(const std::string& option) {
  for (const char* prefix :
       {"-I", "--include-path", "-include", "--pre-include", "--use-pch", "-pch", "--pch"}) {
    if (option.starts_with(prefix)) return true;
  }
  return false;
}

// "NAME=VALUE" or "NAME", as for -D, becomes a line of source. A -D option would reach the headers
// that NVRTC includes before the source too: seen with 13.0, whose own use T as a template
// parameter, so that -DT=float breaks them.
std::string define_line(const std::string& macro) {
  const size_t equals = macro.find('=');
  std::string value = equals == std::string::npos ? "1" : macro.substr(equals + 1);
  std::ranges::replace(value, '\n', ' ');
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
      out += fmt::format("#line {} \"{}{}\"\n", origin.known() ? origin.line : line, kVirtualRoot,
                         origin.known() ? origin.file : name);
      ++region;
    }
    const size_t end = std::min(source.find('\n', begin), source.size() - 1) + 1;
    out.append(source, begin, end - begin);
    begin = end;
  }
  return out;
}

// True if the last part of a name is in the text: asking the compiler for a variable that does not
// exist would make the whole compilation fail.
bool mentions(const std::string& text, const std::string& name) {
  const size_t colons = name.rfind("::");
  const std::string last = colons == std::string::npos ? name : name.substr(colons + 2);
  return text.find(last) != std::string::npos;
}

// The lines of the source keep their numbers.
std::string with_prologue(const CompileRequest& request, const std::string& name) {
  if (request.prologue.empty()) return request.source;
  const int line = request.origin.known() && request.origin.line > 0 ? request.origin.line : 1;
  return fmt::format("{}#line {} \"{}{}\"\n{}", request.prologue, line, kVirtualRoot, name,
                     request.source);
}

// Includes of headers that a program gets by way of headers for the CPU, which are `left_out`, for
// the names that the texts use. Libraries of CUDA bring its numbers of 16 bits.
std::string implied_includes(const std::vector<std::string>& left_out,
                             const std::vector<std::string>& texts) {
  if (left_out.empty()) return "";
  const bool brings_numbers = std::ranges::any_of(left_out, [](const auto& name) {
    return name.starts_with("cublas") || name.starts_with("cudnn") || name.starts_with("cus");
  });
  std::set<std::string, std::less<>> headers;
  for (const std::string& text : texts) {
    const std::vector<SourceToken> tokens = source_tokens(text);
    for (size_t i = 0; i < tokens.size(); ++i) {
      if (tokens[i].kind != TokenKind::word) continue;
      const bool of_std = i >= 2 && tokens[i - 1].text == "::" && tokens[i - 2].text == "std";
      const std::string_view standard = header_of_std(tokens[i].text);
      const bool is_integer = standard == "cstdint";
      if (of_std || is_integer) headers.emplace(standard);
      if (brings_numbers) headers.insert(header_of(tokens[i].text));
    }
  }
  headers.erase("");
  std::string lines;
  for (const std::string& header : headers) lines += fmt::format("#include <{}>\n", header);
  return lines;
}

// Leaves code for the CPU out of the source and its headers.
void keep_device_part(const CompileRequest& request, const std::vector<std::string>& folders,
                      IncludeClosure& closure, CompileUnit& unit) {
  const bool closed = request.headers != nullptr;
  const auto has_part = [closed](const Header& header) {
    return closed ? header.handed_in : !header.path.empty();
  };
  std::vector<DeviceText> texts = {{closure.source, ""}};
  std::set<std::string> known;
  for (const Header& header : closure.headers) {
    known.insert(header.spelling);
    if (has_part(header)) texts.push_back({header.text, header.path});
  }
  DeviceNeeds needs;
  needs.wanted = request.further_entries;
  needs.wanted.push_back(request.entry);
  needs.wanted.insert(needs.wanted.end(), request.variables.begin(), request.variables.end());
  for (const LayoutQuestion& layout : request.layouts) needs.wanted.push_back(layout.name);
  for (const auto& [macro, value] : request.defines) needs.wanted.push_back(value);
  needs.default_device =
      has_option(request.options, {"default-device", "device-as-default-execution-space"});
  needs.lacks_header = [&](const std::string& name, bool angled) {
    if (known.contains(name)) return false;
    if (closed || is_host_header(name)) return true;
    // Without the toolkit's folders it is not known what is missing.
    return angled && !folders.empty() &&
           std::ranges::none_of(folders, [&](const std::string& folder) {
             return std::filesystem::exists(std::filesystem::path(folder) / name);
           });
  };
  DevicePart part = device_part(texts, needs);
  auto text = part.texts.begin();
  closure.source = implied_includes(part.headers, part.texts) + std::move(*text++);
  for (Header& header : closure.headers) {
    if (has_part(header)) header.text = std::move(*text++);
  }
  unit.part = std::move(part);
}

// Adds the headers that only the part's own includes reach.
void add_implied_headers(IncludeClosure& closure, const std::vector<Header>& all) {
  std::set<std::string> known;
  for (const Header& header : closure.headers) known.insert(header.spelling);
  for (Header& header : reachable_headers(closure.source, all)) {
    if (!known.contains(header.spelling)) closure.headers.push_back(std::move(header));
  }
}

// An option that the suite gives, too, is left to it: NVRTC 12 refuses what is given twice.
std::vector<std::string> own_options(const CompileRequest& request, const SuiteOptions& given) {
  std::vector<std::string> options = {"--gpu-architecture=" + request.architecture.name(),
                                      "--std=" + given.standard, "--ptxas-options=-v"};
  if (!has_option(given.further, {"device-int128"})) options.emplace_back("--device-int128");
  // -G has lines, too, and ptxas complains of both.
  if (!has_option(given.further, {"G", "device-debug", "lineinfo", "generate-line-info"})) {
    options.emplace_back("-lineinfo");
  }
  if (request.relocatable &&
      !has_option(given.further, {"rdc", "relocatable-device-code", "dc", "device-c"})) {
    options.emplace_back("--relocatable-device-code=true");
  }
  return options;
}

}  // namespace

std::string shown_name(const CompileRequest& request) {
  const std::filesystem::path name(request.origin.known() ? request.origin.file : request.name);
  return name.is_absolute() ? name.filename().string() : name.lexically_normal().string();
}

CompileUnit make_unit(const CompileRequest& request, const std::vector<std::string>& folders) {
  CompileUnit unit;
  unit.name = shown_name(request);
  if (request.headers) {
    IncludeClosure closure;
    closure.source = with_prologue(request, unit.name);
    closure.headers = reachable_headers(closure.source, *request.headers);
    if (request.device_part) {
      keep_device_part(request, folders, closure, unit);
      add_implied_headers(closure, *request.headers);
    }
    unit.source = with_regions(closure.source, request.regions, unit.name);
    unit.headers = std::move(closure.headers);
    unit.closed = true;
  } else {
    IncludeClosure closure =
        resolve_includes(with_prologue(request, unit.name), request.name,
                         {request.folder, request.include_folders, request.header_roots,
                          std::string(kVirtualRoot), true, request.replaced});
    if (request.device_part) keep_device_part(request, folders, closure, unit);
    unit.source = with_regions(closure.source, request.regions, unit.name);
    unit.headers = std::move(closure.headers);
    unit.not_cacheable = std::move(closure.not_cacheable);
    const auto asks_for_time = [](const std::string& text) {
      return text.find("__TIME__") != std::string::npos ||
             text.find("__DATE__") != std::string::npos;
    };
    if (unit.not_cacheable.empty() &&
        (asks_for_time(unit.source) || std::ranges::any_of(unit.headers, [&](const Header& header) {
           return asks_for_time(header.text);
         }))) {
      unit.not_cacheable = unit.name + " asks for the time of its compile";
    }
  }
  const SuiteOptions given = suite_options(request.options);
  unit.options = own_options(request, given);
  std::string prologue;
  for (const auto& [macro, value] : request.defines) {
    prologue += define_line(fmt::format("{}={}", macro, value));
  }
  for (const std::string& option : given.further) {
    if (option.starts_with("-D") && option.size() > 2) {
      prologue += define_line(option.substr(2));
      continue;
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
                              kVirtualRoot, unit.name) +
                  unit.source;
  }
  std::vector<std::string> wanted = request.further_entries;
  wanted.insert(wanted.begin(), request.entry);
  for (const std::string& entry : wanted) {
    const bool is_new = std::ranges::find(unit.instances, entry) == unit.instances.end();
    if (entry.find('<') != std::string::npos && is_new) unit.instances.push_back(entry);
  }
  unit.variables = request.variables;
  unit.layouts = request.layouts;
  // The address of each variable is asked for, so that a variable that no kernel uses is kept, too.
  const std::string text = unit.source;
  for (const std::string& variable : unit.variables) {
    if (mentions(text, variable)) unit.instances.push_back("&" + variable);
  }
  return unit;
}

std::string key_of(const CompileUnit& unit, const Nvrtc& nvrtc) {
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

// The place of the toolkit depends on the machine, so it is in the options but not in the key.
// Since 12.9 NVRTC has its own cache if there is a driver, and cached results have no ptxas log
// (seen on an H200): equal requests must give equal results, so it is turned off.
std::vector<std::string> full_options(const CompileUnit& unit, const Nvrtc& nvrtc) {
  std::vector<std::string> options = unit.options;
  if (std::pair(nvrtc.major(), nvrtc.minor()) >= std::pair(12, 9)) options.push_back("--no-cache");
  if (unit.closed) return options;
  for (const std::string& folder : nvrtc.include_folders()) options.push_back("-I" + folder);
  return options;
}

}  // namespace warpmark
