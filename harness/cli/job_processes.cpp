#include "cli/job_processes.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>

#include "base/file.hpp"
#include "base/interrupt.hpp"
#include "base/own_program.hpp"
#include "base/text.hpp"
#include "cli/shared_junit.hpp"

namespace warpmark {
namespace {

// The process that runs, for the signal handler; -1 for none.
class JobProcess {
 public:
  // What a terminal sends goes to the job as well, what `kill` and service managers send to this
  // process may not.
  void pass_on(int signal) const noexcept {
    const pid_t process = process_.load();
    if (process > 0) ::kill(process, signal);
  }

  ExitCode run(const std::vector<std::string>& arguments, const InterruptGuard& guard) {
    const pid_t process = start(arguments);
    process_.store(process);
    if (guard.interrupted()) pass_on(guard.signal());  // it came in between
    siginfo_t ended = {};
    while (::waitid(P_PID, static_cast<id_t>(process), &ended, WEXITED | WNOWAIT) < 0 &&
           errno == EINTR) {
    }
    process_.store(-1);  // before its number is free for another process
    int status = 0;
    while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status)) return static_cast<ExitCode>(WEXITSTATUS(status));
    const int signal = WTERMSIG(status);
    const bool is_interrupt = signal == SIGINT || signal == SIGTERM || signal == SIGHUP;
    return is_interrupt ? interrupted_by(signal) : ExitCode::internal;
  }

 private:
  static pid_t start(const std::vector<std::string>& arguments);

  std::atomic<pid_t> process_ = -1;
};

pid_t JobProcess::start(const std::vector<std::string>& arguments) {
  std::vector<std::string> words = own_command(own_arguments().front(), arguments);
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  pid_t process = -1;
  const int code = ::posix_spawn(&process, own_program().file.c_str(), nullptr, nullptr,
                                 pointers.data(), environ);
  if (code != 0) {
    throw environment_error(fmt::format("cannot start a job: {}", std::strerror(code)));
  }
  return process;
}

// Options in front of it select jobs, too: the last word is this one's.
std::vector<std::string> arguments_of(const std::string& job, const std::string& draft) {
  std::vector<std::string> arguments;
  const std::vector<std::string> own = own_arguments();
  for (size_t i = 1; i < own.size(); ++i) {
    if (own[i] == "--job") {
      ++i;
    } else if (!own[i].starts_with("--job=")) {
      arguments.push_back(own[i]);
    }
  }
  arguments.push_back("--part=" + draft);
  arguments.push_back("--job=" + job);
  return arguments;
}

// Jobs add their runs to it.
void empty_journal(const std::filesystem::path& journal) {
  require_writable(journal);
  std::error_code ignored;
  if (std::filesystem::is_regular_file(journal, ignored)) write_file_atomically(journal, "");
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

ExitCode run_job_processes(const std::vector<std::string>& names, const SharedFiles& shared,
                           Output& out) {
  std::optional<TemporaryFolder> folder;
  std::optional<SharedJunit> junit;
  if (!shared.junit.empty()) {
    folder.emplace("warpmark-jobs");
    junit.emplace(shared.junit, folder->path() / "junit.xml");
  }
  if (!shared.journal.empty()) empty_journal(shared.journal);
  JobProcess process;
  // A job finishes its reports when it is interrupted.
  const InterruptGuard* handle = nullptr;
  const InterruptGuard guard([&process, &handle] {
    if (handle != nullptr) process.pass_on(handle->signal());
  });
  handle = &guard;
  ExitCode whole = ExitCode::success;
  for (const std::string& name : names) {
    if (guard.interrupted()) {
      out.print("\njob {} is not run\n", name);
      whole = graver(whole, guard.exit_code());
      if (junit) junit->add_left_out(name, "interrupted before this job");
    } else {
      const ExitCode code =
          process.run(arguments_of(name, junit ? junit->draft().string() : kNoDraft), guard);
      whole = graver(whole, code);
      if (junit) junit->add(name, code);
    }
    if (junit) junit->write();
  }
  return whole;
}

}  // namespace warpmark
