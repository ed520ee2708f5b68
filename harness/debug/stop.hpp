// Where a launch stands still, and why.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>

namespace warpmark::debugging {

/// A point of a run: the same in each run of the case.
struct RunPosition {
  uint64_t launch = 1;  ///< from 1
  uint64_t count = 0;   ///< statements of the launch's warps before it
  friend auto operator<=>(const RunPosition&, const RunPosition&) = default;
};

enum class StopReason : uint8_t {
  entry,
  breakpoint,
  watch,
  step,
  pause,
  finding,
  beginning,
  left,
  writers  ///< it stood here before; the text says who wrote
};

struct Stop {
  StopReason reason = StopReason::entry;
  RunPosition position;
  uint64_t number = 0;  ///< of the breakpoint or the watchpoint; 0 for a search
  std::string text;     ///< more of it: what was found, or both values of what is watched
};

/// How a person goes on.
enum class Move : uint8_t { go, step, next, finish, step_statement };

struct Resume {
  /// `again` runs to the present point, for Debugger::find_writers().
  enum class Kind : uint8_t { move, run, jump, again, quit } kind = Kind::move;
  Move move = Move::go;
  bool backwards = false;
  bool by_warp = false;                ///< a step ends at a line of any lane of the thread's warp
  bool to_finding = false;             ///< breakpoints and watchpoints do not stop it
  std::array<uint32_t, 3> block = {};  ///< of a jump: to the first statement of a block
};

}  // namespace warpmark::debugging
