#include "debug/debuggee.hpp"

#include <signal.h>

#include <atomic>

#include "debug/case_runs.hpp"
#include "debug/program_runs.hpp"
#include "debug/stop_text.hpp"
#include "debug/terminal.hpp"

namespace warpmark::debugging {
namespace {

std::atomic<Debugger*> interrupted = nullptr;

// Ctrl-C stops the launch, and not the program.
class StopOnInterrupt {
 public:
  explicit StopOnInterrupt(Debugger& debugger) {
    interrupted = &debugger;
    struct sigaction action {};
    action.sa_handler = [](int) {
      if (Debugger* const one = interrupted) one->interrupt();
    };
    action.sa_flags = SA_RESTART;
    sigaction(SIGINT, &action, &before_);
  }
  StopOnInterrupt(const StopOnInterrupt&) = delete;
  StopOnInterrupt& operator=(const StopOnInterrupt&) = delete;
  ~StopOnInterrupt() {
    sigaction(SIGINT, &before_, nullptr);
    interrupted = nullptr;
  }

 private:
  struct sigaction before_ {};
};

}  // namespace

ExitCode debug_in_terminal(Interpreter& python, const Debuggee& debuggee,
                           const TerminalScript& script) {
  CaseArtifacts artifacts;
  SourceLines sources(artifacts, debuggee.which.suite->folder);
  Terminal terminal(script, sources);
  Debugger debugger(terminal, sources);
  const StopOnInterrupt stops(debugger);
  const auto outcome = run_debugged(
      python, debuggee, debugger, artifacts,
      [&](const Outcome& ended) { return terminal.ended(debugger, outcome_text(ended)); });
  const bool failed = outcome && outcome->verdict == Verdict::failed;
  return failed ? ExitCode::verdict : ExitCode::success;
}

ExitCode debug_in_terminal(const DebuggedProgram& program, const TerminalScript& script) {
  SourceLines sources;
  Terminal terminal(script, sources);
  Debugger debugger(terminal, sources);
  const StopOnInterrupt stops(debugger);
  const std::optional<int> status = run_program(
      program, debugger, [] {},
      [&](std::optional<int> ended) { return terminal.ended(debugger, program_end_text(ended)); });
  return static_cast<ExitCode>(exit_code_of(status));
}

}  // namespace warpmark::debugging
