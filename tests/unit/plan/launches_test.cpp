// Launches that no CUDA device can do, as far as a plan shows.
#include <gtest/gtest.h>

#include "plan/plan.hpp"

namespace warpmark {
namespace {

PositionMap launch_positions() {
  PositionMap map;
  map.set("", {"x.yaml", 1, 1});
  map.set("/launch", {"x.yaml", 9, 1});
  map.set("/launch/block", {"x.yaml", 9, 17});
  map.set("/limits/stack_bytes", {"x.yaml", 12, 5});
  return map;
}

Plan plan_of(const std::array<Size, 3>& grid, const std::array<Size, 3>& block,
             const Size& shared = int64_t{0}) {
  Plan plan;
  LaunchStep launch;
  launch.entry = "k";
  launch.grid = grid;
  launch.block = block;
  launch.shared = shared;
  launch.at = "/launch";
  plan.steps = {FillStep{"z", 0, ""}, launch};
  return plan;
}

std::string launch_error(const Plan& plan, const std::vector<KernelBounds>& kernels = {}) {
  try {
    check_launches(plan, launch_positions(), kernels, 90);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::verdict);
    return error.what();
  }
  return "none";
}

const Size kOne = int64_t{1};
const Size kOpen = Symbolic{"a.size", "/launch/grid/0"};

Size number(int64_t value) {
  return value;
}

TEST(CheckLaunches, NamesPlaceKernelAndBothNumbers) {
  EXPECT_EQ(
      launch_error(plan_of({kOne, kOne, kOne}, {number(2048), kOne, kOne})),
      "x.yaml:9:17: error: no CUDA device can launch `k`: block.x is 2048, and can be 1024 at "
      "most (grid 1x1x1, block 2048x1x1)");
  EXPECT_EQ(launch_error(plan_of({number(0), kOne, kOne}, {kOne, kOne, kOne})),
            "x.yaml:9:1: error: no CUDA device can launch `k`: grid.x is 0, and must be 1 at least "
            "(grid 0x1x1, block 1x1x1)");
  EXPECT_EQ(launch_error(plan_of({kOne, kOne, kOne}, {number(1024), kOne, kOne})), "none");
}

TEST(CheckLaunches, WhatIsOpenIsLeftForLater) {
  EXPECT_EQ(launch_error(plan_of({kOpen, kOne, kOne}, {kOpen, kOne, kOne}, kOpen)), "none");
  // The known size alone is too much already.
  EXPECT_EQ(
      launch_error(plan_of({kOpen, kOne, kOne}, {number(2048), kOne, kOne})),
      "x.yaml:9:17: error: no CUDA device can launch `k`: block.x is 2048, and can be 1024 at "
      "most");
  KernelBounds kernel;
  kernel.block = {64, 1, 1};
  kernel.cluster = {2, 1, 1};
  EXPECT_EQ(launch_error(plan_of({kOpen, kOne, kOne}, {kOpen, kOne, kOne}), {kernel}), "none");
  EXPECT_NE(launch_error(plan_of({number(3), kOne, kOne}, {number(64), kOne, kOne}), {kernel}),
            "none");
}

TEST(CheckLaunches, EachLaunchHasItsKernel) {
  Plan plan = plan_of({kOne, kOne, kOne}, {number(128), kOne, kOne});
  plan.steps.push_back(plan.steps.back());
  KernelBounds bounded;
  bounded.most_threads = 64;
  EXPECT_EQ(launch_error(plan, {KernelBounds{}, KernelBounds{}}), "none");
  EXPECT_NE(launch_error(plan, {KernelBounds{}, bounded}), "none");
  EXPECT_NE(launch_error(plan, {bounded, KernelBounds{}}), "none");
}

TEST(CheckLaunches, NotOfWhatIsNotLaunched) {
  Plan plan = plan_of({number(0), kOne, kOne}, {kOne, kOne, kOne});
  plan.skip = {{Symbolic{"device.warp_size == 64", "/skip"}, "perhaps"}};
  EXPECT_EQ(launch_error(plan), "none");
  plan.skip = {{true, "yes"}};
  EXPECT_EQ(launch_error(plan), "none");
  plan.skip = {{false, "no"}};
  EXPECT_NE(launch_error(plan), "none");
  plan.compile_error = CompileError{};
  EXPECT_EQ(launch_error(plan), "none");
}

TEST(CheckLaunches, AStackThatNoDeviceHas) {
  Plan plan = plan_of({kOne, kOne, kOne}, {kOne, kOne, kOne});
  plan.limits.stack_bytes = 524288;
  EXPECT_EQ(launch_error(plan), "none");
  plan.limits.stack_bytes = 524289;
  EXPECT_EQ(launch_error(plan),
            "x.yaml:12:5: error: no CUDA device can launch this: `stack_bytes` is 524289, and a "
            "thread can have 524288 at most");
}

}  // namespace
}  // namespace warpmark
