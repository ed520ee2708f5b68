// Evaluating what a plan left open.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/plan.hpp"

#include <cstdint>

namespace warpmark {
namespace {

const DType kFloat = *find_dtype("float32");
const DType kDouble = *find_dtype("float64");

Plan open_plan() {
  Plan plan;
  plan.point = {{"n", int64_t{4}}};
  plan.buffers = {
      {"a", ArgumentKind::in, std::nullopt, {}, NumpyText{"x", ""}, ""},
      {"z",
       ArgumentKind::out,
       std::nullopt,
       {Symbolic{"a.shape", "/z"}, int64_t{2}},
       std::nullopt,
       "/z"},
      {"y", ArgumentKind::out, std::nullopt, {Symbolic{"z.size // n", "/y"}}, std::nullopt, "/y"}};
  LaunchStep launch;
  launch.grid[0] = Symbolic{"min(y.size, device.multiprocessors)", "/grid"};
  launch.shared = Symbolic{"z.nbytes", "/shared"};
  plan.steps = {launch, FillStep{"z", 0, ""}};
  plan.bytes = Symbolic{"a.nbytes + z.nbytes", "/bytes"};
  plan.flops = Symbolic{"a.size * 0.5", "/flops"};
  plan.peak_flops_per_s = Symbolic{"device.multiprocessors * 1e9", "/peak_flops_per_s"};
  plan.skip = {{Symbolic{"device.multiprocessors < n", "/skip"}, "small"}};
  return plan;
}

Facts facts() {
  Facts facts;
  facts.arrays = {{"a", {{3, 5}, kFloat}}, {"z", {{}, kDouble}}, {"y", {{}, kFloat}}};
  facts.device = {{"multiprocessors", 6}};
  return facts;
}

PositionMap grid_positions() {
  PositionMap map;
  map.set("", {"x.yaml", 1, 1});
  map.set("/grid", {"x.yaml", 9, 4});
  map.set("/z", {"x.yaml", 3, 2});
  return map;
}

std::string resolve_error(const Plan& plan, const Facts& with = facts()) {
  try {
    (void)resolve(plan, with, grid_positions());
  } catch (const Error& error) {
    return error.where().text() + " " + error.message();
  }
  return "no error";
}

TEST(Resolve, ShapesFirstThenTheRest) {
  const Plan plan = resolve(open_plan(), facts(), grid_positions());
  const auto sizes = [](const std::vector<Size>& shape) {
    std::vector<int64_t> all;
    for (const Size& size : shape) all.push_back(resolved(size));
    return all;
  };
  EXPECT_THAT(sizes(plan.buffers[1].shape), testing::ElementsAre(3, 5, 2));
  EXPECT_THAT(sizes(plan.buffers[2].shape), testing::ElementsAre(7));
  const auto& launch = std::get<LaunchStep>(plan.steps[0]);
  EXPECT_EQ(resolved(launch.grid[0]), 6);
  EXPECT_EQ(resolved(launch.block[0]), 1);
  EXPECT_EQ(resolved(launch.shared), 240);
  EXPECT_EQ(std::get<int64_t>(*plan.bytes), 300);
  EXPECT_EQ(std::get<double>(*plan.flops), 7.5);
  EXPECT_EQ(std::get<double>(*plan.peak_flops_per_s), 6e9);
  EXPECT_FALSE(std::get<bool>(plan.skip[0].when));
}

TEST(Resolve, ASkipRuleMayComeTrue) {
  Facts small = facts();
  small.device["multiprocessors"] = 2;
  EXPECT_TRUE(std::get<bool>(resolve(open_plan(), small, grid_positions()).skip[0].when));
}

TEST(Resolve, ErrorsPointAtTheSuite) {
  Facts none = facts();
  none.device.clear();
  EXPECT_EQ(resolve_error(open_plan(), none),
            "x.yaml:9:16 `device.multiprocessors` has no value here");
  Plan plan = open_plan();
  std::get<LaunchStep>(plan.steps[0]).grid[0] = Symbolic{"y.size - 8", "/grid"};
  EXPECT_EQ(resolve_error(plan),
            "x.yaml:9:4 `y.size - 8` is -1: a whole number, 0 or more, is needed");
  std::get<LaunchStep>(plan.steps[0]).grid[0] = Symbolic{"y.size * 0.5", "/grid"};
  EXPECT_EQ(resolve_error(plan),
            "x.yaml:9:4 `y.size * 0.5` is 3.5: a whole number, 0 or more, is needed");
  plan = open_plan();
  plan.buffers[1].shape[1] = int64_t{1} << 60;
  EXPECT_THAT(resolve_error(plan), testing::HasSubstr("x.yaml:3:2 `z` of shape"));
  plan = open_plan();
  plan.peak_flops_per_s = Symbolic{"a.size - 15", "/grid"};
  EXPECT_EQ(resolve_error(plan),
            "x.yaml:1:1 `peak_flops_per_s` of  is 0: a number more than 0 is needed");
  plan = open_plan();
  plan.skip[0].when = Symbolic{"n", "/grid"};
  EXPECT_EQ(resolve_error(plan), "x.yaml:9:4 `when` must be True or False, and is 4");
}

TEST(Resolve, AnUnresolvedSizeIsOurMistake) {
  try {
    (void)resolved(Symbolic{"a.size", ""});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::internal);
  }
}

}  // namespace
}  // namespace warpmark
