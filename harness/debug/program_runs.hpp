// Debugs a program that launches kernels on the CPU device, in a process of its own.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "debug/debuggee.hpp"
#include "debug/debugger.hpp"

namespace warpmark::debugging {

/// How to go on when the program has ended, with its status as of wait(2), if that is known.
using AtProgramEnd = std::function<Resume(std::optional<int> status)>;

/// Runs the program until somebody quits, who ends it; one that was there before goes on. `is_ready` is
/// called once it has been started. Returns its status. Throws environment errors, and a usage error if it cannot be started.
std::optional<int> run_program(const DebuggedProgram& program, Debugger& debugger,
                               const std::function<void()>& is_ready, const AtProgramEnd& at_end);

/// The exit code of a process, as a shell has it.
int exit_code_of(std::optional<int> status);
/// "The program has exited with code 1": its end in a sentence.
std::string program_end_text(std::optional<int> status);

}  // namespace warpmark::debugging
