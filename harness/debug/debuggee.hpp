// A case that is debugged, and its front: a terminal or an editor.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
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

/// Commands that the terminal takes before the standard input.
struct TerminalScript {
  std::vector<std::string> commands;
  std::string file;       ///< with further commands; "" for none
  bool is_batch = false;  ///< the standard input is not read
};

/// Runs the case under commands of a person. Throws usage and environment errors; the exit code is
/// that of the case, if it ran to its end, else success.
ExitCode debug_in_terminal(Interpreter& python, const Debuggee& debuggee,
                           const TerminalScript& script);

/// A case by the words of an editor's launch request. Throws usage errors.
using ChooseDebuggee = std::function<Debuggee(const std::string& suite, const std::string& id)>;
/// Speaks the Debug Adapter Protocol on the standard input and output.
ExitCode debug_for_editor(Interpreter& python, const ChooseDebuggee& choose);

}  // namespace warpmark::debugging
