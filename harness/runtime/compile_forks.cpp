#include "runtime/compile_forks.hpp"

#include <sys/prctl.h>

#include <utility>

#include "base/clock.hpp"
#include "runtime/worker_link.hpp"
#include "worker/fork_server.hpp"
#include "worker/protocol.hpp"

namespace warpmark {

bool CompileForks::adopt() {
  return ::prctl(PR_SET_CHILD_SUBREAPER, 1) == 0;
}

CompileForks::CompileForks(const SessionOptions& options)
    : program_(worker_program(options)),
      hello_(protocol::to_json(hello_of(options, WorkerLink::Role::compile))),
      timeout_s_(options.start_timeout_s) {
  start();
}

void CompileForks::start() {
  server_ = Worker::spawn_fork_server(program_);
  ready_ = false;
  server_->channel().send(hello_);
}

bool CompileForks::is_ready() {
  if (ready_) return true;
  const Channel::Received received = server_->channel().receive(in_seconds(timeout_s_));
  if (!received.message) return false;
  // A worker that is started separately reports the same about a machine that lacks something.
  ready_ = std::holds_alternative<DeviceFacts>(protocol::reply_from_json(received.message->body));
  if (!ready_) server_.reset();
  return ready_;
}

std::unique_ptr<Worker> CompileForks::fork() {
  constexpr int kMostLost = 3;
  while (server_) {
    if (is_ready()) {
      auto [ours, theirs] = Channel::pair();
      server_->channel().send(fork_request(), {theirs.fd()});
      const Channel::Received received = server_->channel().receive(in_seconds(timeout_s_));
      if (received.message) {
        const auto process = forked_process(received.message->body);
        if (!process) return nullptr;  // for want of processes, perhaps only now
        lost_ = 0;
        return Worker::adopt(std::move(ours), *process);
      }
    }
    if (!server_) break;
    server_.reset();
    if (++lost_ < kMostLost) start();
  }
  return nullptr;
}

}  // namespace warpmark
