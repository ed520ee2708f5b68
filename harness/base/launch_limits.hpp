// Launches that no CUDA device can do: limits common to all devices, and bounds of a kernel.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace warpmark {

/// Technical specifications of the CUDA C++ Programming Guide, the most of all compute capabilities
/// from 5.0 on.
struct CudaLimits {
  static constexpr std::array<uint64_t, 3> block{1024, 1024, 64};           ///< threads in x, y, z
  static constexpr uint64_t threads = 1024;                                 ///< a block
  static constexpr std::array<uint64_t, 3> grid{2147483647, 65535, 65535};  ///< blocks in x, y, z
  static constexpr uint64_t shared_bytes = 227 << 10;  ///< a block; of compute capabilities 9.0 and
                                                       ///< 10.0
  static constexpr uint64_t registers = 65536;         ///< a block
  static constexpr uint64_t cluster = 16;              ///< blocks; of compute capability 9.0, where
                                                       ///< 8 are portable
  static constexpr uint64_t stack_bytes = 512 << 10;   ///< local memory of a thread
};

/// The sizes of a launch.
struct LaunchSize {
  std::array<uint64_t, 3> grid{1, 1, 1};   ///< blocks
  std::array<uint64_t, 3> block{1, 1, 1};  ///< threads
  uint64_t shared = 0;                     ///< bytes of dynamic shared memory
};

/// The bounds that a compiled kernel sets for its launches; 0 for none.
struct KernelBounds {
  uint64_t registers = 0;             ///< a thread
  uint64_t shared = 0;                ///< bytes of static shared memory
  uint64_t least_dynamic = 0;         ///< bytes of dynamic shared memory that each launch needs
  uint64_t most_threads = 0;          ///< a block: `__launch_bounds__`
  std::array<uint64_t, 3> block{};    ///< the only block: `__block_size__`
  std::array<uint64_t, 3> cluster{};  ///< blocks: `__cluster_dims__`
  friend bool operator==(const KernelBounds&, const KernelBounds&) = default;
};

/// The volume of three dimensions; the greatest uint64_t if the product overflows.
uint64_t volume(const std::array<uint64_t, 3>& sizes);

/// The most threads of a block whose threads have `registers` registers each, on a device of this
/// architecture (90 for sm_90): a warp's registers come from one partition of a multiprocessor.
uint64_t most_threads_with(uint64_t registers, int architecture);

struct ImpossibleLaunch {
  std::string text;  ///< with both numbers: "block.x is 2048, and can be 1024 at most"
  std::string part;  ///< the faulty part of the launch, as a JSON Pointer: "/block/0", "/block",
                     ///< "/shared"; ""
};

/// The reason why no CUDA device of any kind can do this launch; nothing if some device might. A
/// size of 0 is such a reason.
std::optional<ImpossibleLaunch> impossible_launch(const LaunchSize& size,
                                                  const KernelBounds& kernel = {},
                                                  int architecture = 0);

}  // namespace warpmark
