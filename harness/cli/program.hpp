// The program `warpmark` as a function: arguments to exit code.
#pragma once

namespace warpmark {

/// Reads the arguments, runs the subcommand that they name, and prints what goes wrong to stderr:
/// an Error as it stands, any other exception as a mistake of ours. Throws nothing.
int run_program(int count, const char* const* arguments) noexcept;

}  // namespace warpmark
