// Plans of all shipped suites against golden files; WARPMARK_UPDATE_GOLDEN=1 rewrites them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "base/file.hpp"
#include "plan/plugin_loader.hpp"

namespace warpmark {
namespace {

namespace fs = std::filesystem;

const fs::path kSuites = fs::path(WARPMARK_SOURCE_DIR) / "suites";
const fs::path kGolden = fs::path(WARPMARK_SOURCE_DIR) / "tests/plan";

fs::path golden_file(std::string suite) {
  std::replace(suite.begin(), suite.end(), '/', '.');
  return kGolden / (suite + ".json");
}

// A JSON array of the plans of every case, check's and then bench's own.
std::string plans_of(const std::shared_ptr<const Suite>& suite, PluginLoader& plugins) {
  std::string text;
  std::set<std::string> seen;
  for (const Purpose purpose : {Purpose::check, Purpose::bench}) {
    for (const Case& one : cases(suite, {}, purpose)) {
      if (!seen.insert(one.id).second) continue;
      std::string plan = describe(make_plan(one, plugins).plan);
      plan.pop_back();
      text += (text.empty() ? "[\n" : ",\n") + plan;
    }
  }
  return text + "\n]\n";
}

TEST(GoldenPlans, AreWhatShippedSuitesMake) {
  PluginLoader plugins({fs::path(WARPMARK_BINARY_DIR) / "lib/warpmark"});
  std::set<fs::path> expected;
  for (const fs::path& file : find_suites({kSuites})) {
    SCOPED_TRACE(file);
    const auto suite = load_suite(file);
    const fs::path golden = golden_file(suite->name);
    expected.insert(golden);
    const std::string plans = plans_of(suite, plugins);
    if (std::getenv("WARPMARK_UPDATE_GOLDEN") != nullptr) write_file_atomically(golden, plans);
    ASSERT_TRUE(fs::exists(golden)) << "run once with WARPMARK_UPDATE_GOLDEN=1";
    EXPECT_EQ(read_file(golden), plans) << "WARPMARK_UPDATE_GOLDEN=1 accepts the change";
  }
  for (const auto& entry : fs::directory_iterator(kGolden)) {
    if (entry.path().extension() != ".json") continue;
    EXPECT_TRUE(expected.count(entry.path())) << entry.path() << " has no suite any more";
  }
}

TEST(GoldenPlans, SurviveTheirJsonForm) {
  PluginLoader plugins({fs::path(WARPMARK_BINARY_DIR) / "lib/warpmark"});
  for (const fs::path& file : find_suites({kSuites})) {
    for (const Case& one : cases(load_suite(file))) {
      const Plan plan = make_plan(one, plugins).plan;
      EXPECT_EQ(plan_from_json(nlohmann::ordered_json::parse(describe(plan))), plan) << one.id;
    }
  }
}

}  // namespace
}  // namespace warpmark
