// Launches that kernels ask for. They begin when the grid that asked has ended. CUDA's rules allow
// this: code on the device cannot wait for a grid that it launched.
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

/// The launches that the blocks of one host thread have asked for.
struct DeviceLaunches {
  /// The most launches, and bytes of parameters, that a grid may ask for.
  static constexpr std::size_t kMost = 1 << 16, kMostBytes = std::size_t{64} << 20;
  /// The greatest nesting depth of launches: CUDA's limit.
  static constexpr std::uint32_t kMostDepth = 24;

  std::vector<DeviceLaunch> launches;  ///< in the order of the calls
  std::size_t bytes = 0;
  std::map<std::uint64_t, DeviceLaunch> asked;         ///< by the address of their parameters
  std::map<std::uint64_t, std::uint32_t> last_errors;  ///< by thread, if there is one
};

}  // namespace warpmark::cpu
