#include "base/spawn.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/own_program.hpp"

namespace warpmark {

namespace {

class SpawnActions {
 public:
  explicit SpawnActions(const std::vector<SpawnDescriptor>& descriptors) {
    ::posix_spawn_file_actions_init(&actions_);
    for (const SpawnDescriptor& one : descriptors) {
      if (one.ours >= 0) {
        // Clears close-on-exec, also where both are the same (POSIX.1-2024, glibc 2.29).
        ::posix_spawn_file_actions_adddup2(&actions_, one.ours, one.number);
      } else {
        ::posix_spawn_file_actions_addopen(&actions_, one.number, one.file.c_str(), one.flags,
                                           one.mode);
      }
    }
  }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;
  ~SpawnActions() { ::posix_spawn_file_actions_destroy(&actions_); }
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

class SpawnAttributes {
 public:
  explicit SpawnAttributes(bool own_group) {
    ::posix_spawnattr_init(&attributes_);
    if (!own_group) return;
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP);
    ::posix_spawnattr_setpgroup(&attributes_, 0);
  }
  SpawnAttributes(const SpawnAttributes&) = delete;
  SpawnAttributes& operator=(const SpawnAttributes&) = delete;
  ~SpawnAttributes() { ::posix_spawnattr_destroy(&attributes_); }
  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_;
};

// The longest wait between two tries to start a process; all together are about twice as long.
constexpr std::chrono::milliseconds kLongestWait(3000);

// posix_spawn, or posix_spawnp, which looks in PATH.
using Start = decltype(&::posix_spawn);

// 0, or the number of the error.
int start_process(Start start, pid_t& process, const std::string& file,
                  std::vector<std::string>& words, const SpawnOptions& options) {
  const SpawnActions actions(options.descriptors);
  const SpawnAttributes attributes(options.own_group);
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  char* nothing = nullptr;
  return start(&process, file.c_str(), actions.get(), attributes.get(), arguments.data(),
               options.no_environment ? &nothing : environ);
}

// Until the end of what it writes. False if a limit was reached first, or it cannot be read.
bool read_output(int fd, const OutputLimits& limits, std::string& text) {
  const auto start = std::chrono::steady_clock::now();
  std::array<char, 4096> chunk = {};
  for (;;) {
    int wait = -1;
    if (limits.time) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
          start + *limits.time - std::chrono::steady_clock::now());
      if (left.count() <= 0) return false;
      wait = static_cast<int>(std::min<int64_t>(left.count(), INT_MAX));
    }
    pollfd waiting = {fd, POLLIN, 0};
    const int ready = ::poll(&waiting, 1, wait);
    const ssize_t count = ready > 0 ? ::read(fd, chunk.data(), chunk.size()) : -1;
    if (count == 0) return true;
    if (count > 0) text.append(chunk.data(), static_cast<size_t>(count));
    if (count < 0 && ready != 0 && errno != EINTR) return false;
    if (text.size() > limits.bytes) return false;
  }
}

}  // namespace

pid_t spawn(std::string_view what, const std::string& file, std::vector<std::string> words,
            const SpawnOptions& options) {
  pid_t process = -1;
  int error = start_process(::posix_spawn, process, file, words, options);
  // Many processes at once reach the user's limit for a moment: somebody else's compiler is no
  // reason to grade nobody.
  for (std::chrono::milliseconds wait(20); error == EAGAIN && wait < kLongestWait; wait *= 2) {
    std::this_thread::sleep_for(wait);
    error = start_process(::posix_spawn, process, file, words, options);
  }
  if (error != 0) {
    throw environment_error(fmt::format("cannot start {}: {}", what, std::strerror(error)),
                            "the system may be out of processes or memory (`ulimit -a`)");
  }
  return process;
}

pid_t spawn_own(std::string_view what, const std::string& name,
                const std::vector<std::string>& arguments, const SpawnOptions& options) {
  std::vector<std::string> words = own_program().command;
  if (words.empty()) words.push_back(name);
  words.insert(words.end(), arguments.begin(), arguments.end());
  return spawn(what, own_program().file, std::move(words), options);
}

int await_exit(pid_t process) {
  int status = SIGKILL;  // wait(2) gives the number of a signal as it is
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

std::string exit_text(int status) {
  if (WIFSIGNALED(status)) {
    const int number = WTERMSIG(status);
    return fmt::format("ended by signal {} ({})", number, strsignal(number));
  }
  return fmt::format("exited with code {}", WEXITSTATUS(status));
}

StartedProgram::StartedProgram(std::vector<std::string> words) {
  std::array<int, 2> ends = {-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return;
  reader_ = UniqueFd(ends[0]);
  const UniqueFd writer(ends[1]);
  SpawnOptions options;
  options.descriptors = {{STDOUT_FILENO, writer.get()}, {STDIN_FILENO}, {STDERR_FILENO}};
  if (start_process(::posix_spawnp, process_, words.front(), words, options) != 0) process_ = -1;
}

StartedProgram::~StartedProgram() {
  if (process_ < 0) return;
  ::kill(process_, SIGKILL);
  await_exit(process_);
}

std::optional<ProgramOutput> StartedProgram::output(const OutputLimits& limits) {
  if (process_ < 0) return std::nullopt;
  ProgramOutput output;
  if (!read_output(reader_.get(), limits, output.text)) ::kill(process_, SIGKILL);
  const int status = await_exit(std::exchange(process_, -1));
  if (!WIFEXITED(status)) return std::nullopt;
  output.code = WEXITSTATUS(status);
  return output;
}

std::optional<ProgramOutput> output_of(std::vector<std::string> words, const OutputLimits& limits) {
  return StartedProgram(std::move(words)).output(limits);
}

}  // namespace warpmark
