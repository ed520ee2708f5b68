// Launches that kernels ask for: they begin when the grid that asked has ended. That is within
// CUDA's rules: nothing on the device can wait for a grid that it launched.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace warpmark::cpu {

struct DeviceLaunch {
  std::uint32_t function = 0;  ///< index in the module
  std::array<std::uint32_t, 3> grid{}, block{};
  std::uint32_t shared = 0;  ///< bytes
  bool tail = false;         ///< after all others of the grid, and what those launched
  std::vector<std::byte> parameters;
};

/// What the blocks of one thread of the host have asked for.
struct DeviceLaunches {
  /// A grid may ask for so many launches, and bytes of parameters.
  static constexpr std::size_t kMost = 1 << 16, kMostBytes = std::size_t{64} << 20;
  /// Grids that grids launch: CUDA's limit.
  static constexpr std::uint32_t kMostDepth = 24;

  std::vector<DeviceLaunch> launches;  ///< in the order of the calls
  std::size_t bytes = 0;
  std::map<std::uint64_t, DeviceLaunch> asked;         ///< by the address of their parameters
  std::map<std::uint64_t, std::uint32_t> last_errors;  ///< by thread, if there is one
};

}  // namespace warpmark::cpu
