#include "worker/fork_server.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <utility>

#include "base/error.hpp"
#include "base/exception.hpp"
#include "base/file.hpp"
#include "worker/confined_start.hpp"
#include "worker/loop.hpp"
#include "worker/protocol.hpp"

namespace warpmark {

namespace {

// Forking a multithreaded process leaves its locks held in the child.
bool has_threads() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return std::distance(begin(tasks), end(tasks)) != 1;
}

class ForkServer {
 public:
  explicit ForkServer(Channel& channel) : channel_(channel), front_(::getppid()) {}

  void start(const nlohmann::json& request) {
    protocol::Hello hello = std::get<protocol::Hello>(protocol::request_from_json(request));
    confined_ = std::move(hello.confined.value());
    take_environment(confined_.environment);
    compiler_.emplace(open_confined_compiler(confined_.confinement));
    if (has_threads())
      throw environment_error("a compiler that has started threads cannot be forked");
  }

  /// Forks twice: the intermediate process ends at once, so that the front, which is a subreaper,
  /// becomes the worker's parent, waits for it and gets its resource usage.
  pid_t fork(UniqueFd worker_end) {
    if (!compiler_) throw internal_error("a fork server was not started");
    auto [read_end, write_end] = make_pipe();
    const pid_t between = ::fork();
    if (between == 0) {
      const pid_t own = ::getpid();
      const pid_t worker = ::fork();
      if (worker == 0) {
        read_end = UniqueFd();
        write_end = UniqueFd();
        become_worker(std::move(worker_end), own);
      }
      const bool told = ::write(write_end.get(), &worker, sizeof worker) == sizeof worker;
      ::_exit(told && worker > 0 ? 0 : 1);
    }
    write_end = UniqueFd();
    pid_t worker = -1;
    if (between > 0) {
      while (::waitpid(between, nullptr, 0) < 0 && errno == EINTR) {
      }
      if (::read(read_end.get(), &worker, sizeof worker) != sizeof worker) worker = -1;
    }
    if (worker <= 0) throw environment_error("a worker cannot be forked");
    return worker;
  }

 private:
  static std::pair<UniqueFd, UniqueFd> make_pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw environment_error("a pipe cannot be made");
    return {UniqueFd(ends[0]), UniqueFd(ends[1])};
  }

  [[noreturn]] void become_worker(UniqueFd worker_end, pid_t between) {
    // The worker ends together with its parent, which must be the front.
    while (::getppid() == between) ::usleep(50);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != front_) ::_exit(0);
    ::setpgid(0, 0);
    // The server's own connection must not remain open in a process that will read a submission.
    channel_ = Channel(UniqueFd());
    Channel own{std::move(worker_end)};
    serve_confined_compiler(own, std::move(*compiler_), confined_);
    ::_exit(0);
  }

  Channel& channel_;
  const pid_t front_;
  protocol::Confined confined_;
  std::optional<UnitCompiler> compiler_;
};

}  // namespace

nlohmann::json fork_request() {
  return {{"fork", true}};
}

nlohmann::json fork_answer(pid_t worker) {
  return {{"worker", worker}};
}

std::optional<pid_t> forked_process(const nlohmann::json& answer) {
  const auto found = answer.find("worker");
  if (found == answer.end() || !found->is_number_integer()) return std::nullopt;
  const auto process = found->get<pid_t>();
  return process > 1 ? std::optional(process) : std::nullopt;
}

void serve_forks(Channel& channel) {
  ForkServer server(channel);
  for (;;) {
    Channel::Received received = channel.receive();
    if (!received.message) return;
    nlohmann::json answer;
    try {
      Message& request = *received.message;
      if (request.body == fork_request()) {
        if (request.fds.size() != 1) throw internal_error("a worker needs its end of a channel");
        answer = fork_answer(server.fork(std::move(request.fds.front())));
      } else {
        server.start(request.body);
        answer = protocol::to_json(DeviceFacts{});
      }
    } catch (...) {
      answer = protocol::to_json(protocol::Failure::of(to_error(std::current_exception())));
    }
    if (!channel.send(answer)) return;
  }
}

}  // namespace warpmark
