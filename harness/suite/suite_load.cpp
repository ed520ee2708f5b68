// Reads a suite file key by key into a Suite.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "base/file.hpp"
#include "suite/suite.hpp"
#include "suite/suite_keys.hpp"
#include "suite/suite_problems.hpp"
#include "suite/suite_reader.hpp"

namespace warpmark {
namespace {

Bench read_bench(const YamlNode& node) {
  const KeyedMap map(node, "`bench`", bench_keys());
  Bench bench;
  bench.where = node.where;
  if (const YamlNode* axes = map.find("axes")) bench.axes = read_axes(*axes);
  bench.step = map.text("step");
  bench.bytes = map.expression("bytes");
  bench.flops = map.expression("flops");
  bench.peak_flops_per_s = map.expression("peak_flops_per_s");
  bench.restore = map.word<Restore>("restore").value_or(bench.restore);
  bench.cache = map.word<CacheChoice>("cache");
  bench.graph = map.truth("graph");
  bench.transfers = map.truth("transfers");
  if (const YamlNode* against = map.find("against_baseline")) {
    bench.against_baseline = AgainstBaseline{against->where, {}};
    if (read_text(*against, "`against_baseline`").text != "true")
      bench.against_baseline->most = map.expression("against_baseline");
  }
  bench.budget_s = map.expression("budget_s");
  if (const YamlNode* sweep = map.find("sweep")) {
    require_list(*sweep, "`sweep`");
    for (const YamlNode& axis : sweep->elements) {
      bench.sweep.push_back(read_text(axis, "an axis of `sweep`"));
    }
  }
  if (const YamlNode* relative = map.find("relative_to")) {
    bench.relative_to = read_axis_choices(*relative, "`relative_to`");
  }
  return bench;
}

SkipRule read_skip_rule(const YamlNode& node) {
  const KeyedMap map(node, "`skip`", skip_keys());
  return {*map.expression("when"), *map.text("reason")};
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

// An assignment would get an error for each of its keys.
void refuse_assignment(const YamlNode& root) {
  const YamlNode* name = root.find("assignment");
  if (name == nullptr || root.find("kernel") != nullptr) return;
  throw usage_error("this is an assignment, and no suite", name->where,
                    "`warpmark try` tries a kernel for it, and `warpmark grade --lint` checks it");
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
  refuse_assignment(root);
  bool good = attempt([&] { require_map(root, "a suite", suite_keys().names()); });
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
  std::ranges::stable_sort(problems, [](const Error& one, const Error& other) {
    return std::pair(one.where().line, one.where().column) <
           std::pair(other.where().line, other.where().column);
  });
  return problems;
}

std::shared_ptr<const Suite> load_suite(const std::filesystem::path& file) {
  return parse_suite(read_file(file), file);
}

}  // namespace warpmark
