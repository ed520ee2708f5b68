// Reads `launch`: the geometry of one launch, or a list of steps.
#include <fmt/format.h>

#include "suite/suite_keys.hpp"
#include "suite/suite_reader.hpp"

namespace warpmark {
namespace {

std::vector<Expression> read_dimensions(const KeyedMap& map, const std::string& key) {
  std::vector<Expression> numbers = map.expressions(key);
  if (numbers.size() <= 3) return numbers;
  throw usage_error(
      fmt::format("`{}` has {} numbers: x, y and z are at most 3", key, numbers.size()),
      map.find(key)->where);
}

// `block` is the text of a block that has none, "" if there is no such text.
LaunchGeometry read_geometry(const KeyedMap& map, const std::string& what,
                             const std::string& block) {
  LaunchGeometry launch;
  launch.where = map.where();
  launch.grid = read_dimensions(map, "grid");
  launch.block = read_dimensions(map, "block");
  launch.cluster = read_dimensions(map, "cluster");
  if (launch.block.empty() && block.empty())
    throw usage_error(what + " needs `block`", map.where());
  if (launch.block.empty()) launch.block.push_back(Expression::parse(block, map.where()));
  launch.shared = map.expression("shared");
  launch.cooperative = map.truth("cooperative").value_or(false);
  return launch;
}

StepArgument read_step_argument(const YamlNode& node) {
  if (node.kind == YamlNode::Kind::null) return {{"", node.where}, {}, {}};
  if (node.kind != YamlNode::Kind::map) return {read_text(node, "an argument"), {}, {}};
  const KeyedMap map(node, "an argument", step_argument_keys());
  const std::optional<Expression> value = map.expression("value"),
                                  element = map.expression("element");
  const std::optional<Located> array = map.text("array");
  if (value && !array && !element) return {{"", node.where}, value, {}};
  if (!value && array && element) return {*array, {}, element};
  throw usage_error("an argument needs `value`, or `array` and `element`", node.where,
                    "{value: n // 2}, or {array: a, element: n // 2} for a pointer into an array");
}

StepLaunch read_step_launch(const KeyedMap& map, const std::string& block) {
  StepLaunch launch{map.text("name"), map.text("file"), {}, {}, {}};
  launch.geometry = read_geometry(map, "a step that launches", block);
  if (const auto entry = map.text("entry"))
    launch.entry = EntryName::parse(entry->text, entry->where);
  if (const YamlNode* arguments = map.find("arguments")) {
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
  const KeyedMap map(node, "`copy`", copy_keys());
  return {*map.text("from"), *map.text("to")};
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
  SuiteStep step{node.where, StepGroup{}, std::nullopt, std::nullopt};
  if (const YamlNode* steps = node.find("steps")) {
    const KeyedMap map(node, "a step", group_step_keys());
    step.what = StepGroup{read_steps(*steps, "`steps`", block)};
  } else if (const YamlNode* copy = node.find("copy")) {
    const KeyedMap map(node, "a step", copy_step_keys());
    step.what = read_copy(*copy);
  } else if (node.find("fill") != nullptr) {
    const KeyedMap map(node, "a step", fill_step_keys());
    const Located fill = *map.text("fill");
    step.what = StepFill{fill, map.expression("byte").value_or(Expression::parse("0", fill.where))};
  } else if (node.find("swap") == nullptr || node.members.size() > 1) {
    // Keys of other steps may be meant, too.
    static const KeyTable kKeys = launch_step_keys().with(
        std::vector<Key>{{"steps", "", ""}, {"copy", "", ""}, {"fill", "", ""}});
    step.what = read_step_launch({node, "a step", kKeys}, block);
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
  return {node.where, read_geometry({node, "`launch`", geometry_keys()}, "`launch`", block), {}};
}

}  // namespace warpmark
