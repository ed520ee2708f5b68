// Plans of all shipped suites against golden files; WARPMARK_UPDATE_GOLDEN=1 rewrites them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

#include "base/file.hpp"
#include "plan/plugin_loader.hpp"
#include "support/plan_reader.hpp"

namespace warpmark {
namespace {

namespace fs = std::filesystem;

const fs::path kSuites = fs::path(WARPMARK_SOURCE_DIR) / "suites";
const fs::path kGolden = fs::path(WARPMARK_SOURCE_DIR) / "tests/plan";

fs::path golden_file(std::string suite) {
  std::replace(suite.begin(), suite.end(), '/', '.');
  return kGolden / (suite + ".json");
}

// Plans with generated sources are long and alike: a golden file says of one that is equal to an
// earlier plan only that, and of one with equal units only what else it has.
class Abbreviated {
 public:
  std::string text_of(Plan plan) {
    // The plugin `array` has no line of the suite in its sources.
    const bool generated = std::any_of(plan.units.begin(), plan.units.end(), [](const Unit& unit) {
      return !unit.regions.empty() || unit.at == "/kernel/expression";
    });
    if (generated) {
      nlohmann::ordered_json body = to_json(plan);
      for (const char* own : {"case", "point"}) body.erase(own);
      const auto [first, is_new] = plans_.try_emplace(body.dump(), plan.case_id);
      if (!is_new) {
        return nlohmann::ordered_json{{"case", plan.case_id}, {"as", first->second}}.dump();
      }
      const auto [owner, is_first] = units_.try_emplace(body["units"].dump(), plan.case_id);
      if (!is_first) {
        plan.units.assign(1, Unit());
        plan.units[0].file = "as in " + owner->second;
      }
    }
    std::string text = describe(plan);
    text.pop_back();
    return text;
  }

 private:
  std::map<std::string, std::string> plans_, units_;  ///< JSON to the first case with it
};

// A JSON array of the plans of every case, check's and then bench's own.
std::string plans_of(const std::shared_ptr<const Suite>& suite, PluginLoader& plugins) {
  std::string text;
  std::set<std::string> seen;
  Abbreviated abbreviated;
  for (const Purpose purpose : {Purpose::check, Purpose::bench}) {
    for (const Case& one : cases(suite, {}, purpose)) {
      if (!seen.insert(one.id).second) continue;
      const std::string plan = abbreviated.text_of(make_plan(one, plugins).plan);
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
