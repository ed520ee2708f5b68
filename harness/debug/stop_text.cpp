#include "debug/stop_text.hpp"

#include <fmt/format.h>

namespace warpmark::debugging {

std::string reason_text(const Stop& stop) {
  switch (stop.reason) {
    case StopReason::entry:
      return "The first statement of the launch";
    case StopReason::breakpoint:
      return fmt::format("Breakpoint {}{}", stop.number, stop.text.empty() ? "" : ": " + stop.text);
    case StopReason::watch:
      return fmt::format("Watchpoint {}: {}", stop.number, stop.text);
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

std::string function_text(const StatementText& statement) {
  const bool is_inlined = !statement.inlined.empty() && !statement.inside.empty();
  return is_inlined ? statement.inside : statement.function;
}

std::vector<FrameText> frames_of(const ThreadView& thread) {
  std::vector<FrameText> frames;
  const std::vector<uint32_t> statements = thread.frames();
  for (uint32_t i = 0; i < statements.size(); ++i) {
    const StatementText& statement = thread.text().statements.at(statements[i]);
    frames.push_back({function_text(statement), statement.place, i, statements[i]});
    for (size_t call = 0; call < statement.inlined.size(); ++call) {
      const bool is_last = call + 1 == statement.inlined.size();
      const std::string& function = is_last ? statement.function : statement.inlined[call].function;
      frames.push_back({function, statement.inlined[call].place, i, statements[i]});
    }
  }
  return frames;
}

}  // namespace warpmark::debugging
