// Stops of a launch between two statements, for a debugger.
//
// A launch with a stepper runs on one thread, so that the number of statements that its warps have
// executed names a point of it, the same one in each run.
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpmark::cpu {

class BlockState;
struct Warp;

class Stepper {
 public:
  Stepper() = default;
  Stepper(const Stepper&) = delete;
  Stepper& operator=(const Stepper&) = delete;
  virtual ~Stepper() = default;

  /// Called before these lanes of a warp execute a statement, if is_wanted(); with `found` if
  /// something was found since the last call, in the launch's log of faults. Returns false to end
  /// the launch.
  virtual bool before(BlockState& block, const Warp& warp, std::uint32_t lanes,
                      std::uint32_t statement, bool found) = 0;

  /// Statements that warps have executed so far.
  std::uint64_t count = 0;
  /// before() is called from this count on, and before it for the statements that `stops` marks.
  std::uint64_t until = 0;
  const std::uint8_t* stops = nullptr;           ///< by statement, or null
  const volatile std::int32_t* pause = nullptr;  ///< if not 0, before() is called
  std::size_t faults_known = 0;                  ///< of the launch's log
  bool ended = false;                            ///< before() has ended the launch
  bool stored = false;  ///< to memory that is watched, since the last statement

  [[nodiscard]] bool is_wanted(std::uint32_t statement) const {
    return count >= until || (stops != nullptr && stops[statement] != 0) || *pause != 0;
  }
};

}  // namespace warpmark::cpu
