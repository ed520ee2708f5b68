// How many processors this process may use.
#pragma once

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <thread>

namespace warpmark {

/// Reads a limit of processor time as Linux's cgroups state it: `cpu.max` of version 2, and
/// `cpu.cfs_quota_us` with `cpu.cfs_period_us` of version 1. Returns processors, 0.5 for half of one.
/// Absent if the folder has neither, or no limit.
inline std::optional<double> processor_share(const std::string& folder) {
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
  return std::min(quota / period, 65536.0);
}

/// The least share of the groups that /proc/self/cgroup lists in `own_groups`, and of the groups
/// above them, below `root` (/sys/fs/cgroup).
inline std::optional<double> least_share(const std::string& own_groups, const std::string& root) {
  std::optional<double> least;
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
      if (const auto share = processor_share(base + group))
        least = std::min(least.value_or(*share), *share);
      if (group.find_first_not_of('/') == std::string::npos) break;
      group.resize(std::min(group.rfind('/'), group.size() - 1));
    }
  }
  return least;
}

/// The same of this process.
inline std::optional<double> own_least_share() {
  std::ostringstream groups;
  groups << std::ifstream("/proc/self/cgroup").rdbuf();
  return least_share(groups.str(), "/sys/fs/cgroup");
}

/// Whole processors, rounded up.
inline std::optional<std::uint32_t> least_quota(const std::string& own_groups,
                                                const std::string& root) {
  const auto share = least_share(own_groups, root);
  return share ? std::optional(static_cast<std::uint32_t>(std::ceil(*share))) : std::nullopt;
}

/// How many times as long one thread takes as on a processor of its own: 2 where cgroups leave half
/// of one, and 1 where they leave more.
inline double slowness() {
  return 1 / std::min(1.0, own_least_share().value_or(1));
}

/// The processors that the scheduler gives this process, and that its cgroups leave it; at least 1.
inline std::uint32_t usable_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  // A machine of more than 1024 processors does not fit a cpu_set_t.
  std::uint32_t count = std::max(1U, std::thread::hardware_concurrency());
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    count = static_cast<std::uint32_t>(std::max(1, CPU_COUNT(&set)));
  const double share = std::ceil(own_least_share().value_or(count));
  return static_cast<std::uint32_t>(std::clamp(share, 1.0, static_cast<double>(count)));
}

}  // namespace warpmark
