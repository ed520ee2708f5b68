#include "runtime/worker.hpp"

#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "base/spawn.hpp"
#include "worker/loop.hpp"

namespace warpmark {

namespace {

// Sanitizers report there; else what an untrusted process prints could pass for ours.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kKeepErrors = true;
#else
constexpr bool kKeepErrors = false;
#endif

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

// No process of ours sends itself these, and no kernel can have it do so.
bool comes_from_outside(int signal) {
  return signal == SIGKILL || signal == SIGTERM || signal == SIGHUP || signal == SIGINT ||
         signal == SIGQUIT;
}

bool has_ended(pid_t process) {
  siginfo_t info = {};
  if (::waitid(P_PID, static_cast<id_t>(process), &info, WEXITED | WNOHANG | WNOWAIT) != 0) {
    return errno != EINTR;
  }
  return info.si_pid == process;
}

}  // namespace

std::unique_ptr<Worker> Worker::spawn(const std::string& program) {
  return start({program, "worker"}, false);
}

std::unique_ptr<Worker> Worker::spawn_under(const std::vector<std::string>& command) {
  std::vector<std::string> words = command;
  words.emplace_back("worker");
  return start(std::move(words), false);
}

std::unique_ptr<Worker> Worker::spawn_confined(const std::string& program) {
  return start({program, "worker", "--confined"}, true);
}

std::unique_ptr<Worker> Worker::spawn_fork_server(const std::string& program) {
  return start({program, "worker", "--fork-server"}, true);
}

std::unique_ptr<Worker> Worker::adopt(Channel channel, pid_t process) {
  auto worker = std::unique_ptr<Worker>(new Worker(std::move(channel)));
  worker->process_ = process;
  return worker;
}

std::unique_ptr<Worker> Worker::start(std::vector<std::string> command, bool confined) {
  auto [ours, theirs] = Channel::pair();
  auto worker = std::unique_ptr<Worker>(new Worker(std::move(ours)));

  SpawnOptions options;
  options.descriptors = {{kChannelDescriptor, theirs.fd()}};
  if (confined) {
    for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
      if (standard == STDERR_FILENO && kKeepErrors) continue;
      options.descriptors.push_back({standard});
    }
  }
  options.own_group = true;
  options.no_environment = confined;
  const std::string program = command.front();
  worker->process_ = warpmark::spawn("the worker " + program, program, std::move(command), options);
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

void Worker::close() noexcept {
  ::shutdown(channel_.fd(), SHUT_RDWR);
}

std::string Worker::end(std::chrono::milliseconds patience, Usage* used) {
  std::string how;
  rusage usage = {};
  if (thread_.joinable()) {
    close();
    thread_.join();
  }
  if (process_ > 0) {
    int status = 0;
    close();
    const auto deadline = std::chrono::steady_clock::now() + patience;
    // The process stays a zombie until its group has been ended, so that the group's number cannot
    // be another's by then.
    bool ended_by_itself = has_ended(process_);
    while (!ended_by_itself && std::chrono::steady_clock::now() < deadline) {
      ::usleep(1000);
      ended_by_itself = has_ended(process_);
    }
    ::kill(process_, SIGKILL);
    ::kill(-process_, SIGKILL);  // compilers that it has started
    while (::wait4(process_, &status, 0, &usage) < 0 && errno == EINTR) {
    }
    if (ended_by_itself) how = exit_text(status);
    process_ = -1;
    if (used != nullptr) {
      used->cpu_s = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
      used->peak_bytes = static_cast<uint64_t>(usage.ru_maxrss) * 1024;
      used->out_of_time = ended_by_itself && WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU;
      used->killed = ended_by_itself && WIFSIGNALED(status) && comes_from_outside(WTERMSIG(status));
    }
  }
  return how;
}

Worker::~Worker() {
  end();
}

}  // namespace warpmark
