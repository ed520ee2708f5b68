// The words that a person reads of a stop, in a terminal and in an editor.
#pragma once

#include <string>

#include "debug/debugger.hpp"
#include "debug/source_lines.hpp"
#include "runtime/outcome.hpp"

namespace warpmark::debugging {

/// "Breakpoint 1", "Watchpoint 2: x: 1 -> 2, written by …".
std::string reason_text(const Stop& stop);
/// The verdict of a case, and why.
std::string outcome_text(const Outcome& outcome);
/// "(1,0,0)".
std::string triple_text(const uint32_t* numbers);
/// "k.cu:12", or the PTX instruction where no line is known.
std::string place_text(const StatementText& statement);
/// The name of a frame's function.
std::string function_text(const StatementText& statement);
/// One frame as `backtrace` and an editor list it: functions that were inlined are frames, too.
struct FrameText {
  std::string function;
  SourcePlace place;
  uint32_t frame = 0;      ///< of the thread, for its variables
  uint32_t call = 0;       ///< as of a Focus
  uint32_t statement = 0;  ///< where its variables are looked for
};
/// The same of a frame.
std::string place_text(const FrameText& frame, const LaunchText& launch);
std::vector<FrameText> frames_of(const ThreadView& thread);
/// The number among them of the one that is looked at.
size_t frame_number(const ThreadView& thread);
/// Looks at the one of a number. Throws a usage error if there is none.
Focus focus_on_frame(const ThreadView& thread, size_t number);

}  // namespace warpmark::debugging
