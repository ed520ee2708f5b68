#include "cli/job_processes.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/interrupt.hpp"
#include "base/places.hpp"
#include "base/text.hpp"

namespace warpmark {
namespace {

ExitCode run_process(const std::vector<std::string>& arguments) {
  std::vector<std::string> words = arguments;
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  pid_t process = -1;
  const int code =
      ::posix_spawn(&process, "/proc/self/exe", nullptr, nullptr, pointers.data(), environ);
  if (code != 0) {
    throw environment_error(fmt::format("cannot start a job: {}", std::strerror(code)));
  }
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status)) return static_cast<ExitCode>(WEXITSTATUS(status));
  return WTERMSIG(status) == SIGINT ? ExitCode::interrupted : ExitCode::internal;
}

}  // namespace

ExitCode graver(ExitCode a, ExitCode b) {
  // A skip is graver than a success only: nothing was found wrong.
  constexpr std::array kOrder = {ExitCode::success,    ExitCode::skipped,     ExitCode::verdict,
                                 ExitCode::usage,      ExitCode::environment, ExitCode::internal,
                                 ExitCode::interrupted};
  const auto rank = [&](ExitCode code) { return std::find(kOrder.begin(), kOrder.end(), code); };
  return rank(a) < rank(b) ? b : a;
}

ExitCode run_job_processes(const std::vector<std::string>& names, Output& out) {
  // The terminal sends Ctrl-C to the job as well, which finishes its reports.
  const InterruptGuard guard;
  ExitCode whole = ExitCode::success;
  for (const std::string& name : names) {
    if (guard.interrupted()) {
      out.print("\njob {} is not run\n", name);
      whole = ExitCode::interrupted;
      continue;
    }
    // Options in front of it select jobs, too: the last word is this one's.
    std::vector<std::string> arguments;
    const std::vector<std::string> own = own_arguments();
    for (size_t i = 0; i < own.size(); ++i) {
      if (own[i] == "--job") {
        ++i;
      } else if (!own[i].starts_with("--job=")) {
        arguments.push_back(own[i]);
      }
    }
    arguments.push_back("--part");
    arguments.push_back("--job=" + name);
    whole = graver(whole, run_process(arguments));
  }
  return whole;
}

}  // namespace warpmark
