// The loop of a worker: one request, one reply, until the front is gone.
#include "worker/loop.hpp"

#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

#include "base/exception.hpp"
#include "base/file.hpp"
#include "worker/channel.hpp"
#include "worker/confined_start.hpp"
#include "worker/device_run.hpp"
#include "worker/execution.hpp"
#include "worker/fork_server.hpp"
#include "worker/protocol.hpp"
#include "worker/sandbox.hpp"

namespace warpmark {

namespace {

// The memory of a run's buffers, from descriptors in the order of its buffers, from `next` on.
std::vector<BufferMemory> adopt_memory(const protocol::Run& run, std::vector<UniqueFd>& fds,
                                       size_t& next) {
  std::vector<BufferMemory> memory;
  const auto take = [&]() -> UniqueFd {
    if (next >= fds.size()) throw internal_error("a buffer came without its memory");
    return std::move(fds[next++]);
  };
  const auto mapped = [&](uint64_t bytes) {
    SharedMemory taken = SharedMemory::adopt(take());
    if (taken.size() < bytes) throw internal_error("a buffer's memory is too small");
    return taken;
  };
  for (const protocol::BufferBytes& buffer : run.buffers) {
    BufferMemory& one = memory.emplace_back();
    if (buffer.initial_place) {
      one.initial.emplace(take(), *buffer.initial_place, buffer.bytes);
    } else if (buffer.has_initial) {
      one.initial.emplace(mapped(buffer.bytes));
    }
    one.result = mapped(buffer.bytes);
  }
  return memory;
}

class Responder {
 public:
  explicit Responder(const DriverOpeners& openers) : openers_(openers) {}

  nlohmann::json answer(Message& message) {
    return answer_of([&] { return act(protocol::request_from_json(message.body), message.fds); });
  }

  /// The first answer of a compile worker whose compiler was opened for it.
  nlohmann::json start(UnitCompiler compiler, const protocol::Confined& confined) {
    confined_compiler_.emplace(std::move(compiler));
    return answer_of([&] {
      DeviceFacts facts = compiler_facts();
      facts.sandbox = confine(confined, false);
      return protocol::to_json(facts);
    });
  }

 private:
  template <typename Act>
  nlohmann::json answer_of(const Act& act) {
    protocol::Failure failure;
    try {
      return act();
    } catch (const DriverError& error) {
      failure = protocol::Failure::of(error);
      failure.result = error.result();
      failure.sticky = error.sticky();
    } catch (const NoDeviceError& error) {
      failure = protocol::Failure::of(error);
      failure.no_device = true;
    } catch (const VariableError& error) {
      failure = protocol::Failure::of(error);
      failure.variable = error.variable();
    } catch (const RefusedError& error) {
      failure = protocol::Failure::of(error);
      failure.refused = true;
    } catch (...) {
      failure = protocol::Failure::of(to_error(std::current_exception()));
    }
    if (confined_compiler_) return protocol::to_json(failure);
    if (executor_) {
      failure.launched = executor_->launched();
      failure.step = executor_->step();
      failure.reports = executor_->drain_reports();
      failure.places = executor_->places();
      failure.coverage = executor_->drain_coverage();
    } else {
      blame_environment(failure);
    }
    return protocol::to_json(failure);
  }

  DeviceFacts compiler_facts() const {
    DeviceFacts facts;
    const Nvrtc& nvrtc = confined_compiler_->compiler().nvrtc();
    facts.nvrtc_version = nvrtc.version();
    facts.nvrtc = nvrtc.path();
    return facts;
  }

  nlohmann::json act(const protocol::Request& request, std::vector<UniqueFd>& fds) {
    if (const auto* hello = std::get_if<protocol::Hello>(&request)) {
      return protocol::to_json(start(*hello));
    }
    const auto* prepare = std::get_if<protocol::Prepare>(&request);
    if (confined_compiler_ && prepare != nullptr) return protocol::to_json(compile(*prepare));
    if (!executor_) throw internal_error("a worker got a request for which it was not started");
    if (prepare != nullptr) return protocol::to_json(executor_->prepare(*prepare));
    if (const auto* load = std::get_if<protocol::Load>(&request)) {
      return protocol::to_json(executor_->load(*load));
    }
    if (const auto* verify = std::get_if<protocol::Verify>(&request)) {
      limit_memory(verify->run);
      size_t next = 0;
      std::vector<BufferMemory> memory = adopt_memory(verify->run, fds, next);
      return protocol::to_json(executor_->verify(*verify, memory));
    }
    if (const auto* time = std::get_if<protocol::Time>(&request)) {
      size_t next = 0;
      const auto memory_of = [&](const protocol::TimedSide& side) {
        TimedMemory memory{adopt_memory(side.run, fds, next), {}};
        if (side.other) memory.other = adopt_memory(*side.other, fds, next);
        return memory;
      };
      TimedMemory memory = memory_of(*time);
      TimedMemory against = time->against ? memory_of(*time->against) : TimedMemory{};
      return protocol::to_json(executor_->time(*time, std::move(memory), std::move(against)));
    }
    return protocol::to_json(executor_->calibrate());
  }

  DeviceFacts start(const protocol::Hello& hello) {
    DeviceFacts facts;
    if (hello.confined) take_environment(hello.confined->environment);
    if (hello.confined && hello.confined->role == protocol::Confined::Role::compile) {
      confined_compiler_.emplace(open_confined_compiler(hello.confined->confinement));
      facts = compiler_facts();
    } else {
      executor_.emplace(hello, openers_);
      facts = executor_->facts();
    }
    // From here on no more files are opened; the submission comes next.
    if (hello.confined) {
      // The memory of a device that computes in this process can be limited.
      const bool in_memory = executor_ && facts.has("deterministic");
      if (in_memory) {
        run_bytes(0);
        private_bytes_ = sandbox::private_bytes();
      }
      facts.sandbox = confine(*hello.confined, in_memory);
    }
    return facts;
  }

  // Enters the sandbox, after the programs that compile for this worker have entered theirs.
  // Returns what holds in all of them.
  std::vector<std::string> confine(const protocol::Confined& confined, bool in_memory) const {
    std::optional<std::vector<std::string>> programs;
    if (confined_compiler_) programs = confined_compiler_->enter_programs();
    if (programs && programs->empty()) require_sandbox(confined);
    std::vector<std::string> hold = enter_sandbox(confined, in_memory);
    if (programs) keep_common(hold, *programs);
    return hold;
  }

  void limit_memory(const protocol::Run& run) const {
    if (private_bytes_ == 0) return;
    uint64_t arrays = 0;
    for (const protocol::BufferBytes& buffer : run.buffers) arrays += buffer.bytes;
    sandbox::limit_data(private_bytes_ + run_bytes(arrays));
  }

  protocol::Prepared compile(const protocol::Prepare& request) const {
    UnitCompiler::Compiled made =
        confined_compiler_->compile(request, parse_architecture(request.target));
    protocol::Prepared reply;
    static_cast<Signatures&>(reply) = std::move(static_cast<Signatures&>(made));
    reply.images = std::move(made.images);
    reply.notices = std::move(made.notices);
    return reply;
  }

  // If a device cannot be started, no kernel has run, whatever code its driver gives.
  static void blame_environment(protocol::Failure& failure) {
    if (failure.code == ExitCode::verdict) failure.code = ExitCode::environment;
    if (failure.hint.empty()) failure.hint = "`warpmark doctor` shows what can be used here";
  }

  const DriverOpeners& openers_;
  std::optional<Executor> executor_;
  uint64_t private_bytes_ = 0;  ///< private bytes of a confined worker when it is ready; 0: no
                                ///< limit
  std::optional<UnitCompiler> confined_compiler_;
};

}  // namespace

namespace {

void answer_all(Channel& channel, Responder& responder) {
  for (;;) {
    Channel::Received received = channel.receive();
    if (!received.message) return;
    if (!channel.send(responder.answer(*received.message))) return;
  }
}

}  // namespace

void serve(Channel& channel, const DriverOpeners& openers) {
  Responder responder(openers);
  answer_all(channel, responder);
}

void serve_confined_compiler(Channel& channel, UnitCompiler compiler,
                             const protocol::Confined& confined) {
  const DriverOpeners no_device;
  Responder responder(no_device);
  if (channel.send(responder.start(std::move(compiler), confined))) answer_all(channel, responder);
}

WorkerKind worker_kind(const char* argument) {
  const std::string_view word = argument == nullptr ? "" : argument;
  if (word == "--fork-server") return WorkerKind::fork_server;
  return word == "--confined" ? WorkerKind::confined : WorkerKind::trusted;
}

int run_worker(int socket, WorkerKind kind) {
  const bool confined = kind != WorkerKind::trusted;
  // Closes the front's files before anything of a submission is here.
  if (confined) close_from(socket + 1);
  // The worker ends with a front that was killed, even during a launch that never ends.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // The front handles interrupts, and then ends its worker; a service manager sends them to every
  // process that it started.
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_IGN);
  // Text that kernels print must not mix with the front's results on stdout.
  if (!confined) ::dup2(STDERR_FILENO, STDOUT_FILENO);
  // NVRTC asks for the working directory, and reads past its buffer if that is gone (seen with
  // 13.0). No relative path can create a file in /proc.
  if (std::error_code gone; confined || std::filesystem::current_path(gone).empty()) {
    [[maybe_unused]] const int ignored = ::chdir("/proc");
  }
  Channel channel{UniqueFd(socket)};
  if (kind == WorkerKind::fork_server) {
    serve_forks(channel);
  } else {
    serve(channel, DriverOpeners::standard());
  }
  // In a sandbox, actions at exit, such as leak checks, would only fail.
  if (confined) ::_exit(0);
  return 0;
}

}  // namespace warpmark
