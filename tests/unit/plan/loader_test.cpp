// The plugin loader, against plugins that break the contract in every way.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "base/file.hpp"
#include "plan/plugin_loader.hpp"
#include "plan/trial.hpp"

namespace warpmark {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const fs::path kBad = fs::path(WARPMARK_BINARY_DIR) / "tests/bad_plugins";
const fs::path kShipped = fs::path(WARPMARK_BINARY_DIR) / "lib/warpmark";

std::shared_ptr<const Suite> suite_for(const std::string& plugin,
                                       const fs::path& file = "/nowhere/suites/x.yaml") {
  return parse_suite(
      "warpmark: 1\nplugin: " + plugin + "\nkernel: {entry: f, source: x}\nlaunch:\n  block: 3\n",
      file);
}

PlannedCase plan_by(const std::string& plugin) {
  PluginLoader loader({kBad, kShipped});
  return make_plan(cases(suite_for(plugin))[0], loader);
}

// The whole text of the error, with the folder of the bad plugins as FOLDER.
std::string load_error(const std::string& plugin) {
  try {
    (void)plan_by(plugin);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    std::string text = error.what();
    const std::string folder = display_path(kBad);
    const size_t at = text.find(folder);
    return at == std::string::npos ? text : text.replace(at, folder.size(), "FOLDER");
  }
  return "no error";
}

TEST(Loader, AGoodPluginGivesAPlan) {
  EXPECT_TRUE(plan_by("bad0").plan.units.empty());
  EXPECT_EQ(plan_by("source").plan.case_id, "x.default");
}

TEST(Loader, WhatIsNoPluginIsRefused) {
  EXPECT_THAT(load_error("bad1"), HasSubstr("FOLDER/warpmark-plugin-bad1.so"));
  EXPECT_THAT(load_error("bad2"), HasSubstr("bad2.so: warpmark_plugin_v1 returned null"));
  EXPECT_THAT(load_error("bad3"),
              HasSubstr("is of version 99 of the plugin interface, and this program "
                        "knows version 1"));
  EXPECT_THAT(load_error("bad4"), HasSubstr("gives a warpmark_plugin of 8 bytes instead of"));
  EXPECT_THAT(load_error("bad5"), HasSubstr("bad5.so calls itself `other`"));
  EXPECT_THAT(load_error("bad6"), HasSubstr("has no name or no plan function"));
  EXPECT_THAT(load_error("bad6"), HasSubstr("/nowhere/suites/x.yaml:2:9: error:"));
}

TEST(Loader, APlanFunctionKeepsTheContract) {
  EXPECT_THAT(load_error("bad10"),
              HasSubstr("the plugin `bad10` neither emitted a plan nor failed (it "
                        "returned 0), for x.default"));
  EXPECT_THAT(load_error("bad11"), HasSubstr("emitted more than one plan"));
  EXPECT_THAT(load_error("bad12"), HasSubstr("emitted a plan that is not JSON"));
  EXPECT_THAT(load_error("bad13"), HasSubstr("emitted a plan that is not JSON"));
  EXPECT_THAT(load_error("bad14"),
              HasSubstr("emitted a plan that does not hold: the plan's `/` has the "
                        "unknown member `surprise`"));
  EXPECT_THAT(load_error("bad15"), HasSubstr("both emitted a plan and failed"));
  EXPECT_THAT(load_error("bad16"), HasSubstr("emitted a plan and returned 3"));
  EXPECT_THAT(load_error("bad17"), HasSubstr("failed (`m`) and returned 0"));
  EXPECT_THAT(load_error("bad20"), HasSubstr("not JSON"));
}

TEST(Loader, ATrialIsOptional) {
  PluginLoader loader({kBad, kShipped});
  const auto trial = [&](const std::string& plugin) {
    return make_trial(cases(suite_for(plugin))[0], loader);
  };
  EXPECT_FALSE(trial("bad0"));   // null
  EXPECT_FALSE(trial("bad23"));  // nothing to try
  EXPECT_FALSE(trial("bad25"));  // its struct ends before
  EXPECT_TRUE(plan_by("bad25").plan.units.empty());
  const auto made = trial("bad22");
  ASSERT_TRUE(made);
  EXPECT_EQ(made->planned.plan.case_id, "x.default");
  ASSERT_EQ(made->claims.size(), 1U);
  EXPECT_EQ(made->claims[0].left, (TrialValue{"L", "l"}));
  try {
    (void)trial("bad24");
    FAIL() << "took a trial without a plan";
  } catch (const Error& error) {
    EXPECT_THAT(error.message(), HasSubstr("emitted a trial that does not hold: the plan's `/` "
                                           "lacks the member `plan`"));
  }
}

TEST(Loader, APluginsOwnErrorPointsAtTheSuite) {
  EXPECT_EQ(load_error("bad18"),
            "/nowhere/suites/x.yaml:5:10: error: the block is odd\n  hint: make it even");
  EXPECT_EQ(load_error("bad19"), "/nowhere/suites/x.yaml:1:1: error: the plugin gives no reason");
}

TEST(Loader, APluginsTextCannotReachTheTerminalRaw) {
  EXPECT_THAT(load_error("bad21"), testing::Not(HasSubstr("\x1b")));
}

TEST(Loader, AMissingPluginSaysWhereItLookedAndWhatThereIs) {
  const std::string text = load_error("sorce");
  EXPECT_THAT(text, HasSubstr("/nowhere/suites/x.yaml:2:9: error: there is no plugin `sorce`: no "
                              "warpmark-plugin-sorce.so in /nowhere/suites, FOLDER, "));
  EXPECT_THAT(text, HasSubstr("hint: did you mean `source`?"));
  EXPECT_THAT(load_error("zzzzzzzz"), HasSubstr("there are: array, bad0, bad1"));
}

TEST(Loader, TheSuitesFolderComesFirstThenTheOrderGiven) {
  const TemporaryFolder folder;
  fs::copy_file(kBad / "warpmark-plugin-bad0.so", folder.path() / "warpmark-plugin-source.so");
  PluginLoader loader({kShipped});
  const auto suite = suite_for("source", folder.path() / "x.yaml");
  try {
    (void)make_plan(cases(suite)[0], loader);
    FAIL() << "took the shipped one";
  } catch (const Error& error) {
    EXPECT_THAT(error.message(), HasSubstr("calls itself `bad0`"));
  }
  EXPECT_EQ(make_plan(cases(suite_for("source"))[0], loader).plan.units.size(), 1U);
}

TEST(Loader, AFileThatIsNoLibraryIsRefused) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "warpmark-plugin-text.so") << "text";
  PluginLoader loader({folder.path()});
  try {
    (void)make_plan(cases(suite_for("text"))[0], loader);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.message(), HasSubstr("cannot open the plugin"));
  }
}

TEST(Loader, DoctorSeesWhatThereIs) {
  std::vector<std::string> names;
  for (const auto& plugin : PluginLoader({kShipped}).available()) names.push_back(plugin.name);
  EXPECT_THAT(names, testing::Contains("source"));
}

TEST(Loader, APluginMayLeaveNoCheckOut) {
  const auto suite = parse_suite(
      "warpmark: 1\nplugin: bad0\nkernel: {entry: f, source: x}\narguments: {z: {out: 3}}\n"
      "launch: {block: 3}\ncheck: {sorted: z}\n",
      "/nowhere/suites/x.yaml");
  PluginLoader loader({kBad, kShipped});
  try {
    (void)make_plan(cases(suite)[0], loader);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.message(), HasSubstr("the plugin `bad0` left out checks of the suite"));
  }
}

}  // namespace
}  // namespace warpmark
