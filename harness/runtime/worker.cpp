#include "runtime/worker.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

#include "base/error.hpp"
#include "runtime/worker_loop.hpp"

namespace warpmark {

namespace {

constexpr int kWorkerSocket = 3;

std::string describe_status(int status) {
  if (WIFSIGNALED(status)) {
    const int number = WTERMSIG(status);
    return fmt::format("ended by signal {} ({})", number, strsignal(number));
  }
  return fmt::format("exited with code {}", WEXITSTATUS(status));
}

}  // namespace

std::unique_ptr<Worker> Worker::spawn(const std::string& program) {
  auto [ours, theirs] = Channel::pair();
  auto worker = std::unique_ptr<Worker>(new Worker(std::move(ours)));

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  // Clears close-on-exec, also where the descriptor is 3 already (POSIX.1-2024, glibc 2.29).
  posix_spawn_file_actions_adddup2(&actions, theirs.fd(), kWorkerSocket);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);

  std::string name = program;
  std::string subcommand = "worker";
  std::array<char*, 3> arguments = {name.data(), subcommand.data(), nullptr};
  const int code = ::posix_spawn(&worker->process_, program.c_str(), &actions, &attributes,
                                 arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (code != 0) {
    worker->process_ = -1;
    throw environment_error(
        fmt::format("cannot start the worker {}: {}", program, std::strerror(code)),
        "the system may be out of processes or memory (`ulimit -a`)");
  }
  return worker;
}

std::unique_ptr<Worker> Worker::on_thread(const DriverOpeners& openers) {
  auto [ours, theirs] = Channel::pair();
  auto worker = std::unique_ptr<Worker>(new Worker(std::move(ours)));
  // The thread owns all that it uses, because it may be abandoned.
  worker->thread_ =
      std::thread([channel = std::move(theirs), openers]() mutable { serve(channel, openers); });
  return worker;
}

void Worker::abandon() {
  if (thread_.joinable()) thread_.detach();
}

std::string Worker::end(std::chrono::milliseconds patience) {
  std::string how;
  if (thread_.joinable()) {
    ::shutdown(channel_.fd(), SHUT_RDWR);
    thread_.join();
  }
  if (process_ > 0) {
    int status = 0;
    ::shutdown(channel_.fd(), SHUT_RDWR);
    const auto deadline = std::chrono::steady_clock::now() + patience;
    pid_t ended = ::waitpid(process_, &status, WNOHANG);
    while (ended == 0 && std::chrono::steady_clock::now() < deadline) {
      ::usleep(1000);
      ended = ::waitpid(process_, &status, WNOHANG);
    }
    if (ended == process_) {
      how = describe_status(status);
    } else {
      ::kill(process_, SIGKILL);
      while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
      }
    }
    process_ = -1;
  }
  return how;
}

Worker::~Worker() {
  end();
}

}  // namespace warpmark
