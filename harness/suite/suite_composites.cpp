// Reads composites, which judge counters as a whole, and the baseline that they measure against.
#include <fmt/format.h>

#include "suite/suite_reader.hpp"

namespace warpmark {
namespace {

ExpectedWork read_work(const YamlNode& node) {
  require_map(node, "`work_efficient`", {"work", "smaller"});
  const YamlNode* work = node.find("work");
  const YamlNode* smaller = node.find("smaller");
  if (work == nullptr || smaller == nullptr) {
    throw usage_error("`work_efficient` needs `work` and `smaller`", node.where,
                      "as in {work: n, smaller: {n: n // 8}}");
  }
  ExpectedWork expected{node.where, read_expression(*work, "`work`"), {}};
  require_named_map(*smaller, "`smaller`");
  for (const YamlMember& member : smaller->members) {
    expected.smaller.push_back(
        {member.key, member.where, read_expression(member.value, "`" + member.key + "`")});
  }
  if (expected.smaller.empty()) {
    throw usage_error("`smaller` is empty", smaller->where,
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

const std::vector<std::string>& composite_names() {
  static const std::vector<std::string> kNames = {"parallel", "coalesced", "conflict_free", "tiled",
                                                  "work_efficient"};
  return kNames;
}

void read_composites(const YamlNode& expect, Suite& suite) {
  ExpectedComposites& composites = suite.composites;
  const auto asked = [&](const char* name) {
    const YamlNode* node = expect.find(name);
    return node != nullptr && read_truth(*node, fmt::format("`{}`", name));
  };
  composites.parallel = asked("parallel");
  composites.coalesced = asked("coalesced");
  composites.conflict_free = asked("conflict_free");
  if (const YamlNode* tiled = expect.find("tiled")) {
    composites.tiled = read_expression(*tiled, "`tiled`");
  }
  if (const YamlNode* work = expect.find("work_efficient")) {
    composites.work_efficient = read_work(*work);
  }
  const bool any = composites.parallel || composites.coalesced || composites.conflict_free ||
                   composites.tiled || composites.work_efficient;
  if (any) composites.where = expect.where;
}

void read_baseline(const YamlNode& node, Suite& suite) {
  require_map(node, "`baseline`", {"plugin", "kernel", "launch"});
  Baseline baseline;
  baseline.where = node.where;
  if (const YamlNode* plugin = node.find("plugin")) baseline.plugin = read_plugin(*plugin);
  const YamlNode* kernel = node.find("kernel");
  if (kernel == nullptr) throw usage_error("`baseline` needs `kernel`", node.where);
  baseline.kernel = read_kernel(*kernel);
  if (const YamlNode* launch = node.find("launch"))
    baseline.launch = read_launch(*launch, baseline.kernel);
  suite.baseline = std::move(baseline);
}

}  // namespace warpmark
