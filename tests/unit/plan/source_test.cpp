// The plugin `source`, and what make_plan takes over from the suite.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/plugin_loader.hpp"

#include <cstdint>

namespace warpmark {
namespace {

PlannedCase source_plan(const std::string& text, size_t index = 0) {
  PluginLoader loader({std::filesystem::path(WARPMARK_BINARY_DIR) / "lib/warpmark"});
  const auto suite = parse_suite("warpmark: 1\n" + text, "/nowhere/suites/x.yaml");
  return make_plan(cases(suite)[index], loader);
}

std::string source_error(const std::string& text) {
  try {
    (void)source_plan(text);
  } catch (const Error& error) {
    return std::to_string(error.where().line) + ":" + std::to_string(error.where().column) + " " +
           error.message();
  }
  return "no error";
}

TEST(Source, DefinesBecomeOptionsBeforeTheOthers) {
  const Plan made = source_plan(
                        "axes: {t: [float64], n: [2**10]}\n"
                        "kernel:\n  source: x\n  entry: f\n  options: [--fmad=false]\n"
                        "  define: {T: ctype(t), N: n, X: n * 0.5, B: n > 2}\nlaunch: {block: 1}\n")
                        .plan;
  EXPECT_THAT(made.units.at(0).options,
              testing::ElementsAre("-DT=double", "-DN=1024", "-DX=512.0", "-DB=1", "--fmad=false"));
}

TEST(Source, ATextKeepsItsPlace) {
  const PlannedCase made = source_plan(
      "kernel:\n  entry: f\n  source: |\n    // one\n    void f();\nlaunch: {block: 1}\n");
  EXPECT_EQ(made.plan.units.at(0).source, "// one\nvoid f();\n");
  EXPECT_EQ(made.positions.find(made.plan.units[0].at), (Position{"/nowhere/suites/x.yaml", 5, 5}));
}

TEST(Source, ArgumentsKeepTheirOrder) {
  const Plan made = source_plan(
                        "kernel: {source: x, entry: f}\nlaunch: {block: 1}\n"
                        "arguments: {z: {out: 3}, k: {scalar: 2}, a: {in: 1, dtype: int8}}\n"
                        "reference: {z: a}\ntolerance: {ulp: 1}\n")
                        .plan;
  EXPECT_THAT(std::get<LaunchStep>(made.steps.at(0)).arguments,
              testing::ElementsAre("z", "k", "a"));
  EXPECT_EQ(made.find_buffer("a")->dtype->name, "int8");
  EXPECT_EQ(made.find_buffer("k"), nullptr);
  EXPECT_EQ(made.find_scalar("k")->value.text, "2");
  EXPECT_EQ(made.expected.at(0).tolerance.ulp->text, "1");
}

TEST(Source, WhatItNeedsIsAskedForAtALine) {
  EXPECT_EQ(source_error("kernel: {entry: f}\nlaunch: {block: 1}\n"),
            "2:9 `kernel` needs `file`, `source`, `ptx`, `cubin` or `fatbin`");
  EXPECT_EQ(source_error("kernel: {source: x}\nlaunch: {block: 1}\n"),
            "2:9 `kernel` needs `entry`, the name of the __global__ function");
  EXPECT_EQ(source_error("kernel: {source: x, entry: f}\n"), "1:1 `launch` is missing");
  EXPECT_EQ(source_error("kernel: {source: x, entri: f}\nlaunch: {block: 1}\n"),
            "2:21 unknown key of `kernel` `entri`");
  EXPECT_EQ(source_error("kernel: {source: x, a/b~c: f}\nlaunch: {block: 1}\n"),
            "2:21 unknown key of `kernel` `a/b~c`");
}

TEST(MakePlan, TakesOverWhatIsNotThePlugins) {
  const std::string text =
      "kernel: {source: x, entry: f}\nlaunch: {block: 1}\narguments: {a: {in: 1}}\naxes: {n: [1, "
      "9]}\n"
      "bench: {restore: each, bytes: 4 * n}\nexpect: {fault: trap, argument: a}\n"
      "requires: [reports]\n"
      "skip: [{when: n > 5, reason: large}, {when: device.warp_size < n, reason: narrow}]\n";
  const Plan first = source_plan(text, 0).plan;
  EXPECT_EQ(first.case_id, "x.n=1");
  EXPECT_EQ(first.point.at(0).value, ArithmeticValue(int64_t{1}));
  EXPECT_EQ(first.restore, Restore::each);
  EXPECT_EQ(first.fault, (Fault{"trap", "a"}));
  EXPECT_THAT(first.requirements, testing::ElementsAre("reports"));
  ASSERT_EQ(first.skip.size(), 1U);
  EXPECT_EQ(first.skip[0].reason, "narrow");
  EXPECT_EQ(std::get<int64_t>(*source_plan(text, 1).plan.bytes), 36);
  EXPECT_EQ(source_plan(text, 1).plan.skip.size(), 2U);
}

}  // namespace
}  // namespace warpmark
