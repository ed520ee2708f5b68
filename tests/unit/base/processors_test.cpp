#include "warpmark/processors.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <thread>

#include "base/file.hpp"

namespace warpmark {
namespace {

TEST(Processors, TheLeastLimitOfAGroupAndThoseAboveItCounts) {
  const TemporaryFolder root;
  write_file_atomically(root.path() / "user/job/cpu.max", "250000 100000\n");
  write_file_atomically(root.path() / "user/cpu.max", "800000 100000\n");
  write_file_atomically(root.path() / "cpu.max", "max 100000\n");
  EXPECT_EQ(least_quota("0::/user/job\n", root.path()), 3U);  // 2.5 processors
  EXPECT_EQ(least_quota("0::/user\n", root.path()), 8U);
  EXPECT_EQ(least_quota("0::/\n", root.path()), std::nullopt);
  // A container shows its own group as the root, under whatever name its host has for it.
  write_file_atomically(root.path() / "cpu.max", "50000 100000\n");
  EXPECT_EQ(least_quota("0::/../../docker/0123\n", root.path()), 1U);
}

TEST(Processors, HalfOfOneIsHalf) {
  const TemporaryFolder root;
  write_file_atomically(root.path() / "cpu.max", "50000 100000\n");
  EXPECT_EQ(least_share("0::/\n", root.path()), 0.5);
  EXPECT_EQ(least_quota("0::/\n", root.path()), 1U);
  EXPECT_GE(slowness(), 1);
}

TEST(Processors, GroupsOfVersion1) {
  const TemporaryFolder root;
  write_file_atomically(root.path() / "cpu,cpuacct/docker/cpu.cfs_quota_us", "400000\n");
  write_file_atomically(root.path() / "cpu,cpuacct/docker/cpu.cfs_period_us", "100000\n");
  write_file_atomically(root.path() / "cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  write_file_atomically(root.path() / "cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(least_quota("7:memory:/docker\n4:cpu,cpuacct:/docker\n0::/\n", root.path()), 4U);
  EXPECT_EQ(least_quota("4:cpu,cpuacct:/\n", root.path()), std::nullopt);
  EXPECT_EQ(least_quota("4:cpuset:/docker\n", root.path()), std::nullopt);
}

TEST(Processors, ListsThatAreNoGroupsHaveNoLimit) {
  const TemporaryFolder root;
  write_file_atomically(root.path() / "cpu.max", "many\n");
  for (const char* groups : {"", "\n", "0", "0::", "::", "0::x", "a:b:c"})
    EXPECT_EQ(least_quota(groups, root.path()), std::nullopt) << groups;
}

TEST(Processors, AffinityLimitsThem) {
  const std::uint32_t all = usable_processors();
  EXPECT_GE(all, 1U);
  std::thread([] {
    cpu_set_t before, one;
    ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
    CPU_ZERO(&one);
    for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++cpu) {
      if (CPU_ISSET(cpu, &before)) CPU_SET(cpu, &one);
    }
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    EXPECT_EQ(usable_processors(), 1U);
  }).join();
}

}  // namespace
}  // namespace warpmark
