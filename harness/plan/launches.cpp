// Refuses launches that no CUDA device can do, before one is tried.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "plan/plan.hpp"

namespace warpmark {
namespace {

// A symbolic size counts as 1: it may turn out to be small enough.
uint64_t least(const Size& size) {
  const auto* value = std::get_if<int64_t>(&size);
  return value != nullptr ? static_cast<uint64_t>(*value) : 1;
}

bool is_open(const Size& size) {
  return std::holds_alternative<Symbolic>(size);
}

bool is_open(const std::array<Size, 3>& sizes) {
  return std::ranges::any_of(sizes, [](const Size& size) { return is_open(size); });
}

LaunchSize size_of(const LaunchStep& launch) {
  LaunchSize size;
  for (size_t i = 0; i < 3; ++i) {
    size.grid[i] = least(launch.grid[i]);
    size.block[i] = least(launch.block[i]);
  }
  size.shared = is_open(launch.shared) ? 0 : least(launch.shared);
  return size;
}

// Leaves out the kernel's bounds on blocks or grids that are not known yet.
KernelBounds decided(KernelBounds kernel, const LaunchStep& launch) {
  if (launch.cluster) {
    for (size_t i = 0; i < 3; ++i) kernel.cluster[i] = least((*launch.cluster)[i]);
    if (is_open(*launch.cluster)) kernel.cluster = {};
  }
  if (is_open(launch.block)) kernel.block = {};
  if (is_open(launch.grid)) kernel.cluster = {};
  return kernel;
}

std::string geometry(const LaunchStep& launch) {
  if (is_open(launch.grid) || is_open(launch.block)) return "";
  const LaunchSize size = size_of(launch);
  return fmt::format(" (grid {}x{}x{}, block {}x{}x{})", size.grid[0], size.grid[1], size.grid[2],
                     size.block[0], size.block[1], size.block[2]);
}

void check_stack(const Plan& plan, const PositionMap& positions) {
  const auto& stack = plan.limits.stack_bytes;
  if (!stack || static_cast<uint64_t>(*stack) <= CudaLimits::stack_bytes) return;
  throw verdict_error(fmt::format("no CUDA device can launch this: `stack_bytes` is {}, and a "
                                  "thread can have {} at most",
                                  *stack, CudaLimits::stack_bytes),
                      positions.find("/limits/stack_bytes"));
}

}  // namespace

bool may_be_skipped(const Plan& plan) {
  return std::ranges::any_of(plan.skip, [](const PlannedSkip& rule) {
    const auto* skips = std::get_if<bool>(&rule.when);
    return skips == nullptr || *skips;
  });
}

void check_launches(const Plan& plan, const PositionMap& positions,
                    const std::vector<KernelBounds>& kernels, int architecture) {
  if (plan.compile_error || may_be_skipped(plan)) return;
  check_stack(plan, positions);
  size_t number = 0;
  for (const Step& step : plan.steps) {
    const auto* launch = std::get_if<LaunchStep>(&step);
    if (launch == nullptr) continue;
    const KernelBounds kernel =
        decided(number < kernels.size() ? kernels[number] : KernelBounds{}, *launch);
    ++number;
    const auto why = impossible_launch(size_of(*launch), kernel, architecture);
    if (!why) continue;
    throw verdict_error(fmt::format("no CUDA device can launch `{}`: {}{}", launch->entry,
                                    why->text, geometry(*launch)),
                        positions.find(launch->at + why->part));
  }
}

}  // namespace warpmark
