// Starts processes, this program again among them, and reports how they ended.
#pragma once

#include <fcntl.h>
#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpmark {

/// A descriptor of the new process: one of ours, or a file that is opened there.
struct SpawnDescriptor {
  int number = -1;  ///< in the new process
  int ours = -1;    ///< the same as this one of ours; -1: `file` instead
  std::string file = "/dev/null";
  int flags = O_RDWR;  ///< of open(2)
  mode_t mode = 0;     ///< likewise, of a file that is made
};

/// What a process begins with; by default the same as this one, but for what closes on exec.
struct SpawnOptions {
  /// Set in this order: name ours first, so that no file takes the place of one of them.
  std::vector<SpawnDescriptor> descriptors;
  bool own_group = false;  ///< a terminal's Ctrl-C does not reach it
  bool no_environment = false;
};

/// Runs `file` with `words`, whose first is its name; never fork without exec, which a process with
/// threads and a driver does not survive. Throws an environment error: "cannot start WHAT: …".
pid_t spawn(std::string_view what, const std::string& file, std::vector<std::string> words,
            const SpawnOptions& options = {});

/// Runs this program again with these arguments, under that name (base/own_program.hpp).
pid_t spawn_own(std::string_view what, const std::string& name,
                const std::vector<std::string>& arguments, const SpawnOptions& options = {});

/// Waits until the process has ended; its status, as wait(2) gives it. A process that cannot be
/// waited for reads as one that was ended by a signal.
int await_exit(pid_t process);

/// "ended by signal 11 (Segmentation fault)", "exited with code 1".
std::string exit_text(int status);

/// What a program wrote, and its exit code.
struct ProgramOutput {
  std::string text;
  int code = 0;
};

/// How long a program may write, and how much.
struct OutputLimits {
  std::optional<std::chrono::milliseconds> time = {};
  size_t bytes = std::numeric_limits<size_t>::max();
};

/// What a program of PATH writes to standard output. Nothing if it cannot be run, if a signal ended
/// it, or if it went beyond a limit, where it is killed.
std::optional<ProgramOutput> output_of(std::vector<std::string> words,
                                       const OutputLimits& limits = {});

}  // namespace warpmark
