// The debugger of the process, which launches call.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "api/state.hpp"
#include "machine/grid.hpp"
#include "machine/stepper.hpp"
#include "memory/kept_memory.hpp"
#include "warpmark/device.h"

namespace warpmark::cpu {

/// As warpmark_device has it.
const warpmark_debug_view* debug(warpmark_debugger* debugger);

/// One launch as the debugger is told of it.
class DebuggedLaunch final : public Stepper {
 public:
  DebuggedLaunch(warpmark_debugger& debugger, Context& context, const LoadedModule& module,
                 const Program& program, const LaunchShape& shape);
  ~DebuggedLaunch() override;

  /// Tells of the launch's beginning, and keeps its memory; false if it is not to run.
  bool begin();
  /// Tells of its end, and of all that was found; false if what it printed is not wanted.
  bool end(const std::vector<Fault>& faults);
  /// True once if the launch is to run again, with memory put back.
  bool repeats();
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
  std::vector<warpmark_debug_store> stores;    ///< to watched memory, since the last call
  /// A number of the module's text and of where its variables are.
  [[nodiscard]] std::uint64_t text() const;

  // --- for the notes of stores
  /// The offset or address of a store in its space, by a lane of a block into the memory of another
  /// one, or of its own.
  struct Store {
    Space space = Space::global;
    std::array<std::uint32_t, 3> target{}, block{};
    std::uint32_t warp = 0, lane = 0, statement = 0;
    std::uint64_t address = 0, bytes = 0;
  };
  [[nodiscard]] bool watches() const { return debugger_.range_count > 0; }
  void note(const Store& store);

 private:
  bool call(warpmark_debug_point& point);
  warpmark_debug_point point(std::uint32_t reason) const;

  warpmark_debugger& debugger_;
  Context& context_;
  const LoadedModule& module_;
  std::optional<KeptMemory> kept_;
  bool repeats_ = false;
};

/// The debugger, or null.
warpmark_debugger* debugger();
/// That of another process, which WARPMARK_CPU_DEBUG names; or null.
warpmark_debugger* remote_debugger();

/// The functions that look at a point.
const warpmark_debug_view& debug_view();

}  // namespace warpmark::cpu
