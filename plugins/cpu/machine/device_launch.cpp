// The calls by which kernels launch kernels: cudaGetParameterBufferV2 and cudaLaunchDeviceV2.
#include "machine/device_launch.hpp"

#include <cstring>
#include <utility>

#include "machine/block.hpp"
#include "machine/device_calls.hpp"
#include "machine/heap.hpp"
#include "program/program.hpp"
#include "ptx/module.hpp"

namespace warpmark::cpu {
namespace {

// Values of cudaError.
constexpr std::uint32_t kInvalidValue = 1, kInvalidConfiguration = 9, kMaxDepthExceeded = 65,
                        kPendingCountExceeded = 69;

constexpr std::uint64_t kTailStream = 3;  // cudaStreamTailLaunch

bool fits(const DeviceLaunch& launch) {
  const auto& [x, y, z] = launch.block;
  if (x == 0 || y == 0 || z == 0 || x > 1024 || y > 1024 || z > 64 || x * y * z > 1024)
    return false;
  const auto& grid = launch.grid;
  return grid[0] != 0 && grid[1] != 0 && grid[2] != 0 && grid[0] <= 0x7fffffff &&
         grid[1] <= 65535 && grid[2] <= 65535;
}

}  // namespace

std::uint32_t function_at(const Lanes& w, std::uint64_t address) {
  const Module* module = w.block->launch().shape.module;
  const std::uint64_t offset = address - w.block->launch().arena.code_window();
  const std::uint64_t index = offset / Placement::kFunctionStride;
  if (module == nullptr || offset % Placement::kFunctionStride != 0 || index == 0 ||
      index > module->functions.size())
    return kNoFunction;
  const Function& function = module->functions[index - 1];
  return function.entry && function.has_body ? static_cast<std::uint32_t>(index - 1) : kNoFunction;
}

std::uint32_t launch_device(const Lanes& w, std::uint64_t buffer, std::uint64_t stream) {
  LaunchState& state = w.block->launch();
  DeviceLaunches& device = state.device;
  const auto found = device.asked.find(buffer);
  if (found == device.asked.end()) return kInvalidValue;
  DeviceLaunch launch = std::move(found->second);
  device.asked.erase(found);
  launch.parameters.resize(state.shape.module->functions[launch.function].parameter_bytes);
  if (!launch.parameters.empty())
    std::memcpy(launch.parameters.data(), state.arena.host(buffer), launch.parameters.size());
  launch.tail = stream == kTailStream;
  if (state.shape.heap->free(buffer) == DeviceHeap::Freed::good) w.block->forget_regions(buffer);
  if (!fits(launch)) return kInvalidConfiguration;
  if (state.shape.depth >= DeviceLaunches::kMostDepth) return kMaxDepthExceeded;
  device.bytes += launch.parameters.size();
  if (device.launches.size() >= DeviceLaunches::kMost || device.bytes > DeviceLaunches::kMostBytes)
    return kPendingCountExceeded;
  device.launches.push_back(std::move(launch));
  return 0;
}

}  // namespace warpmark::cpu
