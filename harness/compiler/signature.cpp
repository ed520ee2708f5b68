#include "compiler/signature.hpp"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <memory>

#include "base/error.hpp"
#include "base/text.hpp"
#include "ptx/parser.hpp"

namespace warpmark {

namespace {

std::optional<size_t> number(std::string_view text) {
  size_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// The number that stands before the words, as in "4096 bytes smem".
std::optional<size_t> number_before(std::string_view text, std::string_view words) {
  const size_t end = text.find(words);
  if (end == std::string_view::npos) return std::nullopt;
  const size_t start = text.substr(0, end).find_last_not_of("0123456789") + 1;
  return number(text.substr(start, end - start));
}

// The bounds that an entry sets for its launches. A grid that is given in clusters may have any size
// of cluster.
KernelBounds bounds_of(const cpu::Function& function) {
  KernelBounds bounds;
  if (function.threads[0] == 0) bounds.most_threads = function.max_threads;
  std::ranges::copy(function.threads, bounds.block.begin());
  if (!function.counts_clusters) std::ranges::copy(function.cluster, bounds.cluster.begin());
  return bounds;
}

// Where the parameter list starts: the last top-level "(" that closes at the end.
size_t list_start(std::string_view demangled) {
  if (!demangled.ends_with(')')) return std::string_view::npos;
  int depth = 0;
  for (size_t i = demangled.size(); i-- > 0;) {
    if (demangled[i] == ')') ++depth;
    if (demangled[i] == '(' && --depth == 0) return i;
  }
  return std::string_view::npos;
}

// "void ns::tk<float>(float*, int)" → "ns::tk<float>": neither result nor parameters.
std::string_view qualified_name(std::string_view demangled) {
  std::string_view name = demangled.substr(0, list_start(demangled));
  int depth = 0;
  for (size_t i = name.size(); i-- > 0;) {
    if (name[i] == '>' || name[i] == ')') ++depth;
    if (name[i] == '<' || name[i] == '(') --depth;
    if (name[i] == ' ' && depth == 0) return name.substr(i + 1);
  }
  return name;
}

std::string_view without_template(std::string_view name) {
  return name.ends_with('>') ? name.substr(0, name.find('<')) : name;
}

std::string_view last_component(std::string_view name) {
  const size_t end = name.find('<');
  const size_t colons = name.substr(0, end).rfind("::");
  return colons == std::string_view::npos ? name : name.substr(colons + 2);
}

std::string without_spaces(std::string_view text) {
  std::string out(text);
  std::erase(out, ' ');
  return out;
}

bool answers_to(const Entry& entry, const std::string& wanted) {
  const std::string_view name = qualified_name(entry.demangled);
  const std::string_view plain = without_template(name);
  const std::string_view parameters =
      std::string_view(entry.demangled)
          .substr(std::min(list_start(entry.demangled), entry.demangled.size()));
  for (const std::string_view spelling :
       {name, plain, last_component(name), last_component(plain)}) {
    if (without_spaces(spelling) == wanted) return true;
    if (without_spaces(std::string(spelling) + std::string(parameters)) == wanted) return true;
  }
  return false;
}

// True if a call with such arguments is a call of this kernel. Sizes decide; known types must not
// contradict.
bool takes(const Entry& entry, const std::vector<GivenArgument>& arguments) {
  if (entry.parameters.size() != arguments.size()) return false;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const GivenArgument& argument = arguments[i];
    const EntryParameter& parameter = entry.parameters[i];
    const std::string_view type = trim(parameter.type);
    const size_t star = type.find('*');
    if (argument.array && parameter.bytes != sizeof(void*)) return false;
    if (!argument.array && argument.dtype && parameter.bytes != argument.dtype->bytes) return false;
    if (type.empty()) continue;
    if ((star != std::string_view::npos) != argument.array) return false;
    const std::optional<DType> element = dtype_of_c_type(type.substr(0, star));
    if (argument.dtype && element && !(*element == *argument.dtype)) return false;
  }
  return true;
}

}  // namespace

std::string Entry::text() const {
  std::vector<std::string> parts;
  for (const EntryParameter& parameter : parameters) {
    parts.push_back(parameter.type.empty()
                        ? fmt::format("{} byte{}", parameter.bytes, parameter.bytes == 1 ? "" : "s")
                        : parameter.type);
  }
  return fmt::format("{}({})", qualified_name(demangled), join(parts, ", "));
}

std::string Entry::called() const {
  constexpr std::string_view kUnnamed = "(anonymous namespace)::";
  std::string text(qualified_name(demangled));
  for (size_t at = text.find(kUnnamed); at != std::string::npos; at = text.find(kUnnamed)) {
    text.erase(at, kUnnamed.size());
  }
  return text;
}

std::vector<Entry> scan_entries(std::string_view ptx) {
  std::vector<Entry> entries;
  const cpu::Module module = cpu::read_ptx(ptx, cpu::Bodies::skipped);
  for (const cpu::Function& function : module.functions) {
    if (!function.entry) continue;
    Entry entry;
    entry.name = function.name;
    entry.demangled = demangle(entry.name);
    for (const cpu::Parameter& one : function.parameters)
      entry.parameters.push_back({one.offset, one.bytes, one.alignment, ""});
    entry.bounds = bounds_of(function);
    if (const auto types = parameter_types(entry.demangled)) set_types(entry, *types);
    entries.push_back(std::move(entry));
  }
  return entries;
}

std::optional<std::vector<std::string>> parameter_types(std::string_view demangled) {
  const size_t start = list_start(demangled);
  if (start == std::string_view::npos) return std::nullopt;
  const std::string_view list = demangled.substr(start + 1, demangled.size() - start - 2);
  std::vector<std::string> types;
  if (list.empty() || list == "void") return types;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i <= list.size(); ++i) {
    const char c = i < list.size() ? list[i] : ',';
    if (c == '<' || c == '(' || c == '[') ++depth;
    if (c == '>' || c == ')' || c == ']') --depth;
    if (c != ',' || (depth != 0 && i < list.size())) continue;
    types.emplace_back(trim(list.substr(begin, i - begin)));
    begin = i + 1;
  }
  return types;
}

void set_types(Entry& entry, const std::vector<std::string>& types) {
  if (types.size() != entry.parameters.size()) return;
  for (size_t i = 0; i < types.size(); ++i) {
    const auto dtype = dtype_of_c_type(types[i]);
    if (dtype && dtype->bytes != entry.parameters[i].bytes) return;
  }
  for (size_t i = 0; i < types.size(); ++i) entry.parameters[i].type = types[i];
}

std::string demangle(const std::string& symbol) {
  // Inline assembly can name an entry anything, and a demangler recurses and allocates by length.
  constexpr size_t longest = 4096;
  if (!symbol.starts_with("_Z") || symbol.size() > longest) return symbol;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text ? std::string(text.get()) : symbol;
}

const Entry& find_entry(const std::vector<Entry>& entries, const std::string& wanted,
                        const std::string& file, const std::vector<GivenArgument>& arguments) {
  const auto exact = std::ranges::find(entries, wanted, &Entry::name);
  if (exact != entries.end()) return *exact;
  std::vector<const Entry*> matching;
  for (const Entry& entry : entries) {
    if (answers_to(entry, without_spaces(wanted))) matching.push_back(&entry);
  }
  if (matching.size() > 1 && !arguments.empty()) {
    std::vector<const Entry*> taking;
    std::ranges::copy_if(matching, std::back_inserter(taking),
                         [&](const Entry* entry) { return takes(*entry, arguments); });
    if (taking.size() == 1) return *taking.front();
  }
  if (matching.size() == 1) return *matching.front();
  std::vector<std::string> texts;
  std::vector<std::string> names;
  for (const Entry& entry : entries) {
    if (!matching.empty() && std::ranges::find(matching, &entry) == matching.end()) {
      continue;
    }
    texts.push_back(printable(entry.text()));
    names.emplace_back(last_component(without_template(qualified_name(entry.demangled))));
  }
  if (!matching.empty()) {
    throw verdict_error(fmt::format("`{}` names {} kernels in {}: {}", wanted, matching.size(),
                                    file, join(texts, ", ")),
                        {}, "write one of them with its parameters or template arguments");
  }
  if (entries.empty()) {
    throw verdict_error(fmt::format("no kernel `{}` in {}: it has no kernels", wanted, file), {},
                        "a kernel is a __global__ function; a template needs its arguments, as in "
                        "`scale<float>`");
  }
  const std::string close = nearest(wanted, names);
  throw verdict_error(
      fmt::format("no kernel `{}` in {}; it has: {}", wanted, file, join(texts, ", ")), {},
      close.empty() ? "" : fmt::format("did you mean `{}`?", printable(close)));
}

std::map<std::string, KernelBounds> usage_in_log(std::string_view log) {
  constexpr std::string_view compiling = "Compiling entry function '";
  std::map<std::string, KernelBounds> out;
  std::string entry;
  for (const std::string& line : split(log, '\n')) {
    if (const size_t at = line.find(compiling); at != std::string::npos) {
      const size_t start = at + compiling.size();
      entry = line.substr(start, line.find('\'', start) - start);
    } else if (const size_t used = line.find("Used ");
               used != std::string::npos && !entry.empty()) {
      // "Used 10 registers, used 1 barriers, 4096 bytes smem"
      const std::string_view usage = std::string_view(line).substr(used + 5);
      KernelBounds& bounds = out[entry];
      bounds.registers = number_before(usage, " registers").value_or(bounds.registers);
      bounds.shared = number_before(usage, " bytes smem").value_or(bounds.shared);
    }
  }
  return out;
}

}  // namespace warpmark
