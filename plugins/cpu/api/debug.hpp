// The debugger of the process, which launches call.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "api/state.hpp"
#include "machine/grid.hpp"
#include "machine/stepper.hpp"
#include "warpmark/device.h"

namespace warpmark::cpu {

/// As warpmark_device has it.
const warpmark_debug_view* debug(warpmark_debugger* debugger);

/// One launch as the debugger is told of it.
class DebuggedLaunch final : public Stepper {
 public:
  DebuggedLaunch(warpmark_debugger& debugger, const LoadedModule& module, const Program& program,
                 const LaunchShape& shape, std::uint64_t shared_window);

  /// Tells of the launch's beginning; false if it is not to run.
  bool begin();
  /// Tells of its end, and of all that was found; false if what it printed is not wanted.
  bool end(const std::vector<Fault>& faults);
  bool before(BlockState& block, const Warp& warp, std::uint32_t lanes, std::uint32_t statement,
              bool found) override;

  // --- for views
  /// The address of a .global or .const variable; 0 if there is none.
  [[nodiscard]] std::uint64_t variable(std::string_view name) const;
  const Program& program;
  const LaunchShape& shape;
  const BlockState* block = nullptr;           ///< null at the begin and the end
  const std::vector<Fault>* faults = nullptr;  ///< found so far, at findings and at the end
  std::uint64_t number = 0;                    ///< of the launch
  const std::uint64_t shared_window;           ///< where generic addresses of shared memory begin

 private:
  bool call(warpmark_debug_point& point);
  warpmark_debug_point point(std::uint32_t reason) const;

  warpmark_debugger& debugger_;
  const LoadedModule& module_;
};

/// The debugger, or null.
warpmark_debugger* debugger();

/// The functions that look at a point.
const warpmark_debug_view& debug_view();

}  // namespace warpmark::cpu
