// Reads composites, which judge counters as a whole, and the baseline that they measure against.

#include "suite/suite_keys.hpp"
#include "suite/suite_reader.hpp"

namespace warpmark {
namespace {

ExpectedWork read_work(const YamlNode& node) {
  const KeyedMap map(node, "`work_efficient`", work_keys());
  ExpectedWork expected{node.where, *map.expression("work"), {}};
  const YamlNode& smaller = map.at("smaller");
  require_named_map(smaller, "`smaller`");
  for (const YamlMember& member : smaller.members) {
    expected.smaller.push_back(
        {member.key, member.where, read_expression(member.value, "`" + member.key + "`")});
  }
  if (expected.smaller.empty()) {
    throw usage_error("`smaller` is empty", smaller.where,
                      "name an axis and its value with less work, as in {n: n // 8}");
  }
  return expected;
}

}  // namespace

std::vector<const Kernel*> kernels(const Suite& suite) {
  std::vector<const Kernel*> all = {&suite.kernel};
  if (suite.baseline) all.push_back(&suite.baseline->kernel);
  return all;
}

std::vector<std::string> composite_names() {
  std::vector<std::string> names = counted_keys().names();
  std::erase(names, "counters");
  return names;
}

void read_composites(const KeyedMap& expect, Suite& suite) {
  ExpectedComposites& composites = suite.composites;
  composites.parallel = expect.truth("parallel").value_or(false);
  composites.coalesced = expect.truth("coalesced").value_or(false);
  composites.conflict_free = expect.truth("conflict_free").value_or(false);
  composites.tiled = expect.expression("tiled");
  if (const YamlNode* work = expect.find("work_efficient"))
    composites.work_efficient = read_work(*work);
  const bool any = composites.parallel || composites.coalesced || composites.conflict_free ||
                   composites.tiled || composites.work_efficient;
  if (any) composites.where = expect.where();
}

void read_baseline(const YamlNode& node, Suite& suite) {
  const KeyedMap map(node, "`baseline`", baseline_keys());
  Baseline baseline;
  baseline.where = node.where;
  if (const YamlNode* plugin = map.find("plugin")) baseline.plugin = read_plugin(*plugin);
  baseline.kernel = read_kernel(map.at("kernel"));
  if (const YamlNode* launch = map.find("launch"))
    baseline.launch = read_launch(*launch, baseline.kernel);
  suite.baseline = std::move(baseline);
}

}  // namespace warpmark
