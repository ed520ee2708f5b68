#include "compiler/source_types.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <span>

#include "base/characters.hpp"
#include "base/text.hpp"
#include "compiler/compile_error.hpp"
#include "compiler/nvrtc_program.hpp"
#include "compiler/written_types.hpp"

namespace warpmark {

namespace {

// Returns the type pointed to in "void warpmark_signature<float (*) [16]>()": "float [16]".
std::string pointed_type(const std::string& signature) {
  const size_t begin = signature.find('<');
  const size_t end = signature.rfind(">()");
  if (begin == std::string::npos || end == std::string::npos || end < begin) return "";
  std::string type = signature.substr(begin + 1, end - begin - 1);
  const size_t array = type.find("(*) ");
  if (array != std::string::npos) return type.erase(array, 4);
  return type.ends_with('*') ? type.substr(0, type.size() - 1) : "";
}

// The layout of structs comes from a program like that of kernel_types, with a template that has
// the numbers as arguments. NVRTC has no offsetof, but the operator that EDG's is based on.
std::string layout_expression(const LayoutQuestion& layout) {
  std::string expression = fmt::format("warpmark_layout<sizeof({0}), alignof({0})", layout.name);
  for (const std::string& field : layout.fields) {
    expression += fmt::format(
        ", __INTADDR__(&((({0}*)0)->{1})), warpmark_kind<decltype((({0}*)0)->{1})>::warpmark_value",
        layout.name, field);
  }
  return expression + ">";
}

// 256 kinds, numbered as in FieldFacts::Kind, for each size. The source may have any macros.
constexpr std::string_view kKinds = R"(
template <typename warpmark_t> struct warpmark_kind {
  enum : unsigned long long { warpmark_value = (__is_enum(warpmark_t) ? 6 : 0) + 256ull * sizeof(warpmark_t) };
};
#define WARPMARK_KIND(type, kind) template <> struct warpmark_kind<type> { \
  enum : unsigned long long { warpmark_value = kind + 256ull * sizeof(type) }; };
WARPMARK_KIND(bool, 1) WARPMARK_KIND(signed char, 2) WARPMARK_KIND(short, 2) WARPMARK_KIND(int, 2)
WARPMARK_KIND(long, 2) WARPMARK_KIND(long long, 2) WARPMARK_KIND(unsigned char, 3)
WARPMARK_KIND(unsigned short, 3) WARPMARK_KIND(unsigned, 3) WARPMARK_KIND(unsigned long, 3)
WARPMARK_KIND(unsigned long long, 3) WARPMARK_KIND(float, 4) WARPMARK_KIND(double, 4)
WARPMARK_KIND(char, 5)
template <typename warpmark_t> struct warpmark_kind<warpmark_t*> {
  enum : unsigned long long { warpmark_value = 7 + 256ull * sizeof(warpmark_t*) };
};
template <typename warpmark_t> struct warpmark_kind<const warpmark_t> : warpmark_kind<warpmark_t> {};
template <typename warpmark_t> struct warpmark_kind<volatile warpmark_t> : warpmark_kind<warpmark_t> {};
template <typename warpmark_t>
struct warpmark_kind<const volatile warpmark_t> : warpmark_kind<warpmark_t> {};
template <typename warpmark_t, decltype(sizeof(0)) warpmark_n>
struct warpmark_kind<warpmark_t[warpmark_n]> : warpmark_kind<warpmark_t> {};
template <typename warpmark_t, decltype(sizeof(0)) warpmark_n>
struct warpmark_kind<const warpmark_t[warpmark_n]> : warpmark_kind<warpmark_t> {};
)";

// Returns "24 4 0" for "void warpmark_layout<24ull, 4ull, 0ull>()".
std::string layout_numbers(const std::string& symbol) {
  const std::string text = demangle(symbol);
  std::string numbers;
  for (const char c : text.substr(std::min(text.find('<'), text.size()))) {
    if (is_digit(c)) numbers += c;
    if (c == ',') numbers += ' ';
  }
  return numbers;
}

// Asks for several layouts at a time. A struct that differs from its description fails the whole
// program; then nothing is added, except the reason if there is only one struct.
bool add_layouts(const Nvrtc& nvrtc, const CompileUnit& unit, std::span<const LayoutQuestion> asked,
                 std::map<std::string, std::string>& layouts) {
  const std::string source =
      unit.source + "\n;" + std::string(kKinds) +
      "template <unsigned long long...> __global__ void warpmark_layout() {}\n";
  NvrtcProgram program(nvrtc, source, std::string(kVirtualRoot) + unit.name, unit.headers);
  for (const LayoutQuestion& layout : asked) program.add_name(layout_expression(layout));
  std::vector<std::string> options = full_options(unit, nvrtc);
  replace_all(options.front(), "=sm_", "=compute_");
  const nvrtcResult result = program.compile(options);
  for (const LayoutQuestion& layout : asked) {
    const auto lowered =
        result == NVRTC_SUCCESS ? program.lowered_name(layout_expression(layout)) : std::nullopt;
    if (lowered) {
      layouts[layout.name] = layout_numbers(*lowered);
    } else if (asked.size() == 1) {
      const auto bad = bad_instance(program.log());
      layouts[layout.name] = "!" + (bad ? bad->reason : result_text(nvrtc, result));
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace

std::map<std::string, std::string> layouts_of(const Nvrtc& nvrtc, const CompileUnit& unit) {
  std::map<std::string, std::string> layouts;
  const std::span<const LayoutQuestion> all(unit.layouts);
  if (all.empty() || add_layouts(nvrtc, unit, all, layouts)) return layouts;
  for (size_t i = 0; i < all.size(); ++i) add_layouts(nvrtc, unit, all.subspan(i, 1), layouts);
  return layouts;
}

// The types of kernels whose symbols do not have them, which are extern "C" ones and instances with
// dependent types such as `Traits<float>::type`: a second program with a template that is
// instantiated with each kernel's type; its mangled name holds the type. It is a separate program,
// because the instances are kernels too and would be in the measured module; for a virtual
// architecture, because that spares ptxas (13 ms instead of 23 for a small kernel). Types are
// advisory, so a hostile source can only lose them.
std::map<std::string, std::string> kernel_types(
    const Nvrtc& nvrtc, const CompileUnit& unit, const std::vector<Entry>& entries,
    const std::map<std::string, std::string>& instances) {
  std::map<std::string, std::string> names;  // the kernel's C++ name, by symbol
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
  // A symbol without types is the name of an extern "C" kernel, of which there is one.
  for (auto& [name, list] : written_types(unit)) {
    const auto found = names.find(name);
    if (found == names.end() || found->second != "::" + name) continue;
    names.erase(found);
    types[name] = std::move(list);
  }
  if (names.empty()) return types;
  const std::string source =
      unit.source + "\n;template <typename> __global__ void warpmark_signature() {}\n";
  NvrtcProgram program(nvrtc, source, std::string(kVirtualRoot) + unit.name, unit.headers);
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
  if (result != NVRTC_SUCCESS) throw_compile_error(result, program.log(), unit, nvrtc);
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
  for (size_t i = 2; i + 1 < numbers.size(); i += 2) {
    facts.offsets.push_back(numbers[i]);
    facts.fields.push_back(
        {static_cast<FieldFacts::Kind>(numbers[i + 1] % 256), numbers[i + 1] / 256});
  }
  return facts;
}

}  // namespace warpmark
