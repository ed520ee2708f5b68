// How many processors this process may use.
#pragma once

#include <sched.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <thread>

namespace warpmark {

/// Reads a limit of processor time as Linux's cgroups state it: `cpu.max` of version 2, and
/// `cpu.cfs_quota_us` with `cpu.cfs_period_us` of version 1. Returns whole processors, rounded up.
/// Absent if the folder has neither, or no limit.
inline std::optional<std::uint32_t> processor_quota(const std::string& folder) {
  const auto number = [](std::istream&& from) {
    double value = 0;
    return from >> value ? value : 0;
  };
  double quota = 0, period = 0;
  std::ifstream v2(folder + "/cpu.max");
  if (!(v2 >> quota >> period)) {
    quota = number(std::ifstream(folder + "/cpu.cfs_quota_us"));
    period = number(std::ifstream(folder + "/cpu.cfs_period_us"));
  }
  if (quota <= 0 || period <= 0) return std::nullopt;  // "max" and -1 are no limit
  return static_cast<std::uint32_t>(std::min((quota + period - 1) / period, 65536.0));
}

/// The least quota of the groups that /proc/self/cgroup lists in `own_groups`, and of the groups
/// above them, below `root` (/sys/fs/cgroup).
inline std::optional<std::uint32_t> least_quota(const std::string& own_groups,
                                                const std::string& root) {
  std::optional<std::uint32_t> least;
  std::istringstream lines(own_groups);
  for (std::string line; std::getline(lines, line);) {  // 0::/user.slice or 1:cpu,cpuacct:/docker
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (!controllers.empty() && (',' + controllers + ',').find(",cpu,") == std::string::npos)
      continue;
    const std::string base = controllers.empty() ? root : root + '/' + controllers;
    std::string group = line.substr(second + 1);
    while (true) {
      // In a container the group's own name may not be visible; its root then has the limit.
      if (const auto quota = processor_quota(base + group))
        least = std::min(least.value_or(*quota), *quota);
      if (group.find_first_not_of('/') == std::string::npos) break;
      group.resize(std::min(group.rfind('/'), group.size() - 1));
    }
  }
  return least;
}

/// The processors that the scheduler gives this process, and that its cgroups leave it; at least 1.
inline std::uint32_t usable_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  // A machine of more than 1024 processors does not fit a cpu_set_t.
  std::uint32_t count = std::max(1U, std::thread::hardware_concurrency());
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    count = static_cast<std::uint32_t>(std::max(1, CPU_COUNT(&set)));
  std::ostringstream groups;
  groups << std::ifstream("/proc/self/cgroup").rdbuf();
  const std::uint32_t quota = least_quota(groups.str(), "/sys/fs/cgroup").value_or(count);
  return std::clamp(quota, std::uint32_t{1}, count);
}

}  // namespace warpmark
