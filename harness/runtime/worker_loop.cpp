// The loop of a worker: one request, one reply, until the front is gone.
#include "runtime/worker_loop.hpp"

#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <system_error>

#include "base/exception.hpp"
#include "runtime/channel.hpp"
#include "runtime/execution.hpp"
#include "runtime/protocol.hpp"

namespace warpmark {

namespace {

// The memory of a run's buffers, from descriptors in the order of its buffers.
std::vector<BufferMemory> adopt_memory(const protocol::Run& run, bool with_results,
                                       std::vector<UniqueFd>& fds) {
  std::vector<BufferMemory> memory;
  size_t next = 0;
  const auto take = [&](uint64_t bytes) {
    if (next >= fds.size()) throw internal_error("a buffer came without its memory");
    SharedMemory taken = SharedMemory::adopt(std::move(fds[next++]));
    if (taken.size() < bytes) throw internal_error("a buffer's memory is too small");
    return taken;
  };
  for (const protocol::BufferBytes& buffer : run.buffers) {
    BufferMemory& one = memory.emplace_back();
    if (buffer.has_initial) one.initial = take(buffer.bytes);
    if (with_results) one.result = take(buffer.bytes);
  }
  return memory;
}

class Responder {
 public:
  explicit Responder(const DriverOpeners& openers) : openers_(openers) {}

  nlohmann::json answer(Message& message) {
    protocol::Failure failure;
    try {
      return act(protocol::request_from_json(message.body), message.fds);
    } catch (const DriverError& error) {
      failure = describe(error);
      failure.result = error.result();
      failure.sticky = error.sticky();
    } catch (const NoDeviceError& error) {
      failure = describe(error);
      failure.no_device = true;
    } catch (const RefusedError& error) {
      failure = describe(error);
      failure.refused = true;
    } catch (...) {
      failure = describe(to_error(std::current_exception()));
    }
    if (executor_) {
      failure.launched = executor_->launched();
      failure.reports = executor_->drain_reports();
    } else {
      blame_environment(failure);
    }
    return protocol::to_json(failure);
  }

 private:
  nlohmann::json act(const protocol::Request& request, std::vector<UniqueFd>& fds) {
    if (const auto* hello = std::get_if<protocol::Hello>(&request)) {
      executor_.emplace(*hello, openers_);
      return protocol::to_json(executor_->facts());
    }
    if (!executor_) throw internal_error("a worker was asked before it was greeted");
    if (const auto* prepare = std::get_if<protocol::Prepare>(&request)) {
      return protocol::to_json(executor_->prepare(*prepare));
    }
    if (const auto* verify = std::get_if<protocol::Verify>(&request)) {
      std::vector<BufferMemory> memory = adopt_memory(verify->run, true, fds);
      return protocol::to_json(executor_->verify(*verify, memory));
    }
    if (const auto* time = std::get_if<protocol::Time>(&request)) {
      return protocol::to_json(executor_->time(*time, adopt_memory(time->run, false, fds)));
    }
    return protocol::to_json(executor_->calibrate());
  }

  // No kernel has run when a device cannot be started, whatever code its driver gives.
  static void blame_environment(protocol::Failure& failure) {
    if (failure.code == ExitCode::verdict) failure.code = ExitCode::environment;
    if (failure.hint.empty()) failure.hint = "`warpmark doctor` shows what can be used here";
  }

  static protocol::Failure describe(const Error& error) {
    protocol::Failure failure;
    failure.code = error.code();
    failure.message = error.message();
    failure.hint = error.hint();
    failure.where = error.where();
    return failure;
  }

  const DriverOpeners& openers_;
  std::optional<Executor> executor_;
};

}  // namespace

void serve(Channel& channel, const DriverOpeners& openers) {
  Responder responder(openers);
  for (;;) {
    Channel::Received received = channel.receive();
    if (!received.message) return;
    if (!channel.send(responder.answer(*received.message))) return;
  }
}

int run_worker(int socket) {
  // A front that was killed takes its worker along, also out of a launch that never ends.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // Ctrl-C is the front's business, which then ends its worker.
  std::signal(SIGINT, SIG_IGN);
  // What kernels print must not mix with the front's results on stdout.
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  // NVRTC asks for the working directory, and reads past its buffer if that is gone (seen
  // with 13.0). In /proc there is nothing that a relative path could make.
  if (std::error_code gone; std::filesystem::current_path(gone).empty()) {
    [[maybe_unused]] const int ignored = ::chdir("/proc");
  }
  Channel channel{UniqueFd(socket)};
  serve(channel, DriverOpeners::standard());
  return 0;
}

}  // namespace warpmark
