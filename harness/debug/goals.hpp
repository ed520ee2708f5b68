// The ends of a move: breakpoints, watchpoints, and steps of one thread.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "debug/expression.hpp"
#include "debug/launch_text.hpp"
#include "debug/stop.hpp"
#include "debug/thread_view.hpp"

namespace warpmark::debugging {

struct Breakpoint {
  uint64_t number = 0;
  SourcePlace place;     ///< file as it was given; line as it was given
  std::string function;  ///< instead of a line; "" if there is a line
  uint64_t launch = 0;   ///< instead of both: the number of a launch, at its first statement
  std::optional<StopExpression> condition;
  bool once = false;
  bool enabled = true;
  // The present launch decides the members from here on.
  SourcePlace actual;                ///< line 0 if it has no such code
  std::vector<uint32_t> statements;  ///< where it stops
  uint64_t hits = 0;
};

/// Finds the statements of a breakpoint in a launch: those of its line, or the next with code.
void resolve(Breakpoint& breakpoint, const LaunchText& text);
/// A breakpoint without a line by its name: a function, or "launch 3".
void name(Breakpoint& breakpoint, const std::string& place);
/// As it was asked for: "k.cu:12", "twice", "launch 3".
std::string asked_text(const Breakpoint& breakpoint);

/// Memory whose stores are followed.
struct WatchedMemory {
  std::string text;       ///< the expression
  Value value;            ///< its place, which is the same in each frame, and type
  bool of_block = false;  ///< it lies in the memory of the block, or of a thread
  Focus focus;            ///< to read it
  warpmark_debug_range range{};
};

/// Finds the memory of an expression. Throws a usage error if it lies in a register.
WatchedMemory watched_memory(const StopExpression& expression, const ThreadView& thread);

/// Memory whose changes stop the launch.
struct Watchpoint {
  uint64_t number = 0;
  WatchedMemory memory;
  bool each_store = false;                     ///< stores of the same value stop, too
  std::optional<std::vector<std::byte>> last;  ///< its bytes when they were looked at last
};

/// Gives the view of a lane at the present point.
using ViewOf = std::function<ThreadView(const Focus&)>;

/// The lines that one thread comes to, or the lanes of its warp.
class ThreadSteps {
 public:
  /// Follows a thread, which is at a statement now, in so many functions.
  ThreadSteps(const std::array<uint32_t, 3>& block, const Focus& focus, Move move, bool by_warp);

  /// True if the move ends before this statement. Without begin(), the first one that the thread
  /// comes to does.
  bool ends(const warpmark_debug_point& point, const LaunchText& text, const ViewOf& view);
  /// True if the thread has left the kernel.
  bool has_left() const { return left_; }
  /// Where the move begins.
  void begin(uint32_t statement, const LaunchText& text, size_t depth);
  /// The thread has left already.
  void begin_left() { known_ = true; }

  const Focus& focus() const { return focus_; }
  /// The lanes at the point whose lines these are.
  uint32_t lanes_of(const warpmark_debug_point& point) const {
    const bool here =
        std::equal(block_.begin(), block_.end(), point.block) && point.warp == focus_.warp;
    return !here ? 0 : by_warp_ ? point.lanes : point.lanes & 1u << focus_.lane;
  }

 private:
  bool has_left_kernel(const ViewOf& view) const;

  std::array<uint32_t, 3> block_;
  Focus focus_;
  Move move_;
  bool by_warp_;
  bool known_ = false;  ///< begin() was called, or a line was seen
  bool left_ = false;
  size_t depth_ = 0;
  SourcePlace line_;
  std::string function_;
};

/// Functions that a thread is in, with those that were inlined.
size_t depth_of(const ThreadView& thread);

}  // namespace warpmark::debugging
