// Reads `launch`: the geometry of one launch, or a list of steps.
#include <fmt/format.h>

#include <algorithm>

#include "suite/suite_reader.hpp"

namespace warpmark {
namespace {

const std::vector<std::string> kGeometryKeys = {"grid", "block", "shared", "cluster",
                                                "cooperative"};

std::vector<std::string> with_geometry(std::vector<std::string> keys) {
  keys.insert(keys.end(), kGeometryKeys.begin(), kGeometryKeys.end());
  return keys;
}

std::vector<Expression> read_dimensions(const YamlNode& node, const std::string& key) {
  const YamlNode* value = node.find(key);
  if (value == nullptr) return {};
  std::vector<Expression> numbers = read_expressions(*value, "`" + key + "`");
  if (numbers.size() <= 3) return numbers;
  throw usage_error(
      fmt::format("`{}` has {} numbers: x, y and z are at most 3", key, numbers.size()),
      value->where);
}

// `block` is the text of a block that has none, "" if there is no such text.
LaunchGeometry read_geometry(const YamlNode& node, const std::string& what,
                             const std::string& block) {
  LaunchGeometry launch;
  launch.where = node.where;
  launch.grid = read_dimensions(node, "grid");
  launch.block = read_dimensions(node, "block");
  launch.cluster = read_dimensions(node, "cluster");
  if (launch.block.empty() && block.empty()) throw usage_error(what + " needs `block`", node.where);
  if (launch.block.empty()) launch.block.push_back(Expression::parse(block, node.where));
  if (const YamlNode* shared = node.find("shared")) {
    launch.shared = read_expression(*shared, "`shared`");
  }
  if (const YamlNode* cooperative = node.find("cooperative")) {
    launch.cooperative = read_truth(*cooperative, "`cooperative`");
  }
  return launch;
}

StepArgument read_step_argument(const YamlNode& node) {
  if (node.kind == YamlNode::Kind::null) return {{"", node.where}, {}, {}};
  if (node.kind != YamlNode::Kind::map) return {read_text(node, "an argument"), {}, {}};
  require_map(node, "an argument", {"value", "array", "element"});
  const YamlNode* value = node.find("value");
  const YamlNode* array = node.find("array");
  const YamlNode* element = node.find("element");
  if (value != nullptr && array == nullptr && element == nullptr) {
    return {{"", node.where}, read_expression(*value, "`value`"), {}};
  }
  if (value != nullptr || array == nullptr || element == nullptr) {
    throw usage_error(
        "an argument needs `value`, or `array` and `element`", node.where,
        "{value: n // 2}, or {array: a, element: n // 2} for a pointer into an array");
  }
  return {read_text(*array, "`array`"), {}, read_expression(*element, "`element`")};
}

StepLaunch read_step_launch(const YamlNode& node, const std::string& block) {
  StepLaunch launch{{}, {}, {}, {}, read_geometry(node, "a step that launches", block)};
  if (const YamlNode* name = node.find("name")) launch.name = read_text(*name, "`name`");
  if (const YamlNode* file = node.find("file")) launch.file = read_text(*file, "`file`");
  if (const YamlNode* entry = node.find("entry")) {
    const Located text = read_text(*entry, "`entry`");
    launch.entry = EntryName::parse(text.text, text.where);
  }
  if (const YamlNode* arguments = node.find("arguments")) {
    const bool none = arguments->kind == YamlNode::Kind::list && arguments->elements.empty();
    if (!none) require_list(*arguments, "`arguments` of a step");
    launch.arguments.emplace();
    for (const YamlNode& argument : arguments->elements) {
      launch.arguments->push_back(read_step_argument(argument));
    }
  }
  return launch;
}

StepCopy read_copy(const YamlNode& node) {
  require_map(node, "`copy`", {"from", "to"});
  const YamlNode* from = node.find("from");
  const YamlNode* to = node.find("to");
  if (from == nullptr || to == nullptr) {
    throw usage_error("`copy` needs `from` and `to`", node.where, "copy: {from: a, to: b}");
  }
  return {read_text(*from, "`from`"), read_text(*to, "`to`")};
}

// A number, or {i: number}.
Repeat read_repeat(const YamlNode& node) {
  if (node.kind != YamlNode::Kind::map) return {std::nullopt, read_expression(node, "`repeat`")};
  require_named_map(node, "`repeat`");
  if (node.members.size() != 1) {
    throw usage_error("`repeat` needs one index", node.where, "repeat: {i: 10}");
  }
  const YamlMember& index = node.members.front();
  check_name(index.key, index.where);
  return {Located{index.key, index.where}, read_expression(index.value, "`" + index.key + "`")};
}

StepSwap read_swap(const YamlNode& node) {
  require_list(node, "`swap`");
  if (node.elements.size() != 2) {
    throw usage_error("`swap` needs two arrays", node.where, "swap: [a, b]");
  }
  return {read_text(node.elements[0], "an array of `swap`"),
          read_text(node.elements[1], "an array of `swap`")};
}

std::vector<SuiteStep> read_steps(const YamlNode& node, const std::string& what,
                                  const std::string& block);

SuiteStep read_step(const YamlNode& node, const std::string& block) {
  require_named_map(node, "a step");
  const auto keys = [&](std::vector<std::string> own) {
    own.insert(own.end(), {"repeat", "swap"});
    require_map(node, "a step", own);
  };
  SuiteStep step{node.where, StepGroup{}, std::nullopt, std::nullopt};
  if (const YamlNode* steps = node.find("steps")) {
    keys({"steps"});
    step.what = StepGroup{read_steps(*steps, "`steps`", block)};
  } else if (const YamlNode* copy = node.find("copy")) {
    keys({"copy"});
    step.what = read_copy(*copy);
  } else if (const YamlNode* fill = node.find("fill")) {
    keys({"fill", "byte"});
    const YamlNode* byte = node.find("byte");
    step.what =
        StepFill{read_text(*fill, "`fill`"), byte != nullptr ? read_expression(*byte, "`byte`")
                                                             : Expression::parse("0", fill->where)};
  } else if (const YamlNode* swap = node.find("swap");
             swap != nullptr && node.members.size() == 1) {
    keys({});
  } else {
    keys(with_geometry({"name", "file", "entry", "arguments", "steps", "copy", "fill"}));
    step.what = read_step_launch(node, block);
  }
  if (const YamlNode* repeat = node.find("repeat")) step.repeat = read_repeat(*repeat);
  if (const YamlNode* swap = node.find("swap")) step.swap = read_swap(*swap);
  return step;
}

std::vector<SuiteStep> read_steps(const YamlNode& node, const std::string& what,
                                  const std::string& block) {
  require_list(node, what);
  if (node.elements.empty()) throw usage_error(what + " has no steps", node.where);
  std::vector<SuiteStep> steps;
  for (const YamlNode& element : node.elements) steps.push_back(read_step(element, block));
  return steps;
}

// Triton's blocks have as many warps as its option says, which `constexpr` may set over axes, and 4
// without it.
std::string block_of(const Kernel& kernel) {
  constexpr std::string_view kWarps = "num_warps=";
  if (!kernel.compiler || kernel.compiler->text != "triton") return "";
  std::string warps = "4";
  for (const NamedExpression& constant : kernel.define) {
    if (constant.name == "num_warps") warps = constant.value.text();
  }
  for (const Located& option : kernel.options) {
    if (option.text.starts_with(kWarps)) warps = option.text.substr(kWarps.size());
  }
  return "32 * (" + warps + ")";
}

}  // namespace

SuiteLaunch read_launch(const YamlNode& node, const Kernel& kernel) {
  const std::string block = block_of(kernel);
  if (node.kind == YamlNode::Kind::list) {
    return {node.where, std::nullopt, read_steps(node, "`launch`", block)};
  }
  require_map(node, "`launch`", kGeometryKeys);
  return {node.where, read_geometry(node, "`launch`", block), {}};
}

}  // namespace warpmark
