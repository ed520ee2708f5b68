#include "suite/suite_reader.hpp"

#include <fmt/format.h>

#include <array>

#include "base/architecture.hpp"
#include "base/characters.hpp"
#include "base/text.hpp"
#include "suite/case.hpp"
#include "suite/suite_keys.hpp"

namespace warpmark {

namespace {

// Keys of ours with the words of other programs and people for them, which are not near in letters.
constexpr std::pair<std::string_view, std::string_view> kMeanings[] = {
    {"reference", "answer expected expected_output golden output outputs result results truth"},
    {"arguments", "args buffers inputs parameters params"},
    {"tolerance", "atol eps epsilon rtol ulp"},
    {"about", "description doc name summary title"},
    {"launch", "block blocks config geometry grid threads"},
    {"axes", "parametrize sizes sweep variables"},
    {"bench", "benchmark benchmarks perf performance timing"},
    {"kernel", "code cuda file program source src"},
    {"requires", "needs"},
    {"in", "data init input value"},
    {"dtype", "type"},
    {"shared", "smem"},
};

// The known key that is meant by this one, or "".
std::string meant(std::string_view word, const std::vector<std::string>& known) {
  for (const auto& [key, others] : kMeanings) {
    const std::vector<std::string> all = split(std::string(others), ' ');
    if (std::ranges::find(all, word) == all.end()) continue;
    if (std::ranges::find(known, key) != known.end()) return std::string(key);
  }
  return nearest(word, known);
}

}  // namespace

Error unknown_word(const std::string& what, const std::string& word, const Position& where,
                   const std::vector<std::string>& known) {
  const std::string near = meant(word, known);
  return usage_error(
      fmt::format("unknown {} `{}`", what, word), where,
      near.empty() ? "known: " + join(known, ", ") : fmt::format("did you mean `{}`?", near));
}

namespace {

void require_kind(const YamlNode& node, const std::string& what, YamlNode::Kind kind) {
  if (node.kind == kind) return;
  throw usage_error(
      fmt::format("{} must be {}, and here is {}", what, to_text(kind), to_text(node.kind)),
      node.where);
}

}  // namespace

void require_named_map(const YamlNode& node, const std::string& what) {
  require_kind(node, what, YamlNode::Kind::map);
}

void require_map(const YamlNode& node, const std::string& what,
                 const std::vector<std::string>& known) {
  require_named_map(node, what);
  for (const YamlMember& member : node.members) {
    if (std::ranges::find(known, member.key) == known.end()) {
      const size_t colon = member.key.find(':');
      if (colon != std::string::npos) {
        throw usage_error(fmt::format("unknown key of {} `{}`", what, member.key), member.where,
                          "a key ends with a colon and a blank");
      }
      throw unknown_word("key of " + what, member.key, member.where, known);
    }
  }
}

void require_list(const YamlNode& node, const std::string& what) {
  require_kind(node, what, YamlNode::Kind::list);
  if (node.elements.empty()) throw usage_error(what + " is an empty list", node.where);
}

void read_one_or_more(const YamlNode& node, const std::string& what,
                      const std::function<void(const YamlNode&)>& read) {
  if (node.kind != YamlNode::Kind::list) {
    read(node);
    return;
  }
  require_list(node, what);
  for (const YamlNode& element : node.elements) read(element);
}

Located read_text(const YamlNode& node, const std::string& what) {
  require_kind(node, what, YamlNode::Kind::scalar);
  if (trim(node.text).empty()) throw usage_error(what + " is empty", node.where);
  return {node.text, node.content};
}

std::string read_word(const YamlNode& node, const std::string& what,
                      const std::vector<std::string>& words) {
  const Located word = read_text(node, what);
  if (std::ranges::find(words, word.text) != words.end()) return word.text;
  throw unknown_word("value of " + what, word.text, word.where, words);
}

bool read_truth(const YamlNode& node, const std::string& what) {
  return read_word(node, what, {"true", "false"}) == "true";
}

Expression read_expression(const YamlNode& node, const std::string& what) {
  const Located text = read_text(node, what);
  return Expression::parse(text.text, text.where);
}

std::vector<Expression> read_expressions(const YamlNode& node, const std::string& what) {
  if (node.kind != YamlNode::Kind::list) return {read_expression(node, what)};
  require_list(node, what);
  std::vector<Expression> expressions;
  for (const YamlNode& element : node.elements) {
    expressions.push_back(read_expression(element, "an element of " + what));
  }
  return expressions;
}

PythonText read_python(const YamlNode& node, const std::string& what) {
  if (node.kind != YamlNode::Kind::map) return {read_text(node, what), false};
  const KeyedMap map(node, what, function_keys());
  const bool tensors = map.find("torch") != nullptr;
  if (tensors && map.find("function") != nullptr) {
    throw usage_error(what + " has `function` and `torch`, which exclude each other", node.where);
  }
  const auto function = map.text(tensors ? "torch" : "function");
  if (!function) {
    throw usage_error(what + " needs `function`", node.where,
                      "or `torch`, for a function of PyTorch");
  }
  PythonText text{*function, true, tensors};
  const size_t colon = text.text.rfind(':');
  if (colon == std::string::npos || !is_identifier(text.text.substr(colon + 1)) ||
      !text.text.substr(0, colon).ends_with(".py")) {
    throw usage_error(fmt::format("`{}` names no function of a Python file", text.text), text.where,
                      "write FILE.py:NAME, the file relative to the suite's folder");
  }
  return text;
}

bool is_identifier(std::string_view text) {
  return !text.empty() && is_word_start(text[0]) &&
         std::ranges::all_of(text, [&](char c) { return is_word_character(c); });
}

namespace {

ArithmeticValue read_axis_literal(const YamlNode& node) {
  const Located text = read_text(node, "an axis value");
  // A single word is text; everything else is arithmetic, in which no name has a value yet.
  const std::string_view word = trim(text.text);
  static const std::vector<std::string> kNotText = {"True", "False", "true", "false"};
  if (is_identifier(word) && std::ranges::find(kNotText, word) == kNotText.end()) {
    return std::string(word);
  }
  const Expression expression = Expression::parse(text.text, text.where);
  if (!expression.names().empty()) {
    const NameUse& use = expression.names().front();
    throw usage_error(fmt::format("an axis value cannot use `{}`", use.name), use.where,
                      "axis values are literals and arithmetic over literals; a computed list is "
                      "{python: \"[...]\"}");
  }
  return expression.evaluate({});
}

AxisValue read_axis_value(const YamlNode& node) {
  if (node.kind != YamlNode::Kind::map) return {node.where, read_axis_literal(node), ""};
  const KeyedMap map(node, "an axis value", axis_value_keys());
  AxisValue read{node.where, read_axis_literal(map.at("value")), ""};
  if (const auto label = map.text("label")) {
    const Located& text = *label;
    for (const char c : text.text) {
      const bool fits =
          is_identifier(std::string_view(&c, 1)) || is_digit(c) || c == '/' || c == '.' || c == '~';
      if (!fits) {
        throw usage_error(
            fmt::format("the label `{}` has characters that case ids cannot have", text.text),
            text.where, "use letters, digits and _ / . ~");
      }
    }
    read.label = text.text;
  }
  return read;
}

}  // namespace

namespace {

int64_t whole_number(const YamlNode& node, const std::string& what) {
  const ArithmeticValue value = read_axis_literal(node);
  if (const auto* whole = std::get_if<int64_t>(&value)) return *whole;
  throw usage_error(fmt::format("{} must be a whole number, and is {}", what, to_text(value)),
                    node.where);
}

// {any: [1, 5000], multiple_of: 4}.
AxisRange read_range(const YamlNode& bounds, const YamlNode* multiple, const std::string& what) {
  const auto needs_two = [&] {
    return usage_error(fmt::format("`any` of {} needs two bounds", what), bounds.where,
                       "the least and the greatest value: {any: [1, 5000]}");
  };
  if (bounds.kind != YamlNode::Kind::list || bounds.elements.size() != 2) throw needs_two();
  AxisRange range{bounds.where, whole_number(bounds.elements[0], "a bound of `any`"),
                  whole_number(bounds.elements[1], "a bound of `any`")};
  if (multiple != nullptr) range.multiple_of = whole_number(*multiple, "`multiple_of`");
  if (range.multiple_of < 1) throw usage_error("`multiple_of` must be at least 1", multiple->where);
  // Sums and differences of bounds must fit, too.
  constexpr int64_t kMost = int64_t{1} << 60;
  if (std::max(std::abs(range.least), std::abs(range.greatest)) > kMost ||
      range.multiple_of > kMost)
    throw usage_error("a bound of `any` is beyond 2**60", bounds.where);
  if (range.least > range.greatest) {
    throw usage_error(
        fmt::format("`any` begins with {}, which is more than {}", range.least, range.greatest),
        bounds.where, "the least value is first");
  }
  if (usual_values(range).empty()) {
    throw usage_error(fmt::format("no multiple of {} is from {} to {}", range.multiple_of,
                                  range.least, range.greatest),
                      bounds.where);
  }
  return range;
}

// A list of values, {python: …}, or either of them with `zip`: {zip: m, values: […]}; or a range,
// {any: [1, 5000]}.
Axis read_axis(const YamlMember& member) {
  check_name(member.key, member.where);
  Axis axis{member.key, member.where, {}, std::nullopt, std::nullopt};
  const std::string what = fmt::format("the axis `{}`", member.key);
  const YamlNode* list = &member.value;
  if (member.value.kind == YamlNode::Kind::map) {
    require_map(member.value, what, axis_keys().names());
    list = member.value.find("values");
    const YamlNode* multiple = member.value.find("multiple_of");
    if (const YamlNode* any = member.value.find("any")) {
      for (const char* other : {"python", "values", "zip"}) {
        const YamlNode* found = member.value.find(other);
        if (found == nullptr) continue;
        throw usage_error(fmt::format("{} has both `any` and `{}`", what, other), found->where);
      }
      axis.any = read_range(*any, multiple, what);
      for (const int64_t value : usual_values(*axis.any))
        axis.values.push_back({any->where, value, ""});
      return axis;
    }
    if (multiple != nullptr) {
      throw usage_error("`multiple_of` is for `any`", multiple->where,
                        "{any: [32, 1024], multiple_of: 32}");
    }
    const YamlNode* python = member.value.find("python");
    if ((list != nullptr) == (python != nullptr)) {
      throw usage_error(what + (list == nullptr ? " needs `any`, `python` or `values`"
                                                : " has both `python` and `values`"),
                        member.value.where);
    }
    if (python != nullptr) axis.python = read_text(*python, "`python`");
    if (const YamlNode* zip = member.value.find("zip")) axis.zip = read_text(*zip, "`zip`");
  }
  if (list == nullptr) return axis;
  require_list(*list, what);
  for (const YamlNode& element : list->elements) axis.values.push_back(read_axis_value(element));
  return axis;
}

}  // namespace

std::vector<Axis> read_axes(const YamlNode& node) {
  require_named_map(node, "`axes`");
  std::vector<Axis> axes;
  for (const YamlMember& member : node.members) axes.push_back(read_axis(member));
  return axes;
}

void read_cases(const YamlNode& node, Suite& suite) {
  require_list(node, "`cases`");
  for (const YamlNode& element : node.elements) {
    require_named_map(element, "a case");
    if (element.members.empty()) throw usage_error("a case has no axes", element.where);
    ListedCase one{element.where, {}};
    for (const YamlMember& member : element.members) {
      check_name(member.key, member.where);
      one.axes.push_back({member.key, member.where, {read_axis_value(member.value)}, {}, {}});
    }
    suite.cases.push_back(std::move(one));
  }
}

void name_case_axes(Suite& suite) {
  if (!suite.axes.empty() || suite.cases.empty()) return;
  for (const Axis& axis : suite.cases.front().axes) {
    if (!has_contents(suite, axis.name)) suite.axes.push_back({axis.name, axis.where, {}, {}, {}});
  }
}

std::vector<AxisChoice> read_axis_choices(const YamlNode& node, const std::string& what) {
  require_named_map(node, what);
  std::vector<AxisChoice> choices;
  for (const YamlMember& member : node.members) {
    const AxisValue value = read_axis_value(member.value);
    const std::optional<std::string> label = id_text(value.value);
    // A value that ids cannot have is chosen by its label.
    const std::string text = label.value_or(member.value.text);
    choices.push_back({member.key, member.where, {text, member.value.content}});
  }
  return choices;
}

bool is_file_word(std::string_view name) {
  return std::ranges::all_of(
      name, [](char c) { return (c >= 'a' && c <= 'z') || is_digit(c) || c == '_' || c == '-'; });
}

namespace {

// Languages whose kernels are functions of Python files, each with a compiler of its name.
constexpr std::array<std::string_view, 2> kPythonLanguages = {"numba", "triton"};

Located read_compiler(const YamlNode& node) {
  Located name = read_text(node, "`compiler`");
  if (is_file_word(name.text)) return name;
  throw usage_error(fmt::format("`{}` is no name of a compiler", name.text), name.where,
                    "there are nvrtc (the default) and nvcc; others have letters a to z, digits, _ "
                    "and - in their names");
}

// "add.py:add" of `triton` stands for three keys.
void read_python_kernel(const YamlMember& member, Kernel& kernel) {
  const Located text = read_text(member.value, "`" + member.key + "`");
  const size_t colon = text.text.rfind(':');
  if (colon == std::string::npos || colon == 0 || colon + 1 == text.text.size()) {
    throw usage_error(fmt::format("`{}` names a file and a function of it", member.key), text.where,
                      member.key + ": kernels.py:add");
  }
  kernel.file = {text.text.substr(0, colon), text.where};
  kernel.entry = EntryName::parse(text.text.substr(colon + 1), text.where);
  kernel.compiler = {member.key, member.where};
}

}  // namespace

Kernel read_kernel(const YamlNode& node) {
  require_named_map(node, "`kernel`");
  Kernel kernel;
  kernel.where = node.where;
  for (const YamlMember& member : node.members) {
    const YamlNode& value = member.value;
    if (member.key == "file") {
      kernel.file = read_text(value, "`file`");
    } else if (std::ranges::find(image_forms(), member.key) != image_forms().end()) {
      if (kernel.image) {
        throw usage_error(
            fmt::format("`kernel` has both `{}` and `{}`", kernel.image_form, member.key),
            member.where, "keep one of them");
      }
      kernel.image = read_text(value, "`" + member.key + "`");
      kernel.image_form = member.key;
    } else if (member.key == "compiler") {
      kernel.compiler = read_compiler(value);
    } else if (std::ranges::find(kPythonLanguages, member.key) != kPythonLanguages.end()) {
      if (node.find("file") != nullptr || node.find("entry") != nullptr ||
          node.find("compiler") != nullptr) {
        throw usage_error(fmt::format("`{}` stands for `file`, `entry` and `compiler`", member.key),
                          member.where, "leave those out");
      }
      read_python_kernel(member, kernel);
    } else if (member.key == "arch") {
      kernel.arch = read_text(value, "`arch`");
      (void)parse_architecture(kernel.arch->text, kernel.arch->where);
    } else if (member.key == "source") {
      kernel.source = read_text(value, "`source`");
    } else if (member.key == "entry") {
      const Located text = read_text(value, "`entry`");
      kernel.entry = EntryName::parse(text.text, text.where);
    } else if (member.key == "define" || member.key == "constexpr") {
      require_named_map(value, "`" + member.key + "`");
      for (const YamlMember& macro : value.members) {
        if (!is_identifier(macro.key)) {
          throw usage_error(fmt::format("`{}` is no name of a macro", macro.key), macro.where);
        }
        kernel.define.push_back(
            {macro.key, macro.where, read_expression(macro.value, "`" + macro.key + "`")});
      }
    } else if (member.key == "options") {
      require_list(value, "`options`");
      for (const YamlNode& option : value.elements) {
        kernel.options.push_back(read_text(option, "an option"));
      }
    } else if (member.key == "link") {
      require_list(value, "`link`");
      for (const YamlNode& file : value.elements) {
        kernel.link.push_back(read_text(file, "a file of `link`"));
      }
    } else if (member.key == "include") {
      require_list(value, "`include`");
      for (const YamlNode& folder : value.elements) {
        kernel.include.push_back(read_text(folder, "a folder of `include`"));
      }
    } else {
      kernel.other.push_back(member);
    }
  }
  return kernel;
}

void require_format_version(const YamlNode& root) {
  const YamlNode* version = root.find("warpmark");
  if (version == nullptr) {
    throw usage_error("`warpmark: 1`, the version of the format, is missing", root.where);
  }
  const Located text = read_text(*version, "`warpmark`");
  if (text.text != "1") {
    throw usage_error(fmt::format("version `{}` of the format is unknown", text.text), text.where,
                      "this program reads `warpmark: 1`");
  }
}

}  // namespace warpmark
