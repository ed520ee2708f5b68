#include "api/debug.hpp"

#include <algorithm>
#include <atomic>

namespace warpmark::cpu {
namespace {

std::atomic<warpmark_debugger*> the_debugger = nullptr;
std::atomic<std::uint64_t> launches = 0;

}  // namespace

warpmark_debugger* debugger() {
  return the_debugger.load(std::memory_order_acquire);
}

const warpmark_debug_view* debug(warpmark_debugger* debugger) {
  launches = 0;
  the_debugger.store(debugger, std::memory_order_release);
  return &debug_view();
}

DebuggedLaunch::DebuggedLaunch(warpmark_debugger& debugger, const LoadedModule& module,
                               const Program& the_program, const LaunchShape& the_shape,
                               std::uint64_t the_window)
    : program(the_program),
      shape(the_shape),
      number(++launches),
      shared_window(the_window),
      debugger_(debugger),
      module_(module) {
  pause = &debugger.pause;
}

warpmark_debug_point DebuggedLaunch::point(std::uint32_t reason) const {
  warpmark_debug_point point{};
  point.launch = number;
  point.count = count;
  point.reason = reason;
  point.depth = shape.depth;
  point.statement = Instruction::kNone;
  point.launch_state = this;
  return point;
}

bool DebuggedLaunch::call(warpmark_debug_point& point) {
  const bool goes_on = debugger_.call(debugger_.user, &point) != 0;
  until = debugger_.until;
  stops = debugger_.stops;
  return goes_on;
}

bool DebuggedLaunch::begin() {
  warpmark_debug_point at = point(WARPMARK_DEBUG_BEGIN);
  ended = !call(at);
  return !ended;
}

bool DebuggedLaunch::end(const std::vector<Fault>& found) {
  faults = &found;
  warpmark_debug_point at = point(WARPMARK_DEBUG_END);
  return call(at);
}

bool DebuggedLaunch::before(BlockState& the_block, const Warp& warp, std::uint32_t lanes,
                            std::uint32_t statement, bool found) {
  block = &the_block;
  faults = found ? &the_block.launch().faults.faults() : nullptr;
  warpmark_debug_point at = point(found ? WARPMARK_DEBUG_FINDING : WARPMARK_DEBUG_BEFORE);
  std::copy_n(the_block.coordinates().begin(), 3, at.block);
  at.warp = warp.lanes.warp;
  at.lanes = lanes;
  at.statement = statement;
  const bool goes_on = call(at);
  block = nullptr;
  faults = nullptr;
  return goes_on;
}

std::uint64_t DebuggedLaunch::variable(std::string_view name) const {
  const auto found = module_.addresses.find(name);
  return found == module_.addresses.end() ? 0 : found->second;
}

}  // namespace warpmark::cpu
