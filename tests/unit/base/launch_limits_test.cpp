#include "base/launch_limits.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmark {
namespace {

using testing::HasSubstr;

using Sizes = std::array<uint64_t, 3>;

// "/block/0: block.x is …", "" for what some device might do.
std::string why(const LaunchSize& size, const KernelBounds& kernel = {}, int architecture = 90) {
  const auto found = impossible_launch(size, kernel, architecture);
  return found ? found->part + ": " + found->text : "";
}

std::string of_block(const Sizes& block, const KernelBounds& kernel = {}) {
  return why({{1, 1, 1}, block, 0}, kernel);
}

TEST(LaunchLimits, Blocks) {
  for (const Sizes& good :
       {Sizes{1024, 1, 1}, Sizes{1, 1024, 1}, Sizes{16, 1, 64}, Sizes{1, 1, 1}}) {
    EXPECT_EQ(of_block(good), "");
  }
  EXPECT_EQ(of_block({1025, 1, 1}), "/block/0: block.x is 1025, and can be 1024 at most");
  EXPECT_EQ(of_block({1, 1025, 1}), "/block/1: block.y is 1025, and can be 1024 at most");
  EXPECT_EQ(of_block({1, 1, 65}), "/block/2: block.z is 65, and can be 64 at most");
  EXPECT_EQ(of_block({1, 0, 1}), "/block/1: block.y is 0, and must be 1 at least");
  EXPECT_EQ(of_block({32, 33, 1}),
            "/block: the block has 1056 threads (32x33x1), and can have 1024 at most");
  EXPECT_NE(of_block({~uint64_t{0}, 2, 2}), "");
}

TEST(LaunchLimits, Grids) {
  EXPECT_EQ(why({{2147483647, 65535, 65535}, {1, 1, 1}, 0}), "");
  EXPECT_EQ(why({{2147483648, 1, 1}, {1, 1, 1}, 0}),
            "/grid/0: grid.x is 2147483648, and can be 2147483647 at most");
  EXPECT_EQ(why({{1, 65536, 1}, {1, 1, 1}, 0}),
            "/grid/1: grid.y is 65536, and can be 65535 at most");
  EXPECT_EQ(why({{1, 1, 65536}, {1, 1, 1}, 0}),
            "/grid/2: grid.z is 65536, and can be 65535 at most");
  EXPECT_EQ(why({{0, 1, 1}, {1, 1, 1}, 0}), "/grid/0: grid.x is 0, and must be 1 at least");
}

TEST(LaunchLimits, SharedMemory) {
  const auto of = [](uint64_t dynamic, uint64_t fixed) {
    KernelBounds kernel;
    kernel.shared = fixed;
    return why({{1, 1, 1}, {1, 1, 1}, dynamic}, kernel);
  };
  EXPECT_EQ(of(232448, 0), "");
  EXPECT_EQ(of(232447, 1), "");
  EXPECT_EQ(of(232449, 0),
            "/shared: a block needs 232449 bytes of shared memory, and can have 232448 at most");
  EXPECT_EQ(of(232448, 1),
            "/shared: a block needs 232448 + 1 bytes of shared memory (dynamic + static), and can "
            "have 232448 at most");
  EXPECT_NE(of(1, ~uint64_t{0}), "");
  EXPECT_NE(of(~uint64_t{0}, 1), "");
}

TEST(LaunchLimits, WhatAKernelIsCompiledFor) {
  KernelBounds bounds;
  bounds.most_threads = 64;
  EXPECT_EQ(of_block({64, 1, 1}, bounds), "");
  EXPECT_EQ(of_block({65, 1, 1}, bounds),
            "/block: the block has 65 threads, and the kernel's `__launch_bounds__` allows 64");
  EXPECT_THAT(of_block({8, 9, 1}, bounds), HasSubstr("72 threads"));
  KernelBounds fixed;
  fixed.block = {8, 8, 1};
  EXPECT_EQ(of_block({8, 8, 1}, fixed), "");
  EXPECT_EQ(of_block({64, 1, 1}, fixed),
            "/block: the block is 64x1x1, and the kernel is compiled for blocks of 8x8x1 alone");
}

TEST(LaunchLimits, Registers) {
  // Limits that the driver of an H200 gives for kernels with as many registers.
  for (const auto& [registers, most] : std::vector<std::pair<uint64_t, uint64_t>>{{0, 1024},
                                                                                  {1, 1024},
                                                                                  {64, 1024},
                                                                                  {65, 896},
                                                                                  {72, 896},
                                                                                  {80, 768},
                                                                                  {96, 640},
                                                                                  {128, 512},
                                                                                  {168, 384},
                                                                                  {255, 256}}) {
    EXPECT_EQ(most_threads_with(registers, 90), most) << registers;
  }
  // Two partitions of 32,768 registers.
  EXPECT_EQ(most_threads_with(88, 60), 704U);
  EXPECT_EQ(most_threads_with(88, 90), 640U);
  KernelBounds kernel;
  kernel.registers = 128;
  EXPECT_EQ(of_block({512, 1, 1}, kernel), "");
  EXPECT_EQ(of_block({513, 1, 1}, kernel),
            "/block: the block has 513 threads, and with 128 registers for each it can have 512 at "
            "most: a block has 65536 registers");
}

TEST(LaunchLimits, Clusters) {
  KernelBounds kernel;
  kernel.cluster = {2, 2, 1};
  EXPECT_EQ(why({{4, 2, 1}, {1, 1, 1}, 0}, kernel), "");
  EXPECT_EQ(why({{4, 3, 1}, {1, 1, 1}, 0}, kernel),
            "/grid/1: grid.y is 3, and must be a multiple of 2: the kernel's clusters are 2x2x1");
  kernel.cluster = {17, 1, 1};
  EXPECT_EQ(why({{17, 1, 1}, {1, 1, 1}, 0}, kernel),
            ": the kernel's clusters have 17 blocks (17x1x1), and can have 16 at most");
  kernel.cluster = {16, 1, 1};
  EXPECT_EQ(why({{16, 1, 1}, {1, 1, 1}, 0}, kernel), "");
}

TEST(LaunchLimits, VolumesSaturate) {
  EXPECT_EQ(volume({2, 3, 4}), 24U);
  EXPECT_EQ(volume({5, 0, 7}), 0U);
  EXPECT_EQ(volume({uint64_t{1} << 40, uint64_t{1} << 40, 1}), ~uint64_t{0});
}

}  // namespace
}  // namespace warpmark
