// The debugger in a terminal: commands in gdb's words.
#pragma once

#include <deque>
#include <fstream>
#include <iosfwd>
#include <optional>
#include <string>

#include "debug/debuggee.hpp"
#include "debug/debugger.hpp"
#include "debug/source_lines.hpp"

namespace warpmark::debugging {

class Terminal final : public Front {
 public:
  Terminal(const TerminalScript& script, SourceLines& sources);
  /// One that has no commands of its own: see carry_out().
  Terminal(std::ostream& output, SourceLines& sources);

  void launch_begins(Debugger& debugger) override;
  Resume stopped(Debugger& debugger, const Stop& stop) override;
  bool asked(Debugger& debugger) override;
  /// The run came to its end, of which a text tells.
  Resume ended(Debugger& debugger, const std::string& text);
  /// Carries out a command; nothing if the launch still stands. Throws usage errors.
  std::optional<Resume> carry_out(Debugger& debugger, const std::string& line);
  /// The next of several steps, of which one ended at this stop.
  std::optional<Resume> further_step(const Stop& stop);
  /// True if a line begins with the word of a command.
  static bool is_command(const std::string& line);

 private:
  /// Reads commands until one goes on.
  Resume read_commands(Debugger& debugger);
  /// The next command; nothing at the end of all of them.
  std::optional<std::string> next_command();
  std::optional<Resume> going_on(Debugger& debugger, const std::string& word,
                                 const std::string& rest);
  void look(Debugger& debugger, const std::string& word, const std::string& rest);
  void add_breakpoint(Debugger& debugger, const std::string& rest, bool once);
  void show_stop(Debugger& debugger, const Stop* stop);
  void list(Debugger& debugger, const std::string& rest);
  void focus_on(Debugger& debugger, const std::string& word, const std::string& rest);
  void print_value(Debugger& debugger, const std::string& format, const std::string& rest);
  std::optional<Resume> block_wanted(Debugger& debugger, const std::string& rest);
  // terminal_info.cpp
  void info(Debugger& debugger, const std::string& rest);
  void show_variables(Debugger& debugger, bool arguments);
  void show_breakpoints(Debugger& debugger);
  void show_registers(Debugger& debugger, const std::string& rest);
  void show_warps(Debugger& debugger);
  void show_lanes(Debugger& debugger);
  void show_frames(Debugger& debugger);
  void print(const std::string& text);

  std::deque<std::string> commands_;
  std::ifstream terminal_;  ///< beside a program that has the standard input
  std::istream* input_;     ///< null: no commands come from there
  std::ostream& output_;
  bool is_terminal_;
  SourceLines& sources_;
  std::string last_;  ///< an empty line repeats it
  uint32_t listed_ = 0;
  Resume step_;           ///< the last one of `step 5`
  uint32_t further_ = 0;  ///< as many are left of it
};

}  // namespace warpmark::debugging
