// A case that is debugged, and its front: a terminal or an editor.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/spawn.hpp"
#include "plan/plugin_loader.hpp"
#include "python/interpreter.hpp"
#include "runtime/session.hpp"
#include "suite/case.hpp"

namespace warpmark::debugging {

struct Debuggee {
  Case which;
  PlannedCase planned;
  SessionOptions session;
  bool information = true;  ///< compile with -G, so that variables are known
};

/// A program of any kind whose kernels are debugged.
struct DebuggedProgram {
  std::vector<std::string> words;  ///< it and its arguments; empty: it comes to the socket
  std::string socket;              ///< "" for a private one
  SpawnOptions process;
};

/// Commands that the terminal takes before the standard input.
struct TerminalScript {
  std::vector<std::string> commands;
  std::string file;       ///< with further commands; "" for none
  bool is_batch = false;  ///< the standard input is not read
  /// The standard input and output are the program's: commands come from the terminal, and texts go
  /// to the standard error.
  bool beside_program = false;
};

/// Runs the case under commands of a person. Throws usage and environment errors; the exit code is
/// that of the case, if it ran to its end, else success.
ExitCode debug_in_terminal(Interpreter& python, const Debuggee& debuggee,
                           const TerminalScript& script);

/// The same of a program; the exit code is the program's, if it ran to its end.
ExitCode debug_in_terminal(const DebuggedProgram& program, const TerminalScript& script);

/// A case by the words of an editor's launch request. Throws usage errors.
using ChooseDebuggee = std::function<Debuggee(const std::string& suite, const std::string& id)>;
/// Speaks the Debug Adapter Protocol on the standard input and output. `program` is taken where a
/// launch request names nothing; `python` is asked for only for a case.
ExitCode debug_for_editor(const std::function<Interpreter&()>& python, const ChooseDebuggee& choose,
                          const DebuggedProgram& program);

}  // namespace warpmark::debugging
