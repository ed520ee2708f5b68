#include "results/host.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <vector>

#include "base/file.hpp"
#include "base/text.hpp"

namespace warpmark {
namespace {

namespace fs = std::filesystem;

// The first "model name" of proc(5)'s cpuinfo; not every architecture has one.
std::string processor_name() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);) {
    const size_t colon = line.find(':');
    if (line.starts_with("model name") && colon != std::string::npos) {
      return printable(trim(std::string_view(line).substr(colon + 1)));
    }
  }
  return "";
}

// What a program of PATH writes to standard output; nothing if it cannot be run or fails.
std::optional<std::string> output_of(std::vector<std::string> words) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return std::nullopt;
  const UniqueFd reader(ends[0]);
  UniqueFd writer(ends[1]);
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, writer.get(), STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t process = -1;
  const int code =
      ::posix_spawnp(&process, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  writer = UniqueFd();
  if (code != 0) return std::nullopt;
  std::string text;
  char chunk[4096];
  for (;;) {
    const ssize_t count = ::read(reader.get(), chunk, sizeof chunk);
    if (count == 0 || (count < 0 && errno != EINTR)) break;
    if (count > 0) text.append(chunk, static_cast<size_t>(count));
  }
  int status = 0;
  while (::waitpid(process, &status, 0) < 0) {
    if (errno != EINTR) return std::nullopt;
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return std::nullopt;
  return text;
}

std::optional<std::string> git(const fs::path& folder, std::vector<std::string> words) {
  // Without optional locks it writes nothing: a benchmark must not disturb another git at work.
  words.insert(words.begin(), {"git", "--no-optional-locks", "-C", folder.string()});
  return output_of(std::move(words));
}

}  // namespace

Host this_host() {
  Host host;
  utsname names{};
  if (::uname(&names) == 0) {
    host.system = printable(fmt::format("{} {}", names.sysname, names.release));
    host.processor = printable(names.machine);
  }
  if (std::string name = processor_name(); !name.empty()) host.processor = std::move(name);
  host.processors = std::max(0L, ::sysconf(_SC_NPROCESSORS_ONLN));
  host.memory_bytes =
      std::max(0L, ::sysconf(_SC_PHYS_PAGES)) * std::max(0L, ::sysconf(_SC_PAGESIZE));
  return host;
}

std::optional<GitState> git_state(const fs::path& folder) {
  const auto commit = git(folder, {"rev-parse", "--verify", "HEAD"});
  if (!commit) return std::nullopt;
  GitState state;
  state.commit = std::string(trim(*commit));
  const bool is_hash = state.commit.size() >= 40 &&
                       state.commit.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (!is_hash) return std::nullopt;
  const auto changes = git(folder, {"status", "--porcelain", "--untracked-files=no"});
  state.dirty = !changes || !trim(*changes).empty();
  return state;
}

}  // namespace warpmark
