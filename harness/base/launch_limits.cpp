#include "base/launch_limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string_view>

namespace warpmark {
namespace {

constexpr uint64_t kWarp = 32;  // threads

using Sizes = std::array<uint64_t, 3>;

std::string text_of(const Sizes& sizes) {
  return fmt::format("{}x{}x{}", sizes[0], sizes[1], sizes[2]);
}

std::optional<ImpossibleLaunch> beyond(std::string_view what, const Sizes& sizes,
                                       const Sizes& most) {
  for (size_t i = 0; i < 3; ++i) {
    if (sizes[i] >= 1 && sizes[i] <= most[i]) continue;
    const std::string part = fmt::format("/{}/{}", what, i);
    if (sizes[i] == 0) {
      return ImpossibleLaunch{fmt::format("{}.{} is 0, and must be 1 at least", what, "xyz"[i]),
                              part};
    }
    return ImpossibleLaunch{
        fmt::format("{}.{} is {}, and can be {} at most", what, "xyz"[i], sizes[i], most[i]), part};
  }
  return std::nullopt;
}

std::optional<ImpossibleLaunch> beyond_shared(uint64_t dynamic, uint64_t fixed) {
  constexpr uint64_t most = CudaLimits::shared_bytes;
  if (dynamic <= most && fixed <= most - dynamic) return std::nullopt;
  const std::string parts =
      fixed > 0 ? fmt::format("{} + {} bytes of shared memory (dynamic + static)", dynamic, fixed)
                : fmt::format("{} bytes of shared memory", dynamic);
  return ImpossibleLaunch{fmt::format("a block needs {}, and can have {} at most", parts, most),
                          "/shared"};
}

std::optional<ImpossibleLaunch> beyond_bounds(uint64_t threads, const Sizes& block,
                                              const KernelBounds& kernel, int architecture) {
  if (kernel.block[0] > 0 && block != kernel.block) {
    return ImpossibleLaunch{
        fmt::format("the block is {}, and the kernel is compiled for blocks of {} alone",
                    text_of(block), text_of(kernel.block)),
        "/block"};
  }
  if (kernel.most_threads > 0 && threads > kernel.most_threads) {
    return ImpossibleLaunch{
        fmt::format("the block has {} threads, and the kernel's `__launch_bounds__` allows {}",
                    threads, kernel.most_threads),
        "/block"};
  }
  const uint64_t most = most_threads_with(kernel.registers, architecture);
  if (threads <= most) return std::nullopt;
  return ImpossibleLaunch{
      fmt::format("the block has {} threads, and with {} registers for each it can have {} at "
                  "most: a block has {} registers",
                  threads, kernel.registers, most, CudaLimits::registers),
      "/block"};
}

std::optional<ImpossibleLaunch> beyond_cluster(const Sizes& grid, const Sizes& cluster) {
  if (cluster[0] == 0) return std::nullopt;
  if (const uint64_t blocks = volume(cluster); blocks == 0 || blocks > CudaLimits::cluster) {
    return ImpossibleLaunch{
        fmt::format("the kernel's clusters have {} blocks ({}), and can have {} at most", blocks,
                    text_of(cluster), CudaLimits::cluster),
        ""};
  }
  for (size_t i = 0; i < 3; ++i) {
    if (grid[i] % cluster[i] == 0) continue;
    return ImpossibleLaunch{fmt::format("grid.{} is {}, and must be a multiple of {}: the "
                                        "kernel's clusters are {}",
                                        "xyz"[i], grid[i], cluster[i], text_of(cluster)),
                            fmt::format("/grid/{}", i)};
  }
  return std::nullopt;
}

}  // namespace

// Saturating, because a suite's arithmetic can make any number.
uint64_t volume(const std::array<uint64_t, 3>& sizes) {
  constexpr uint64_t most = std::numeric_limits<uint64_t>::max();
  uint64_t out = 1;
  for (const uint64_t size : sizes) {
    if (size != 0 && out > most / size) return most;
    out *= size;
  }
  return out;
}

uint64_t most_threads_with(uint64_t registers, int architecture) {
  constexpr uint64_t unit = 8;  // registers of a thread are given out in
  if (registers == 0) return CudaLimits::threads;
  const uint64_t partitions = architecture == 60 ? 2 : 4;
  const uint64_t of_warp = (registers + unit - 1) / unit * unit * kWarp;
  const uint64_t warps = CudaLimits::registers / partitions / of_warp * partitions;
  return std::min(warps * kWarp, CudaLimits::threads);
}

std::optional<ImpossibleLaunch> impossible_launch(const LaunchSize& size,
                                                  const KernelBounds& kernel, int architecture) {
  if (auto why = beyond("block", size.block, CudaLimits::block)) return why;
  const uint64_t threads = volume(size.block);
  if (threads > CudaLimits::threads) {
    return ImpossibleLaunch{fmt::format("the block has {} threads ({}), and can have {} at most",
                                        threads, text_of(size.block), CudaLimits::threads),
                            "/block"};
  }
  if (auto why = beyond("grid", size.grid, CudaLimits::grid)) return why;
  if (auto why = beyond_bounds(threads, size.block, kernel, architecture)) return why;
  if (auto why = beyond_shared(size.shared, kernel.shared)) return why;
  if (size.shared < kernel.least_dynamic) {
    return ImpossibleLaunch{
        fmt::format("the launch has {} bytes of dynamic shared memory, and the kernel needs {}",
                    size.shared, kernel.least_dynamic),
        "/shared"};
  }
  return beyond_cluster(size.grid, kernel.cluster);
}

}  // namespace warpmark
