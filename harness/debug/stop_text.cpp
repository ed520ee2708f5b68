#include "debug/stop_text.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace warpmark::debugging {

std::string reason_text(const Stop& stop) {
  switch (stop.reason) {
    case StopReason::entry:
      return "The first statement of the launch";
    case StopReason::breakpoint:
      return fmt::format("Breakpoint {}{}", stop.number, stop.text.empty() ? "" : ": " + stop.text);
    case StopReason::watch:
      return stop.number == 0 ? stop.text
                              : fmt::format("Watchpoint {}: {}", stop.number, stop.text);
    case StopReason::step:
      return "";
    case StopReason::pause:
      return "Interrupted";
    case StopReason::finding:
      return "Found here: " + stop.text;
    case StopReason::beginning:
      return "The beginning: there is nothing before";
    case StopReason::left:
      return "The thread has left the kernel";
    case StopReason::writers:
      return stop.text;
  }
  return "";
}

std::string outcome_text(const Outcome& outcome) {
  std::string text = fmt::format("{}: {}", outcome.case_id, to_text(outcome.verdict));
  if (!outcome.message.empty() && outcome.verdict != Verdict::passed)
    text += "\n" + outcome.message;
  if (outcome.message.empty() && !outcome.reason.empty()) text += ": " + outcome.reason;
  return text;
}

std::string triple_text(const uint32_t* numbers) {
  return fmt::format("({},{},{})", numbers[0], numbers[1], numbers[2]);
}

std::string place_text(const StatementText& statement) {
  if (statement.place.line == 0) return "`" + statement.text + "`";
  return fmt::format("{}:{}", statement.place.file, statement.place.line);
}

std::string place_text(const FrameText& frame, const LaunchText& launch) {
  StatementText statement = launch.statements.at(frame.statement);
  statement.place = frame.place;
  return place_text(statement);
}

std::string function_text(const StatementText& statement) {
  const bool is_inlined = !statement.inlined.empty() && !statement.inside.empty();
  return is_inlined ? statement.inside : statement.function;
}

std::vector<FrameText> frames_of(const ThreadView& thread) {
  std::vector<FrameText> frames;
  const std::vector<uint32_t> statements = thread.frames();
  for (uint32_t i = 0; i < statements.size(); ++i) {
    const StatementText& statement = thread.text().statements.at(statements[i]);
    frames.push_back({function_text(statement), statement.place, i, 0, statements[i]});
    for (size_t call = 0; call < statement.inlined.size(); ++call) {
      const bool is_last = call + 1 == statement.inlined.size();
      const std::string& function = is_last ? statement.function : statement.inlined[call].function;
      frames.push_back({function, statement.inlined[call].place, i, static_cast<uint32_t>(call + 1),
                        statements[i]});
    }
  }
  return frames;
}

size_t frame_number(const ThreadView& thread) {
  const std::vector<FrameText> frames = frames_of(thread);
  for (size_t i = 0; i < frames.size(); ++i) {
    if (frames[i].frame == thread.focus().frame && frames[i].call == thread.focus().call) return i;
  }
  return 0;
}

Focus focus_on_frame(const ThreadView& thread, size_t number) {
  const std::vector<FrameText> frames = frames_of(thread);
  if (number >= frames.size()) throw usage_error("there is no such frame");
  Focus focus = thread.focus();
  focus.frame = frames[number].frame;
  focus.call = frames[number].call;
  return focus;
}

}  // namespace warpmark::debugging
