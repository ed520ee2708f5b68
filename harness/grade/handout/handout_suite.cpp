#include "grade/handout/handout_suite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/file.hpp"
#include "suite/axis_override.hpp"
#include "suite/companions.hpp"
#include "suite/yaml_write.hpp"

namespace warpmark {
namespace {

YamlNode value_node(const AxisValue& value) {
  YamlNode text = yaml_text(axis_literal(value.value));
  if (value.label.empty()) return text;
  YamlNode node;
  yaml_member(node, "value") = std::move(text);
  yaml_member(node, "label") = yaml_text(value.label);
  return node;
}

YamlNode values_node(const Axis& axis) {
  YamlNode list;
  list.kind = YamlNode::Kind::list;
  for (const AxisValue& value : axis.values) list.elements.push_back(value_node(value));
  return list;
}

// Files are named by `file` of a step, and by `function: FILE.py:NAME` of whatever is computed, or
// `torch` and `triton` in its place.
void rename_files(YamlNode& node, const std::map<std::string, std::string>& renamed) {
  for (YamlNode& one : node.elements) rename_files(one, renamed);
  for (YamlMember& member : node.members) {
    YamlNode& value = member.value;
    if (value.kind != YamlNode::Kind::scalar) {
      rename_files(value, renamed);
      continue;
    }
    const bool function = member.key == "function" || member.key == "torch" ||
                          member.key == "triton" || member.key == "numba";
    if (!function && member.key != "file") continue;
    const size_t end = function ? value.text.rfind(':') : value.text.size();
    const auto found = renamed.find(value.text.substr(0, end));
    if (found != renamed.end()) value.text.replace(0, end, found->second);
  }
}

// The type of an argument in all items, if it is one that has a name.
std::optional<DType> common_type(const std::string& name, const HandoutSuite& made,
                                 const HandoutStore& store) {
  std::optional<DType> common;
  for (const Case* item : made.items) {
    const auto& types = store.items.at(item->id).types.dtypes;
    const auto found = types.find(name);
    if (found == types.end() || found->second.kind == DTypeKind::record) return std::nullopt;
    if (common && !(*common == found->second)) return std::nullopt;
    common = found->second;
  }
  return common;
}

void write_types(YamlNode& arguments, const HandoutSuite& made, const HandoutStore& store) {
  for (YamlMember& member : arguments.members) {
    YamlNode& argument = member.value;
    const bool typed = argument.find("dtype") != nullptr || argument.find("pointers") != nullptr;
    if (argument.kind != YamlNode::Kind::map || typed) continue;
    const std::optional<DType> type = common_type(member.key, made, store);
    if (type) yaml_member(argument, "dtype") = yaml_text(std::string(type->name));
  }
}

// A rule that holds for no visible case may tell of others.
void drop_idle_rules(YamlNode& root, const HandoutSuite& made) {
  YamlNode* skip = nullptr;
  for (YamlMember& member : root.members) {
    if (member.key == "skip") skip = &member.value;
  }
  if (skip == nullptr) return;
  std::vector<bool> idle;
  for (const SkipRule& rule : made.suite->skip) {
    idle.push_back(std::ranges::all_of(made.items, [&](const Case* item) {
      return rule.when.fold(item->scope()).value.has_value();  // no item is skipped
    }));
  }
  if (skip->kind == YamlNode::Kind::list) {
    size_t at = 0;
    std::erase_if(skip->elements, [&](const YamlNode&) { return idle[at++]; });
  }
  if (std::ranges::all_of(idle, [](bool one) { return one; })) {
    remove_member(root, "skip");
  }
}

}  // namespace

std::vector<std::string> companion_files(const Suite& suite) {
  std::vector<std::string> files = python_files(suite);
  for (const Located& file : step_files(suite)) files.push_back(file.text);
  std::ranges::sort(files);
  files.erase(std::unique(files.begin(), files.end()), files.end());
  return files;
}

YamlNode axes_node(const std::vector<Axis>& axes) {
  YamlNode map;
  map.kind = YamlNode::Kind::map;
  for (const Axis& axis : axes) yaml_member(map, axis.name) = values_node(axis);
  return map;
}

std::string handout_suite_text(const HandoutSuite& made, const HandoutStore& store,
                               const std::map<std::string, std::string>& renamed,
                               const std::string& kernel) {
  const Suite& suite = *made.suite;
  if (uses_baseline(suite)) {
    throw usage_error(
        fmt::format("the suite `{}` cannot be handed out: its outputs are held against the kernel "
                    "of `baseline`, which is a solution",
                    suite.name),
        suite.baseline->where, "write the reference in NumPy: students get it as it is");
  }
  YamlNode root = parse_yaml(read_file(suite.file), display_path(suite.file));
  for (const char* key : {"bench", "baseline", "cases", "lint"}) remove_member(root, key);
  drop_idle_rules(root, made);
  for (YamlMember& member : root.members) {
    if (member.key != "kernel") rename_files(member.value, renamed);
    if (member.key == "arguments" || member.key == "globals") {
      write_types(member.value, made, store);
    }
  }
  YamlNode& own = yaml_member(root, "kernel");
  yaml_member(own, "file") = yaml_text(kernel);
  remove_member(own, "include");  // submissions are compiled without
  if (!made.axes.empty()) {
    YamlNode axes = axes_node(made.axes);
    for (size_t i = 0; i < made.axes.size(); ++i) {
      if (!made.axes[i].zip) continue;
      YamlNode zipped;
      yaml_member(zipped, "zip") = yaml_text(made.axes[i].zip->text);
      yaml_member(zipped, "values") = std::move(axes.members[i].value);
      axes.members[i].value = std::move(zipped);
    }
    yaml_member(root, "axes") = std::move(axes);
  }
  return to_yaml(root);
}

}  // namespace warpmark
