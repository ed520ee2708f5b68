#include "debug/goals.hpp"

#include <fmt/format.h>

#include <bit>
#include <charconv>

#include "base/error.hpp"

namespace warpmark::debugging {

void resolve(Breakpoint& breakpoint, const LaunchText& text) {
  breakpoint.actual = {};
  breakpoint.statements.clear();
  if (breakpoint.launch != 0) {
    if (breakpoint.launch != text.number) return;
    breakpoint.statements = text.starts_of_kernel();
    if (!breakpoint.statements.empty())
      breakpoint.actual = text.statements[breakpoint.statements.front()].place;
    return;
  }
  if (!breakpoint.function.empty()) {
    breakpoint.statements = text.starts_of_function(breakpoint.function);
    if (!breakpoint.statements.empty())
      breakpoint.actual = text.statements[breakpoint.statements.front()].place;
    return;
  }
  const std::string file = text.find_file(breakpoint.place.file);
  const uint32_t line = text.next_line(file, breakpoint.place.line);
  if (line == 0) return;
  breakpoint.actual = {file, line};
  breakpoint.statements = text.starts_of(breakpoint.actual);
}

void name(Breakpoint& breakpoint, const std::string& place) {
  constexpr std::string_view kLaunch = "launch ";
  if (!place.starts_with(kLaunch)) {
    breakpoint.function = place;
    return;
  }
  const char* end = place.data() + place.size();
  const auto [last, error] = std::from_chars(place.data() + kLaunch.size(), end, breakpoint.launch);
  if (error != std::errc() || last != end || breakpoint.launch == 0)
    throw usage_error("launches have numbers from 1: break launch 3");
}

std::string asked_text(const Breakpoint& breakpoint) {
  if (breakpoint.launch != 0) return fmt::format("launch {}", breakpoint.launch);
  if (!breakpoint.function.empty()) return breakpoint.function;
  return fmt::format("{}:{}", breakpoint.place.file, breakpoint.place.line);
}

WatchedMemory watched_memory(const StopExpression& expression, const ThreadView& thread) {
  WatchedMemory memory;
  memory.text = expression.text();
  memory.value = referred(expression.evaluate(thread), thread);
  if (!memory.value.place) {
    throw usage_error("`" + expression.text() + "` lies in a register: only memory can be watched");
  }
  memory.focus = thread.focus();
  Value::Place& place = *memory.value.place;
  if (place.space == WARPMARK_DEBUG_LOCAL) {
    place.address += thread.frame_base();
    memory.focus.frame = WARPMARK_DEBUG_NO_FRAME;
  }
  memory.of_block = place.space == WARPMARK_DEBUG_SHARED || place.space == WARPMARK_DEBUG_LOCAL;
  warpmark_debug_range& range = memory.range;
  range.space = place.space;
  const std::array<uint32_t, 3> block = thread.block();
  std::ranges::copy(block, range.block);
  range.warp = memory.focus.warp;
  range.lane = memory.focus.lane;
  range.address = place.address;
  range.bytes = memory.value.type->bytes;
  return memory;
}

size_t depth_of(const ThreadView& thread) {
  const std::vector<uint32_t> frames = thread.frames();
  size_t depth = frames.size();
  for (const uint32_t statement : frames) {
    if (statement < thread.text().statements.size())
      depth += thread.text().statements[statement].inlined.size();
  }
  return depth;
}

ThreadSteps::ThreadSteps(const std::array<uint32_t, 3>& block, const Focus& focus, Move move,
                         bool by_warp)
    : block_(block), focus_{focus.warp, focus.lane}, move_(move), by_warp_(by_warp) {}

void ThreadSteps::begin(uint32_t statement, const LaunchText& text, size_t depth) {
  known_ = true;
  depth_ = depth;
  line_ = text.statements.at(statement).place;
  function_ = text.statements.at(statement).function;
}

bool ThreadSteps::has_left_kernel(const ViewOf& view) const {
  const auto is_gone = [&](uint32_t lane) { return view({focus_.warp, lane}).where().state == 0; };
  if (!by_warp_) return is_gone(focus_.lane);
  for (uint32_t lane = 0; lane < 32; ++lane) {
    if (!is_gone(lane)) return false;
  }
  return true;
}

bool ThreadSteps::ends(const warpmark_debug_point& point, const LaunchText& text,
                       const ViewOf& view) {
  const bool here = std::equal(block_.begin(), block_.end(), point.block);
  if (!here) {
    // Without turns, the block of the thread has ended.
    left_ = known_ && !text.rotates;
    return left_;
  }
  const uint32_t lanes = lanes_of(point);
  if (lanes == 0) {
    left_ = known_ && has_left_kernel(view);
    return left_;
  }
  if ((lanes >> focus_.lane & 1) == 0) focus_.lane = static_cast<uint32_t>(std::countr_zero(lanes));
  if (move_ == Move::step_statement) return true;
  const StatementText& at = text.statements.at(point.statement);
  const size_t depth = depth_of(view(focus_));
  if (!known_) {
    begin(point.statement, text, depth);
    return true;
  }
  if (move_ == Move::finish) return depth < depth_;
  if (move_ == Move::next && depth > depth_) return false;
  if (depth < depth_) {  // back in the middle of a line: it goes on to the next one
    begin(point.statement, text, depth);
    return false;
  }
  if (at.place.line == 0) return false;
  return at.place != line_ || at.function != function_ || depth != depth_;
}

}  // namespace warpmark::debugging
