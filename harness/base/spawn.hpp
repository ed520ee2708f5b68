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

#include "base/file.hpp"

namespace warpmark {

/// A descriptor of the new process: one of ours, or a newly opened file.
struct SpawnDescriptor {
  int number = -1;  ///< number in the new process
  int ours = -1;    ///< our descriptor to duplicate; -1: `file` instead
  std::string file = "/dev/null";
  int flags = O_RDWR;  ///< flags for open(2)
  mode_t mode = 0;     ///< mode for open(2), for a new file
};

/// The environment of a new process; by default that of this process, without descriptors that
/// close on exec.
struct SpawnOptions {
  /// Descriptors are set in this order: list our own first, so that no opened file takes the number
  /// of one of them.
  std::vector<SpawnDescriptor> descriptors;
  bool own_group = false;  ///< a terminal's Ctrl-C does not reach it
  bool no_environment = false;
};

/// Runs `file` with `words`, whose first is its name. Fork without exec is never used, because a
/// process with threads and a driver does not survive it. Throws an environment error: "cannot
/// start WHAT: …".
pid_t spawn(std::string_view what, const std::string& file, std::vector<std::string> words,
            const SpawnOptions& options = {});

/// Runs this program again with these arguments, under the given name (base/own_program.hpp).
pid_t spawn_own(std::string_view what, const std::string& name,
                const std::vector<std::string>& arguments, const SpawnOptions& options = {});

/// Waits until the process has ended, and returns its status as of wait(2). A process that cannot
/// be waited for counts as ended by a signal.
int await_exit(pid_t process);

/// "ended by signal 11 (Segmentation fault)", "exited with code 1".
std::string exit_text(int status);

/// The output of a program, and its exit code.
struct ProgramOutput {
  std::string text;
  int code = 0;
};

/// The limits of a program's output: its time, and its bytes.
struct OutputLimits {
  std::optional<std::chrono::milliseconds> time = {};
  size_t bytes = std::numeric_limits<size_t>::max();
};

/// A program of PATH that runs beside other work, and whose standard output is wanted in the end.
class StartedProgram {
 public:
  explicit StartedProgram(std::vector<std::string> words);
  StartedProgram(const StartedProgram&) = delete;
  StartedProgram& operator=(const StartedProgram&) = delete;
  /// Kills it if nobody has asked for its output.
  ~StartedProgram();

  /// Waits for its end, once. Nothing if it cannot be run, if a signal ended it, or if it exceeded a
  /// limit, where it is killed.
  std::optional<ProgramOutput> output(const OutputLimits& limits = {});

 private:
  pid_t process_ = -1;
  UniqueFd reader_;
};

/// The output of a program that is started and waited for.
std::optional<ProgramOutput> output_of(std::vector<std::string> words,
                                       const OutputLimits& limits = {});

}  // namespace warpmark
