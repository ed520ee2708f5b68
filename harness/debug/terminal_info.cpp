// The tables of `info` and `backtrace`.
#include <fmt/format.h>

#include <map>

#include "base/error.hpp"
#include "debug/stop_text.hpp"
#include "debug/terminal.hpp"

namespace warpmark::debugging {

void Terminal::info(Debugger& debugger, const std::string& rest) {
  const size_t space = rest.find(' ');
  const std::string what = rest.substr(0, space);
  const std::string more = space == std::string::npos ? "" : rest.substr(space + 1);
  if (what == "locals" || what == "args") return show_variables(debugger, what == "args");
  if (what == "registers" || what == "r") return show_registers(debugger, more);
  if (what == "warps") return show_warps(debugger);
  if (what == "lanes" || what == "threads") return show_lanes(debugger);
  if (what == "line" || what == "position") {
    const RunPosition at = debugger.position();
    return print(
        fmt::format("launch {}, {} statements of its warps before this one", at.launch, at.count));
  }
  throw usage_error("info locals, args, breakpoints, registers, warps, lanes or line");
}

void Terminal::show_variables(Debugger& debugger, bool arguments) {
  const ThreadView thread = debugger.thread();
  std::string text;
  std::map<std::string, bool> seen;  // inner ones hide outer ones of the same name
  for (const Variable& variable : thread.variables()) {
    if (variable.argument != arguments || variable.global ||
        !seen.emplace(variable.name, true).second)
      continue;
    std::string shown = "<optimised out>";
    try {
      if (const auto value = value_of(variable, thread)) shown = to_text(*value, thread);
    } catch (const Error& error) {
      shown = "<" + error.message() + ">";
    }
    text += fmt::format("{}{} = {}", text.empty() ? "" : "\n", variable.name, shown);
  }
  if (text.empty() && !arguments && !debugger.no_variables().empty())
    text = "locals are not known: " + debugger.no_variables();
  print(text.empty() ? "none" : text);
}

void Terminal::show_breakpoints(Debugger& debugger) {
  std::string text;
  const auto add = [&](const std::string& line) { text += (text.empty() ? "" : "\n") + line; };
  for (const Breakpoint& one : debugger.breakpoints()) {
    std::string line = fmt::format("{} breakpoint {}", one.number, asked_text(one));
    if (one.actual.line != 0 && one.actual.line != one.place.line)
      line += fmt::format(" (at {}:{})", one.actual.file, one.actual.line);
    if (one.statements.empty()) line += " (no code)";
    if (one.condition) line += " if " + one.condition->text();
    if (!one.enabled) line += ", disabled";
    add(line + fmt::format(", hit {} times", one.hits));
  }
  for (const Watchpoint& one : debugger.watchpoints())
    add(fmt::format("{} watchpoint {}", one.number, one.memory.text));
  print(text.empty() ? "none" : text);
}

void Terminal::show_registers(Debugger& debugger, const std::string& rest) {
  const ThreadView thread = debugger.thread();
  std::string text;
  for (const std::string& name : thread.registers()) {
    if (!rest.empty() && name != rest) continue;
    const auto bytes = thread.read_register(name);
    if (!bytes) continue;
    uint64_t number = 0;
    for (size_t i = 0; i < bytes->size() && i < 8; ++i)
      number |= std::to_integer<uint64_t>((*bytes)[i]) << 8 * i;
    text += fmt::format("{}{} {:#x} {}", text.empty() ? "" : "\n", name, number, number);
  }
  print(text.empty() ? "none" : text);
}

void Terminal::show_warps(Debugger& debugger) {
  std::string text;
  for (uint32_t warp = 0; warp < debugger.text().warps(); ++warp) {
    // Lanes that are at one place, together.
    std::map<std::string, uint32_t> places;
    for (uint32_t lane = 0; lane < 32; ++lane) {
      const ThreadView thread = debugger.view_of({warp, lane, 0});
      const warpmark_debug_lane where = thread.where();
      if (warp * 32 + lane >= debugger.text().threads()) break;
      const std::string place = where.state == 0
                                    ? "left"
                                    : place_text(debugger.text().statements.at(where.statement)) +
                                          (where.state == 2 ? " waits" : "");
      places[place] |= 1u << lane;
    }
    for (const auto& [place, lanes] : places) {
      const bool here = warp == debugger.focus.warp && (lanes >> debugger.focus.lane & 1) != 0;
      text += fmt::format("{}{} warp {} lanes {:08x} {}", text.empty() ? "" : "\n",
                          here ? "*" : " ", warp, lanes, place);
    }
  }
  print(text);
}

void Terminal::show_lanes(Debugger& debugger) {
  std::string text;
  for (uint32_t lane = 0; lane < 32; ++lane) {
    const uint32_t warp = debugger.focus.warp;
    if (warp * 32 + lane >= debugger.text().threads()) break;
    const warpmark_debug_lane where = debugger.view_of({warp, lane, 0}).where();
    const std::string place = where.state == 0
                                  ? "left"
                                  : place_text(debugger.text().statements.at(where.statement)) +
                                        (where.state == 2 ? " waits" : "");
    text += fmt::format("{}{} lane {} thread {} {}", text.empty() ? "" : "\n",
                        lane == debugger.focus.lane ? "*" : " ", lane, triple_text(where.thread),
                        place);
  }
  print(text);
}

void Terminal::show_frames(Debugger& debugger) {
  std::string text;
  const std::vector<FrameText> frames = frames_of(debugger.thread());
  for (size_t i = 0; i < frames.size(); ++i) {
    text += fmt::format("{}#{} {} at {}", text.empty() ? "" : "\n", i, frames[i].function,
                        place_text(frames[i], debugger.text()));
  }
  print(text.empty() ? "the thread has left the kernel" : text);
}

}  // namespace warpmark::debugging
