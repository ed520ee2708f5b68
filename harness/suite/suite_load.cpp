// Reads a suite file key by key into a Suite.
#include <fmt/format.h>

#include "base/file.hpp"
#include "base/text.hpp"
#include "suite/suite.hpp"
#include "suite/suite_reader.hpp"

namespace warpmark {
namespace {

const std::vector<std::string>& top_keys() {
  static const std::vector<std::string> kKeys = {
      "warpmark",  "about", "plugin", "kernel", "axes",     "arguments", "launch", "reference",
      "tolerance", "bench", "expect", "limits", "requires", "skip",      "lint"};
  return kKeys;
}

LaunchGeometry read_launch(const YamlNode& node) {
  require_map(node, "`launch`", {"grid", "block", "shared"});
  LaunchGeometry launch;
  launch.where = node.where;
  const auto dimensions = [&](const std::string& key) -> std::vector<Expression> {
    const YamlNode* value = node.find(key);
    if (value == nullptr) return {};
    std::vector<Expression> numbers = read_expressions(*value, "`" + key + "`");
    if (numbers.size() > 3) {
      throw usage_error(
          fmt::format("`{}` has {} numbers: x, y and z are at most 3", key, numbers.size()),
          value->where);
    }
    return numbers;
  };
  launch.grid = dimensions("grid");
  launch.block = dimensions("block");
  if (launch.block.empty()) throw usage_error("`launch` needs `block`", node.where);
  if (const YamlNode* shared = node.find("shared")) {
    launch.shared = read_expression(*shared, "`shared`");
  }
  return launch;
}

Bench read_bench(const YamlNode& node) {
  require_map(node, "`bench`", {"axes", "bytes", "flops", "restore"});
  Bench bench;
  bench.where = node.where;
  if (const YamlNode* axes = node.find("axes")) bench.axes = read_axes(*axes);
  if (const YamlNode* bytes = node.find("bytes")) bench.bytes = read_expression(*bytes, "`bytes`");
  if (const YamlNode* flops = node.find("flops")) bench.flops = read_expression(*flops, "`flops`");
  if (const YamlNode* restore = node.find("restore")) {
    const std::string word = read_word(*restore, "`restore`", {"never", "batch", "each"});
    bench.restore = word == "never"   ? Restore::never
                    : word == "batch" ? Restore::batch
                                      : Restore::each;
  }
  return bench;
}

SkipRule read_skip_rule(const YamlNode& node) {
  require_map(node, "`skip`", {"when", "reason"});
  const YamlNode* when = node.find("when");
  const YamlNode* reason = node.find("reason");
  if (when == nullptr || reason == nullptr) {
    throw usage_error("`skip` needs `when` and `reason`", node.where);
  }
  return {read_expression(*when, "`when`"), read_text(*reason, "`reason`")};
}

void read_plugin(const YamlNode& root, Suite& suite) {
  suite.plugin = {"source", suite.where};
  const YamlNode* plugin = root.find("plugin");
  if (plugin == nullptr) return;
  suite.plugin = read_text(*plugin, "`plugin`");
  for (const char c : suite.plugin.text) {
    // It becomes part of a file name.
    if ((c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_' && c != '-') {
      throw usage_error(fmt::format("`{}` is no name of a plugin", suite.plugin.text),
                        suite.plugin.where, "such names have letters a to z, digits, _ and -");
    }
  }
}

}  // namespace

std::shared_ptr<const Suite> parse_suite(const std::string& text,
                                         const std::filesystem::path& file) {
  auto suite = std::make_shared<Suite>();
  suite->file = std::filesystem::absolute(file).lexically_normal();
  suite->folder = suite->file.parent_path();
  suite->name = suite_name(suite->file);
  const YamlNode root = parse_yaml(text, display_path(suite->file));
  suite->where = root.where;
  require_map(root, "a suite", top_keys());
  require_format_version(root);
  if (const YamlNode* about = root.find("about")) suite->about = read_text(*about, "`about`").text;
  read_plugin(root, *suite);
  const YamlNode* kernel = root.find("kernel");
  if (kernel == nullptr) throw usage_error("`kernel` is missing", root.where);
  suite->kernel = read_kernel(*kernel);
  if (const YamlNode* axes = root.find("axes")) suite->axes = read_axes(*axes);
  if (const YamlNode* arguments = root.find("arguments")) {
    suite->arguments = read_arguments(*arguments);
  }
  if (const YamlNode* launch = root.find("launch")) suite->launch = read_launch(*launch);
  if (const YamlNode* reference = root.find("reference")) {
    require_named_map(*reference, "`reference`");
    for (const YamlMember& member : reference->members) {
      suite->reference.push_back(
          {member.key, member.where, read_python(member.value, "`" + member.key + "`")});
    }
  }
  if (const YamlNode* tolerance = root.find("tolerance")) {
    read_tolerance(*tolerance, *suite);
  }
  if (const YamlNode* bench = root.find("bench")) suite->bench = read_bench(*bench);
  if (const YamlNode* expect = root.find("expect")) read_expect(*expect, *suite);
  if (const YamlNode* limits = root.find("limits")) suite->limits = read_limits(*limits);
  if (const YamlNode* requirements = root.find("requires")) {
    require_list(*requirements, "`requires`");
    for (const YamlNode& element : requirements->elements) {
      suite->requirements.push_back(
          {read_word(element, "`requires`", capability_names()), element.content});
    }
  }
  if (const YamlNode* skip = root.find("skip")) {
    if (skip->kind == YamlNode::Kind::list) {
      require_list(*skip, "`skip`");
      for (const YamlNode& rule : skip->elements) suite->skip.push_back(read_skip_rule(rule));
    } else {
      suite->skip.push_back(read_skip_rule(*skip));
    }
  }
  if (const YamlNode* lint = root.find("lint")) suite->lint = read_lint_exceptions(*lint);
  check_suite_files(*suite);
  check_suite(*suite);
  return suite;
}

std::shared_ptr<const Suite> load_suite(const std::filesystem::path& file) {
  return parse_suite(read_file(file), file);
}

}  // namespace warpmark
