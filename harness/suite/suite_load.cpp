// Reads a suite file key by key into a Suite.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "base/file.hpp"
#include "base/text.hpp"
#include "suite/suite.hpp"
#include "suite/suite_problems.hpp"
#include "suite/suite_reader.hpp"

namespace warpmark {
namespace {

const std::vector<std::string>& top_keys() {
  static const std::vector<std::string> kKeys = {
      "warpmark",  "about",   "plugin", "kernel",  "axes",      "cases", "types",     "arguments",
      "constants", "globals", "launch", "devices", "reference", "check", "tolerance", "baseline",
      "bench",     "expect",  "allow",  "limits",  "requires",  "skip",  "lint"};
  return kKeys;
}

Bench read_bench(const YamlNode& node) {
  require_map(node, "`bench`",
              {"axes", "bytes", "flops", "peak_flops_per_s", "restore", "cache", "graph",
               "transfers", "budget_s", "sweep", "relative_to", "step", "against_baseline"});
  Bench bench;
  bench.where = node.where;
  if (const YamlNode* axes = node.find("axes")) bench.axes = read_axes(*axes);
  if (const YamlNode* step = node.find("step")) bench.step = read_text(*step, "`step`");
  if (const YamlNode* bytes = node.find("bytes")) bench.bytes = read_expression(*bytes, "`bytes`");
  if (const YamlNode* flops = node.find("flops")) bench.flops = read_expression(*flops, "`flops`");
  if (const YamlNode* peak = node.find("peak_flops_per_s"))
    bench.peak_flops_per_s = read_expression(*peak, "`peak_flops_per_s`");
  if (const YamlNode* restore = node.find("restore")) {
    const std::string word = read_word(*restore, "`restore`", {"never", "batch", "each"});
    bench.restore = word == "never"   ? Restore::never
                    : word == "batch" ? Restore::batch
                                      : Restore::each;
  }
  if (const YamlNode* cache = node.find("cache")) {
    const std::string word = read_word(*cache, "`cache`", {"cold", "hot", "both"});
    bench.cache = word == "cold"  ? CacheChoice::cold
                  : word == "hot" ? CacheChoice::hot
                                  : CacheChoice::both;
  }
  if (const YamlNode* graph = node.find("graph")) bench.graph = read_truth(*graph, "`graph`");
  if (const YamlNode* transfers = node.find("transfers"))
    bench.transfers = read_truth(*transfers, "`transfers`");
  if (const YamlNode* against = node.find("against_baseline")) {
    bench.against_baseline = AgainstBaseline{against->where, {}};
    if (read_text(*against, "`against_baseline`").text != "true")
      bench.against_baseline->most = read_expression(*against, "`against_baseline`");
  }
  if (const YamlNode* budget = node.find("budget_s")) {
    bench.budget_s = read_expression(*budget, "`budget_s`");
  }
  if (const YamlNode* sweep = node.find("sweep")) {
    require_list(*sweep, "`sweep`");
    for (const YamlNode& axis : sweep->elements) {
      bench.sweep.push_back(read_text(axis, "an axis of `sweep`"));
    }
  }
  if (const YamlNode* relative = node.find("relative_to")) {
    bench.relative_to = read_axis_choices(*relative, "`relative_to`");
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

void read_plugin_of(const YamlNode& root, Suite& suite) {
  suite.plugin = {"source", suite.where};
  const YamlNode* plugin = root.find("plugin");
  if (plugin == nullptr) return;
  suite.plugin = read_plugin(*plugin);
}

// Does a step of reading; false if it failed, and the reader goes on to find more.
using Attempt = std::function<bool(const std::function<void()>& step)>;

void read_reference(const YamlNode& reference, Suite& suite) {
  require_named_map(reference, "`reference`");
  for (const YamlMember& member : reference.members) {
    suite.reference.push_back(
        {member.key, member.where, read_python(member.value, "`" + member.key + "`")});
  }
}

void read_requirements(const YamlNode& requirements, Suite& suite) {
  require_list(requirements, "`requires`");
  for (const YamlNode& element : requirements.elements) {
    suite.requirements.push_back(
        {read_word(element, "`requires`", capability_names()), element.content});
  }
}

void read_skip(const YamlNode& skip, Suite& suite) {
  read_one_or_more(skip, "`skip`",
                   [&](const YamlNode& rule) { suite.skip.push_back(read_skip_rule(rule)); });
}

std::shared_ptr<const Suite> read_suite(const std::string& text, const std::filesystem::path& file,
                                        const Attempt& attempt) {
  auto suite = std::make_shared<Suite>();
  suite->file = std::filesystem::absolute(file).lexically_normal();
  suite->folder = suite->file.parent_path();
  suite->name = suite_name(suite->file);
  const YamlNode root = parse_yaml(text, display_path(suite->file));
  suite->where = root.where;
  require_named_map(root, "a suite");
  bool good = attempt([&] { require_map(root, "a suite", top_keys()); });
  good = attempt([&] { require_format_version(root); }) && good;
  const auto key = [&](std::string_view name, const auto& read) {
    const YamlNode* node = root.find(name);
    if (node != nullptr) good = attempt([&] { read(*node); }) && good;
  };
  key("about", [&](const YamlNode& node) { suite->about = read_text(node, "`about`").text; });
  good = attempt([&] { read_plugin_of(root, *suite); }) && good;
  good = attempt([&] {
           const YamlNode* kernel = root.find("kernel");
           if (kernel == nullptr) throw usage_error("`kernel` is missing", root.where);
           suite->kernel = read_kernel(*kernel);
         }) &&
         good;
  key("axes", [&](const YamlNode& node) { suite->axes = read_axes(node); });
  key("cases", [&](const YamlNode& node) { read_cases(node, *suite); });
  key("types", [&](const YamlNode& node) { suite->types = read_types(node); });
  key("arguments", [&](const YamlNode& node) { suite->arguments = read_arguments(node); });
  name_case_axes(*suite);
  const auto globals = [&](const YamlNode& node, bool constants) {
    for (Argument& one : read_globals(node, constants)) suite->globals.push_back(std::move(one));
  };
  key("constants", [&](const YamlNode& node) { globals(node, true); });
  key("globals", [&](const YamlNode& node) { globals(node, false); });
  key("launch", [&](const YamlNode& node) { suite->launch = read_launch(node, suite->kernel); });
  key("devices", [&](const YamlNode& node) {
    const Located wanted = read_text(node, "`devices`");
    suite->devices =
        Expression::parse(wanted.text == "all" ? "device.count" : wanted.text, wanted.where);
  });
  key("reference", [&](const YamlNode& node) { read_reference(node, *suite); });
  key("check", [&](const YamlNode& node) { read_checks(node, *suite); });
  key("tolerance", [&](const YamlNode& node) { read_tolerance(node, *suite); });
  key("baseline", [&](const YamlNode& node) { read_baseline(node, *suite); });
  key("bench", [&](const YamlNode& node) { suite->bench = read_bench(node); });
  key("expect", [&](const YamlNode& node) { read_expect(node, *suite); });
  key("allow", [&](const YamlNode& node) { suite->allow = read_race_exceptions(node); });
  key("limits", [&](const YamlNode& node) { suite->limits = read_limits(node); });
  key("requires", [&](const YamlNode& node) { read_requirements(node, *suite); });
  key("skip", [&](const YamlNode& node) { read_skip(node, *suite); });
  key("lint", [&](const YamlNode& node) { suite->lint = read_lint_exceptions(node); });
  good = attempt([&] { check_suite_files(*suite); }) && good;
  if (good) attempt([&] { check_suite(*suite); });
  return suite;
}

}  // namespace

Located read_plugin(const YamlNode& node) {
  Located plugin = read_text(node, "`plugin`");
  if (is_file_word(plugin.text)) return plugin;
  throw usage_error(fmt::format("`{}` is no name of a plugin", plugin.text), plugin.where,
                    "such names have letters a to z, digits, _ and -");
}

std::shared_ptr<const Suite> parse_suite(const std::string& text,
                                         const std::filesystem::path& file) {
  return read_suite(text, file, [](const std::function<void()>& step) {
    step();
    return true;
  });
}

std::vector<Error> suite_problems(const std::filesystem::path& file) {
  std::vector<Error> problems;
  const Attempt attempt = [&](const std::function<void()>& step) {
    try {
      step();
      return true;
    } catch (const Error& error) {
      if (error.code() != ExitCode::usage) throw;
      problems.push_back(error);
      return false;
    }
  };
  attempt([&] { read_suite(read_file(file), file, attempt); });
  std::stable_sort(problems.begin(), problems.end(), [](const Error& one, const Error& other) {
    return std::pair(one.where().line, one.where().column) <
           std::pair(other.where().line, other.where().column);
  });
  return problems;
}

std::shared_ptr<const Suite> load_suite(const std::filesystem::path& file) {
  return parse_suite(read_file(file), file);
}

}  // namespace warpmark
